package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/store"
)

// Options of [New]. Log and Dir are required.
type Options struct {
	// Log keeps what happens to jobs, under job/ID. [Jobs.List] and [Jobs.Recover] find old ones if it is a store.Names.
	Log store.Log
	// Dir is where outputs and exit statuses are, an absolute path; it is made when first needed.
	Dir string
	// Root is where jobs start.
	Root string
	// Shell runs commands as `SHELL -c COMMAND`; empty: bash when there is one, else sh.
	Shell string
	// Vars is the environment of jobs, as "NAME=value"; nil: this process's own. HideEnv names variables that they must
	// not see: the agent's own keys.
	Vars, HideEnv []string
	// Prepare changes a process before it starts, as a sandbox does; nil: nothing. It may add to the extra files, behind
	// those that are there.
	Prepare func(cmd *exec.Cmd) error
	// Explain gives a line for the model when the output of a failed job shows that the sandbox was in the way; nil: none.
	Explain func(output string) string
	// Mask puts placeholders in the place of secrets in what the model sees; nil: there are none.
	Mask func(text string) string
	// Texts are the words of results. The zero value is [Lean].
	Texts Texts
	// Timeout of a job that names none; 0 is 120 s.
	Timeout time.Duration
	// MaxOutput is the size in bytes at which a job is stopped because of its output; 0 is 256 MiB, as for the shell tool. It is looked at once a
	// second.
	MaxOutput int64
	// Cut is the size in characters at which a result is cut; 0 is 50000. A notice has at most 500.
	Cut int
	// Retain is how long ago a job must have ended for Recover to remove it; 0 is 30 days.
	Retain time.Duration
	// Notify, if set, is told that something waits to be pulled into a session. It may be called from any goroutine, more
	// often than needed, and must not wait.
	Notify func(session string)
	// WaitAtEnd keeps a turn open while jobs of its session run that are not meant to stay.
	WaitAtEnd bool
	// Others answers for what runs in the background and is no job; nil: there is nothing.
	Others Others
}

// Others are things in the background, sub-agents for example, that can be asked about like jobs.
type Others interface {
	// Check tells of one, as check_background does; ok is false when there is none of this id. It waits up to so many
	// seconds for its end, or until waiting reports that the person speaks.
	Check(ctx context.Context, c agent.Call, id string, seconds int, waiting func() bool) (res agent.Result, ok bool)
	// Lines describe all of them, one line each.
	Lines(ctx context.Context, c agent.Call) []string
}

const (
	defaultTimeout   = 120 * time.Second
	defaultMaxOutput = 256 << 20
	defaultCut       = 50000
	defaultRetain    = 30 * 24 * time.Hour
	maxTimeout       = 365 * 24 * time.Hour
	sizeEvery        = time.Second
)

// Jobs are the jobs of all sessions of a process.
type Jobs struct {
	o Options

	mu     sync.Mutex
	known  map[string]*job
	fresh  map[string]time.Time // calls that were not started before, and since when that is known
	bell   chan struct{}        // closed at the next change of any job
	closed bool
	wg     sync.WaitGroup
}

// job is what this process knows of a job.
type job struct {
	id string

	mu sync.Mutex
	story
	task    *shell.Task // nil: nobody watches it here
	ours    bool        // ends with this process
	waits   int         // how often it has begun to wait for a person
	why     string      // what it waits for; empty = it does not
	unsaved bool        // the end is not in the log yet
	done    chan struct{}
}

// New makes the jobs of a process. Nothing is started or read before it is needed.
func New(o Options) (*Jobs, error) {
	if o.Log == nil || !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("job: a log and an absolute directory are needed, not %q", o.Dir)
	}
	if o.Texts == (Texts{}) {
		o.Texts = Lean()
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.Cut <= 0 {
		o.Cut = defaultCut
	}
	if o.Retain <= 0 {
		o.Retain = defaultRetain
	}
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	if o.Mask == nil {
		o.Mask = func(text string) string { return text }
	}
	if o.Explain == nil {
		o.Explain = func(string) string { return "" }
	}
	return &Jobs{o: o, known: map[string]*job{}, fresh: map[string]time.Time{}, bell: make(chan struct{})}, nil
}

