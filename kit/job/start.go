package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"react-agent/internal/shell"
	"react-agent/store"
)

// order is what somebody wants started.
type order struct {
	key     string // of the call; empty = always a new job
	command string
	timeout time.Duration // 0 = none
	pty     bool
	keep    bool
}

// start starts a job, or finds the one that the same call has started before.
func (j *Jobs) start(ctx context.Context, o order) (*job, error) {
	if strings.TrimSpace(o.command) == "" {
		return nil, errors.New("command is empty")
	}
	j.mu.Lock()
	closed := j.closed
	since, fresh := j.fresh[o.key]
	delete(j.fresh, o.key)
	j.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	for n := 0; ; n++ {
		x, made, err := j.claim(ctx, o, newID(o.key, n))
		if err != nil {
			return nil, err
		}
		// A log of the same call is this call's own, unless it was there before the call was: then it belongs to an
		// earlier session of this name.
		earlier := fresh && x.start.Time.Before(since)
		if made || o.key != "" && x.start.Key == o.key && x.start.Command == o.command && !earlier {
			return x, j.launch(ctx, x)
		}
	}
}

// claim makes the log of a job, or reads it if there is one.
func (j *Jobs) claim(ctx context.Context, o order, id string) (x *job, made bool, err error) {
	self := shell.Self()
	r := record{
		Type: recStart, Owner: &self, ID: id, Session: sessionOf(o.key), Key: o.key,
		Command: o.command, Dir: j.o.Root, Timeout: o.timeout.Seconds(), PTY: o.pty, Keep: o.keep, Mark: newMark(id),
	}
	var s story
	if err := j.append(ctx, id, &s, r, func() bool { return s.start.ID == "" }); err != nil {
		return nil, false, err
	}
	made = s.start.Mark == r.Mark
	if sync, ok := j.o.Log.(store.Syncer); ok && made {
		if err := sync.Sync(ctx, logName(id)); err != nil {
			return nil, false, fmt.Errorf("job %s: %w", id, err)
		}
	}
	return j.keep(s), made, nil
}

// launch starts the process of a job that has none yet.
func (j *Jobs) launch(ctx context.Context, x *job) error {
	if err := j.refresh(ctx, x); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended() && x.process.Process == nil && x.end.Code == nil { // it could not be started
		return errors.New(x.end.Reason)
	}
	if x.ended() || x.task != nil {
		return nil
	}
	if err := os.MkdirAll(j.o.Dir, 0o700); err != nil {
		return j.stillborn(ctx, x, fmt.Errorf("directory for outputs: %w", err))
	}
	task, err := shell.StartBackground(j.background(x))
	if errors.Is(err, shell.ErrRunning) { // another process was faster
		if j.follow(ctx, x); x.ended() || x.task != nil {
			return nil
		}
		task, err = shell.StartBackground(j.background(x)) // it was, but died before it had begun
	}
	if err != nil {
		return j.stillborn(ctx, x, err)
	}
	id, self := task.Ident(), shell.Self()
	r := record{Type: recProcess, Process: &id, Owner: &self}
	x.ours = true
	if err := j.append(ctx, x.id, &x.story, r, func() bool { return x.process.Process == nil && !x.ended() }); err != nil {
		x.process = r // it can be found by its mark
	}
	if !j.attach(ctx, x, task) {
		task.Stop()
		task.Release()
		return j.stillborn(ctx, x, errClosed)
	}
	return nil
}

// stillborn ends a job that could not be started.
func (j *Jobs) stillborn(ctx context.Context, x *job, err error) error {
	j.save(ctx, x, record{Type: recEnd, Status: Failed, Reason: err.Error()})
	return err
}
