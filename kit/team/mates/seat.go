package mates

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/kit/team"
)

// Seat is an agent's place among teammates: the lead's, a teammate's, or none. It is made for each agent, before its session
// is opened, with [Mates.Seat].
type Seat struct {
	// Session is whose agent it is, Spec what it is as a child; nil: it is nobody's.
	Session string
	Spec    *team.Spec
	// Attended says that there is somebody to ask at the lead's session.
	Attended bool
	// Waiting reports whether the person has said something that was not taken in yet; nil: nobody speaks.
	Waiting func() bool
	// Idle is called with 1 while the agent only waits for its teammates, and with -1 afterwards. nil: nobody wants to know.
	Idle func(n int)

	m    *Mates
	asks chan question // what teammates ask the lead
	has  bool          // it has tools of a team
	// guarded by m.mu:
	running bool // a run of the lead's session is under way
	stopped bool // the last one was ended from outside
}

// Seat gives an agent its place; s is changed.
func (m *Mates) Seat(s *Seat) *Seat {
	s.m, s.asks = m, make(chan question)
	return s
}

// IsMate reports whether the seat is a teammate's.
func (s *Seat) IsMate() bool { return s.Spec != nil && s.Spec.Mate != "" }

// isLead reports whether it may lead a team: nobody's child may.
func (s *Seat) isLead() bool { return !strings.Contains(s.Session, ".") }

// Owner is the name in which the agent claims tasks, and under which its inbox is.
func (s *Seat) Owner() string {
	if !s.IsMate() {
		return Lead
	}
	return strings.ToLower(s.Spec.Mate)
}

// name is what it is called in messages.
func (s *Seat) name() string {
	if s.IsMate() {
		return s.Spec.Mate
	}
	return Lead
}

// Take notes which tools the agent has come to have. One that has none of a team has no part in it.
func (s *Seat) Take(tools []agent.Tool) {
	s.has = slices.ContainsFunc(tools, func(t agent.Tool) bool { return slices.Contains(Names(), t.Name) })
}

// Hook is what an agent in this seat needs: the fourth step of a round, its mail, and what goes with it. Nobody else's hook
// does anything.
func (s *Seat) Hook() agent.Hook {
	h := agent.Hook{Name: "mates"}
	if !s.has || !s.IsMate() && !s.isLead() {
		return h
	}
	h.Inject, h.BeforeTool, h.AfterTool, h.OnEvent = s.inject, s.beforeTool, s.afterTool, s.onEvent
	if s.isLead() {
		h.OnSession = s.onSession
	}
	return h
}

// onSession goes on with the team of a lead, and repairs what nobody can go on with.
func (s *Seat) onSession(ctx context.Context, x *agent.Session, start bool) {
	m := s.m
	m.mu.Lock()
	switch {
	case start:
		m.leads[x.ID] = s
	case m.leads[x.ID] == s:
		delete(m.leads, x.ID)
	}
	m.mu.Unlock()
	if !start {
		return
	}
	if x.Seq == 0 { // a session of this name that is gone may have left some
		_ = m.dropIntents(ctx, x.ID)
	}
	m.notice(ctx)
	m.warn(m.mend(ctx, func(lead string) bool { return lead == x.ID }))
}

// inject is the fourth step of a round.
func (s *Seat) inject(ctx context.Context, x *agent.Session, stopping bool) (*agent.Note, error) {
	if s.IsMate() {
		if stopping { // what comes now is found by the idle phase
			return nil, nil
		}
		return s.mateMail(ctx, x)
	}
	s.run(true, false)
	switch {
	case !stopping:
		n, err := s.leadMail(ctx, x)
		return n, s.m.mildly(ctx, err)
	case !s.m.o.Wait: // a turn ends with its answer
		return nil, nil
	}
	if n, over, err := s.over(ctx, x); over {
		return n, err
	}
	call := agent.Call{Key: x.ID + "/" + strconv.FormatInt(x.Seq, 10) + ".0", Name: "team"}
	return &agent.Note{Later: &agent.Later{Call: call, Run: func(ctx context.Context) (*agent.Note, error) { return s.await(ctx, x) }}}, nil
}

// mateMail gives a teammate each message as one of its own. A request that is answered already, or was for somebody before
// it, is passed over; one that does not ask ends the run.
func (s *Seat) mateMail(ctx context.Context, x *agent.Session) (*agent.Note, error) {
	list, forced, err := s.m.letters(ctx, s.Owner(), x)
	if err != nil {
		return nil, err
	}
	if forced {
		return nil, &agent.StopError{Stop: agent.RunEnd, Text: "the lead has ended it"}
	}
	var first *agent.Note
	to := &first
	for i := range list {
		n := &agent.Note{Took: list[i].took}
		if list[i].text != nil {
			n.Messages = []agent.Message{*list[i].text}
		}
		*to, to = n, &n.Next
	}
	return first, nil
}