// errClosed refuses new jobs.
var errClosed = errors.New("the agent is about to end; no job is started any more")

func (j *Jobs) isClosed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed
}

// changed wakes everybody who waits for a job.
func (j *Jobs) changed() {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.bell)
	j.bell = make(chan struct{})
}

// next is closed at the next change.
func (j *Jobs) next() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bell
}

// keep puts a job among the known ones; if it is there, that one is the job.
func (j *Jobs) keep(s story) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	x := j.known[s.start.ID]
	if x == nil {
		x = &job{id: s.start.ID, story: s, done: make(chan struct{})}
		if x.ended() {
			close(x.done)
		}
		j.known[x.id] = x
	}
	return x
}

// get finds a job and brings what is known of it up to date: one that runs is watched from now on, one that ended
// meanwhile has its end. The error wraps errNoJob when there is none.
func (j *Jobs) get(ctx context.Context, id string) (*job, error) {
	j.mu.Lock()
	x := j.known[id]
	j.mu.Unlock()
	if x == nil {
		var s story
		if err := j.read(ctx, id, &s); err != nil {
			return nil, err
		}
		x = j.keep(s)
	}
	return x, j.refresh(ctx, x)
}

// refresh looks what became of a job that nobody watches here.
func (j *Jobs) refresh(ctx context.Context, x *job) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.unsaved {
		j.save(ctx, x, x.end)
	}
	if x.ended() || x.task != nil {
		return nil
	}
	if err := j.read(ctx, x.id, &x.story); err != nil {
		return err
	}
	if x.ended() {
		close(x.done)
		return nil
	}
	j.follow(ctx, x)
	return nil
}

// follow watches a job that was started by another process, or by this one in an earlier call. The caller holds x.mu.
func (j *Jobs) follow(ctx context.Context, x *job) {
	id := shell.Ident{}
	if x.process.Process != nil {
		id = *x.process.Process
	}
	task, exit := shell.FindBackground(j.background(x), id)
	switch {
	case task != nil:
		x.ours = x.ownerless()
		if !j.attach(ctx, x, task) {
			task.Release()
		}
	case exit.Begun || x.process.Process != nil:
		j.settle(ctx, x, exit, nil)
	} // else it is only about to start
}

// background is how the shell knows a job.
func (j *Jobs) background(x *job) shell.Background {
	return shell.Background{
		Command: x.start.Command, Dir: x.start.Dir, Shell: j.o.Shell,
		Vars: j.o.Vars, Hide: j.o.HideEnv, Prepare: j.o.Prepare,
		Output: j.output(x.id), Status: j.status(x.id), Mark: x.start.Mark,
		Terminal: x.start.PTY, Waits: func(why string) { j.waits(x, why) },
	}
}

func (j *Jobs) output(id string) string { return filepath.Join(j.o.Dir, id+".log") }

func (j *Jobs) status(id string) string { return filepath.Join(j.o.Dir, id+".status") }

// attach watches a job that runs; false: this process is about to end, and watches nothing any more. The caller holds
// x.mu.
func (j *Jobs) attach(ctx context.Context, x *job, task *shell.Task) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	x.task = task
	free := context.WithoutCancel(ctx) // what happens must be stored
	j.wg.Go(func() { j.watch(free, x, task) })
	return true
}

