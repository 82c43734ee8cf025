package cli

import (
	"context"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// put is a message that waits to be taken in.
type put struct {
	message agent.Message
	told    bool  // the person was told that it waits, and is told when it goes in
	changed int64 // position of the last change of it; 0: none
	before  string
}

// noted remembers what was handed in, and tells the person of what has to wait.
func (t *talk) noted(ctx context.Context, in engine.Input, r engine.Receipt, busy bool) {
	switch {
	case r.Pos == 0 || in.Cancel || in.Answer != nil:
	case in.Edit > 0:
		if p := t.puts[in.Edit]; p != nil {
			p.before, p.changed = command.Said(p.message), r.Pos
			if in.Message != nil {
				p.message = *in.Message
			}
		}
	case t.puts[r.Pos] == nil:
		p := &put{told: busy}
		if in.Message != nil {
			p.message = *in.Message
		} else {
			p.message = agent.TextMessage(agent.User, in.Command)
		}
		t.puts[r.Pos] = p
		if busy {
			t.waits(ctx, r.Pos, engine.Queued{Pos: r.Pos, Message: p.message, Queue: in.Queue})
		}
	}
}

// waits tells the person that messages wait, under which numbers: the one at a position, or all (0). What was handed in just
// now may not be known yet to who works on the session, and waits all the same. What went in meanwhile is told of when its
// event comes.
func (t *talk) waits(ctx context.Context, pos int64, now ...engine.Queued) {
	info, err := t.host.Engine.Info(ctx, t.id)
	if err != nil {
		return // it is met again by what follows
	}
	for _, q := range now {
		if !slices.ContainsFunc(info.Queue, func(o engine.Queued) bool { return o.Pos == q.Pos }) {
			info.Queue = append(info.Queue, q)
		}
	}
	for i, n := range t.host.Waiting.Of(t.id, info.Queue) {
		q := info.Queue[i]
		if pos != 0 && q.Pos != pos {
			continue
		}
		key := msg.SteerWaits
		if q.Queue {
			key = msg.SteerQueued
		}
		t.view.say(t.host.Msg.Text(key, n, command.Said(q.Message)))
	}
}

// taken tells the person of messages that an event has used up: taken in, taken back with the run that was cancelled, or
// said by somebody else.
func (t *talk) taken(e agent.Event) {
	ours := false
	for _, k := range e.Took {
		p := t.puts[k.Pos]
		if p == nil || !mine(k, t.id) {
			continue
		}
		delete(t.puts, k.Pos)
		ours = true
		say := func(key msg.Key, text string) { t.view.say(t.host.Msg.Text(key, text)) }
		late := p.changed != 0 && !slices.ContainsFunc(e.Took, func(o agent.Took) bool { return o.Pos == p.changed })
		switch {
		case e.Type == agent.EvEnd:
			say(msg.SteerBack, strings.TrimSpace(p.message.Text())) // whole: it is not to be lost
		case late:
			say(msg.SteerTooLate, p.before)
		case p.told:
			say(msg.SteerTaken, command.Said(p.message))
		}
	}
	// What the run makes of an answer is a message too, which no input log has.
	if m := e.Message; e.Type == agent.EvMessage && !ours && len(e.Took) > 0 && m != nil && m.Role == agent.User && m.From == "" {
		t.view.say(t.host.Msg.Text(msg.SteerOther, command.Said(*m)))
	}
}

// mine reports whether a record is one of the session's own input.
func mine(k agent.Took, session string) bool {
	return k.Log == "" || strings.HasSuffix(k.Log, session)
}