// leadMail gives the lead all its mail at once, acknowledged.
func (s *Seat) leadMail(ctx context.Context, x *agent.Session) (*agent.Note, error) {
	if !s.isLead() {
		return nil, nil
	}
	if some, err := s.m.some(ctx, Lead, true); err != nil || !some {
		return nil, err
	}
	if may, err := s.m.reads(ctx, x.ID); err != nil || !may {
		return nil, err
	}
	list, err := s.m.take(ctx, Lead, x.ID, takenBy(x, Lead))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &agent.Note{
		Messages: []agent.Message{note(agent.User, enclosed(messages(list))), note(agent.Assistant, "Noted inbox messages.")},
		Took:     tookOf(Lead, list),
	}, nil
}

// Pull gives the events that tell an idle lead of its mail, for [agent.Agent.Append]; none: there is nothing. The session is
// then to be run, since nobody has answered.
func (m *Mates) Pull(ctx context.Context, x *agent.Session) ([]*agent.Event, error) {
	n, err := (&Seat{Session: x.ID, m: m}).leadMail(ctx, x)
	if n == nil || err != nil {
		return nil, err
	}
	list := make([]*agent.Event, len(n.Messages))
	for i := range n.Messages {
		list[i] = &agent.Event{Type: agent.EvMessage, Message: &n.Messages[i]}
	}
	list[0].Took = n.Took
	return list, nil
}

// Compact has what makes a history smaller tell a teammate afterwards who it is, in front of all that stays.
func (s *Seat) Compact(next func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error)) func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
	if !s.IsMate() || next == nil {
		return next
	}
	return func(ctx context.Context, x *agent.Session, n agent.Need) (*agent.Trim, error) {
		t, err := next(ctx, x, n)
		if t == nil || err != nil || len(t.Head) == 0 {
			return t, err
		}
		own := *t
		r, _ := s.m.told(ctx) // of one that cannot be read it is the usual name
		own.Head = append(Identity(s.Spec.Mate, s.Spec.Role, r.Name), slices.DeleteFunc(slices.Clone(t.Head), isIdentity)...)
		return &own, nil
	}
}

// beforeTool frees what was read before, if it is stored.
func (s *Seat) beforeTool(ctx context.Context, x *agent.Session, t agent.Tool, _ agent.Call) (agent.Decision, error) {
	if t.Name != toolRead {
		return agent.Decision{}, nil
	}
	c, err := s.m.cursorOf(ctx, s.Owner())
	if err == nil && c.Held != nil && takenBy(x, s.Owner())(c.Held.To) {
		err = s.m.release(ctx, s.Owner(), x.ID, c.Held.To)
	}
	return agent.Decision{}, err
}

// afterTool has the board looked at when it has changed, and remembers what was claimed.
func (s *Seat) afterTool(_ context.Context, x *agent.Session, c agent.Call, r *agent.Result) error {
	switch {
	case c.Name == toolSend:
		wrongType(c, r)
	case c.Name == toolClaim && s.IsMate() && !r.Error:
		var in struct {
			ID int `json:"task_id"`
		}
		if json.Unmarshal(c.Args, &in) == nil {
			if r.State == nil {
				r.State = map[string]json.RawMessage{}
			}
			maps.Copy(r.State, toldState(x.State, in.ID))
		}
	case strings.HasPrefix(c.Name, "task_") && !r.Error:
		s.m.nudge("")
	}
	return nil
}

// onEvent moves the cursor over what an event has used up, and ends the team of a run that was stopped.
func (s *Seat) onEvent(ctx context.Context, e agent.Event) {
	if to := readBy(&e, s.Owner()); to > 0 {
		if err := s.m.release(ctx, s.Owner(), e.Session, to); err != nil {
			s.m.o.Warn(err)
		}
	}
	if e.Type != agent.EvEnd || !s.isLead() {
		return
	}
	stopped := e.Stop == agent.RunCancelled || e.Stop == agent.RunTimeout || e.Stop == agent.RunBudget
	if stopped { // a person's word, or a limit that holds for all of them
		s.m.stop(func(x *mate) bool { return x.Lead == e.Session }, errors.New("the lead's run has ended: "+string(e.Stop)))
	}
	s.run(false, stopped)
	if some, err := s.m.some(ctx, Lead, false); err == nil && some && !stopped && s.m.o.Wake != nil { // it came too late for the run
		s.m.o.Wake(e.Session)
	}
}

// run notes whether a run of the lead is under way, or whether it was ended from outside.
func (s *Seat) run(on, stopped bool) {
	s.m.mu.Lock()
	changed := s.running != on
	s.running, s.stopped = on, stopped
	s.m.mu.Unlock()
	if changed {
		s.m.bell.Ring()
	}
}
