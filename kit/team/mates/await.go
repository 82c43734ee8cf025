package mates

import (
	"context"
	"strings"
	"time"

	"react-agent/agent"
)

// question is one that a teammate has.
type question struct {
	agent.Ask
	reply chan<- agent.Answer // takes one without waiting
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
		next := s.m.bell.Next()
		select {
		case q := <-s.asks:
			if err := s.put(ctx, q); err != nil {
				return nil, err
			}
			continue
		default:
		}
		if n, over, err := s.over(ctx, x); over {
			return n, err
		}
		select {
		case q := <-s.asks:
			if err := s.put(ctx, q); err != nil {
				return nil, err
			}
		case <-next:
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// over reports whether the lead's run need not wait: there is mail, the person has spoken, or nobody is at work.
func (s *Seat) over(ctx context.Context, x *agent.Session) (n *agent.Note, over bool, err error) {
	n, err = s.leadMail(ctx, x)
	if n != nil || err != nil || s.Waiting != nil && s.Waiting() {
		return n, true, s.m.mildly(ctx, err)
	}
	busy, err := s.m.busy(ctx, s.Session)
	return nil, err != nil || !busy, s.m.mildly(ctx, err)
}

// put puts a teammate's question to the person.
func (s *Seat) put(ctx context.Context, q question) error {
	ans, err := agent.AskUser(ctx, agent.Ask{ID: "mate/" + q.ID, Text: q.Text, Choices: q.Choices, Rules: q.Rules, Kind: q.Kind})
	if err != nil {
		return err
	}
	q.reply <- ans
	return nil
}

// Ask puts a question of a teammate to the person at the lead's session, when the lead's run comes to wait. Where none is
// under way, nobody is attending, or turns do not wait for teammates, it is refused with the reason.
func (s *Seat) Ask(ctx context.Context, q agent.Ask) (agent.Answer, error) {
	q.Text = "[" + s.Spec.Path + "] " + q.Text
	reply := make(chan agent.Answer, 1)
	refusal, put := agent.Nobody, false
	for {
		next := s.m.bell.Next()
		lead := s.m.running(leadOf(s.Session))
		if !s.Attended || !s.m.o.Wait || lead == nil {
			return agent.Answer{Text: refusal}, nil
		}
		refusal = textNobody
		asks := lead.asks
		if put {
			asks = nil
		}
		select {
		case asks <- question{q, reply}:
			put = true
		case ans := <-reply:
			return ans, nil
		case <-next:
		case <-ctx.Done():
			return agent.Answer{}, context.Cause(ctx)
		}
	}
}

// running is the seat of a lead of which a run is under way; nil: none is.
func (m *Mates) running(lead string) *Seat {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.leads[lead]; s != nil && s.running {
		return s
	}
	return nil
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
	if len(idle) == 0 {
		return false, nil
	}
	ready, err := m.ready(ctx)
	if ready {
		m.nudge("")
	}
	return ready, err
}

// leadOf is the session of a teammate's lead.
func leadOf(session string) string { return session[:strings.LastIndexByte(session, '.')] }
