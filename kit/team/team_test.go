package team

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
)

func toolNames(tools []agent.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// The two usual types: an own history of one message, no system prompt, their tools and no others; only the last words
// come back, and what was spent counts for the run.
func TestTask(t *testing.T) {
	r := newRig(t)
	r.says("go", agenttest.CallTool("task", task("look")), agenttest.CallTool("task", task("work", "agent_type=general-purpose")), agenttest.Say("done"))
	r.says("look", agenttest.CallTool("read_file", `{"do":"secret inner step"}`), agenttest.Say("seen"))
	r.says("work", agenttest.Say("worked"))
	end := r.run("s", "go")
	if end.Stop != agent.RunEnd || end.Steps != 6 || *end.Usage.Input != 60 {
		t.Errorf("the run ends %s after %d steps and %d tokens", end.Stop, end.Steps, *end.Usage.Input)
	}
	if got := r.results("s"); !slices.Equal(got, []string{"seen", "worked"}) {
		t.Errorf("results: %q", got)
	}
	if strings.Contains(r.log("s"), "secret inner step") {
		t.Error("an inner step is in the parent's log")
	}
	look, work := r.requests("look")[0], r.requests("work")[0]
	if look.System != "" || len(look.Messages) != 1 || work.System != "" || len(work.Messages) != 1 {
		t.Errorf("a child begins with %q and %d messages", look.System, len(look.Messages))
	}
	if got := toolNames(look.Tools); !slices.Equal(got, []string{"bash", "read_file"}) {
		t.Errorf("Explore has %q", got)
	}
	if got := toolNames(work.Tools); !slices.Equal(got, []string{"bash", "edit_file", "read_file", "write_file"}) {
		t.Errorf("general-purpose has %q", got)
	}
	d := r.tree("s")
	if len(d.Children) != 2 || d.Started != 2 || d.Children[0].Path != "main/explore-1" || d.Children[1].Path != "main/general-purpose-2" {
		t.Errorf("%+v", d)
	}
	for _, c := range d.Children {
		if c.State != Done || c.Steps == 0 || c.Usage == nil || c.Ended.IsZero() || c.Title == "" {
			t.Errorf("%+v", c)
		}
	}
	if first := r.events("s.1")[0]; first.Agent != "main/explore-1" || first.Message.From != "agent" {
		t.Errorf("the child's first event: %+v", first)
	}
}

// What a child that does not succeed leaves: a result that says why, and a final state.
func TestHowAChildMayEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		replies []agenttest.Reply
		result  string
		state   State
	}{
		{"nothing said", []agenttest.Reply{{Thinking: "hm"}}, "(no summary)", Done},
		{"no model", []agenttest.Reply{agenttest.Fail(&agent.ModelError{Kind: agent.ErrServer, Err: errors.New("out of order")})}, "(subagent failed) main/explore-1: failed: error: ", Failed},
		{"too many steps", []agenttest.Reply{agenttest.CallTool("bash", `{"do":"again"}`)}, "(subagent failed) main/explore-1: failed: steps: the step limit of 30 is reached", Failed},
		{"cut", []agenttest.Reply{{Text: "half an ans", Stop: agent.StopLength}}, "(subagent failed) main/explore-1: failed: length: the answer was cut at the output limit\nIts last words:\nhalf an ans", Failed},
		{"a fault", []agenttest.Reply{{Wait: func(context.Context) { panic("planted") }}}, "panic: planted", Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.says("go", agenttest.CallTool("task", task("look")), agenttest.Say("done"))
			r.says("look", c.replies...)
			if end := r.run("s", "go"); end.Stop != agent.RunEnd {
				t.Errorf("the parent ends with %s %s", end.Stop, end.Text)
			}
			if got := r.results("s"); len(got) != 1 || !strings.Contains(got[0], c.result) {
				t.Errorf("%q", got)
			}
			if x := r.tree("s").Children[0]; x.State != c.state {
				t.Errorf("%+v", x)
			}
		})
	}
}

