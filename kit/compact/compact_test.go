package compact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/text"
	"react-agent/kit/compact"
)

// rig is an agent with a scripted model, a window, and a compaction whose summaries are scripted as well.
type rig struct {
	t     testing.TB
	a     *agent.Agent
	c     *compact.Compact
	s     *agent.Session
	j     *agenttest.Journal
	model *model
	// summary answers requests for a summary; the usual one loses everything.
	summary func(req *agent.Request) (agent.Message, *agent.Usage, error)
	asked   []*agent.Request
}

// model is scripted, with a window; it refuses what is larger, as it is estimated.
type model struct {
	*agenttest.Model
	window, out int
	strict      int // refuses requests over so many tokens; 0 = none
}

func (m *model) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "scripted", Preset: "test", Name: "script-1", Context: m.window, MaxOutput: m.out, Tools: true}
}

func answer(text string) (agent.Message, *agent.Usage, error) {
	n := int64(50)
	return agent.Message{Role: agent.Assistant, Parts: []agent.Part{agent.TextPart(text)}, Stop: agent.StopEnd}, &agent.Usage{Input: &n}, nil
}

func newRig(t testing.TB, window int, o compact.Options, next func(n int, req *agent.Request) agenttest.Reply) *rig {
	r := &rig{t: t, s: agent.NewSession("s"), j: &agenttest.Journal{}, model: &model{Model: agenttest.NewModel(), window: window}}
	r.model.Next = func(n int, req *agent.Request) agenttest.Reply {
		if got := requestTokens(req); r.model.strict > 0 && got > r.model.strict {
			return agenttest.Fail(&agent.ModelError{Kind: agent.ErrContextLength, Provider: "scripted", Err: fmt.Errorf("%d tokens are too many", got)})
		}
		return next(n, req)
	}
	r.a = &agent.Agent{System: "You help.", Model: r.model, Journal: r.j.Append}
	o.Agent = r.a
	if o.Fills == nil {
		o.Fills = func(_ context.Context, s *agent.Session) []compact.Size {
			rest := requestTokens(&agent.Request{Messages: s.Messages})
			return []compact.Size{{"the conversation", rest}, {"the system prompt", requestTokens(&agent.Request{System: r.a.System})}}
		}
	}
	if o.Ask == nil {
		o.Ask = func(_ context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
			r.asked = append(r.asked, req)
			if r.summary != nil {
				return r.summary(req)
			}
			return answer("Work was done.")
		}
	}
	r.c = compact.New(o)
	r.a.Compact = r.c.Trim
	r.a.Hooks = []agent.Hook{r.c.Hook()}
	r.a.Tools = []agent.Tool{read(), compact.Tool()}
	return r
}

// read is a tool whose result is as long as the call asks for.
func read() agent.Tool {
	type in struct {
		Path string `json:"path"`
		N    int    `json:"n"`
	}
	return agent.NewTool("read_file", "Reads.", agent.Reads, func(_ context.Context, x in) (agent.Result, error) {
		return agent.TextResult(strings.Repeat(x.Path+" is a line of text. ", x.N)), nil
	})
}

func requestTokens(req *agent.Request) int {
	sum := text.Tokens(req.System)
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			sum += text.Tokens(p.Text)
			if p.Call != nil {
				sum += text.Tokens(string(p.Call.Args))
			}
			if p.Result != nil {
				sum += text.Tokens(p.Result.Text())
			}
		}
	}
	return sum
}

func (r *rig) say(words string) []agent.Event {
	r.t.Helper()
	evs, err := agenttest.Collect(r.a.Run(context.Background(), r.s, agent.Say(words)))
	if err != nil {
		r.t.Fatal(err)
	}
	r.valid()
	return evs
}

func (r *rig) compact(focus string) []agent.Event {
	r.t.Helper()
	evs, err := agenttest.Collect(r.a.CompactNow(context.Background(), r.s, focus))
	if err != nil {
		r.t.Fatal(err)
	}
	r.valid()
	return evs
}

// valid checks what holds at any time: each call has one result behind it, in order, and the log says the same.
func (r *rig) valid() {
	r.t.Helper()
	if err := paired(r.s.Messages); err != nil {
		r.t.Fatal(err)
	}
	again, err := r.j.Load("s", -1)
	if err != nil {
		r.t.Fatal(err)
	}
	if got, want := dump(r.t, again), dump(r.t, r.s); got != want {
		r.t.Fatalf("the log says\n%s\nand the session\n%s", got, want)
	}
}

func dump(t testing.TB, s *agent.Session) string {
	t.Helper()
	var b strings.Builder
	for _, m := range s.Messages {
		raw, err := agent.EncodeJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d %s\n", m.Seq, raw)
	}
	return b.String()
}

