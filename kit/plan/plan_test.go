package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/msg"
)

const twoSteps = "I looked around.\n\n1. write a.txt\n2. check it"

// home is a session with a planner, and a person who answers.
type home struct {
	t       testing.TB
	s       *agent.Session
	j       agenttest.Journal
	o       Options
	says    []agent.Answer // to one question after the other; when there are none left, nobody is there
	asked   []agent.Ask
	told    []string
	offered [][]string // tools of each request
	systems []string
}

func newHome(t testing.TB) *home {
	h := &home{t: t, s: agent.NewSession("s")}
	h.o = Options{
		ModeKey: "mode", Now: func(s *agent.Session) string { return modeOf(s, "ask") },
		After: func(before, usual string) string { return cmp.Or(before, usual, "usual") },
		Tell:  func(session string) { h.told = append(h.told, session) },
	}
	return h
}

func modeOf(s *agent.Session, usual string) string {
	var mode string
	if json.Unmarshal(s.State["mode"], &mode) != nil {
		return usual
	}
	return mode
}

func (h *home) agent(replies ...agenttest.Reply) *agent.Agent {
	run := func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ok"), nil }
	m := agenttest.NewModel(replies...)
	a := &agent.Agent{System: "S", Model: m, Journal: h.j.Append, Hooks: []agent.Hook{New(h.o).Hook(), {
		Name: "look", BeforeModel: func(_ context.Context, _ *agent.Session, req *agent.Request) error {
			var names []string
			for _, t := range req.Tools {
				names = append(names, t.Name)
			}
			h.offered, h.systems = append(h.offered, names), append(h.systems, req.System)
			return nil
		},
	}}}
	for name, e := range map[string]agent.Effect{"read": agent.Reads, "write": agent.Writes, "bash": agent.Executes, "odd": agent.Unknown, "ask_user": agent.Reads} {
		a.Tools = append(a.Tools, agent.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`), Effect: e, Run: run})
	}
	slices.SortFunc(a.Tools, func(x, y agent.Tool) int { return strings.Compare(x.Name, y.Name) })
	a.Ask = func(_ context.Context, q agent.Ask) (agent.Answer, error) {
		h.asked = append(h.asked, q)
		if len(h.says) == 0 {
			return agent.Answer{Text: agent.Nobody}, nil
		}
		ans := h.says[0]
		h.says = h.says[1:]
		return ans, nil
	}
	return a
}

// run runs a turn and gives how it ended and what was said to the model by anybody.
func (h *home) run(in []agent.Note, replies ...agenttest.Reply) (stop agent.RunStop, said []string) {
	h.t.Helper()
	for e, err := range h.agent(replies...).Run(context.Background(), h.s, in...) {
		if err != nil {
			h.t.Fatal(err)
		}
		if e.Type == agent.EvMessage && e.Message.Role == agent.User {
			said = append(said, e.Message.From+"|"+e.Message.Text())
		}
		if e.Type == agent.EvEnd {
			stop = e.Stop
		}
	}
	return stop, said
}

func (h *home) enter() {
	h.t.Helper()
	state := New(h.o).Enter(h.s)
	if err := h.agent().Append(context.Background(), h.s, &agent.Event{Type: agent.EvState, State: state}); err != nil {
		h.t.Fatal(err)
	}
}

func say(text string) []agent.Note { return []agent.Note{agent.Say(text)} }

func TestApprove(t *testing.T) {
	h := newHome(t)
	h.s.State = map[string]json.RawMessage{"mode": json.RawMessage(`"auto"`)}
	h.enter()
	h.says = []agent.Answer{{Allow: true, Text: "approve"}}
	stop, said := h.run(say("make a.txt"), agenttest.CallTool("read", `{}`), agenttest.Say(twoSteps), agenttest.CallTool("write", `{}`), agenttest.Say("done"))
	if stop != agent.RunEnd || len(said) != 2 || !strings.HasPrefix(said[1], "plan|The person approved this plan.") || !strings.Contains(said[1], twoSteps) {
		t.Errorf("%s %q", stop, said)
	}
	all := []string{"ask_user", "bash", "odd", "read", "write"}
	few := []string{"ask_user", "read"}
	for i, want := range [][]string{few, few, all, all} {
		if !slices.Equal(h.offered[i], want) {
			t.Errorf("request %d offers %v, want %v", i, h.offered[i], want)
		}
		if planning := strings.Contains(h.systems[i], "# Plan mode"); planning != (len(want) == 2) || !strings.HasPrefix(h.systems[i], "S") {
			t.Errorf("request %d: %q", i, h.systems[i])
		}
	}
	if q := h.asked[0]; len(h.asked) != 1 || q.Kind != agent.Question || q.Call.Name != Name || !slices.Equal(q.Choices, []string{"approve", "edit", "reject"}) {
		t.Errorf("%+v", h.asked)
	}
	if x := Of(h.s); x.Approved != twoSteps || x.Proposed != "" || modeOf(h.s, "") != "auto" {
		t.Errorf("%+v in mode %s", x, modeOf(h.s, ""))
	}
	if got := Carry(h.s); got != "The plan that the person approved:\n"+twoSteps {
		t.Errorf("%q", got)
	}
	// it is let go once, and no mode changes with that
	p := New(h.o)
	state := p.Off(h.s)
	if _, mode := state["mode"]; mode || len(state) != 1 {
		t.Errorf("%v", state)
	}
	h.s.State = map[string]json.RawMessage{StateKey: state[StateKey]}
	if Carry(h.s) != "" || p.Off(h.s) != nil {
		t.Errorf("%v", h.s.State)
	}
}

func TestEditThenReject(t *testing.T) {
	h := newHome(t)
	h.enter()
	h.says = []agent.Answer{
		{Allow: true, Text: "edit"},
		{},
		{Allow: true, Text: "edit"},
		{Allow: true, Text: "use b.txt"},
		{Allow: true, Text: "and two of them"},
		{Text: "no"},
	}
	stop, said := h.run(say("make a.txt"), agenttest.Say(twoSteps), agenttest.Say("1. write b.txt"), agenttest.Say("1. write b.txt twice"))
	if want := []string{"|make a.txt", "|use b.txt", "|and two of them"}; stop != agent.RunEnd || !slices.Equal(said, want) {
		t.Errorf("%s %q", stop, said)
	}
	if x := Of(h.s); !x.Rejected || x.Proposed != "1. write b.txt twice" || modeOf(h.s, "") != Mode || Carry(h.s) != "" {
		t.Errorf("%+v in mode %s", x, modeOf(h.s, ""))
	}
	if len(h.asked) != 6 || h.asked[1].Text != "What should be changed?" {
		t.Errorf("%d questions: %+v", len(h.asked), h.asked)
	}
	// an answer that is no plan is an answer
	if stop, _ := h.run(say("why?"), agenttest.Say("because of 1.5 reasons")); stop != agent.RunEnd || len(h.asked) != 6 {
		t.Errorf("%s, %d questions", stop, len(h.asked))
	}
	// what was rejected can be approved after all
	stop, said = h.run([]agent.Note{{Messages: []agent.Message{ApproveMessage("/plan approve")}}}, agenttest.CallTool("bash", `{}`), agenttest.Say("done"))
	if stop != agent.RunEnd || len(said) != 2 || !strings.Contains(said[1], "1. write b.txt twice") || modeOf(h.s, "") != "ask" {
		t.Errorf("%s %q in mode %s", stop, said, modeOf(h.s, ""))
	}
	// and only once
	if _, said = h.run(say("again"), agenttest.Say("no")); len(said) != 1 {
		t.Errorf("%q", said)
	}
}

// Where nobody is there, the plan is the answer, in a session that stays in plan mode for whoever goes on with it.
func TestNobody(t *testing.T) {
	h := newHome(t)
	usual := Mode // as with --plan
	h.o.Now = func(s *agent.Session) string { return modeOf(s, usual) }
	stop, said := h.run(say("make a.txt"), agenttest.Say(twoSteps))
	if stop != agent.RunEnd || len(said) != 1 || !slices.Equal(h.told, []string{"s"}) {
		t.Errorf("%s %q, told %v", stop, said, h.told)
	}
	usual = "ask"
	if got := Carry(h.s); !New(h.o).On(h.s) || got != "The plan that waits for the person's approval:\n"+twoSteps {
		t.Errorf("%v: %q", h.s.State, got)
	}
	approved := []agent.Note{{Messages: []agent.Message{ApproveMessage("/plan approve")}}}
	if _, said = h.run(approved, agenttest.Say("done")); len(said) != 2 || modeOf(h.s, "") != "usual" {
		t.Errorf("%q in mode %s", said, modeOf(h.s, ""))
	}
	if _, said = h.run(approved, agenttest.Say("done")); len(said) != 1 {
		t.Errorf("approved what is not there: %q", said)
	}
}

// Left meanwhile, plan mode does not come back with an approval, nor does another mode.
func TestApprovedOutside(t *testing.T) {
	h := newHome(t)
	h.enter()
	h.run(say("make a.txt"), agenttest.Say("First I would look."))
	p := New(h.o)
	if p.Waits(h.s) != "First I would look." {
		t.Errorf("%q waits", p.Waits(h.s))
	}
	h.run(say("make a.txt"), agenttest.Say(twoSteps))
	h.s.State["mode"] = json.RawMessage(`"readonly"`)
	h.run([]agent.Note{{Messages: []agent.Message{ApproveMessage("ok")}}}, agenttest.Say("done"))
	if Of(h.s).Approved != twoSteps || modeOf(h.s, "") != "readonly" {
		t.Errorf("%v", h.s.State)
	}
	state := p.Enter(h.s)
	h.s.State["mode"], h.s.State[StateKey] = state["mode"], state[StateKey]
	if p.Waits(h.s) != "" { // what was said before it began is no plan
		t.Errorf("%q waits", p.Waits(h.s))
	}
	if state := p.Leave(h.s, ""); string(state["mode"]) != `"readonly"` {
		t.Errorf("%v", state)
	}
	if state := p.Off(h.s); string(state["mode"]) != `"readonly"` {
		t.Errorf("%v", state)
	}
	if state := p.Leave(h.s, "auto"); string(state["mode"]) != `"auto"` {
		t.Errorf("%v", state)
	}
	if x, _ := In(p.Reject(h.s)); x.Rejected {
		t.Errorf("%+v", x)
	}
}

// A sub-agent reads, and asks nobody.
func TestChild(t *testing.T) {
	h := newHome(t)
	h.enter()
	h.o.Child = true
	stop, _ := h.run(say("look"), agenttest.Say(twoSteps))
	if stop != agent.RunEnd || len(h.asked) != 0 || !strings.Contains(h.systems[0], "report it") || !slices.Equal(h.offered[0], []string{"ask_user", "read"}) {
		t.Errorf("%s %v %v %q", stop, h.asked, h.offered, h.systems)
	}
}

// What the person says instead of an answer withdraws the question; nothing is approved.
func TestSpokeInstead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t)
		h.enter()
		h.o.Waiting = func() bool { return true }
		a := h.agent(agenttest.Say(twoSteps))
		a.Ask = func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
			<-ctx.Done()
			return agent.Answer{}, context.Cause(ctx)
		}
		evs, err := agenttest.Collect(a.Run(t.Context(), h.s, agent.Say("go")))
		if err != nil || evs[len(evs)-1].Stop != agent.RunEnd || Of(h.s).Approved != "" {
			t.Errorf("%v %v", err, evs)
		}
	})
}

// A process that dies anywhere is followed by one that asks the same question once, and does not ask what was answered.
func TestCrashes(t *testing.T) {
	for dies := 1; ; dies++ {
		h := newHome(t)
		h.enter()
		n := len(h.j.Lines())
		h.j.Fail = func(*agent.Event) error {
			if n++; n > dies+1 {
				return errors.New("the power is gone")
			}
			return nil
		}
		h.says = []agent.Answer{{Allow: true, Text: "use b.txt"}, {Allow: true}}
		script := []agenttest.Reply{agenttest.Say(twoSteps), agenttest.Say("1. write b.txt"), agenttest.Say("done")}
		dead := false
		for _, err := range h.agent(script...).Run(t.Context(), h.s, agent.Say("make a.txt")) {
			dead = dead || err != nil
		}
		if !dead {
			if dies < 10 {
				t.Fatalf("there are only %d events", dies)
			}
			return
		}
		h.j.Fail = nil
		var err error
		if h.s, err = h.j.Load("s", -1); err != nil {
			t.Fatal(err)
		}
		answered := 0
		for _, line := range h.j.Lines() {
			if strings.Contains(string(line), `"type":"answer"`) {
				answered++
			}
		}
		h.says = []agent.Answer{{Allow: true, Text: "use b.txt"}, {Allow: true}}[answered:]
		left := script
		for _, m := range h.s.Messages {
			if m.Role == agent.Assistant {
				left = left[1:]
			}
		}
		var in []agent.Note
		if len(h.s.Messages) == 0 {
			in = say("make a.txt")
		}
		h.run(in, left...)
		var texts []string
		for _, m := range h.s.Messages {
			texts = append(texts, strings.Split(m.Text(), "\n")[0])
		}
		want := []string{"make a.txt", "I looked around.", "use b.txt", "1. write b.txt", "The person approved this plan. Carry it out now, step by step:", "done"}
		if !slices.Equal(texts, want) || Of(h.s).Approved != "1. write b.txt" || len(h.says) != 0 {
			t.Errorf("dead behind event %d: %q, %+v, %d answers left", dies, texts, Of(h.s), len(h.says))
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		a       agent.Answer
		v       verdict
		changes string
	}{
		{agent.Answer{Allow: true}, approve, ""},
		{agent.Answer{}, reject, ""},
		{agent.Answer{Allow: true, Text: " Approve. "}, approve, ""},
		{agent.Answer{Allow: true, Text: "批准"}, approve, ""},
		{agent.Answer{Allow: true, Text: "好。"}, approve, ""},
		{agent.Answer{Allow: true, Text: "1"}, approve, ""},
		{agent.Answer{Allow: true, Text: "Y"}, approve, ""},
		{agent.Answer{Text: "approve"}, reject, ""},
		{agent.Answer{Allow: true, Text: "reject"}, reject, ""},
		{agent.Answer{Allow: true, Text: "拒绝"}, reject, ""},
		{agent.Answer{Allow: true, Text: "no"}, reject, ""},
		{agent.Answer{Text: agent.Nobody}, nobody, ""},
		{agent.Answer{Allow: true, Text: agent.Nobody}, edit, agent.Nobody},
		{agent.Answer{Allow: true, Text: "edit"}, edit, ""},
		{agent.Answer{Allow: true, Text: "2"}, edit, ""},
		{agent.Answer{Allow: true, Text: "修改：用制表符"}, edit, "用制表符"},
		{agent.Answer{Allow: true, Text: "Edit: use tabs"}, edit, "use tabs"},
		{agent.Answer{Allow: true, Text: "edit\nuse\ntabs"}, edit, "use\ntabs"},
		{agent.Answer{Allow: true, Text: "2: use tabs"}, edit, "use tabs"},
		{agent.Answer{Allow: true, Text: "2，用制表符"}, edit, "用制表符"},
		{agent.Answer{Allow: true, Text: "2 workers are enough, not 4"}, edit, "2 workers are enough, not 4"},
		{agent.Answer{Allow: true, Text: "edit the tests first"}, edit, "edit the tests first"},
		{agent.Answer{Allow: true, Text: "修改 a.go 就够了"}, edit, "修改 a.go 就够了"},
		{agent.Answer{Text: "no, use tabs"}, edit, "no, use tabs"},
		{agent.Answer{Allow: true, Text: "editors first"}, edit, "editors first"},
		{agent.Answer{Allow: true, Text: "1. use tabs\n2. no tests"}, edit, "1. use tabs\n2. no tests"},
	} {
		if v, changes := read(c.a); v != c.v || changes != c.changes {
			t.Errorf("%+v: %v %q, want %v %q", c.a, v, changes, c.v, c.changes)
		}
	}
}

// Nothing but a word that says so, or nothing at all beside an allow, approves; and only what was allowed.
func TestNothingElseApproves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := agent.Answer{Allow: rapid.Bool().Draw(t, "allow"), Text: rapid.OneOf(
			rapid.String(), rapid.SampledFrom(slices.Concat(yeses(), noes())), rapid.StringMatching(`(approve|yes|批准|edit)[ ,]?[a-z]{0,3}`),
		).Draw(t, "text")}
		v, changes := read(a)
		word := strings.ToLower(strings.TrimRight(strings.TrimSpace(a.Text), ".!。！"))
		plain := a.Allow && (strings.TrimSpace(a.Text) == "" || slices.Contains(yeses(), word))
		if (v == approve) != plain || v != edit && changes != "" {
			t.Fatalf("%+v: %v %q", a, v, changes)
		}
	})
}

func TestNumbered(t *testing.T) {
	for _, text := range []string{
		"1. a\n2. b", "Plan:\n\n1) a", "# Plan\n## 1. Look", "**1.** a", "- 1. a", "1、看", "1．看", "Step 1: look", "### Step 1 – look", "步骤一：看", "第一步，看",
		"第 1 步：看", "一、看", "① 看", "（1）看", "(1) a", "> 1. a", "1.\ta", "1️⃣ a", "1. 2 files change", "1.\u3000看", "Here it is:\r\n1. a\r\n2. b",
	} {
		if !Numbered(text) {
			t.Errorf("%q is a plan", text)
		}
	}
	for _, text := range []string{"", "done", "1.5 GB are free", "10. is no beginning", "at 1:30", "1:30 it is", "it has 1. and 2.", "version\n1.2.3", "1.", "1) \n2) ", "1.  \n\nI do not know", "一、\n", "①", "21) a", "一个文件"} {
		if Numbered(text) {
			t.Errorf("%q is no plan", text)
		}
	}
}

// The person is asked in the person's language, and may answer in the other one.
func TestChinese(t *testing.T) {
	h := newHome(t)
	h.o.Lang = "zh"
	h.enter()
	h.says = []agent.Answer{{Allow: true, Text: "approve"}}
	h.run(say("写 a.txt"), agenttest.Say("1、写\n2、查"), agenttest.Say("好了"))
	if !slices.Equal(h.asked[0].Choices, []string{"批准", "修改", "拒绝"}) || h.asked[0].Text != msg.For(msg.Zh).Text(msg.PlanAsk) || Of(h.s).Approved == "" {
		t.Errorf("%+v %+v", h.asked, Of(h.s))
	}
}