func TestUnknownTypeNamesTheKnown(t *testing.T) {
	r := newRig(t, func(r *rig) { r.types = []Type{{Name: "lead", Description: "leads", System: "Lead."}} })
	seat := r.team.Seat(&Seat{Types: r.types})
	if _, err := seat.kind("boss"); err == nil || !strings.Contains(err.Error(), `"boss"; the types are: Explore, general-purpose, lead`) {
		t.Error(err)
	}
	for name, want := range map[string]string{"LEAD": "lead", "explore": "Explore", "Plan": "Explore"} {
		if x, err := seat.kind(name); err != nil || x.Name != want {
			t.Errorf("%s: %s %v", name, x.Name, err)
		}
	}
	tool := seat.SpawnTools()[0]
	if !strings.Contains(string(tool.Schema), `"enum":["Explore","general-purpose","lead"]`) || !strings.Contains(tool.Doc, "- lead: leads") {
		t.Errorf("%s\n%s", tool.Schema, tool.Doc)
	}
}

// A child may not take more steps than its parent has left, and when none are left it is not started.
func TestStepsOfTheParent(t *testing.T) {
	r := newRig(t, func(r *rig) { r.steps = 5 })
	r.says("go", agenttest.CallTool("task", task("look")), agenttest.Say("never"))
	r.says("look", agenttest.CallTool("bash", `{"do":"again"}`))
	end := r.run("s", "go")
	if end.Stop != agent.RunSteps || end.Steps != 5 {
		t.Errorf("%s after %d steps", end.Stop, end.Steps)
	}
	if n := len(r.requests("look")); n != 4 {
		t.Errorf("the child took %d steps", n)
	}
	r.says("last", agenttest.CallTool("task", task("look")))
	r.steps = 1
	if end = r.run("t", "last"); end.Stop != agent.RunSteps {
		t.Errorf("%s", end.Stop)
	}
	if got := r.results("t"); len(got) != 1 || !strings.Contains(got[0], "no steps left") {
		t.Errorf("%q", got)
	}
}

// TestStepsApart: where the source system counts so, a child has its own limit whatever its parent has left, and the parent goes on.
func TestStepsApart(t *testing.T) {
	r := newRig(t, func(r *rig) { r.steps, r.o.OwnSteps, r.o.Steps = 2, true, 7 })
	r.says("go", agenttest.CallTool("task", task("look")), agenttest.Say("went on"))
	r.says("look", agenttest.CallTool("bash", `{"do":"again"}`))
	if end := r.run("s", "go"); end.Stop != agent.RunEnd || end.Steps != 9 {
		t.Errorf("%s after %d steps", end.Stop, end.Steps)
	}
	if n := len(r.requests("look")); n != 7 {
		t.Errorf("the child took %d steps", n)
	}
}

func leads(tools ...string) func(r *rig) {
	return func(r *rig) { r.types = []Type{{Name: "lead", System: "Lead.", Tools: tools}} }
}

// Nobody can be started deeper than the limit; the model is told why, and the third refusal ends every run of the tree.
func TestDepthAndThreeRefusals(t *testing.T) {
	r := newRig(t, leads("task"))
	again := agenttest.CallTool("task", task("again", "agent_type=lead"))
	r.says("go", again)
	r.says("again", again)
	end := r.run("s", "go")
	if end.Stop != agent.RunLoop || !strings.Contains(end.Text, "refused or went in circles 3 times") {
		t.Errorf("the root ends with %s: %s", end.Stop, end.Text)
	}
	if n := r.calls(); n != 5 { // the root, its child, and three tries of the grandchild
		t.Errorf("%d model calls", n)
	}
	for _, id := range []string{"s.1", "s.1.1"} {
		if x := r.ended(id); x.Stop != agent.RunLoop {
			t.Errorf("%s ends with %s", id, x.Stop)
		}
	}
	if got := r.results("s.1.1"); !strings.Contains(got[0], "nested 2 deep") || !strings.Contains(got[0], "(refusal 1 of 3") || !strings.Contains(got[2], "(refusal 3 of 3") {
		t.Errorf("%q", got)
	}
	r.says("go", agenttest.Say("well"))
	if end := r.run("s", "so?"); end.Stop != agent.RunEnd {
		t.Errorf("after the person has spoken: %s", end.Stop)
	}
}

