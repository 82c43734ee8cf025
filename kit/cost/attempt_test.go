package cost

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// vendor is a model that says what a test wrote down, under a vendor's name.
type vendor struct {
	*agenttest.Model
	preset, name string
}

func (v vendor) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "chat", Preset: v.preset, Name: v.name}
}

func used(in, out int64) *agent.Usage { return &agent.Usage{Input: &in, Output: &out} }

// chunks is a reply that consists of these.
func chunks(list ...agent.Chunk) agenttest.Reply { return agenttest.Reply{Chunks: list} }

func say(text string) agent.Chunk {
	return agent.Chunk{Part: &agent.Part{Kind: agent.Text, Text: text}}
}

var stop = agent.Chunk{Stop: agent.StopEnd}

// ask streams one answer and collects it as the loop does.
func ask(ctx context.Context, m agent.Model, req *agent.Request) (b agent.Builder, notes []string, err error) {
	for c, cerr := range m.Stream(ctx, req) {
		if cerr != nil {
			return b, notes, cerr
		}
		if c.Note != "" {
			notes = append(notes, c.Note)
		}
		if err := b.Add(c); err != nil {
			return b, notes, err
		}
	}
	return b, notes, nil
}

func request() *agent.Request {
	return &agent.Request{System: strings.Repeat("word ", 80), Messages: []agent.Message{agent.TextMessage(agent.User, "hello")}}
}

func TestAttempt(t *testing.T) {
	ctx := t.Context()
	withCost := used(100, 10)
	withCost.CostUSD = new(0.5)
	free := used(100, 10)
	free.CostUSD = new(0.0)
	for _, c := range []struct {
		name         string
		preset, id   string
		reply        agenttest.Reply
		in, out      int64
		cost         string
		estimated    bool
		fails, blank bool
		failed       string
	}{
		{name: "priced", preset: "openai", id: "gpt-5.4", reply: chunks(say("hi"), agent.Chunk{Usage: used(1000, 100)}, stop), in: 1000, out: 100, cost: "0.004"},
		{name: "usage in the last chunk", preset: "openai", id: "gpt-5.4", reply: chunks(say("hi"), agent.Chunk{Usage: used(1000, 100), Stop: agent.StopEnd}), in: 1000, out: 100, cost: "0.004"},
		{name: "cumulative", preset: "openai", id: "gpt-5.4", reply: chunks(agent.Chunk{Usage: used(1000, 1)}, say("hi"), agent.Chunk{Usage: used(1000, 100)}, stop), in: 1000, out: 100, cost: "0.004"},
		{name: "input first, output later", preset: "anthropic", id: "claude-opus-5", reply: chunks(agent.Chunk{Usage: &agent.Usage{Input: new(int64(1000))}}, say("hi"), agent.Chunk{Usage: &agent.Usage{Output: new(int64(100))}}, stop), in: 1000, out: 100, cost: "0.0075"},
		{name: "its own cost", preset: "openai", id: "gpt-5.4", reply: chunks(say("hi"), agent.Chunk{Usage: withCost, Stop: agent.StopEnd}), in: 100, out: 10, cost: "0.5"},
		{name: "its own cost, unknown model", preset: "openrouter", id: "x/y", reply: chunks(say("hi"), agent.Chunk{Usage: withCost, Stop: agent.StopEnd}), in: 100, out: 10, cost: "0.5"},
		{name: "a cost of nothing where there is a price", preset: "openai", id: "gpt-5.4", reply: chunks(say("hi"), agent.Chunk{Usage: free, Stop: agent.StopEnd}), in: 100, out: 10, cost: "0.0004"},
		{name: "a cost of nothing of an unknown model", preset: "openrouter", id: "x/y", reply: chunks(say("hi"), agent.Chunk{Usage: free, Stop: agent.StopEnd}), in: 100, out: 10, cost: "0"},
		{name: "unknown model", preset: "generic", id: "mine", reply: chunks(say("hi"), agent.Chunk{Usage: used(1000, 100), Stop: agent.StopEnd}), in: 1000, out: 100, cost: "an unknown sum"},
		{name: "reported under another name", preset: "azure", id: "deployment-7", reply: chunks(agent.Chunk{Model: "gpt-5.4-2026-03-05"}, say("hi"), agent.Chunk{Usage: used(1000, 100), Stop: agent.StopEnd}), in: 1000, out: 100, cost: "0.004"},
		{name: "a router that says where it went", preset: "openrouter", id: "openrouter/auto", reply: chunks(agent.Chunk{Model: "anthropic/claude-opus-5"}, say("hi"), agent.Chunk{Usage: used(1000, 100), Stop: agent.StopEnd}), in: 1000, out: 100, cost: "0.0075"},
		{name: "the asked name goes before the reported one", preset: "openai", id: "gpt-5.4", reply: chunks(agent.Chunk{Model: "gpt-5.4-pro"}, say("hi"), agent.Chunk{Usage: used(1000, 100), Stop: agent.StopEnd}), in: 1000, out: 100, cost: "0.004"},
		{name: "no usage", preset: "openai", id: "gpt-5.4", reply: chunks(say(strings.Repeat("word ", 100)), stop), in: 90, out: 104, cost: "0.001785", estimated: true},
		{name: "no usage, unknown model", preset: "ollama", id: "qwen3", reply: chunks(say(strings.Repeat("中文", 150)), stop), in: 90, out: 225, cost: "an unknown sum", estimated: true},
		{name: "only the output", preset: "openai", id: "gpt-5.4", reply: chunks(say("hi"), agent.Chunk{Usage: &agent.Usage{Output: new(int64(100))}, Stop: agent.StopEnd}), in: 90, out: 100, cost: "0.001725", estimated: true},
		{name: "fails before the model begins", preset: "openai", id: "gpt-5.4", reply: agenttest.Fail(&agent.ModelError{Kind: agent.ErrRateLimit, Status: 429}), fails: true, blank: true, failed: "rate_limit"},
		{name: "fails after half an answer", preset: "openai", id: "gpt-5.4", reply: agenttest.Reply{Text: strings.Repeat("word ", 100), Err: &agent.ModelError{Kind: agent.ErrTruncated}}, in: 90, out: 104, cost: "0.001785", estimated: true, fails: true, failed: "truncated"},
		{name: "fails with an error of no kind", preset: "openai", id: "gpt-5.4", reply: agenttest.Fail(errors.New("oh")), fails: true, blank: true, failed: "internal"},
		{name: "ends without a stop", preset: "openai", id: "gpt-5.4", reply: chunks(say("half"), agent.Chunk{Usage: used(1000, 100)}), in: 1000, out: 100, failed: "aborted", cost: "0.004"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var heard []Call
			m := New(Options{Prices: NewTable(nil), OnCall: func(_ context.Context, c Call) { heard = append(heard, c) }})
			model := m.In("s1.2", m.Attempt(vendor{agenttest.NewModel(c.reply), c.preset, c.id}))
			b, _, err := ask(ctx, model, request())
			if (err != nil) != c.fails {
				t.Fatalf("error: %v", err)
			}
			if len(heard) != 1 || heard[0].Session != "s1.2" || heard[0].Failed != c.failed || heard[0].Name() != c.preset+"/"+c.id {
				t.Fatalf("heard: %+v", heard)
			}
			u := heard[0].Usage
			if c.blank {
				if u != nil || !b.Empty() {
					t.Errorf("used: %+v", u)
				}
				return
			}
			if *u.Input != c.in || *u.Output != c.out || show(u.CostUSD) != c.cost || u.Estimated != c.estimated {
				t.Errorf("used %d and %d, cost %s, estimated %t", *u.Input, *u.Output, show(u.CostUSD), u.Estimated)
			}
			if c.failed == "aborted" {
				return
			}
			msg := b.Message() // what the run's totals are made of
			if show(msg.Usage.CostUSD) != c.cost || *msg.Usage.Input != c.in || *msg.Usage.Output != c.out {
				t.Errorf("the message has %+v", msg.Usage)
			}
		})
	}
}

