package pipeline

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
)

// travels answers for the sub-agents of the trip, each known by its role alone.
func travels(t *testing.T, g *rig) {
	g.ask = func(task Task) (Reply, error) {
		for role, reply := range map[string]string{
			"search": `{"queries": ["sea", "hills", "a \"quiet\" town"], "named_papers": ["The Long Way"]}`,
			"far":    "go far\n", "near": "stay near", "tag": "```json\n{\"tags\": [\"slow\"]}\n```", "audit": "the route holds", "approve": "stay near, approved",
		} {
			if strings.HasPrefix(task.System, "# Role: "+role+"\n") {
				if !strings.HasSuffix(task.System, "\n\nYou plan nothing but what is asked here.") {
					t.Errorf("the standing instruction is missing: %q", task.System)
				}
				return Reply{Text: reply, Usage: &agent.Usage{Output: new(int64(1))}}, nil
			}
		}
		return Reply{}, errors.New("a role that nobody plays: " + task.System)
	}
}

// The second sample has other names, folders, ends and words than the skill that is shipped. The driver has nothing of either.
func TestSecondPipeline(t *testing.T) {
	g := python(t, "trip-plan")
	travels(t, g)
	res := g.call("去海边 $5 \"quiet\"")
	want(t, res, false,
		"pipeline trip-plan: ALL PACKED\n", "run folder: trips/trip-plan-qu-hai-bian-5-quiet/out\n", "log: "+filepath.Join(g.work, "trips", "log-of-trip-plan.txt"),
		"queries: sea | hills | a quiet town", "=== phase1/route.md (20 bytes) ===\nstay near, approved\n", "=== phase3/bag.txt (7 bytes) ===\na coat\n",
		"exit status 10",
	)
	dir := "trips/trip-plan-qu-hai-bian-5-quiet/out/"
	for file, content := range map[string]string{
		"phase0/sorted.txt": "The Long Way\na quiet town\nhills\nsea\n", "phase1/far.md": "go far\n", "phase1/tagged.txt": "merged: {\"tags\": [\"slow\"]}\n",
		"phase2/summary.txt": "summary of stay near\n", "phase2/audit.txt": "the route holds\n",
	} {
		if got := g.read(dir + file); got != content {
			t.Errorf("%s: %q", file, got)
		}
	}
	if res.Usage == nil || *res.Usage.Output != 6 {
		t.Errorf("%+v", res.Usage)
	}
	audit := g.asked[slices.IndexFunc(g.asked, func(x Task) bool { return strings.Contains(x.System, "audit") })]
	if !strings.Contains(audit.Text, "summary of stay near") || strings.Contains(audit.Text, "go far") {
		t.Errorf("the auditor knows more or less than it should:\n%s", audit.Text)
	}
	if log := g.read("trips/log-of-trip-plan.txt"); !strings.Contains(log, `step="sort"`) && !strings.Contains(log, "step=sort") || !strings.Contains(log, "TRIP_MODE=sample") && g.read(dir+"phase0/sorted.txt") == "" {
		t.Error(log)
	}
}

func TestSecondPipelineEnds(t *testing.T) {
	for query, words := range map[string][]string{
		"it is closed there": {"pipeline trip-plan: do_not_generate\n"},
		"in a storm":         {"pipeline trip-plan: phase_2_failed\n", "=== phase2/audit.txt (16 bytes) ===\nthe route holds\n"},
	} {
		g := python(t, "trip-plan")
		travels(t, g)
		want(t, g.call(query), false, words...)
	}
	g := python(t, "trip-plan")
	g.ask = func(Task) (Reply, error) {
		return Reply{Text: `{"ood": true, "trigger_id": 2, "trigger_quote": "somewhere"}`}, nil
	}
	want(t, g.call("somewhere"), false, "pipeline trip-plan: do_not_generate\n", "> somewhere")
	if len(g.ran) != 1 { // next, once
		t.Errorf("%d commands", len(g.ran))
	}
}

// With a real program: any of its steps may be the last of a process, and the next one goes on in its folder.
func TestSecondPipelineDies(t *testing.T) {
	g := python(t, "trip-plan")
	travels(t, g)
	calls := 0
	for n := 3; ; n += 3 {
		left := n
		g.run = func(Command) (Outcome, error) {
			if calls++; left == 0 {
				return Outcome{}, errDead
			}
			left--
			return Outcome{}, nil
		}
		res := g.call("by the sea")
		if !res.Error {
			want(t, res, false, "ALL PACKED", "trips/trip-plan-by-the-sea/out\n")
			break
		}
		if n > 30 {
			t.Fatal(textOf(res))
		}
	}
	tasks := map[string]bool{}
	for _, task := range g.asked {
		tasks[task.System] = true
	}
	if len(tasks) != 6 || len(g.asked) > 9 {
		t.Errorf("%d sub-agents for %d tasks", len(g.asked), len(tasks))
	}
}

// Real programs that go wrong, in every way that a person would meet.
func TestRealProgramsGoWrong(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		says    []string
	}{
		"crash":   {"print('before')\nraise KeyError('boom')", []string{"exit status 1", "before", "KeyError: 'boom'"}},
		"nothing": {"pass", []string{"it printed nothing"}},
		"garbage": {"import os\nos.write(1, bytes(range(256)))", []string{"no block"}},
		"flood":   {"for i in range(40000): print('x' * 60)", []string{"too long for a block"}},
		"a loop":  {"import time\nprint('thinking', flush=True)\nwhile True: time.sleep(1)", []string{"did not end within 1s"}},
		"half":    {"print('━' * 72)\nprint('STATE  : s')\nprint('TYPE   : bash')", []string{"not closed", "STATE  : s"}},
		"stdin":   {"input()", []string{"EOFError"}},
		"syntax":  {"def", []string{"SyntaxError"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := python(t, "trip-plan")
			g.write("skills/trip-plan/scripts/run.py", c.program)
			g.write("skills/trip-plan/pipeline.yaml", "bash_timeout_seconds: 1\n")
			if name != "a loop" {
				g.write("skills/trip-plan/pipeline.yaml", "bash_timeout_seconds: 60\n")
			}
			want(t, g.call("q"), true, append(c.says, "to go on")...)
		})
	}
}
