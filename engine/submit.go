package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/store"
)

// Submit implements [Engine]. An error that wraps [ErrInput] says what is wrong with the input. After another error the
// input may be in the log all the same; sending it again with the same ID does no harm. From the moment at which it is stored
// the end of ctx changes nothing: what is in the log is worked on.
func (l *Local) Submit(ctx context.Context, session string, in Input) (Receipt, error) {
	if err := in.check(); err != nil {
		return Receipt{}, err
	}
	r, err := l.enter(session)
	if err != nil {
		return Receipt{}, err
	}
	defer l.leave(ctx, r)
	text := ""
	if in.Command != "" {
		reply, err := l.command(ctx, r, in)
		if err != nil || !reply.says() {
			return Receipt{Text: reply.Text}, err
		}
		text, in.Command, in.Message, in.Edit = reply.Text, "", reply.Message, reply.Edit
		in.Queue = in.Queue || reply.Queue
		if err := in.check(); err != nil {
			return Receipt{}, err
		}
	}
	if l.c.Receive != nil {
		l.c.Receive(&in)
	}
	if err := l.editable(ctx, r, &in); err != nil {
		return Receipt{}, err
	}
	pos, again, err := l.post(ctx, r, in)
	if err != nil {
		return Receipt{}, err
	}
	ctx = context.WithoutCancel(ctx) // whoever has left has left a message
	l.tell(ctx, r)
	if err := l.attend(ctx, r); err != nil {
		return Receipt{Pos: pos, Again: again}, fmt.Errorf("session %s: the input is stored, but nobody can work on it: %w", r.id, err)
	}
	return Receipt{Pos: pos, Text: text, Again: again, Edit: in.Edit}, nil
}

// check looks whether the input says exactly one thing, and makes it ready to be stored.
func (in *Input) check() error {
	n := 0
	for _, set := range []bool{in.Message != nil || in.Edit != 0 && !in.Cancel, in.Answer != nil, in.Cancel, in.Quiet, in.Command != ""} {
		if set {
			n++
		}
	}
	switch {
	case n != 1:
		return FaultCount.error(n)
	case in.Edit < 0:
		return FaultEdit.error(in.Edit)
	case len(in.ID) > 200:
		return FaultID.error(len(in.ID))
	case in.Answer != nil && in.Answer.ID == "":
		return FaultAnswer.error()
	case in.Message == nil:
		return nil
	}
	m, err := checkMessage(*in.Message, in.Edit > 0)
	in.Message = &m
	return err
}

// checkMessage gives a copy of what a person may say: text and attachments.
func checkMessage(m agent.Message, mayBeEmpty bool) (agent.Message, error) {
	if m.Role == "" {
		m.Role = agent.User
	}
	if m.Role != agent.User {
		return m, FaultRole.error(m.Role)
	}
	if len(m.Parts) == 0 && !mayBeEmpty {
		return m, FaultEmpty.error()
	}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		switch {
		case p.Kind == agent.Text:
		case p.Kind == agent.BlobKind && p.Blob != nil:
			b := *p.Blob
			m.Parts[i].Blob = &b
		default:
			return m, FaultPart.error(i+1, p.Kind)
		}
	}
	return m, nil
}

// post adds the input to its log. One with an ID that the log has already is not added again.
func (l *Local) post(ctx context.Context, r *room, in Input) (pos int64, again bool, err error) {
	if in.Message != nil {
		if err := moveBlobs(ctx, l.c.Blobs, in.Message.Parts); err != nil {
			return 0, false, fmt.Errorf("attachment: %w", err)
		}
	}
	line, err := record(ctx, l.c.Blobs, entry{Time: now(), Input: in})
	if err != nil {
		return 0, false, err
	}
	if err := l.refill(ctx, r); err != nil {
		return 0, false, err
	}
	for {
		after := int64(-1)
		if in.ID != "" {
			var known int64
			if known, after, err = l.lookUp(ctx, r, in.ID); err != nil || known > 0 {
				return known, known > 0, err
			}
		}
		if ctx.Err() != nil {
			return 0, false, context.Cause(ctx)
		}
		stored := context.WithoutCancel(ctx)
		pos, err = l.c.Log.Append(stored, inputLog(r.id), after, line)
		if errors.Is(err, store.ErrConflict) && after >= 0 {
			continue
		}
		if err == nil && in.Message != nil {
			err = l.syncInput(stored, r)
		}
		return pos, false, err
	}
}