func paired(list []agent.Message) error {
	var open []string
	for i, m := range list {
		if m.Role == agent.ToolRole {
			if len(open) == 0 || open[0] != m.Result().Key {
				return fmt.Errorf("message %d is the result of %s, and the open calls are %v", i, m.Result().Key, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d comes before the results of %v", i, open)
		}
		for _, c := range m.Calls() {
			open = append(open, c.Key)
		}
	}
	return nil
}

func types(evs []agent.Event, want agent.EventType) (list []agent.Event) {
	for _, e := range evs {
		if e.Type == want {
			list = append(list, e)
		}
	}
	return list
}

func end(t testing.TB, evs []agent.Event) agent.Event {
	t.Helper()
	list := types(evs, agent.EvEnd)
	if len(list) == 0 {
		t.Fatalf("no end in %d events", len(evs))
	}
	return list[len(list)-1]
}

// window is all that the model would see.
func (r *rig) seen() string {
	var b strings.Builder
	for _, m := range r.s.Messages {
		b.WriteString(m.Text() + "\n")
		if res := m.Result(); res != nil {
			b.WriteString(res.Text() + "\n")
		}
	}
	return b.String()
}

func sayOK(int, *agent.Request) agenttest.Reply { return agenttest.Say("ok") }

// What the person ordered, the skill and the ledger stand in the window after five compactions in a row, each with a
// summary that has lost everything.
func TestFiveCompactionsLoseNothing(t *testing.T) {
	carry := []compact.Section{
		{Name: "todos", Text: func(*agent.Session) string { return "Done:\n- one\n- two\nOpen:\n- three" }},
		{Name: "skills", Text: func(*agent.Session) string { return "<skill>SKILL-MARK-5</skill>" }},
	}
	files := func(c agent.Call) []compact.File {
		var x struct{ Path string }
		_ = json.Unmarshal(c.Args, &x)
		return []compact.File{{Path: x.Path, Wrote: strings.HasSuffix(x.Path, ".go")}}
	}
	r := newRig(t, 0, compact.Options{Carry: carry, Files: files}, func(n int, req *agent.Request) agenttest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role != agent.ToolRole {
			return agenttest.CallTools("read_file", fmt.Sprintf(`{"path":"f%d.txt","n":40}`, n), "read_file", `{"path":"main.go","n":40}`)
		}
		return agenttest.Say(fmt.Sprintf("answer %d: which colour?", n))
	})
	r.say("Please tidy up.\nRULE-77: never touch prod.cfg\n" + strings.Repeat("Some more words about it that bind nobody at all. ", 300) + "\nand begin with the tests")
	for i := range 5 {
		r.say(fmt.Sprintf("round %d: go on", i))
		evs := types(r.compact(""), agent.EvCompact)
		if len(evs) != 1 {
			t.Fatalf("compaction %d: %d events", i, len(evs))
		}
		seen := r.seen()
		for _, want := range []string{
			"Please tidy up.", "RULE-77: never touch prod.cfg", "and begin with the tests", "Done:\n- one\n- two\nOpen:\n- three", "SKILL-MARK-5", "Work was done.",
			fmt.Sprintf("round %d: go on", i), "- main.go (changed ",
		} {
			if !strings.Contains(seen, want) {
				t.Errorf("after compaction %d there is no %q in:\n%s", i, want, seen)
			}
		}
		if n := strings.Count(seen, "RULE-77"); n != 1 {
			t.Errorf("after compaction %d the rule stands there %d times", i, n)
		}
		if tr := evs[0].Trim; tr.Before <= 0 || tr.After <= 0 || tr.Usage == nil {
			t.Errorf("compaction %d: %d -> %d, %v", i, tr.Before, tr.After, tr.Usage)
		}
	}
}

// The newest input is never summarised: it stays as it is, and so do results that the model has not seen.
func TestUnseenStays(t *testing.T) {
	big := strings.Repeat("What I want is this and that. ", 150)
	r := newRig(t, 2000, compact.Options{}, sayOK)
	for i := range 4 {
		r.say(fmt.Sprintf("%d %s", i, strings.Repeat("words and words. ", 40)))
	}
	evs := r.say(big)
	if len(types(evs, agent.EvCompact)) != 1 {
		t.Fatalf("%d compactions", len(types(evs, agent.EvCompact)))
	}
	if !slices.ContainsFunc(r.s.Messages, func(m agent.Message) bool { return m.From == "" && m.Text() == big }) {
		t.Error("the newest input has changed")
	}
	for _, req := range r.asked {
		if strings.Contains(req.Messages[0].Text(), "this and that") {
			t.Error("the newest input was given to the summary's maker")
		}
	}
}

// A summary that cannot be had loses nothing: the reason is told, the history stays, the answer comes.
func TestSummaryFaults(t *testing.T) {
	fail := func(m agent.Message, err error) func(*agent.Request) (agent.Message, *agent.Usage, error) {
		return func(*agent.Request) (agent.Message, *agent.Usage, error) {
			n := int64(3)
			return m, &agent.Usage{Input: &n}, err
		}
	}
	text := func(s string, stop agent.StopReason) agent.Message {
		return agent.Message{Role: agent.Assistant, Stop: stop, Parts: []agent.Part{agent.TextPart(s)}}
	}
	call := agent.Message{Role: agent.Assistant, Stop: agent.StopCalls, Parts: []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{Name: "read_file"}}}}
	for name, c := range map[string]struct {
		summary func(*agent.Request) (agent.Message, *agent.Usage, error)
		says    string
		tries   int
	}{
		"empty":    {fail(text(" \n", agent.StopEnd), nil), "answered nothing", 1},
		"nothing":  {fail(agent.Message{}, nil), "no end", 1},
		"call":     {fail(call, nil), "called a tool", 1},
		"error":    {fail(agent.Message{}, &agent.ModelError{Kind: agent.ErrServer, Err: errors.New("down for today")}), "down for today", 1},
		"length":   {fail(text("half a sum", agent.StopLength), nil), "cut at the output limit", 1},
		"refused":  {fail(text("no", agent.StopRefused), nil), "refused", 1},
		"too long": {fail(agent.Message{}, &agent.ModelError{Kind: agent.ErrContextLength, Err: errors.New("x")}), "does not fit", 2},
		"overflow": {fail(text("", agent.StopOverflow), nil), "does not fit", 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 2000, compact.Options{}, sayOK)
			for i := range 5 {
				r.say(fmt.Sprintf("%d %s", i, strings.Repeat("words and words. ", 45)))
			}
			r.summary = c.summary
			before := len(r.s.Messages)
			evs := r.say("and now " + strings.Repeat("words and words. ", 45))
			notices := types(evs, agent.EvNotice)
			if len(notices) != 1 || !strings.Contains(notices[0].Text, c.says) {
				t.Fatalf("notices: %v", notices)
			}
			if e := end(t, evs); e.Stop != agent.RunEnd || len(r.s.Messages) != before+2 || *e.Usage.Input != int64(3*c.tries) {
				t.Errorf("%s, %d messages after %d, %v", e.Stop, len(r.s.Messages), before, e.Usage)
			}
			if len(r.asked) != c.tries {
				t.Errorf("%d summaries were asked for", len(r.asked))
			}
			if c.tries == 2 && len(r.asked[1].Messages[0].Text()) >= len(r.asked[0].Messages[0].Text()) {
				t.Error("the second request is no shorter")
			}
			if evs = r.say("soon after"); len(types(evs, agent.EvNotice)) != 0 || len(r.asked) != c.tries {
				t.Error("it was tried again at once")
			}
			if evs := r.compact(""); len(types(evs, agent.EvCompact)) != 0 || !strings.Contains(types(evs, agent.EvNotice)[0].Text, c.says) {
				t.Error("asked for by the person, it is not said what failed")
			}
			// at an overflow there is a way on without one
			r.model.strict = 1000
			evs = r.say("and once more")
			if e := end(t, evs); e.Stop != agent.RunEnd {
				t.Fatalf("%s %s", e.Stop, e.Text)
			}
			if seen := r.seen(); !strings.Contains(seen, "No summary could be made") || !strings.Contains(seen, "0 words") {
				t.Errorf("the window has %.900s", seen)
			}
		})
	}
}

