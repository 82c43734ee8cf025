package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/store"
)

// Info describes a job.
type Info struct {
	ID, Session, Command string
	Status               Status
	Reason               string // why it was stopped, or what it waits for; empty if it does not apply
	Code                 int    // exit status; -1 = unknown, or not ended
	PID                  int    // 0 = unknown
	Started, Ended       time.Time
	Output               string // file
	Keep, PTY            bool
}

// Line describes the job on one line in the person's language.
func (i Info) Line(c msg.Catalogue) string {
	key := map[Status]msg.Key{
		Running: msg.JobRunning, Waiting: msg.JobWaiting, Completed: msg.JobCompleted, Failed: msg.JobFailed, Orphaned: msg.JobOrphaned,
	}[i.Status]
	how := c.Text(key)
	switch {
	case i.Reason == reasonTimeout:
		how += " (" + c.Text(msg.JobTimeout) + ")"
	case i.Reason == reasonKilled, i.Reason == reasonClose:
		how += " (" + c.Text(msg.JobKilled) + ")"
	case i.Reason != "":
		how += " (" + i.Reason + ")"
	case i.Code > 0:
		how += fmt.Sprintf(" (%d)", i.Code)
	}
	return fmt.Sprintf("%s  %s  %s", i.ID, how, short(strings.Join(strings.Fields(i.Command), " "), 80, "…"))
}

// List gives the jobs of a session and of its children, oldest first; an empty session means all. Those that were
// started before this process are found if the log is a store.Names.
func (j *Jobs) List(ctx context.Context, session string) ([]Info, error) {
	list, err := j.all(ctx, session)
	out := make([]Info, len(list))
	for i, x := range list {
		out[i] = j.info(x)
	}
	return out, err
}

func (j *Jobs) info(x *job) Info {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := Info{
		ID: x.id, Session: x.start.Session, Command: x.start.Command, Status: x.state(), Reason: x.end.Reason, Code: -1,
		Started: x.start.Time, Ended: x.end.Time, Output: j.output(x.id), Keep: x.start.Keep, PTY: x.start.PTY,
	}
	if x.why != "" {
		i.Reason = x.why
	}
	if x.end.Code != nil {
		i.Code = *x.end.Code
	}
	if p := x.process.Process; p != nil {
		i.PID = p.PID
	}
	return i
}

// all gives the jobs of a session and its children, oldest first.
func (j *Jobs) all(ctx context.Context, session string) ([]*job, error) {
	ids := map[string]bool{}
	j.mu.Lock()
	for id := range j.known {
		ids[id] = true
	}
	j.mu.Unlock()
	if n, ok := j.o.Log.(store.Names); ok {
		for e, err := range n.Names(ctx, "job/") {
			if err != nil {
				return nil, fmt.Errorf("jobs: %w", err)
			}
			ids[strings.TrimPrefix(e.Name, "job/")] = true
		}
	}
	var out []*job
	for id := range ids {
		x, err := j.peek(ctx, id)
		if errors.Is(err, errNoJob) {
			continue // dropped meanwhile
		}
		if err != nil {
			return nil, err
		}
		if s := x.start.Session; session != "" && !strings.EqualFold(s, session) && !strings.HasPrefix(strings.ToLower(s), strings.ToLower(session)+".") {
			continue
		}
		if err := j.refresh(ctx, x); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b *job) int {
		if c := a.start.Time.Compare(b.start.Time); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	return out, nil
}

// Of tells which job a call has started, by the call's key, "" if none, and when the job ended, zero while it may run. It
// only reads: the job is not watched.
func (j *Jobs) Of(ctx context.Context, key string) (id string, ended time.Time) {
	for n := 0; ; n++ { // the last one: the others belong to earlier sessions of this name
		var s story
		next := newID(key, n)
		err := j.read(ctx, next, &s)
		switch {
		case errors.Is(err, errNoJob):
			return id, ended
		case err != nil:
			return next, time.Time{}
		case s.start.Key == key:
			id, ended = next, s.over()
		}
	}
}

// peek finds a job without following it.
func (j *Jobs) peek(ctx context.Context, id string) (*job, error) {
	j.mu.Lock()
	x := j.known[id]
	j.mu.Unlock()
	if x != nil {
		return x, nil
	}
	var s story
	if err := j.read(ctx, id, &s); err != nil {
		return nil, err
	}
	return j.keep(s), nil
}

// Kill stops a job with everything it has started, and waits for its end. One that has ended is left alone.
func (j *Jobs) Kill(ctx context.Context, id string) error {
	x, err := j.get(ctx, id)
	if err != nil {
		return err
	}
	return j.kill(ctx, x)
}

func (j *Jobs) kill(ctx context.Context, x *job) error {
	j.stop(ctx, x, reasonKilled)
	limit := time.NewTimer(killTime)
	defer limit.Stop()
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-limit.C:
		return fmt.Errorf("job %s was killed and has not ended yet", x.id)
	}
}