// watch follows a job to its end, or to the end of this process.
func (j *Jobs) watch(ctx context.Context, x *job, task *shell.Task) {
	x.mu.Lock()
	deadline := x.deadline()
	x.mu.Unlock()
	limit := time.NewTimer(time.Until(deadline))
	defer limit.Stop()
	if deadline.IsZero() {
		limit.Stop()
	}
	size := time.NewTicker(sizeEvery)
	defer size.Stop()
	for {
		select {
		case <-task.Over():
			j.over(ctx, x, task)
			return
		case <-limit.C:
			j.stop(ctx, x, reasonTimeout)
		case <-size.C:
			if info, err := os.Stat(j.output(x.id)); err == nil && info.Size() > j.o.MaxOutput {
				j.stop(ctx, x, fmt.Sprintf("its output grew beyond %d MiB", max(1, j.o.MaxOutput>>20)))
			}
		}
	}
}

// over notes how a task has ended, if it has and was not only released.
func (j *Jobs) over(ctx context.Context, x *job, task *shell.Task) {
	x.mu.Lock()
	x.task = nil
	select {
	case <-task.Done():
	default:
		x.mu.Unlock()
		return
	}
	j.settle(ctx, x, task.Exit(), task.Left())
	x.mu.Unlock()
	j.changed()
	j.o.Notify(x.start.Session)
}

// waits notes that a job begins, or ceases, to wait for a person.
func (j *Jobs) waits(x *job, why string) {
	x.mu.Lock()
	x.why = why
	if why != "" {
		x.waits++
	}
	x.mu.Unlock()
	j.changed()
	if why != "" {
		j.o.Notify(x.start.Session)
	}
}

// Reasons for a stop.
const (
	reasonTimeout = "time limit"
	reasonKilled  = "killed"
	reasonClose   = "killed at the end"
)

// stop stops a job with everything it has started; the reason is stored first, so that it is known whatever comes. It
// does nothing to one that has ended, and leaves it to the watcher to note the end.
func (j *Jobs) stop(ctx context.Context, x *job, reason string) {
	x.mu.Lock()
	task := x.task
	open := func() bool { return x.stop.Type == "" && !x.ended() }
	if task != nil && open() {
		r := record{Type: recStop, Reason: reason}
		if err := j.append(ctx, x.id, &x.story, r, open); err != nil {
			x.stop = r // it is stopped all the same
		}
	}
	x.mu.Unlock()
	if task != nil {
		task.Stop()
	}
}

// settle notes how a job has ended. The caller holds x.mu.
func (j *Jobs) settle(ctx context.Context, x *job, exit shell.Exit, left []shell.Process) {
	if x.ended() {
		return
	}
	_ = j.read(ctx, x.id, &x.story) // another process may have stopped it; what cannot be read now is told by append
	if x.ended() {
		close(x.done)
		return
	}
	r := record{Type: recEnd, Status: Failed, Reason: x.stop.Reason, Left: leftOver(left)}
	if exit.Known {
		r.Code = &exit.Code
	}
	switch {
	case r.Reason != "":
	case exit.Known && exit.Code == 0:
		r.Status = Completed
	case exit.Known:
	default:
		r.Status, r.Reason = Orphaned, x.lost(exit)
	}
	x.why = ""
	j.save(ctx, x, r)
}

// lost says why nobody knows how the job ended.
func (x *job) lost(exit shell.Exit) string {
	switch {
	case !exit.Begun && x.process.Process == nil:
		return "the agent ended before it had started it"
	case x.process.Process != nil && shell.Rebooted(*x.process.Process):
		return "the machine was restarted while it ran"
	case x.start.PTY:
		return "its terminal went away with the agent that had started it"
	}
	return "it was killed from outside, and left no exit status"
}

// save stores the end of a job; what cannot be stored now is known all the same, and stored later. The caller holds x.mu.
func (j *Jobs) save(ctx context.Context, x *job, r record) {
	first := !x.ended()
	if !first {
		x.end = record{} // ours was never stored: the log decides
	}
	err := j.append(ctx, x.id, &x.story, r, func() bool { return !x.ended() })
	if x.unsaved = err != nil; x.unsaved {
		x.end = r
		x.end.Time = time.Now()
	}
	if first {
		close(x.done)
	}
}
