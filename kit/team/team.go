package team

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"react-agent/agent"
	"react-agent/store"
)

// Name is the hook's name, the From of its messages, the beginning of its keys in a session's State, and the kind of the
// documents that say how the children of a tree stand.
const Name = "team"

// maxRefusals is how many refusals end the runs of a tree.
const maxRefusals = 3

// usualCut is how much of a child's words is told, in characters.
const usualCut = 50_000

// Options say what a team needs. Zero limits are the usual ones.
type Options struct {
	Sessions Sessions
	// KV keeps what children are, under child/ID, and how they stand, under team/ROOT.
	KV store.KV
	// Depth is how many levels of children there may be below the root; 0 = 2.
	Depth int
	// Width is how many children of one parent work at once; 0 = 4.
	Width int
	// Total is how many children models may start in a tree between two messages of the person; 0 = 16.
	Total int
	// Steps bounds the model calls of a child; 0 = 30.
	Steps int
	// Cut bounds a child's words in a result, in characters; 0 = 50000. All of them stand in its log.
	Cut int
	// Inherit are the keys of a session's State that a child takes over from its parent, also when they change later: the
	// mode.
	Inherit []string
	// Endow gives what a child's session has from its beginning, by its parent's session as that is when the child is started;
	// later it does not change. nil: nothing.
	Endow func(parent *agent.Session) map[string]json.RawMessage
	// Closing tells from the cause of a context's end that the program is about to end, and nobody has cancelled anything:
	// children stay as they are and go on later. nil: it never is.
	Closing func(cause error) bool
	// Notify, if set, is told that something waits to be pulled into an idle session. It must not wait.
	Notify func(session string)
	// OwnSteps keeps the steps of children apart: they neither count for their parent nor end with those it has left.
	OwnSteps bool
	// Texts are the words of results; the zero value is [Lean].
	Texts Texts
	// Lang is the language of what the person reads, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// Team runs the children of all sessions of a product. It is safe for concurrent use.
type Team struct {
	o  Options
	wg sync.WaitGroup

	mu     sync.Mutex
	closed bool
	bell   Bell                     // of any child
	seats  map[string]*Seat         // by session, of those that are open
	left   map[string]int           // by key of a call under way: steps of its run that are left
	heard  map[string]int           // by session of the child: how many wait for it here, and hear what it asks
	posts  map[string]*post         // by session of the child, of the background children that are attended here
	halted map[string]chan struct{} // by root: closed when all runs of the tree are to end
	// by session: the State that its children take over, and the background children it was not told of at the last look
	given  map[string]map[string]json.RawMessage
	untold map[string]map[string]bool
	endow  map[string]map[string]json.RawMessage // by session: what a child that it starts now has from its beginning
}

// post is a background child that this process attends.
type post struct{ cancel context.CancelCauseFunc }

var errClosing = errors.New("the program ends")

// New makes a team.
func New(o Options) *Team {
	for _, d := range []struct {
		to    *int
		value int
	}{{&o.Depth, 2}, {&o.Width, 4}, {&o.Total, 16}, {&o.Steps, 30}, {&o.Cut, usualCut}} {
		if *d.to <= 0 {
			*d.to = d.value
		}
	}
	if o.Texts == (Texts{}) {
		o.Texts = Lean()
	}
	if o.Closing == nil {
		o.Closing = func(error) bool { return false }
	}
	if o.Endow == nil {
		o.Endow = func(*agent.Session) map[string]json.RawMessage { return nil }
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	return &Team{
		o: o, seats: map[string]*Seat{}, left: map[string]int{}, heard: map[string]int{}, posts: map[string]*post{},
		halted: map[string]chan struct{}{}, given: map[string]map[string]json.RawMessage{}, endow: map[string]map[string]json.RawMessage{}, untold: map[string]map[string]bool{},
	}
}

// Close lets go of every child: no goroutine is left. Children that have not ended stay as they are, and go on when their
// parent's session is opened again.
func (t *Team) Close() {
	t.mu.Lock()
	t.closed = true
	for _, p := range t.posts {
		p.cancel(errClosing)
	}
	t.mu.Unlock()
	t.wg.Wait()
}

func (t *Team) seat(session string) *Seat {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.seats[session]; s != nil {
		return s
	}
	return &Seat{t: t}
}

// halt is closed when all runs of a tree are to end.
func (t *Team) halt(root string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	ch := t.halted[root]
	if ch == nil {
		ch = make(chan struct{})
		t.halted[root] = ch
	}
	return ch
}

// isHalted asks every step of every session: it leaves nothing behind.
func (t *Team) isHalted(root string) bool {
	t.mu.Lock()
	ch := t.halted[root]
	t.mu.Unlock()
	select {
	case <-ch:
		return true
	default:
		return false // also where there is none
	}
}

// leaves reports whether a context has ended because the program does, or the session goes on elsewhere: then children
// are left alone. Otherwise somebody has stopped the parent, and they end with it.
func (t *Team) leaves(ctx context.Context) bool {
	cause := context.Cause(ctx)
	if errors.Is(cause, errClosing) || t.o.Closing(cause) {
		return true
	}
	var stop *agent.StopError
	return !errors.As(cause, &stop) && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded)
}
