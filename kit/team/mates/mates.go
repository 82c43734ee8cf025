package mates

import (
	"context"
	"errors"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/kit/team"
	"react-agent/store"
)

// Limits of a teammate's phases.
const (
	Rounds = 50              // model calls of a work phase
	Polls  = 12              // looks of an idle phase behind the first one
	Poll   = 5 * time.Second // between two looks
)

// Task is a task of the board.
type Task struct {
	ID                   int
	Subject, Description string
}

// Board is where tasks are.
type Board interface {
	// All lists the tasks.
	All(ctx context.Context) ([]Task, error)
	// Ready reports whether a task that fits is pending, nobody's and not blocked.
	Ready(ctx context.Context, fits func(Task) bool) (bool, error)
	// Next claims the first such task; ok tells whether there was one.
	Next(ctx context.Context, owner string, fits func(Task) bool) (t Task, ok bool, err error)
	// Held lists what an owner has claimed and not completed.
	Held(ctx context.Context, owner string) ([]Task, error)
	// Free gives all that back.
	Free(ctx context.Context, owner string) ([]Task, error)
}

// Options say what a team needs.
type Options struct {
	// Team knows teammates as children; Sessions runs their sessions, and Do runs fn on one between its runs.
	Team     *team.Team
	Sessions team.Sessions
	Do       func(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session) error) error
	// Log keeps the inboxes, KV all documents; see the package's comment for their places.
	Log interface {
		store.Log
		store.Names
		store.Last
	}
	KV store.KV
	// Trusted says that what came with the folder may be taken in like any other mail.
	Trusted bool
	// Locks is the directory of the files that say who drives a teammate. It is made when it is needed.
	Locks string
	// Board has the tasks that teammates take; nil: there are none.
	Board Board
	// Root is the work directory, as teammates are told it.
	Root string
	// Rounds bounds the model calls of a work phase; 0 = [Rounds].
	Rounds int
	// Wait has the lead's run go on while a teammate works. Without it a turn ends with its answer.
	Wait bool
	// Wake, if set, is told of mail for a lead whose session may be idle, if that works in this process. It must not wait.
	Wake func(session string)
	// Closing tells from an error that the program is about to end: teammates stay as they are. nil: it never is.
	Closing func(cause error) bool
	// Warn is told what goes wrong where nobody waits for an error; nil: nobody wants to know.
	Warn func(err error)
}

// Mates are the teammates of a work directory. It is safe for concurrent use, also by many processes.
type Mates struct {
	o  Options
	wg sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	drivers map[string]*driver // by name, of those that are driven here
	bell    team.Bell
	leads   map[string]*Seat // by session, of roots that are open here
	noticed bool             // it was told what came with the folder
	said    map[string]bool  // what is broken was told
	reign   reign

	turn chan struct{} // held by who spawns
}

var (
	errClosing  = errors.New("the program ends")
	errForced   = errors.New("the lead has ended it")
	errReplaced = errors.New("another one was spawned under its name")
)

// New makes the teammates of a work directory. Nothing is read before it is needed.
func New(o Options) *Mates {
	if o.Rounds <= 0 || o.Rounds > Rounds {
		o.Rounds = Rounds
	}
	if o.Closing == nil {
		o.Closing = func(error) bool { return false }
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Mates{o: o, drivers: map[string]*driver{}, leads: map[string]*Seat{}, said: map[string]bool{}, turn: make(chan struct{}, 1)}
}

// Close lets go of all teammates: no goroutine is left. They stay as they are, and go on when their lead's session is opened
// again.
func (m *Mates) Close() {
	m.mu.Lock()
	m.closed = true
	for _, d := range m.drivers {
		d.cancel(errClosing)
	}
	m.mu.Unlock()
	m.wg.Wait()
}

// arrived wakes whoever mail has come for.
func (m *Mates) arrived(ctx context.Context, key string) {
	if key != Lead {
		m.nudge(key)
		return
	}
	m.bell.Ring()
	m.wakeLead(ctx)
}

// nudge makes idle teammates look now: the one of a name, or with "" all.
func (m *Mates) nudge(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, d := range m.drivers {
		if key == "" || k == key {
			select {
			case d.nudged <- struct{}{}:
			default:
			}
		}
	}
}