// A child without the tool that calls it all the same is refused in words that help, and that counts.
func TestCallWithoutTheTool(t *testing.T) {
	for _, name := range []string{"task", "spawn_subagent", "Task"} {
		r := newRig(t)
		r.says("go", agenttest.CallTool("task", task("look")))
		r.says("look", agenttest.CallTool(name, `{"prompt":"x"}`))
		if end := r.run("s", "go"); end.Stop != agent.RunLoop || r.calls() != 4 {
			t.Errorf("%s: %s after %d model calls", name, end.Stop, r.calls())
		}
		if got := r.results("s.1"); len(got) != 3 || !strings.Contains(got[0], "without the right to start sub-agents") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The seventeenth child is refused until the person speaks again; those that a program starts do not count.
func TestTotal(t *testing.T) {
	r := newRig(t)
	var pairs []string
	for i := range 17 {
		pairs = append(pairs, "task", task(fmt.Sprint("look ", i)))
	}
	r.says("go", agenttest.CallTools(pairs...), agenttest.Say("done"))
	r.says("look", agenttest.Say("seen"))
	if end := r.run("s", "go"); end.Stop != agent.RunEnd {
		t.Errorf("%s %s", end.Stop, end.Text)
	}
	refused := slices.DeleteFunc(r.results("s"), func(s string) bool { return !strings.Contains(s, "16 sub-agents were started") })
	if d := r.tree("s"); len(refused) != 1 || len(d.Children) != 16 || d.Refused != 1 {
		t.Errorf("%d refused, %d started", len(refused), len(d.Children))
	}
	for i := range 20 {
		reply, err := r.team.Run(t.Context(), Task{Key: fmt.Sprint("s/9.1/", i), Parent: "s", Name: "step", Text: "look now", Driver: true})
		if err != nil || reply.Text != "seen" {
			t.Fatalf("%d: %+v %v", i, reply, err)
		}
	}
	if _, err := r.team.Run(t.Context(), Task{Key: "s.1.1/1.1", Parent: "s.1.1", Text: "look", Driver: true}); !errors.Is(err, ErrRefused) {
		t.Errorf("too deep for a program: %v", err)
	}
	r.says("again", agenttest.CallTool("task", task("look once more")), agenttest.Say("done"))
	r.says("go", agenttest.CallTools(pairs...), agenttest.Say("done"), agenttest.CallTool("task", task("look once more")), agenttest.Say("done"))
	if end := r.run("s", "again"); end.Stop != agent.RunEnd || len(r.requests("look once more")) != 1 {
		t.Errorf("after the person has spoken: %s, %d", end.Stop, len(r.requests("look once more")))
	}
}

// Refusals of one reply count once: the model has heard of none of them.
func TestRefusalsOfOneReply(t *testing.T) {
	r := newRig(t)
	var pairs []string
	for i := range 20 {
		pairs = append(pairs, "task", task(fmt.Sprint("look ", i)))
	}
	r.says("go", agenttest.CallTools(pairs...), agenttest.Say("done"))
	r.says("look", agenttest.Say("seen"))
	if end := r.run("s", "go"); end.Stop != agent.RunEnd {
		t.Errorf("%s %s", end.Stop, end.Text)
	}
	if d := r.tree("s"); d.Refused != 1 {
		t.Errorf("%d refusals", d.Refused)
	}
}

// No more than four children of one parent work at once; the others wait for their turn, and all get it.
func TestWidth(t *testing.T) {
	r := newRig(t)
	var busy, peak atomic.Int64
	gate := make(chan struct{})
	queued := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return strings.Contains(strings.Join(r.lines, "\n"), "waits for its turn: 4 sub-agents are at work")
	}
	r.says("look", agenttest.Reply{Text: "seen", Wait: func(context.Context) {
		n := busy.Add(1)
		defer busy.Add(-1)
		for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
		}
		if n == 4 { // all at work that may be: the others say that they wait
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for !queued() {
				<-tick.C
			}
			close(gate)
		}
		<-gate
	}})
	var pairs []string
	for i := range 7 {
		pairs = append(pairs, "task", task(fmt.Sprint("look ", i)))
	}
	r.says("go", agenttest.CallTools(pairs...), agenttest.Say("done"))
	if end := r.run("s", "go"); end.Stop != agent.RunEnd || len(r.results("s")) != 7 {
		t.Errorf("%s, %d results", end.Stop, len(r.results("s")))
	}
	if peak.Load() > 4 {
		t.Errorf("%d at once", peak.Load())
	}
}