// What cannot be made to fit ends the run, names what fills the window, and asks the model neither often nor in vain.
func TestFixedPartFills(t *testing.T) {
	calls := 0
	r := newRig(t, 4000, compact.Options{}, func(int, *agent.Request) agenttest.Reply { return agenttest.Say("ok") })
	r.a.System = strings.Repeat("An order of the house that fills the window. ", 2000)
	r.model.strict = 4000
	r.summary = func(*agent.Request) (agent.Message, *agent.Usage, error) { calls++; return answer("short") }
	evs := r.say("hi")
	e := end(t, evs)
	if e.Stop != agent.RunOverflow || !strings.Contains(e.Text, "the system prompt (about 2") || e.Error == nil || e.Error.Kind != agent.ErrContextLength {
		t.Errorf("%s %q %v", e.Stop, e.Text, e.Error)
	}
	if n := len(r.model.Requests()) + calls; n > 6 || len(types(evs, agent.EvCompact)) > 3 {
		t.Errorf("%d calls, %d compactions", n, len(types(evs, agent.EvCompact)))
	}
}

// A window that leaves hardly any room stops being compacted after two tries that free too little.
func TestTightWindowStops(t *testing.T) {
	r := newRig(t, 6000, compact.Options{}, func(n int, req *agent.Request) agenttest.Reply {
		if n > 80 {
			return agenttest.Say("done")
		}
		return agenttest.CallTool("read_file", fmt.Sprintf(`{"path":"f%d","n":9}`, n))
	})
	r.a.System = strings.Repeat("An order of the house. ", 490)
	r.model.strict = 5500
	evs := r.say("hi")
	e := end(t, evs)
	if e.Stop != agent.RunOverflow || !strings.Contains(e.Text, "the system prompt (about 2") {
		t.Fatalf("%s %q after %d calls", e.Stop, e.Text, len(r.model.Requests()))
	}
	if n := len(types(evs, agent.EvCompact)); n > 3 {
		t.Errorf("%d compactions", n)
	}
	if notices := types(evs, agent.EvNotice); len(notices) != 1 || !strings.Contains(notices[0].Text, "frees too little") {
		t.Errorf("notices: %v", notices)
	}
}

