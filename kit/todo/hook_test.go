package todo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

const open = `{"items":[{"content":"a","status":"pending","activeForm":"b"}]}`

// count tells how many rounds of calls passed before each reminder of one turn.
func count(out []string) []int {
	var at []int
	n := 0
	for _, text := range out {
		if text == reminder {
			at = append(at, n)
			continue
		}
		n++
	}
	return at
}

func calls(names ...string) (list []agenttest.Reply) {
	for _, name := range names {
		args := "{}"
		if isTool(name) {
			args = open
		}
		list = append(list, agenttest.CallTool(name, args))
	}
	return list
}

func TestReminder(t *testing.T) {
	s := agent.NewSession("s")
	for _, c := range []struct {
		names []string
		want  []int
	}{
		{[]string{"nothing", "nothing", "nothing", "nothing"}, nil}, // there is no list
		{[]string{"TodoWrite", "nothing", "nothing"}, nil},
		{[]string{"nothing", "nothing", "nothing"}, []int{3}}, // a new turn begins at 0, the list is there
		{[]string{"nothing", "TodoWrite", "nothing", "nothing", "nothing", "nothing", "nothing"}, []int{5, 6, 7}},
		{[]string{"nothing", "nothing", "nothing", "functions.TodoWrite", "nothing", "nothing"}, []int{3}},
		{[]string{"nothing", "nothing"}, nil},
		{[]string{"nothing", "unknown", "nothing"}, []int{3}}, // a call that is turned down is one
	} {
		if got := count(play(t, s, "go", calls(c.names...)...)); !slices.Equal(got, c.want) {
			t.Errorf("%v: reminders behind rounds %v, want %v", c.names, got, c.want)
		}
	}
	play(t, s, "go", agenttest.CallTool("TodoWrite", strings.Replace(open, "pending", "completed", 1)))
	if got := count(play(t, s, "go", calls("nothing", "nothing", "nothing", "nothing")...)); got != nil {
		t.Errorf("reminded of what is done: %v", got)
	}
	// a use that failed is one
	play(t, s, "go", agenttest.CallTool("TodoWrite", open))
	bad := agenttest.CallTool("TodoWrite", `{"items":[{"content":""}]}`)
	if got := count(play(t, s, "go", append(append(calls("nothing", "nothing"), bad), calls("nothing", "nothing")...)...)); got != nil {
		t.Errorf("reminded behind %v", got)
	}
	for _, m := range s.Messages {
		if m.Text() == reminder && (m.From != Name || m.Role != agent.User) {
			t.Errorf("%+v", m)
		}
	}
}

// The reminder comes when the rule says, also where a compaction has cut once reminders have begun, and any process that
// takes the session over from its log would say the same.
func TestReminderHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var j agenttest.Journal
		s := agent.NewSession("s")
		listed := false
		for turn := range rapid.IntRange(1, 3).Draw(rt, "turns") {
			steps := rapid.SliceOfN(rapid.SampledFrom([]string{"nothing", "nothing", "nothing", "TodoWrite"}), 1, 9).Draw(rt, "steps")
			keep := rapid.IntRange(1, 6).Draw(rt, "keep")
			cuts := rapid.SliceOfN(rapid.Bool(), len(steps)+1, len(steps)+1).Draw(rt, "cuts")
			var want []int
			n := 0
			for i, name := range steps {
				if n++; name == "TodoWrite" {
					n, listed = 0, true
				}
				if n >= patience && listed {
					want = append(want, i+1)
				}
			}
			round := 0
			compact := func(ctx context.Context, s *agent.Session, need agent.Need) (*agent.Trim, error) {
				round++
				if _, reminded := s.State[nagKey]; !reminded || !cuts[min(round, len(cuts))-1] {
					return nil, nil
				}
				return agenttest.Trim(keep)(ctx, s, agent.Need{Why: agent.Overflow})
			}
			if got := drive(rt, s, &j, compact, calls(steps...)); !slices.Equal(got, want) {
				rt.Fatalf("turn %d, %v, cut to %d at %v: reminders behind rounds %v, want %v", turn, steps, keep, cuts, got, want)
			}
		}
		replayed(rt, &j)
	})
}

// drive runs a turn and gives the rounds behind which there was a reminder.
func drive(t *rapid.T, s *agent.Session, j *agenttest.Journal, compact func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error), script []agenttest.Reply) (at []int) {
	nothing := agent.Tool{Name: "nothing", Schema: json.RawMessage(`{"type":"object"}`), Effect: agent.Reads}
	nothing.Run = func(context.Context, agent.Call) (agent.Result, error) { return agent.TextResult("ok"), nil }
	a := &agent.Agent{
		Model: agenttest.NewModel(append(script, agenttest.Say("end"))...), Tools: []agent.Tool{Tool(), nothing},
		Hooks: []agent.Hook{Hook()}, Journal: j.Append, Compact: compact,
	}
	rounds := 0
	for e, err := range a.Run(context.Background(), s, agent.Say("go")) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Type != agent.EvMessage:
		case e.Message.Role == agent.ToolRole:
			rounds++
		case e.Message.From == Name:
			at = append(at, rounds)
		}
	}
	return at
}

// replayed looks at every point of a log behind which a model was called, and at what the hook says there.
func replayed(t *rapid.T, j *agenttest.Journal) {
	lines := j.Lines()
	for i := 1; i < len(lines); i++ {
		var e, next agent.Event
		if json.Unmarshal(lines[i-1], &e) != nil || json.Unmarshal(lines[i], &next) != nil {
			t.Fatal("no events")
		}
		if e.Type != agent.EvMessage || e.Message.Role != agent.ToolRole || next.Type == agent.EvCompact {
			continue
		}
		s, err := j.Load("s", i)
		if err != nil {
			t.Fatal(err)
		}
		note, err := remind(context.Background(), s, false)
		said := note != nil && len(note.Messages) > 0
		did := next.Type == agent.EvMessage && next.Message.From == Name
		if err != nil || said != did {
			t.Fatalf("behind event %d: %v, live %v (%v)", e.Seq, said, did, err)
		}
	}
}