// The same key is the same child, whoever asks and whatever for.
func TestKeyIsTheChild(t *testing.T) {
	r := newRig(t)
	r.says("look", agenttest.Say("seen"))
	work := Task{Key: "s/3.1", Parent: "s", Name: "step", Text: "look"}
	one, err := r.team.Run(t.Context(), work)
	if err != nil {
		t.Fatal(err)
	}
	work.Text = "something else"
	two, err := r.team.Run(t.Context(), work)
	if err != nil || one.Session != two.Session || two.Text != "seen" || two.Steps != 1 || len(r.requests("look")) != 1 {
		t.Errorf("%+v %+v %v", one, two, err)
	}
}

// A session that is deleted and begun anew under its name knows nothing of the children of the old one.
func TestANameBegunAnew(t *testing.T) {
	r := newRig(t)
	r.says("go", agenttest.CallTool("task", task("look")), agenttest.Say("done"))
	r.says("look", agenttest.Say("old"))
	r.run("s", "go")
	if err := r.eng.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	r.says("look", agenttest.Say("new"))
	r.run("s", "go")
	if got := r.results("s"); !slices.Equal(got, []string{"new"}) {
		t.Errorf("%q", got)
	}
	if d := r.tree("s"); len(d.Children) != 1 {
		t.Errorf("%+v", d)
	}
}

// A task with a time of its own is ended when that is over, and said to be.
func TestTimeout(t *testing.T) {
	r := newRig(t)
	late, release := block()
	defer release()
	r.says("look", late)
	reply, err := r.team.Run(t.Context(), Task{Key: "s/3.1", Parent: "s", Name: "step", Text: "look", Timeout: 50 * time.Millisecond})
	if err != nil || reply.State != TimedOut || !strings.Contains(reply.Reason, "50ms") {
		t.Errorf("%+v %v", reply, err)
	}
	if end := r.ended("s.1"); end.Stop != agent.RunCancelled {
		t.Errorf("its run ends with %s", end.Stop)
	}
	if res := reply.Result(0); !res.Error || !strings.HasPrefix(res.Text(), "(subagent failed) main/step-1: timed_out: it did not end within 50ms") {
		t.Errorf("%+v", res)
	}
}

// A cancel of the root ends everybody below before it ends itself.
func TestCancel(t *testing.T) {
	r := newRig(t, leads("task", "bash"))
	r.says("go", agenttest.CallTools("task", task("delegate", "agent_type=lead"), "task", task("hang on", "background=true")), agenttest.Say("never"))
	r.says("delegate", agenttest.CallTool("task", task("hang")), agenttest.Say("never"))
	r.says("hang", agenttest.CallTool("bash", `{"do":"hang"}`), agenttest.Say("never"))
	r.say("s", "go")
	hangs := func(id string) {
		r.until(id, 0, func(e agent.Event) bool { return e.Type == agent.EvCall && e.Call.Name == "bash" })
	}
	d := r.tree("s")
	for len(d.Children) < 3 {
		d = r.tree("s")
	}
	for _, c := range d.Children {
		if !strings.Contains(c.Path, "lead-") || depthOf(c.ID) == 2 {
			hangs(c.ID)
		}
	}
	if _, err := r.eng.Submit(t.Context(), "s", engine.Input{Cancel: true}); err != nil {
		t.Fatal(err)
	}
	if end := r.ended("s"); end.Stop != agent.RunCancelled {
		t.Errorf("the root ends with %s", end.Stop)
	}
	for _, c := range d.Children {
		if end := r.ended(c.ID); end.Stop != agent.RunCancelled {
			t.Errorf("%s ends with %s", c.Path, end.Stop)
		}
	}
	r.settled("s", Cancelled, 3)
}