// killTime is how long a killed process may take to be gone.
const killTime = 5 * time.Second

// Output reads at most limit bytes of a job's output from an offset on; a negative one counts from the end. It gives where
// the piece begins and how much there is by now.
func (j *Jobs) Output(ctx context.Context, id string, offset int64, limit int) (piece []byte, at, total int64, err error) {
	if _, err := j.peek(ctx, id); err != nil {
		return nil, 0, 0, err
	}
	return shell.ReadPage(j.output(id), offset, limit)
}

// Input types text into the terminal of a job: what a person answers to a job that waits. It is not stored.
func (j *Jobs) Input(ctx context.Context, id, text string) error {
	x, err := j.get(ctx, id)
	if err != nil {
		return err
	}
	return x.input(text)
}

func (x *job) input(text string) error {
	x.mu.Lock()
	task, ended := x.task, x.ended()
	x.mu.Unlock()
	if ended || task == nil {
		return fmt.Errorf("job %s does not run here", x.id)
	}
	if err := task.Write(text); err != nil {
		return fmt.Errorf("job %s: %w", x.id, err)
	}
	return nil
}

// Recover looks at every job of the store: it watches those that run, notes the end of those that ended meanwhile and
// tells [Options.Notify], and removes those that ended [Options.Retain] ago. A server calls it when it starts.
func (j *Jobs) Recover(ctx context.Context) error {
	n, ok := j.o.Log.(store.Names)
	if !ok {
		return nil
	}
	for e, err := range n.Names(ctx, "job/") {
		if err != nil {
			return fmt.Errorf("jobs: %w", err)
		}
		if err := j.recover(ctx, strings.TrimPrefix(e.Name, "job/")); err != nil && !errors.Is(err, errNoJob) {
			return err
		}
	}
	return nil
}

func (j *Jobs) recover(ctx context.Context, id string) error {
	x, err := j.peek(ctx, id)
	if err != nil {
		return err
	}
	x.mu.Lock()
	was := x.ended()
	old := was && time.Since(x.end.Time) > j.o.Retain
	x.mu.Unlock()
	if old {
		return j.remove(ctx, x)
	}
	if err := j.refresh(ctx, x); err != nil || was {
		return err
	}
	x.mu.Lock()
	now := x.ended()
	x.mu.Unlock()
	if now {
		j.o.Notify(x.start.Session)
	}
	return nil
}

func (j *Jobs) remove(ctx context.Context, x *job) error {
	for _, file := range []string{j.output(x.id), j.status(x.id)} {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("job %s: %w", x.id, err)
		}
	}
	if err := j.o.Log.Drop(ctx, logName(x.id)); err != nil {
		return fmt.Errorf("job %s: %w", x.id, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.known, x.id)
	return nil
}

// Close stops the jobs of this process, but for those that are to be kept, and watches none any more: no goroutine is
// left. What they came to waits to be told when their sessions go on. When ctx ends first, the error says what still
// runs. No job can be started afterwards.
func (j *Jobs) Close(ctx context.Context) error {
	j.mu.Lock()
	j.closed = true
	var list []*job
	for _, x := range j.known {
		list = append(list, x)
	}
	j.mu.Unlock()
	var wg sync.WaitGroup
	errs := make([]error, len(list))
	for i, x := range list {
		wg.Go(func() { errs[i] = j.closeOne(ctx, x) })
	}
	wg.Wait()
	j.wg.Wait()
	return errors.Join(errs...)
}

func (j *Jobs) closeOne(ctx context.Context, x *job) error {
	x.mu.Lock()
	task, mine := x.task, x.ours && !x.start.Keep
	x.mu.Unlock()
	if task == nil {
		return nil
	}
	defer task.Release()
	if !mine {
		return nil
	}
	j.stop(context.WithoutCancel(ctx), x, reasonClose)
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("job %s (%s) still runs: %w", x.id, short(x.start.Command, 60, "…"), context.Cause(ctx))
	}
}