// syncInput waits until what a person said is on the disk.
func (l *Local) syncInput(ctx context.Context, r *room) error {
	s, ok := l.c.Log.(store.Syncer)
	if !ok || l.c.NoSync {
		return nil
	}
	return s.Sync(ctx, inputLog(r.id))
}

// refill begins an input log that was deleted beside its session again: with records that say nothing, until positions
// are past those that the session has used up. Without them the next input would count as used.
func (l *Local) refill(ctx context.Context, r *room) error {
	t, ok := l.c.Log.(store.Last)
	if !ok {
		return nil
	}
	last, err := t.Last(ctx, inputLog(r.id))
	if err != nil || last.Pos > 0 {
		return err
	}
	stored, err := t.Last(ctx, sessionLog(r.id))
	if err != nil || stored.Pos == 0 {
		return err
	}
	_, err = l.view(ctx, r, func(s *agent.Session) error {
		for pos, pad := int64(1), 64; s.Taken(inputLog(r.id), pos, ""); pad = min(2*pad, store.MaxRecord/2) {
			line := `{"quiet":true` + strings.Repeat(" ", pad) + "}"
			var err error
			if pos, err = l.c.Log.Append(ctx, inputLog(r.id), -1, []byte(line)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// lookUp finds the position of the input with an ID, and the end of the log.
func (l *Local) lookUp(ctx context.Context, r *room, id string) (known, end int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for again := false; ; again = true {
		if r.ids == nil {
			r.ids, r.idsPos = map[string]int64{}, 0
		}
		for rec, rerr := range l.inputs(ctx, r.id, r.idsPos) {
			if err = rerr; err != nil {
				break
			}
			r.idsPos = rec.pos
			if _, there := r.ids[rec.entry.ID]; !there && rec.entry.ID != "" {
				r.ids[rec.entry.ID] = rec.pos
			}
		}
		if !errors.Is(err, store.ErrConflict) || again {
			return r.ids[id], r.idsPos, err
		}
		r.ids, err = nil, nil // another log by now
	}
}

type heard struct {
	pos   int64
	entry *entry
}

// inputs reads an input log; records that cannot be read are passed over, but move the position.
func (l *Local) inputs(ctx context.Context, id string, after int64) iter.Seq2[heard, error] {
	return func(yield func(heard, error) bool) {
		for rec, err := range l.c.Log.Read(ctx, inputLog(id), after, false) {
			h := heard{pos: rec.Pos, entry: &entry{}}
			var line []byte
			if err == nil {
				line, err = agent.PutBackBodies(rec.Data, l.blob(ctx))
			}
			if err == nil {
				if derr := json.Unmarshal(line, h.entry); derr != nil {
					l.c.Logger.Warn("input passed over", "session", id, "pos", rec.Pos, "error", derr)
					h.entry = &entry{}
				}
			}
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// editable reports what is wrong with an edit: only what waits can be changed.
func (l *Local) editable(ctx context.Context, r *room, in *Input) error {
	if in.Edit == 0 || in.Cancel {
		return nil
	}
	if in.ID != "" {
		if known, _, err := l.lookUp(ctx, r, in.ID); err != nil || known > 0 {
			return err // said again: it counted the first time
		}
	}
	queue, err := l.queue(ctx, r)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(queue, func(q Queued) bool { return q.Pos == in.Edit }) {
		return fmt.Errorf("no message is waiting at %d: %w", in.Edit, ErrGone)
	}
	return nil
}

// queue lists what waits, in whoever's hands the session is.
func (l *Local) queue(ctx context.Context, r *room) ([]Queued, error) {
	for {
		if w := l.worker(r); w != nil {
			r.mu.Lock()
			in := w.in
			r.mu.Unlock()
			if in != nil {
				return in.queued(), nil
			}
		}
		var out []Queued
		idle, err := l.view(ctx, r, func(s *agent.Session) error {
			in, err := l.pending(ctx, r, s)
			if err == nil {
				out = in.queued()
			}
			return err
		})
		if idle || err != nil {
			return out, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}
