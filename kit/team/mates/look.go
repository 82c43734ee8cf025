package mates

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/kit/team"
)

// Keys of a session's State.
const (
	stateRead = "mates/read" // how far its own inbox was read by read_inbox
	stateTold = "mates/told" // the tasks that it was told it has
)

// look is one look of an idle teammate: is it to end, is there mail, is there a task? What there is enters its session, and
// the run that follows is begun.
func (d *driver) look(ctx context.Context) (woke bool, end *finale, err error) {
	if reason, err := d.m.o.Team.Over(ctx, d.mate.Session); err != nil || reason != "" {
		return false, &finale{reason: reason, crashed: true, stop: true}, err
	}
	if asked, err := d.has(ctx, ShutdownRequest, pending, approved); err != nil || asked { // it has nothing to do, and agrees
		return false, &finale{}, err
	}
	if some, err := d.something(ctx); err != nil || !some {
		return false, nil, err
	}
	d.busy(true) // from before a task is claimed, so that there is no moment at which nobody seems to have it
	err = d.m.o.Do(ctx, d.mate.Session, func(ctx context.Context, a *agent.Agent, s *agent.Session) error {
		var err error
		if woke = s.Open; !woke { // else somebody else has spoken to it
			woke, end, err = d.feed(ctx, a, s)
		}
		d.seq = s.Seq
		return err
	})
	if err == nil && woke {
		err = d.m.o.Sessions.Submit(ctx, d.mate.Session, team.Input{Quiet: true})
	}
	if !woke {
		d.busy(false)
		d.m.bell.Ring()
	}
	return woke, end, err
}

// has reports whether it has a request that stands in one of some ways.
func (d *driver) has(ctx context.Context, kind Type, ways ...verdict) (bool, error) {
	all, err := d.m.requests(ctx)
	for _, r := range all {
		if r.Session == d.mate.Session && r.Kind == kind && slices.Contains(ways, r.Status) {
			return true, err
		}
	}
	return false, err
}

// something reports whether it is worth taking the session in hand.
func (d *driver) something(ctx context.Context) (bool, error) {
	status, err := d.m.o.Sessions.Status(ctx, d.mate.Session)
	if err != nil || status.Running || d.fresh && d.m.o.Board != nil {
		return err == nil, err
	}
	if some, err := d.m.some(ctx, d.key, false); err != nil || some {
		return some, err
	}
	if ready, err := d.m.ready(ctx); err != nil || !ready {
		return false, err
	}
	waits, err := d.planned(ctx)
	return !waits, err
}

// planned reports whether it waits for the answer to a plan: until then it takes nothing else.
func (d *driver) planned(ctx context.Context) (bool, error) { return d.has(ctx, PlanResponse, pending) }

// feed puts mail, or else a task, into the session. A request to stop is agreed to.
func (d *driver) feed(ctx context.Context, a *agent.Agent, s *agent.Session) (woke bool, end *finale, err error) {
	mail, over, err := d.m.letters(ctx, d.key, s)
	if err != nil {
		return false, nil, err
	}
	var list []*agent.Event
	for i := range mail {
		e := &agent.Event{Type: agent.EvState, Took: mail[i].took}
		if over = over || mail[i].stop; !mail[i].stop && mail[i].text != nil {
			e.Type, e.Message = agent.EvMessage, mail[i].text
			woke = true
		}
		list = append(list, e)
	}
	if !woke && !over && d.m.o.Board != nil {
		t, ok, err := d.claim(ctx, s)
		if err != nil {
			return false, nil, err
		}
		if woke = ok; ok {
			list = append(list, d.assignment(s, t)...)
		}
	}
	for _, e := range list {
		if err := a.Append(ctx, s, e); err != nil {
			return woke, nil, err
		}
	}
	if over {
		return false, &finale{}, nil
	}
	return woke, nil, nil
}

// claim finds the next task: one that it has claimed without having been told, as its process died in between, or a new one.
func (d *driver) claim(ctx context.Context, s *agent.Session) (t Task, ok bool, err error) {
	takes, err := d.m.takes(ctx)
	if err != nil {
		return t, false, err
	}
	if d.fresh {
		d.fresh = false
		held, err := d.m.o.Board.Held(ctx, d.key)
		if err != nil {
			return t, false, err
		}
		for _, t := range held {
			if takes(t) && !slices.Contains(told(s.State), t.ID) {
				return t, true, nil
			}
		}
	}
	if waits, err := d.planned(ctx); waits || err != nil {
		return t, false, err
	}
	return d.m.o.Board.Next(ctx, d.key, takes)
}

