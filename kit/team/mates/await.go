package mates

import (
	"context"
	"strings"
	"time"

	"react-agent/agent"
)

// question is one that a teammate has, until somebody has answered.
type question struct {
	agent.Ask
	reply chan agent.Answer
}

// textNobody is why a teammate's question is put to nobody.
const textNobody = "a teammate has nobody to ask now. Do without it, or tell the lead what you need."

// awaitTick is how often what other processes do is looked for.
const awaitTick = time.Second

// await has the lead's run wait for its teammates: for mail, or for all of them to be idle with nothing to take. What they
// ask meanwhile is put to the person here. nil: the run may end.
func (s *Seat) await(ctx context.Context, x *agent.Session) (*agent.Note, error) {
	if s.Idle != nil {
		s.Idle(1)
		defer s.Idle(-1)
	}
	tick := time.NewTicker(awaitTick)
	defer tick.Stop()
	for {
		next := s.m.next()
		if q := s.m.asked(s.Session); q != nil {
			if err := s.put(ctx, q); err != nil {
				return nil, err
			}
			continue
		}
		n, err := s.leadMail(ctx, x)
		if n != nil || err != nil {
			return n, s.m.mildly(ctx, err)
		}
		if s.Waiting != nil && s.Waiting() {
			return nil, nil
		}
		if busy, err := s.m.busy(ctx, s.Session); err != nil || !busy {
			return nil, s.m.mildly(ctx, err)
		}
		select {
		case <-next:
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// put puts a teammate's question to the person.
func (s *Seat) put(ctx context.Context, q *question) error {
	ans, err := agent.AskUser(ctx, agent.Ask{ID: "mate/" + q.ID, Text: q.Text, Choices: q.Choices, Rules: q.Rules, Kind: q.Kind})
	if err != nil {
		return err
	}
	q.reply <- ans
	return nil
}

// asked takes the first question of a lead's teammates.
func (m *Mates) asked(lead string) *question {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.asks[lead]
	if len(list) == 0 {
		return nil
	}
	m.setAsks(lead, list[1:])
	return list[0]
}

// Ask puts a question of a teammate to the person at the lead's session, when the lead's run comes to wait. Where none is
// under way, nobody is attending, or turns do not wait for teammates, it is refused with the reason.
func (s *Seat) Ask(ctx context.Context, q agent.Ask) (agent.Answer, error) {
	m, lead := s.m, leadOf(s.Session)
	mine := &question{Ask: q, reply: make(chan agent.Answer, 1)}
	mine.Text = "[" + s.Spec.Path + "] " + q.Text
	if !s.Attended || !m.o.Wait || !m.enqueue(lead, mine) {
		return agent.Answer{Text: agent.Nobody}, nil
	}
	m.changed()
	defer m.dequeue(lead, mine)
	for {
		next := m.next()
		if !m.runs(lead) {
			return agent.Answer{Text: textNobody}, nil
		}
		select {
		case ans := <-mine.reply:
			return ans, nil
		case <-next:
		case <-ctx.Done():
			return agent.Answer{}, context.Cause(ctx)
		}
	}
}

func (m *Mates) enqueue(lead string, q *question) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.leads[lead]; s == nil || !s.running {
		return false
	}
	m.asks[lead] = append(m.asks[lead], q)
	return true
}

func (m *Mates) dequeue(lead string, q *question) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.asks[lead][:0:0]
	for _, o := range m.asks[lead] {
		if o != q {
			list = append(list, o)
		}
	}
	m.setAsks(lead, list)
}

// setAsks notes what a lead's teammates ask. m.mu is held.
func (m *Mates) setAsks(lead string, list []*question) {
	if m.asks[lead] = list; len(list) == 0 {
		delete(m.asks, lead)
	}
}

func (m *Mates) runs(lead string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.leads[lead]
	return s != nil && s.running
}

// busy reports whether a teammate of a lead works, or is about to: mail or a task waits for one that is idle.
func (m *Mates) busy(ctx context.Context, lead string) (bool, error) {
	var idle []string
	m.mu.Lock()
	for key, d := range m.drivers {
		if d.mate.Lead != lead {
			continue
		}
		if d.working {
			m.mu.Unlock()
			return true, nil
		}
		idle = append(idle, key)
	}
	m.mu.Unlock()
	for _, key := range idle {
		if some, err := m.some(ctx, key, true); some || err != nil {
			return some, err
		}
	}
	if len(idle) == 0 || m.o.Board == nil {
		return false, nil
	}
	takes, err := m.takes(ctx)
	if err != nil {
		return false, err
	}
	ready, err := m.o.Board.Ready(ctx, takes)
	if ready {
		m.nudge("")
	}
	return ready, err
}

// leadOf is the session of a teammate's lead.
func leadOf(session string) string { return session[:strings.LastIndexByte(session, '.')] }
