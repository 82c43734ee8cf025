package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/compact"
)

// compactCommand makes the conversation smaller, takes that back, and does it again.
func compactCommand() Command {
	return Command{
		Name: "compact", Prose: true, Args: "[FOCUS | undo | redo]", Help: msg.HelpCompact, Slash: true, Beside: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			focus := strings.TrimSpace(in.Rest)
			if focus == "" {
				focus = strings.Join(in.Args, " ")
			}
			switch focus {
			case "undo":
				return Outcome{}, undoCompaction(ctx, h, in)
			case wordRedo:
				return Outcome{}, redoCompaction(ctx, h, in)
			}
			return Outcome{}, compactNow(ctx, h, in, focus)
		},
	}
}

type onSession = func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error

// atRest runs fn on a session, and refuses what would have to wait for the end of a run.
func atRest(ctx context.Context, h *Host, session string, fn onSession) error {
	return (&Rewinder{Do: h.Do}).between(ctx, session, fn)
}

func compactNow(ctx context.Context, h *Host, in Input, focus string) error {
	var done *agent.Event
	var fault string
	err := atRest(ctx, h, in.Session, func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error {
		if s.Open {
			return usage(msg.ModeBusy)
		}
		for e, err := range a.CompactNow(ctx, s, focus) {
			switch {
			case err != nil:
				return err
			case e.Type == agent.EvNotice: // it is this command's answer
				fault = e.Text
				continue
			case e.Type == agent.EvCompact:
				done = &e
			}
			emit(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case done == nil && fault == "":
		return usage(msg.CompactNothing)
	case done == nil:
		return &UsageError{errors.New(fault)}
	}
	return in.printf("%s\n%s\n", Compacted(h.Msg, done.Trim), h.Msg.Text(msg.CompactHowUndo))
}

// Compacted is one line about what a compaction has done; "" for one that says nothing, since it only clears old results
// before each call.
func Compacted(c msg.Catalogue, t *agent.Trim) string {
	if t == nil || t.Before == 0 && t.After == 0 && len(t.Head) == 0 {
		return ""
	}
	before, after := grouped(int64(t.Before)), grouped(int64(t.After))
	o, ok := compact.About(t)
	if !ok {
		return c.Text(msg.CompactCleared, before, after, len(t.Clear))
	}
	line := c.Text(msg.CompactDone, before, after, o.Dropped)
	if o.Fault != "" {
		line = c.Text(msg.CompactDoneBare, before, after, o.Dropped, o.Fault)
	}
	if o.Note != "" {
		line += "; " + o.Note
	}
	return line
}

// history is what a session's log says, with what was taken back.
func history(ctx context.Context, h *Host, session string) (events []agent.Event, err error) {
	for e, err := range h.Engine.Follow(ctx, session, 0, false) {
		if err != nil {
			return nil, err
		}
		if e.Type.Durable() {
			events = append(events, e)
		}
	}
	return events, nil
}

// lastCompaction is the last one with a summary; nil: there is none. What only cleared results since counts with it and
// without it.
func lastCompaction(alive []agent.Event) *agent.Event {
	for i, e := range slices.Backward(alive) {
		if e.Type == agent.EvCompact && e.Trim != nil && len(e.Trim.Head) > 0 {
			return &alive[i]
		}
	}
	return nil
}

// undoCompaction takes the last compaction back, if what it has taken out fits the window again.
func undoCompaction(ctx context.Context, h *Host, in Input) error {
	restored, done := 0, msg.CompactUndone
	err := atRest(ctx, h, in.Session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		events, err := history(ctx, h, in.Session)
		if err != nil {
			return err
		}
		last := lastCompaction(living(events))
		if last == nil {
			return usage(msg.CompactNoUndo)
		}
		if lastCompaction(slices.DeleteFunc(living(events), func(e agent.Event) bool { return e.Seq >= last.Seq })) != nil {
			done = msg.CompactUndoneOne
		}
		c := h.Compact(a)
		if restored = max(c.Tokens(ctx, s)+last.Trim.Before-last.Trim.After, 0); restored > c.Threshold() {
			return usage(msg.CompactUndoLarge, grouped(int64(restored)), grouped(int64(c.Threshold())))
		}
		return a.Append(ctx, s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: last.Seq, To: last.Seq}, Text: "undo"})
	})
	if err != nil {
		return err
	}
	return in.printf("%s\n", h.Msg.Text(done, grouped(int64(restored))))
}

// redoCompaction makes the compaction count again that was taken back last, if there was none since.
func redoCompaction(ctx context.Context, h *Host, in Input) error {
	err := atRest(ctx, h, in.Session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		events, err := history(ctx, h, in.Session)
		if err != nil {
			return err
		}
		at := undone(events)
		if at == 0 {
			return usage(msg.CompactNoRedo)
		}
		return a.Append(ctx, s, &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: at, To: at}, Text: wordRedo})
	})
	if err != nil {
		return err
	}
	return in.printf("%s\n", h.Msg.Text(msg.CompactRedone))
}

// undone is the number of the void that has taken the last compaction with a summary back, 0 if there is none that counts.
func undone(events []agent.Event) (at int64) {
	heads := map[int64]bool{}
	for _, e := range events {
		if e.Type == agent.EvCompact && e.Trim != nil && len(e.Trim.Head) > 0 {
			heads[e.Seq] = true
		}
	}
	for _, e := range living(events) {
		switch {
		case heads[e.Seq]:
			at = 0
		case e.Type == agent.EvVoid && e.Void != nil && e.Void.From == e.Void.To && heads[e.Void.From]:
			at = e.Seq
		}
	}
	return at
}
