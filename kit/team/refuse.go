package team

import (
	"context"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/store"
)

// refusal is why a child may not be started. The model reads it.
type refusal struct{ text string }

// Error is the reason.
func (r *refusal) Error() string { return r.text }

// Is makes it an [ErrRefused].
func (r *refusal) Is(target error) bool { return target == ErrRefused }

// Reasons for the model.
const (
	textTooDeep = "refused: sub-agents may be nested %d deep, and you are there. Do the work yourself with the tools you have."
	textTooMany = "refused: %d sub-agents were started for this request already, that is the limit. Do the rest yourself, or answer with what you have."
	textNoTool  = "refused: you are a sub-agent without the right to start sub-agents. Do the work yourself with the tools you have."
	textCounted = " (refusal %d of %d; the last one ends the whole run)"
	textNoSteps = "refused: this run has no steps left for a sub-agent. Answer with what you have."
)

// refused counts a refusal for the whole tree, and gives it as an error. Those of one reply of a model count once: it has
// heard of none of them when it asked for the others.
func (t *Team) refused(ctx context.Context, session, call, text string) error {
	root, n, reply := rootOf(session), 0, replyOf(call)
	err := t.update(ctx, root, func(d *tree) error {
		if n = d.Refused; reply != "" && d.RefusedIn == reply {
			return store.ErrSame
		}
		d.Refused, d.RefusedIn = n+1, reply
		n = d.Refused
		return nil
	})
	if err != nil {
		return err
	}
	if n >= maxRefusals {
		t.stopTree(root)
	}
	return &refusal{text + fmt.Sprintf(textCounted, n, maxRefusals)}
}

// replyOf is the part of a call's key that all calls of one reply have.
func replyOf(call string) string {
	call = callOf(call)
	return call[:max(0, strings.LastIndexByte(call, '.'))]
}

// stopTree makes every run of a tree end at its next step, but for those of teammates: they were not refused anything.
func (t *Team) stopTree(root string) {
	ch := t.halt(root)
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-ch:
	default:
		close(ch)
	}
}

// stopped is the end of every run of a tree that was stopped.
func (s *Seat) stopped(session string) error {
	t := s.t
	if s.mate || !t.isHalted(rootOf(session)) {
		return nil
	}
	return &agent.StopError{Stop: agent.RunLoop, Text: msg.For(msg.Lang(t.o.Lang)).Text(msg.TeamLoop, maxRefusals)}
}

// spoke begins a new count: the person has said something to the root.
func (t *Team) spoke(ctx context.Context, root string) error {
	t.mu.Lock()
	delete(t.halted, root)
	t.mu.Unlock()
	return t.update(ctx, root, func(d *tree) error {
		if d.Started == 0 && d.Refused == 0 {
			return store.ErrSame
		}
		d.Started, d.Refused, d.RefusedIn = 0, 0, ""
		return nil
	})
}