// settled waits until so many children of a root have a state.
func (r *rig) settled(root string, s State, n int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patient)
	defer cancel()
	for {
		next := r.team.bell.Next()
		got := 0
		for _, c := range r.tree(root).Children {
			if c.State == s {
				got++
			}
		}
		if got >= n {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			r.t.Fatalf("%d children are %s: %+v", got, s, r.tree(root))
		}
	}
}

// Who knows task from other agents writes their names for its arguments: the type that was meant works, or is refused with
// those that there are.
func TestNamesOfOtherAgents(t *testing.T) {
	r := newRig(t)
	r.says("go",
		agenttest.CallTool("task", `{"prompt":"work","subagent_type":"general-purpose","description":"mend the gate"}`),
		agenttest.CallTool("task", `{"prompt":"look","subagent_type":"code-reviewer"}`),
		agenttest.CallTool("task", `{"prompt":"look","agent_type":"Explore","subagent_type":"general-purpose"}`),
		agenttest.CallTool("task", `{"prompt":"look","run_in_background":true,"description":["no text"]}`),
		agenttest.Say("done"))
	r.says("work", agenttest.Say("worked"))
	r.says("look", agenttest.Say("looked"))
	r.run("s", "go")
	got := r.results("s")
	if len(got) != 4 || got[0] != "worked" || got[2] != "looked" ||
		!strings.Contains(got[1], `"code-reviewer"; the types are: Explore, general-purpose`) || !strings.Contains(got[3], "in the background") {
		t.Errorf("%q", got)
	}
	d := r.tree("s")
	for i, want := range []struct{ path, title string }{{"main/general-purpose-1", "mend the gate"}, {"main/explore-2", "look"}, {"main/explore-3", "look"}} {
		if len(d.Children) != 3 || d.Children[i].Path != want.path || d.Children[i].Title != want.title {
			t.Fatalf("%+v", d.Children)
		}
	}
}

// The words of the server face are those of the source, to the letter; every other face says what happened.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		face    string
		replies []agenttest.Reply
		result  string
	}{
		{"server", []agenttest.Reply{agenttest.Say("the last words")}, "the last words"},
		{"server", []agenttest.Reply{{Thinking: "hm"}}, "(no summary)"},
		{"server", []agenttest.Reply{agenttest.Fail(&agent.ModelError{Kind: agent.ErrAuth, Err: errors.New("no")})}, "(subagent failed)"},
		{"server", []agenttest.Reply{{Text: "half an ans", Stop: agent.StopLength}}, "(subagent failed)"},
		{"classic", []agenttest.Reply{{Thinking: "hm"}}, "(no summary)"},
		{"", []agenttest.Reply{{Text: "half", Stop: agent.StopLength}}, "(subagent failed) main/explore-1: failed: length: the answer was cut at the output limit\nIts last words:\nhalf"},
	} {
		r := newRig(t, func(r *rig) { r.o.Texts = Named(c.face) })
		r.says("go", agenttest.CallTool("task", task("look")), agenttest.Say("done"))
		r.says("look", c.replies...)
		r.run("s", "go")
		if got := r.results("s"); !slices.Equal(got, []string{c.result}) {
			t.Errorf("%s: %q", c.face, got)
		}
	}
}

// Why a child has ended is said once, whatever its state is called.
func TestReasonIsSaidOnce(t *testing.T) {
	for stop, want := range map[agent.RunStop]string{
		agent.RunCancelled: "cancelled: it was stopped", agent.RunTimeout: "timed_out: its time was up", agent.RunSteps: "failed: steps",
		agent.RunRefused: "failed: refused",
	} {
		end := (&watch{}).ended(agent.Event{Type: agent.EvEnd, Stop: stop})
		r := Reply{Path: "main/explore-1", State: end.state, Reason: end.reason}
		res := r.Result(0)
		if got := res.Text(); got != "(subagent failed) main/explore-1: "+want {
			t.Errorf("%s: %s", stop, got)
		}
		if got := r.told(100); strings.Count(got, string(end.state)) != map[bool]int{true: 2, false: 1}[end.state == Failed] {
			t.Errorf("%s: %s", stop, got)
		}
	}
}