// assignment are the events that tell a teammate of a task that is its own. The last message but one carries all that has
// to be known of it.
func (d *driver) assignment(s *agent.Session, t Task) (list []*agent.Event) {
	if n := len(s.Messages); n <= 3 && !slices.ContainsFunc(s.Messages, isIdentity) {
		for _, m := range Identity(d.mate.Name, d.mate.Role, d.mate.Team) {
			list = append(list, &agent.Event{Type: agent.EvMessage, Message: &m})
		}
	}
	task := note(agent.User, fmt.Sprintf("<auto-claimed>Task #%d: %s\n%s</auto-claimed>", t.ID,
		closing(oneLine(t.Subject)), closing(t.Description)))
	ack := note(agent.Assistant, fmt.Sprintf("Claimed task #%d. Working on it.", t.ID))
	return append(
		list,
		&agent.Event{Type: agent.EvMessage, Message: &task, State: toldState(s.State, t.ID)},
		&agent.Event{Type: agent.EvMessage, Message: &ack},
	)
}

// closing keeps a text from ending the element that it stands in.
func closing(s string) string { return strings.ReplaceAll(s, "</auto-claimed", "<\u200b/auto-claimed") }

// note is a message that the team writes.
func note(role agent.Role, text string) agent.Message {
	m := agent.TextMessage(role, text)
	m.From = team.Name
	if role == agent.Assistant {
		m.Stop = agent.StopEnd
	}
	return m
}

// letter is a message of its inbox as a teammate takes it in.
type letter struct {
	took []agent.Took
	text *agent.Message // nil: it is passed over, as it is answered already, or was for somebody who had the name before
	stop bool           // it asks it to stop
}

// letters takes a teammate's mail. forced says that it is to end without being asked.
func (m *Mates) letters(ctx context.Context, key string, x *agent.Session) (list []letter, forced bool, err error) {
	all, err := m.take(ctx, key, x.ID, takenBy(x, key))
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	requests, err := m.requests(ctx)
	for i := range all {
		l := letter{took: tookOf(key, all[i:i+1])}
		r, known := requests[strings.ToLower(strings.TrimSpace(all[i].RequestID))]
		known = known && r.Kind == all[i].Type
		own := known && r.Session == x.ID
		pass := known && !own
		if all[i].Type == ShutdownRequest { // also one that no lead has written down, as in the source system
			forced = forced || own && r.Force
			l.stop = !known || own && r.Status == pending
			pass = !l.stop
		}
		if !pass {
			raw, err := encode(all[i].Message, "")
			if err != nil {
				return nil, false, err
			}
			l.text = new(note(agent.User, string(raw)))
		}
		list = append(list, l)
	}
	return list, forced, err
}

// Identity are the two messages that tell a teammate who it is.
func Identity(name, role, teamName string) []agent.Message {
	return []agent.Message{
		note(agent.User, fmt.Sprintf("<identity>You are '%s', role: %s, team: %s.</identity>", name, oneLine(role), oneLine(teamName))),
		note(agent.Assistant, fmt.Sprintf("I am %s. Continuing.", name)),
	}
}

func isIdentity(m agent.Message) bool { return strings.HasPrefix(m.Text(), "<identity>") }

// takenBy tells what a session has taken in of a name's mail.
func takenBy(s *agent.Session, key string) func(pos int64) bool {
	read := readTo(s.State)
	return func(pos int64) bool { return pos <= read || s.Taken(inboxLog(key), pos, "") }
}

func tookOf(key string, list []mail) []agent.Took {
	out := make([]agent.Took, len(list))
	for i := range list {
		out[i] = agent.Took{Log: inboxLog(key), Pos: list[i].pos}
	}
	return out
}

// readTo is how far read_inbox has read.
func readTo(state map[string]json.RawMessage) (pos int64) {
	_ = json.Unmarshal(state[stateRead], &pos) // our own number, or none
	return pos
}

func told(state map[string]json.RawMessage) (ids []int) {
	_ = json.Unmarshal(state[stateTold], &ids) // our own list, or none
	return ids
}

// toldState adds a task to those that a session was told it has.
func toldState(state map[string]json.RawMessage, id int) map[string]json.RawMessage {
	ids := told(state)
	if !slices.Contains(ids, id) {
		ids = append(slices.Clone(ids), id)
	}
	raw, _ := json.Marshal(ids) // numbers
	return map[string]json.RawMessage{stateTold: raw}
}
