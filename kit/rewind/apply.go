package rewind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// journal is what a restore is about to do. It is there while it is being done.
type journal struct {
	Session string `json:"session"`
	Seq     int64  `json:"seq"` // of the void event that will follow
	Redo    int64  `json:"redo,omitempty"`
	Steps   []step `json:"steps"`
}

func (r *Rewind) journalPath() string { return filepath.Join(r.o.Dir, "restore.json") }

// Perform does what a plan says, files first, then the chat: it appends the void event with a. Call it inside
// engine.Local.Do. A plan that no longer fits gives [ErrStale], one with Gone and without force [ErrGone], and nothing is
// changed. With force conflicts are overwritten; what they held can be had back by a redo.
//
// After an error of the append the files are restored and the chat is not; planning and performing again mends it.
func (r *Rewind) Perform(ctx context.Context, a *agent.Agent, s *agent.Session, p *Plan, force bool) (Result, error) {
	if !p.fits(s) {
		return Result{}, ErrStale
	}
	if p.Gone && !force {
		return Result{}, ErrGone
	}
	var result Result
	var id int64
	err := r.locked(ctx, func() (err error) {
		result, id, err = r.restore(ctx, s, p, force)
		return err
	})
	if err != nil {
		return result, err
	}
	e, err := p.event(s, id)
	if err != nil {
		return result, err
	}
	if err := a.Append(ctx, s, e); err != nil {
		return result, fmt.Errorf("the files are restored, but not the chat: %w", err)
	}
	result.Event = e.Seq
	return result, nil
}

// fits reports whether the chat is where it was when this was planned.
func (p *Plan) fits(s *agent.Session) bool {
	if p.Session != s.ID || p.Void == nil {
		return false
	}
	if !p.Redo {
		return p.Void.To == s.Seq
	}
	stack := stackOf(s)
	return len(stack) > 0 && stack[len(stack)-1].Seq == p.Void.From && !saidBetween(s, p.Void.From, s.Seq+1)
}

// restore is the part of Perform that is about files.
func (r *Rewind) restore(ctx context.Context, s *agent.Session, p *Plan, force bool) (result Result, id int64, err error) {
	now := &Plan{Session: p.Session, Redo: p.Redo, Void: p.Void, redo: p.redo}
	if err := r.compute(ctx, now); err != nil {
		return result, 0, err
	}
	if !slices.Equal(now.promised(force), p.promised(force)) {
		return result, 0, errors.Join(ErrStale, r.save())
	}
	j := journal{Session: s.ID, Seq: s.Seq + 1, Redo: p.redo}
	for _, st := range now.steps {
		if st.lost != "" || st.conflict != "" && !force {
			result.Left = append(result.Left, st.file())
			continue
		}
		j.Steps = append(j.Steps, st)
	}
	done, left, id, err := r.apply(ctx, j)
	result.Done, result.Left = done, append(result.Left, left...)
	return result, id, err
}

// promised lists what a plan does: what is left alone may have changed again since. With force that holds for what a job
// changes, which may be running: it is overwritten, whatever it holds by now, as long as it comes back to the same.
func (p *Plan) promised(force bool) []step {
	var list []step
	for _, s := range p.steps {
		if s.conflict != "" && !force {
			continue
		}
		if s.job && s.conflict != "" && s.lost == "" {
			s.Now = state{}
		}
		list = append(list, s)
	}
	return list
}

// event is the void event. Its state says what can be redone from there.
func (p *Plan) event(s *agent.Session, id int64) (*agent.Event, error) {
	stack, text := p.stack, "redo"
	if !p.Redo {
		stack, text = append(slices.Clone(p.stack), undone{ID: id, Seq: s.Seq + 1}), "rewind"
	}
	value := json.RawMessage("null")
	if len(stack) > 0 {
		raw, err := agent.EncodeJSON(stack)
		if err != nil {
			return nil, err
		}
		value = raw
	}
	return &agent.Event{Type: agent.EvVoid, Void: p.Void, Text: text, State: map[string]json.RawMessage{StateKey: value}}, nil
}

// apply writes the journal, restores, and records what came of it.
func (r *Rewind) apply(ctx context.Context, j journal) (done, left []File, id int64, err error) {
	if err := r.save(); err != nil { // what there is now can be had back
		return nil, nil, 0, err
	}
	if err := r.settle(); err != nil {
		return nil, nil, 0, err
	}
	if err := r.writeJournal(j); err != nil {
		return nil, nil, 0, err
	}
	return r.carryOut(ctx, j, nil, false)
}

func (r *Rewind) writeJournal(j journal) error {
	data, err := encodeLines([]any{j})
	if err != nil {
		return err
	}
	tmp := r.journalPath() + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && !r.o.NoSync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, r.journalPath()); err != nil {
		return err
	}
	if r.o.NoSync {
		return nil
	}
	return syncFolder(r.o.Dir)
}

// carryOut does the steps of a journal, or again what was cut off: those at the paths in before were done already. From here on an error leaves the
// journal, and the next use goes on.
func (r *Rewind) carryOut(ctx context.Context, j journal, before []name, again bool) (done, left []File, id int64, err error) {
	ctx = context.WithoutCancel(ctx) // half a restore is worse than a late answer
	w := &restorer{r: r, failed: map[name]string{}, steps: map[name]state{}, again: again}
	w.run(ctx, j.Steps)
	if !r.o.NoSync && len(j.Steps) > 0 {
		syncAll()
	}
	paths := append(before, w.made...)
	for _, s := range j.Steps {
		paths = append(paths, s.Path)
		f := s.file()
		if why, ok := w.failed[s.Path]; ok {
			f.Conflict, f.Lost = "", why
			left = append(left, f)
			continue
		}
		f.Conflict = ""
		done = append(done, f)
	}
	changes, err := r.look(ctx, paths)
	if err != nil {
		return done, left, 0, err
	}
	id = r.history.add(record{Type: recChange, Session: j.Session, Seq: j.Seq, Redo: j.Redo, Changes: changes})
	if err := r.save(); err != nil {
		return done, left, 0, err
	}
	if err := r.settle(); err != nil {
		return done, left, 0, err
	}
	return done, left, id, os.Remove(r.journalPath())
}

// recover finishes a restore that was cut off. What was changed since is left alone.
func (r *Rewind) recover(ctx context.Context) error {
	data, err := os.ReadFile(r.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var j journal
	if err := decode(data, &j); err != nil {
		return fmt.Errorf("%s: %w", r.journalPath(), err)
	}
	if err := r.objects.count(); err != nil {
		return err
	}
	r.clean(j.Steps)
	var todo []step
	var before []name
	var changed []string
	for _, s := range j.Steps {
		now, err := r.current(s.Path)
		if err != nil {
			return err
		}
		switch {
		case now == s.Then:
			before = append(before, s.Path)
		case now == s.Now, now.Kind == "", now.Kind == isDir && s.Then.Kind == isDir:
			s.Now = now
			todo = append(todo, s)
		default:
			changed = append(changed, string(s.Path))
		}
	}
	j.Steps = todo
	if _, _, _, err := r.carryOut(ctx, j, before, true); err != nil {
		return err
	}
	if r.o.Notice == nil {
		return nil
	}
	r.o.Notice(r.msg.Text(msg.RewindFinished, len(todo)))
	if len(changed) > 0 {
		r.o.Notice(r.msg.Text(msg.RewindCutOff, strings.Join(changed, ", ")))
	}
	return nil
}
