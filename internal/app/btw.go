package app

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
)

// What the model reads in a side question.
const (
	btwAsks    = "By the way, a question beside the work. It will not be part of the conversation. Answer it in words, briefly, from what you know by now; call no tool.\n\n"
	btwRunning = "[still running]"
	btwNoTools = "No tool runs for a side question. Answer in words, from what the conversation has."
)

// btw answers a question about a session beside it: one call of its model, with the history as it is stored, the same
// system prompt and the same tools, so that what the vendor has kept of the last request serves again. No tool runs and
// nothing is stored; what it costs is in the meter. A run that goes on is not disturbed: calls without a result stand as
// running. A model that calls a tool is asked once more.
func (p *product) btw(ctx context.Context, session, question string) (string, *agent.Usage, error) {
	s, err := p.fold(ctx, session)
	if err != nil {
		return "", nil, err
	}
	a, err := p.agent(ctx, engine.Spec{Session: session, State: s.State})
	if err != nil {
		return "", nil, err
	}
	a.Hooks = unseen(a.Hooks)
	req, _, err := a.Request(ctx, s)
	if err != nil {
		return "", nil, err
	}
	req.Messages = append(settled(s), agent.TextMessage(agent.User, btwAsks+question))
	p.engine.FetchBlobs(ctx, req.Messages)
	spent := &agent.Usage{}
	for tries := 0; ; tries++ {
		m, used, err := askOnce(ctx, a.Model, req)
		spent.Add(used)
		text, calls := strings.TrimSpace(m.Text()), m.Calls()
		switch {
		case err != nil:
			return "", spent, err
		case len(calls) == 0 && text == "":
			return "", spent, msg.Errorf(msg.BtwEmpty)
		case len(calls) == 0, tries > 0 && text != "":
			return text, spent, nil
		case tries > 0:
			return "", spent, msg.Errorf(msg.BtwCalls, calls[0].Name)
		}
		req.Messages = append(slices.Clip(req.Messages), turnedDown(m)...)
	}
}

// settled are a session's messages with a result for each call of the last one, as every model wants them. They are a copy.
func settled(s *agent.Session) []agent.Message {
	list := slices.Clone(s.Messages)
	open := s.OpenCalls()
	if len(open) == 0 {
		return list
	}
	first := len(list)
	for first > 0 && list[first-1].Role == agent.ToolRole {
		first--
	}
	for _, c := range open {
		list = append(list, resultFor(c, agent.TextResult(btwRunning)))
	}
	calls := list[first-1].Calls()
	slices.SortStableFunc(list[first:], func(a, b agent.Message) int { return rankIn(calls, a) - rankIn(calls, b) })
	return list
}

// turnedDown is an answer that calls tools, with what they get.
func turnedDown(m agent.Message) []agent.Message {
	list := []agent.Message{m}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if p.Kind != agent.CallKind || p.Call == nil {
			continue
		}
		c := *p.Call
		c.Key = "btw/" + strconv.Itoa(i)
		if c.ID == "" {
			c.ID = "call_btw_" + strconv.Itoa(i)
		}
		m.Parts[i].Call = &c
		list = append(list, resultFor(c, agent.ErrorResult(btwNoTools)))
	}
	list[0] = m
	return list
}

func resultFor(c agent.Call, r agent.Result) agent.Message {
	r.CallID, r.Key = c.ID, c.Key
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}}
}

// rankIn is where a result's call stands among the calls.
func rankIn(calls []agent.Call, m agent.Message) int {
	return slices.IndexFunc(calls, func(c agent.Call) bool { return c.Key == m.Result().Key })
}
