package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider"
)

// playRetry plays a case of type retry: a whole turn of a real agent, behind a history that is long enough to be
// compacted, against a server that gives the replies in turn.
func playRetry(t *testing.T, c *wireCase) outcome {
	srv := newCaseServer(t, c.Replies...)
	m, ok := openModel(c.API, c.Vendor, "m", c.Client, srv.endpoint())
	if !ok {
		return outcome{skip: "no wire for api " + c.API + " yet"}
	}
	var o outcome
	s, err := longSession(t.Context())
	if err != nil {
		return outcome{faults: []string{"history: " + err.Error()}}
	}
	w := watch{ran: map[string]int{}, first: s.Seq}
	a := &agent.Agent{
		Model:   provider.Retry(m, provider.RetryPolicy{MaxWait: c.Client.maxRetryAfter()}),
		Tools:   caseTools(c.Client.Tools, w.start),
		Compact: agenttest.Trim(6),
		Hooks:   []agent.Hook{{Name: "one answer", BeforeModel: w.beforeModel}},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for e, err := range a.Run(ctx, s, agent.Say("Go on.")) {
		if err != nil {
			o.fault("run: %v", err)
			return o
		}
		w.event(&e)
	}
	o.compare(&c.Expect, w.reply())
	o.checkShown(&w)
	o.checkRequests(&c.Expect, srv.requests())
	return o
}

// longSession is a session of twenty turns.
func longSession(ctx context.Context) (*agent.Session, error) {
	const turns = 20
	var script []agenttest.Reply
	for i := range turns {
		script = append(script, agenttest.Say(fmt.Sprintf("Noted, that was number %d of many.", i+1)))
	}
	a := &agent.Agent{Model: agenttest.NewModel(script...)}
	s := agent.NewSession("s")
	for i := range turns {
		if _, err := agenttest.Collect(a.Run(ctx, s, agent.Say(fmt.Sprintf("This is remark number %d, keep it in mind.", i+1)))); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// watch sees a run as a person would: what is shown and withdrawn, what runs, what it ends in.
type watch struct {
	mu    sync.Mutex
	ran   map[string]int // starts by Call.Key
	first int64          // the session's number before the run

	shown, thought string // what stands on the screen of the message that is under way
	last           reply  // what stood there when it was last withdrawn
	answer         *agent.Message
	glued          string // what stood there when the answer was stored, if it was something else
	end            *agent.Event
}

// start notes that a tool runs.
func (w *watch) start(c agent.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ran[c.Key]++
}

// beforeModel ends the run when there is an answer: a case is about one.
func (w *watch) beforeModel(_ context.Context, s *agent.Session, _ *agent.Request) error {
	for i := range s.Messages {
		if m := &s.Messages[i]; m.Seq > w.first && m.Role == agent.Assistant {
			return &agent.StopError{Stop: agent.RunEnd}
		}
	}
	return nil
}

func (w *watch) event(e *agent.Event) {
	switch {
	case e.Type == agent.EvChunk && e.Chunk.Part.Kind == agent.Text:
		w.shown += e.Chunk.Part.Text
	case e.Type == agent.EvChunk && e.Chunk.Part.Kind == agent.Thinking:
		w.thought += e.Chunk.Part.Text
	case e.Type == agent.EvRetry:
		w.last = reply{text: w.shown, reasoning: w.thought}
		w.shown, w.thought = "", ""
	case e.Type == agent.EvMessage && e.Message.Role == agent.Assistant:
		w.answer = e.Message
		if w.shown != e.Message.Text() {
			w.glued = w.shown
		}
	case e.Type == agent.EvEnd:
		w.end = e
	}
}

// reply is the end of the turn in the words of the format. A run that ended with an error goes no further: fail.
func (w *watch) reply() reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	var r reply
	if w.end != nil && w.end.Error != nil {
		r = w.last
		r.err = &agent.ModelError{
			Kind: w.end.Error.Kind, Status: w.end.Error.Status, Retryable: w.end.Error.Retryable,
			RetryAfter: time.Duration(w.end.Error.RetryAfterS * float64(time.Second)), Err: fmt.Errorf("%s", w.end.Error.Message),
		}
		r.action = "fail"
		return r
	}
	if w.answer == nil {
		return reply{action: "nothing"}
	}
	r = reply{
		text: w.answer.Text(), reasoning: w.answer.Thinking(), calls: w.answer.Calls(),
		finish: finishWords()[w.answer.Stop], usage: usageMap(w.answer.Usage),
	}
	for _, call := range r.calls {
		r.run = append(r.run, w.ran[call.Key] > 0)
	}
	r.action = nextAction(&r, w.answer.Stop, 0)
	return r
}

// checkShown holds what was on the screen against what was stored, and looks for tools that ran twice or for nothing.
func (o *outcome) checkShown(w *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.glued != "" {
		o.fault("shown was %s, stored %s", short(w.glued), short(w.answer.Text()))
	}
	known := map[string]bool{}
	if w.answer != nil {
		for _, call := range w.answer.Calls() {
			known[call.Key] = true
		}
	}
	for key, n := range w.ran {
		if n > 1 || !known[key] {
			o.fault("a tool ran %d times for call %s", n, key)
		}
	}
}

// checkRequests holds the requests as they arrived against what the case expects of them.
func (o *outcome) checkRequests(e *caseExpect, seen []seenRequest) {
	if e.Requests != 0 && len(seen) != e.Requests {
		o.fault("%d requests, expected %d", len(seen), e.Requests)
	}
	for i, least := range e.MinWaitS {
		if i+1 >= len(seen) {
			break
		}
		if waited := seen[i+1].At.Sub(seen[i].At); waited.Seconds() < least {
			o.fault("request %d came after %v, expected at least %v s", i+2, waited, least)
		}
	}
	for i := 1; i < len(seen); i++ {
		before, now := seen[i-1].Body, seen[i].Body
		switch {
		case e.NextRequest == "same" && !bytes.Equal(before, now):
			o.fault("request %d is not the same as the one before", i+1)
		case e.NextRequest == "smaller" && (i == 1 && len(now) >= len(before) || len(now) > len(before)): // one compaction may do
			o.fault("request %d has %d bytes, the one before %d", i+1, len(now), len(before))
		}
	}
}
