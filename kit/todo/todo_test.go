package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// play runs one turn with the tool, the hook, a tool that does nothing, and this script; it gives the results and whatever
// the hook said, in order.
func play(t *testing.T, s *agent.Session, in string, script ...agenttest.Reply) []string {
	t.Helper()
	nothing := agent.Tool{Name: "nothing", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Reads}
	nothing.Run = func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ok"), nil }
	a := &agent.Agent{
		Model: agenttest.NewModel(append(script, agenttest.Say("end"))...), Tools: []agent.Tool{Tool(), nothing},
		Hooks: []agent.Hook{Hook()}, Parallel: 8,
	}
	events, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say(in)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		switch m := e.Message; {
		case e.Type == agent.EvEnd && e.Stop != agent.RunEnd:
			t.Fatalf("the run ends with %s: %s", e.Stop, e.Text)
		case m == nil:
		case m.Role == agent.ToolRole:
			out = append(out, m.Result().Text())
		case m.From == Name:
			out = append(out, m.Text())
		}
	}
	return out
}

func items(list ...string) string { return `{"items":[` + strings.Join(list, ",") + `]}` }

func item(content, status, active string) string {
	raw, err := json.Marshal(map[string]string{"content": content, "status": status, "activeForm": active})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, item(fmt.Sprint("a", i), "pending", "b"))
	}
	return items(list...)
}

// The words of the source system, through the kernel and its own check of arguments.
func TestRules(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{items(), "No todos."},
		{items(item("a", "pending", "b")), "[ ] a\n\n(0/1 completed)"},
		{items(item("  a ", "Completed", " b "), item("c", "IN_PROGRESS", "doing c"), item("d", "pending", "e")), "[x] a\n[>] c <- doing c\n[ ] d\n\n(1/3 completed)"},
		{`{"items":[{"content":"a","activeForm":"b"}]}`, "[ ] a\n\n(0/1 completed)"},
		{`{"items":[{"content":"a","status":null,"activeForm":"b"}]}`, "[ ] a\n\n(0/1 completed)"},
		{`{"items":[{"content":7,"status":"pending","activeForm":true}]}`, "[ ] 7\n\n(0/1 completed)"},
		{items(item("", "pending", "b")), "Error: Item 0: content required"},
		{`{"items":[{"status":"pending","activeForm":"b"}]}`, "Error: Item 0: content required"},
		{items(item("a", "pending", "b"), item(" \t", "odd", "")), "Error: Item 1: content required"},
		{items(item("a", "Done", "b")), "Error: Item 0: invalid status 'done'"},
		{items(item("a", "", "b")), "Error: Item 0: invalid status ''"},
		{items(item("a", "odd", "")), "Error: Item 0: invalid status 'odd'"},
		{items(item("a", "pending", " ")), "Error: Item 0: activeForm required"},
		{`{"items":[{"content":"a","status":"pending"}]}`, "Error: Item 0: activeForm required"},
		{many(20), ""},
		{many(21), "Error: Max 20 todos"},
		{items(item("a", "in_progress", "b"), item("c", "in_progress", "d")), "Error: Only one in_progress allowed"},
		// in the order of the checks
		{strings.Replace(many(21), "a20", "", 1), "Error: Item 20: content required"},
		{strings.Replace(many(22), `"pending"`, `"in_progress"`, 2), "Error: Max 20 todos"},
	} {
		s := agent.NewSession("s")
		got := play(t, s, "go", agenttest.CallTool("TodoWrite", items(item("old", "pending", "x"))), agenttest.CallTool("TodoWrite", c.args))[1]
		if c.want != "" && got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.args, got, c.want)
		}
		if kept := len(Of(s)) == 1 && Of(s)[0].Content == "old"; kept != strings.HasPrefix(got, "Error: ") {
			t.Errorf("%s: the list is %v behind %q", c.args, Of(s), got)
		}
	}
	// what is no list at all is the kernel's matter
	s := agent.NewSession("s")
	for _, args := range []string{`{}`, `{"items":3}`, `{"items":["a"]}`, `{"todos":[]}`} {
		if got := play(t, s, "go", agenttest.CallTool("TodoWrite", args)); !strings.HasPrefix(got[0], turnedDown) {
			t.Errorf("%s: %q", args, got)
		}
	}
}

// Any list is either refused with the first fault, or kept and rendered line by line.
func TestRulesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", " ", "a", " b ", "改", "x y"})
		status := rapid.SampledFrom([]string{"pending", "in_progress", "completed", "Completed", "odd", ""})
		n := rapid.IntRange(0, 23).Draw(t, "n")
		var raw []string
		want, doing, done := "", 0, 0
		for i := range n {
			c, st, a := text.Draw(t, "content"), status.Draw(t, "status"), text.Draw(t, "active")
			raw = append(raw, item(c, st, a))
			low := strings.ToLower(st)
			switch {
			case want != "":
			case strings.TrimSpace(c) == "":
				want = fmt.Sprintf("Item %d: content required", i)
			case low != Pending && low != InProgress && low != Completed:
				want = fmt.Sprintf("Item %d: invalid status '%s'", i, low)
			case strings.TrimSpace(a) == "":
				want = fmt.Sprintf("Item %d: activeForm required", i)
			case low == InProgress:
				doing++
			case low == Completed:
				done++
			}
		}
		if want == "" && n > 20 {
			want = "Max 20 todos"
		}
		if want == "" && doing > 1 {
			want = "Only one in_progress allowed"
		}
		l, fault := parse(json.RawMessage(items(raw...)))
		if fault != want {
			t.Fatalf("%s: %q, want %q", raw, fault, want)
		}
		if fault != "" {
			return
		}
		lines := strings.Split(l.String(), "\n")
		if n > 0 && (len(lines) != n+2 || lines[n] != "" || lines[n+1] != fmt.Sprintf("(%d/%d completed)", done, n)) {
			t.Fatalf("%q", lines)
		}
		state, err := l.state()
		if err != nil || In(state).String() != l.String() {
			t.Fatalf("%v: %q is kept as %q", err, l, In(state))
		}
	})
}

// Of two calls in one message the later one counts, whichever ends first.
func TestLastCallCounts(t *testing.T) {
	one, two, bad := items(item("one", "pending", "x")), items(item("two", "pending", "x")), items(item("", "pending", "x"))
	for range 15 {
		s := agent.NewSession("s")
		play(t, s, "go", agenttest.CallTools("TodoWrite", one, "TodoWrite", two))
		if got := Of(s); len(got) != 1 || got[0].Content != "two" {
			t.Fatalf("%v", got)
		}
		play(t, s, "again", agenttest.CallTools("TodoWrite", one, "TodoWrite", bad))
		if got := Of(s); len(got) != 1 || got[0].Content != "one" {
			t.Fatalf("%v", got)
		}
	}
}

func TestCarry(t *testing.T) {
	s := agent.NewSession("s")
	if got := Carry(s); got != "" {
		t.Errorf("%q", got)
	}
	play(t, s, "go", agenttest.CallTool("TodoWrite", items(item("a", "completed", "x"), item("b", "in_progress", "doing b"), item("c", "pending", "x"))))
	if got, want := Carry(s), "The todo list (TodoWrite keeps it):\nDone:\n- a\nNot done:\n- b (in progress: doing b)\n- c"; got != want {
		t.Errorf("%q\n%q", got, want)
	}
	play(t, s, "go", agenttest.CallTool("TodoWrite", items()))
	if _, there := s.State[StateKey]; there || Carry(s) != "" {
		t.Errorf("an empty list is kept: %v", s.State)
	}
}
