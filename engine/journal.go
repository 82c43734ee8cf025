package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// journal stores one durable event: attachments and large bodies first, then the line, and where an effect follows it
// waits for the disk. What it stored is shown later, by publish.
func (w *worker) journal(ctx context.Context, e *agent.Event) error {
	if err := w.fit(ctx); err != nil {
		return err
	}
	if e.Type == agent.EvEnd && e.Stop == agent.RunError && w.l.isClosing() {
		// Something may have failed only because the engine ends. It is no end of the run: that goes on later, and then shows.
		w.stop(ErrClosed)
		return ErrClosed
	}
	e.Took = append(e.Took, w.in.uses(e)...)
	w.in.through(e.Took)
	line, err := w.encode(ctx, e)
	if err != nil {
		return err
	}
	pos, err := w.append(ctx, line)
	if err != nil {
		return err
	}
	w.pos = pos
	w.in.stored(e.Took)
	if err := w.sync(ctx, e); err != nil {
		return err
	}
	shown := *e
	w.waiting = append(w.waiting, eventFrame(&shown, line))
	w.voided = w.voided || e.Type == agent.EvVoid
	if w.l.isClosing() && (e.Type == agent.EvEnd || !w.isEnding()) {
		w.stop(ErrClosed)
	}
	return nil
}

// fit reports whether this worker may still store anything. After a time in which it may have been taken for dead it
// looks at its lease first.
func (w *worker) fit(ctx context.Context) error {
	w.mu.Lock()
	err, old := w.stopped, time.Since(w.verified) > w.l.c.Dead/2
	w.mu.Unlock()
	if err == nil && old {
		err = w.verify(ctx)
	}
	return err
}

func (w *worker) encode(ctx context.Context, e *agent.Event) ([]byte, error) {
	if e.Message != nil {
		if err := moveBlobs(ctx, w.l.c.Blobs, e.Message.Parts); err != nil {
			return nil, err
		}
	}
	if e.Trim != nil {
		for _, m := range e.Trim.Head {
			if err := moveBlobs(ctx, w.l.c.Blobs, m.Parts); err != nil {
				return nil, err
			}
		}
	}
	if e.Setup != nil {
		for _, data := range e.Setup.Blobs {
			if _, err := w.l.c.Blobs.PutBlob(ctx, data); err != nil {
				return nil, err
			}
		}
	}
	short := *e
	if e.Type == agent.EvCall && e.Call != nil && len(e.Call.Args) > bodyLimit {
		short.Call = &agent.Call{ID: e.Call.ID, Key: e.Call.Key, Name: e.Call.Name} // the assistant's message has them
	}
	return record(ctx, w.l.c.Blobs, &short)
}

// append adds the line. When that fails, the line may still be there: then it has succeeded.
func (w *worker) append(ctx context.Context, line []byte) (int64, error) {
	pos, err := w.l.c.Log.Append(ctx, sessionLog(w.room.id), w.pos, line)
	if err == nil || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrRecord) {
		return pos, err
	}
	for rec, rerr := range w.l.c.Log.Read(ctx, sessionLog(w.room.id), w.pos, false) {
		if rerr == nil && bytes.Equal(rec.Data, line) {
			return rec.Pos, nil
		}
		break
	}
	return 0, err
}

// sync waits for the disk before a tool that does more than reading starts, after an answer, and at the end of a run.
func (w *worker) sync(ctx context.Context, e *agent.Event) error {
	s, ok := w.l.c.Log.(store.Syncer)
	if !ok || w.l.c.NoSync {
		return nil
	}
	switch e.Type {
	case agent.EvAnswer, agent.EvEnd:
	case agent.EvCall:
		if w.onlyReads(e.Call) {
			return nil
		}
	default:
		return nil
	}
	if err := s.Sync(ctx, sessionLog(w.room.id)); err != nil {
		return fmt.Errorf("event %d may not be on the disk: %w", e.Seq, err)
	}
	return nil
}

func (w *worker) onlyReads(c *agent.Call) bool {
	for i := range w.a.Tools {
		if t := &w.a.Tools[i]; c != nil && t.Name == c.Name {
			return t.Effect == agent.Reads
		}
	}
	return false
}
