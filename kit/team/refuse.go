package team

import (
	"context"
	"fmt"

	"react-agent/agent"
	"react-agent/internal/msg"
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

// refused counts a refusal for the whole tree, and gives it as an error.
func (t *Team) refused(ctx context.Context, session, text string) error {
	root, n := rootOf(session), 0
	err := t.update(ctx, root, func(d *tree) error {
		d.Refused++
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

// stopTree makes every run of a tree end at its next step.
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
func (t *Team) stopped(session string) error {
	if !t.isHalted(rootOf(session)) {
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
			return errSame
		}
		d.Started, d.Refused = 0, 0
		return nil
	})
}