// A withdrawn attempt and one of a model that stands in are counted as themselves.
func TestWithdrawnAndStandIn(t *testing.T) {
	m := New(Options{Prices: NewTable(nil)})
	first := vendor{agenttest.NewModel(agenttest.Reply{Chunks: []agent.Chunk{say("ha"), {Usage: used(1000, 100)}}, Err: &agent.ModelError{Kind: agent.ErrTruncated}}), "openai", "gpt-5.4"}
	second := vendor{agenttest.NewModel(agenttest.Reply{Text: "hello", Usage: used(1000, 100)}), "anthropic", "claude-opus-5"}
	model := m.In("s", standIn{m.Attempt(first), m.Attempt(second)})
	b, _, err := ask(t.Context(), model, request())
	if err != nil {
		t.Fatal(err)
	}
	if got := show(b.Withdrawn.CostUSD); got != "0.004" {
		t.Errorf("withdrawn: %s", got)
	}
	if msg := b.Message(); show(msg.Usage.CostUSD) != "0.0075" {
		t.Errorf("the answer: %s", show(msg.Usage.CostUSD))
	}
	calls, err := m.Calls(t.Context(), "s")
	if err != nil || len(calls) != 2 || calls[0].Name() != "openai/gpt-5.4" || calls[1].Name() != "anthropic/claude-opus-5" {
		t.Fatalf("%+v %v", calls, err)
	}
	if sum := Total(calls); sum.USD != 0.0115 || sum.Calls != 2 || sum.Failed != 1 || sum.Tokens() != 2200 {
		t.Errorf("sum %+v", sum)
	}
}