// A vendor whose window is smaller than it is said to be: overflow, compaction, and the answer.
func TestOverflowThenRetry(t *testing.T) {
	r := newRig(t, 100_000, compact.Options{}, sayOK)
	for i := range 20 {
		r.say(fmt.Sprintf("%d %s", i, strings.Repeat("words and words. ", 45)))
	}
	r.model.strict = 3000
	evs := r.say("go on")
	if e := end(t, evs); e.Stop != agent.RunEnd || e.Text != "" {
		t.Fatalf("%s %q", e.Stop, e.Text)
	}
	if list := types(evs, agent.EvCompact); len(list) == 0 || list[0].Text != "overflow" {
		t.Errorf("%d compactions", len(list))
	}
	if len(r.asked) != 1 {
		t.Errorf("%d summaries", len(r.asked))
	}
}

// A result that the model has not seen and that fits no window gives way, and says so.
func TestHugeResult(t *testing.T) {
	r := newRig(t, 4000, compact.Options{}, func(n int, req *agent.Request) agenttest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == agent.ToolRole {
			return agenttest.Say("read: " + last.Result().Text())
		}
		return agenttest.CallTool("read_file", `{"path":"big","n":3000}`)
	})
	r.model.strict = 4000
	evs := r.say("read it")
	if e := end(t, evs); e.Stop != agent.RunEnd || !strings.Contains(r.s.Messages[len(r.s.Messages)-1].Text(), "did not fit into the context window") {
		t.Fatalf("%s %q\n%.300s", e.Stop, e.Text, r.seen())
	}
	if len(r.asked) != 0 {
		t.Error("a summary of nothing was asked for")
	}
}

// The tool asks, the loop compacts when the round's results are stored, with the focus, once.
func TestCompressTool(t *testing.T) {
	r := newRig(t, 0, compact.Options{}, func(n int, req *agent.Request) agenttest.Reply {
		switch n {
		case 2:
			return agenttest.CallTools("read_file", `{"path":"a","n":1}`, "compress", `{"focus":"the colours"}`)
		case 4:
			return agenttest.CallTool("compact", `{}`)
		}
		return agenttest.Say("ok")
	})
	r.say("one " + strings.Repeat("old words. ", 100))
	r.say("two")
	evs := r.say("three")
	if len(types(evs, agent.EvCompact)) != 1 || len(r.asked) != 1 || !strings.Contains(r.asked[0].Messages[0].Text(), "the colours") {
		t.Fatalf("%d compactions", len(types(evs, agent.EvCompact)))
	}
	if seen := r.seen(); !strings.Contains(seen, "Compressing...") || !strings.Contains(seen, "Work was done.") {
		t.Errorf("the window has %.900s", seen)
	}
	var kinds []string
	for _, e := range evs {
		if e.Type == agent.EvMessage && e.Message.Role == agent.ToolRole || e.Type == agent.EvCompact {
			kinds = append(kinds, string(e.Type))
		}
	}
	if strings.Join(kinds, " ") != "message message compact" {
		t.Errorf("order: %v", kinds)
	}
	if evs = r.say("four"); len(types(evs, agent.EvCompact)) != 1 { // the alias
		t.Errorf("%d compactions", len(types(evs, agent.EvCompact)))
	}
	if evs = r.say("five"); len(types(evs, agent.EvCompact)) != 0 {
		t.Error("it was compacted again")
	}
}