// What an attempt has told before it takes something back comes on top of what it tells afterwards, as in a message.
func TestTakenBackWithin(t *testing.T) {
	m := New(Options{Prices: NewTable(nil), TokensPerMinute: 100_000})
	model := m.In("s", m.Attempt(vendor{agenttest.NewModel(
		chunks(say("a"), agent.Chunk{Usage: used(1000, 100)}, agent.Chunk{Reset: true}, say("b"), agent.Chunk{Usage: used(2000, 200), Stop: agent.StopEnd}),
		chunks(say("a"), agent.Chunk{Reset: true}, say("b"), agent.Chunk{Usage: used(1000, 100), Stop: agent.StopEnd}),
	), "openai", "gpt-5.4"}))
	for i, want := range []string{"0.004 0.008", "an unknown sum 0.004"} {
		b, _, err := ask(t.Context(), model, request())
		if err != nil {
			t.Fatal(err)
		}
		before := &agent.Usage{}
		before.Add(b.Withdrawn)
		if got := show(before.CostUSD) + " " + show(b.Message().Usage.CostUSD); got != want {
			t.Errorf("reply %d: %s, want %s", i, got, want)
		}
	}
	calls, err := m.Calls(t.Context(), "s")
	if err != nil || len(calls) != 3 || calls[0].Failed != withdrawn || Total(calls).USD != 0.016 {
		t.Errorf("%+v %v", calls, err)
	}
	if n := m.rate("openai").recent[0].tokens; n != 3300 {
		t.Errorf("booked %d tokens", n)
	}
}

// standIn asks the second model when the first one fails.
type standIn struct {
	agent.Model
	other agent.Model
}

func (s standIn) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		for c, err := range s.Model.Stream(ctx, req) {
			if err != nil {
				break
			}
			if !yield(c, nil) {
				return
			}
		}
		if !yield(agent.Chunk{Reset: true}, nil) {
			return
		}
		for c, err := range s.other.Stream(ctx, req) {
			if !yield(c, err) {
				return
			}
		}
	}
}

// Whoever leaves in the middle has paid for what was said.
func TestLeaving(t *testing.T) {
	m := New(Options{Prices: NewTable(nil)})
	model := m.In("s", m.Attempt(vendor{agenttest.NewModel(chunks(say(strings.Repeat("word ", 10)), say("more"), stop)), "openai", "gpt-5.4"}))
	for range model.Stream(t.Context(), request()) {
		break
	}
	calls, _ := m.Calls(t.Context(), "s")
	if len(calls) != 1 || calls[0].Failed != aborted || *calls[0].Usage.Output != 11 || !calls[0].Usage.Estimated {
		t.Fatalf("%+v", calls)
	}

	// A cancelled call says what it has used before its error: the run's totals have it.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var b agent.Builder
	var last error
	two := vendor{agenttest.NewModel(chunks(say("half"), say("never"), stop)), "openai", "gpt-5.4"}
	for c, err := range m.In("t", m.Attempt(two)).Stream(ctx, request()) {
		cancel()
		if last = err; err == nil {
			last = b.Add(c)
		}
	}
	calls, _ = m.Calls(t.Context(), "t")
	if last == nil || len(calls) != 1 || calls[0].Failed != aborted {
		t.Fatalf("%v %+v", last, calls)
	}
	if msg := b.Message(); msg.Usage == nil || msg.Usage.CostUSD == nil || *msg.Usage.Output != 1 {
		t.Errorf("the message has %+v", msg.Usage)
	}
}

// What the meter changes of a stream is the usage, the note, and nothing else.
func TestNothingElseChanges(t *testing.T) {
	list := []agent.Chunk{
		{Index: 1, Part: &agent.Part{Kind: agent.Thinking, Text: "hm"}},
		say("a"),
		{Model: "m", Note: "n"},
		{Reset: true},
		{Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "1", Name: "bash"}, Text: `{"a":1}`}},
		{Stop: agent.StopCalls},
	}
	m := New(Options{})
	i := 0
	for c, err := range m.Attempt(vendor{agenttest.NewModel(chunks(list...)), "openai", "x"}).Stream(t.Context(), request()) {
		if err != nil {
			t.Fatal(err)
		}
		want := list[i]
		i++
		if c.Usage = nil; c != want {
			t.Errorf("chunk %d: %+v, want %+v", i, c, want)
		}
	}
	if i != len(list) {
		t.Errorf("%d chunks of %d", i, len(list))
	}
}

// That a limit on money cannot count a model is said once for each model, and not of a server of one's own.
func TestUnknownIsSaidOnce(t *testing.T) {
	m := New(Options{Prices: NewTable(nil), MaxCost: 1})
	for _, c := range []struct {
		preset, id string
		want       bool
	}{{"generic", "mine", true}, {"generic", "mine", false}, {"generic", "other", true}, {"ollama", "qwen3", false}, {"openai", "gpt-5.4", false}} {
		_, notes, err := ask(t.Context(), m.In("s", m.Attempt(vendor{agenttest.NewModel(agenttest.Reply{Text: "hi", Usage: used(1, 1)}), c.preset, c.id})), request())
		if err != nil || (len(notes) == 1) != c.want || c.want && !strings.Contains(notes[0], c.id) {
			t.Errorf("%s: %q, %v", c.id, notes, err)
		}
	}
}
