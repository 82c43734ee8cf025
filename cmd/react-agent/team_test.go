//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
)

// family is a session with a sub-agent that it waits for and one in the background.
const family = `
	KEYED
	FOR go
	CALL task {"prompt":"write the file","agent_type":"general-purpose"}
	CALL task {"prompt":"be quick","background":true}
	* SAY the end
	FOR write the file
	CALL bash {"command":"echo x >> once.txt"}
	SAY I wrote it
	FOR be quick
	SAY quick as that
`

// sessionsOf reads the logs of a session and its children.
func (g *rig) sessionsOf(id string) map[string][]agent.Event {
	g.t.Helper()
	files, err := filepath.Glob(g.state("log", "session", id+"*.jsonl"))
	if err != nil {
		g.t.Fatal(err)
	}
	out := map[string][]agent.Event{}
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), ".jsonl")] = g.decode(readLines(g.t, f))
	}
	return out
}

// results counts the results of calls, and gives their texts.
func results(events []agent.Event) (texts map[string][]string, notices []string) {
	texts = map[string][]string{}
	for _, e := range events {
		if e.Message == nil {
			continue
		}
		if e.Message.From == "team" {
			notices = append(notices, e.Message.Text())
		}
		if r := e.Message.Result(); r != nil {
			texts[r.Key] = append(texts[r.Key], r.Text())
		}
	}
	return texts, notices
}

// over reports whether the run of a session has ended.
func over(events []agent.Event) bool {
	return len(events) > 0 && events[len(events)-1].Type == agent.EvEnd
}

// checkFamily looks at what became of the family, however often it was killed.
func (g *rig) checkFamily() {
	t := g.t
	t.Helper()
	logs := g.sessionsOf("s")
	if len(logs) != 3 || !over(logs["s"]) || !over(logs["s.1"]) || !over(logs["s.2"]) {
		t.Fatalf("%d sessions; over: %v %v %v", len(logs), over(logs["s"]), over(logs["s.1"]), over(logs["s.2"]))
	}
	texts, notices := results(logs["s"])
	if len(texts) != 2 {
		t.Errorf("%d calls have results", len(texts))
	}
	all := strings.Builder{}
	for key, list := range texts {
		if len(list) != 1 {
			t.Errorf("call %s has %d results: %q", key, len(list), list)
		}
		all.WriteString(strings.Join(list, "\n"))
	}
	if got := all.String(); strings.Count(got, "I wrote it") != 1 || strings.Count(got, "started in the background") != 1 {
		t.Errorf("results: %s", got)
	}
	if len(notices) != 1 || strings.Count(notices[0], "quick as that") != 1 {
		t.Errorf("told in the background: %q", notices)
	}
	if n := len(readLines(t, g.work("once.txt"))); n > 1 {
		t.Errorf("the command of the sub-agent ran %d times", n)
	}
	for id := range logs {
		if out, err := g.command(nil, "replay", id, "--check").CombinedOutput(); err != nil {
			t.Errorf("replay %s --check: %v\n%s", id, err, out)
		}
	}
	var doc struct {
		Children []struct{ ID, State string }
	}
	raw, err := os.ReadFile(g.state("kv", "team", "s.json"))
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	if err != nil || len(doc.Children) != 2 || doc.Children[0].State != "done" || doc.Children[1].State != "done" {
		t.Errorf("%s: %v", raw, err)
	}
}

// Wherever a process dies that runs a session with its sub-agents, the next one goes on with all of them: a sub-agent is
// not started twice, its result comes once, and what it did is not done again.
func TestKilledWithSubAgents(t *testing.T) {
	t.Parallel()
	g := newRig(t, family)
	if code := g.start(nil, "--yolo", "--session", "s", "go").play(); code != 0 {
		t.Fatalf("unharmed it ends with %d", code)
	}
	g.checkFamily()
	events := 0
	for _, log := range g.sessionsOf("s") {
		events += len(log)
	}
	for _, when := range []string{"before", "after"} {
		for k := 1; k <= events; k += min(stride(), 4) {
			t.Run(fmt.Sprint(when, k), func(t *testing.T) {
				t.Parallel()
				g := newRig(t, family)
				code := g.start([]string{fmt.Sprintf("PARTS_DIE=%s:%d", when, k)}, "--yolo", "--session", "s", "go").play()
				logs := g.sessionsOf("s")
				if code == 0 && over(logs["s"]) { // the other order of the two had one event less
					g.checkFamily()
					return
				}
				if code != -1 {
					t.Fatalf("it was to die, and ended with %d", code)
				}
				if !over(logs["s"]) {
					args := []string{"--yolo", "--resume", "s"}
					if len(logs["s"]) == 0 {
						args = []string{"--yolo", "--session", "s"}
					}
					if code := g.start(nil, args...).play(); code != 0 {
						t.Fatalf("it goes on and ends with %d", code)
					}
				}
				g.checkFamily()
			})
		}
	}
}

// A sub-agent that nobody can reach any more, and one that was killed with its process, end as failed or go on; the
// parent is told of each, once, and nothing waits for ever.
func TestSubAgentsThatFail(t *testing.T) {
	t.Parallel()
	g := newRig(t, `
		KEYED
		FOR go
		CALL task {"prompt":"ask in vain","background":true}
		+ CALL task {"prompt":"hold on","background":true}
		* SAY waiting
		FOR ask in vain
		* STATUS 500 {"error":{"message":"out of order"}}
		FOR hold on
		WAIT
		+ SAY there I am
	`)
	l := g.start(nil, "--yolo", "--session", "s", "go")
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l.wait()
	g.srv.Release() // the one whose client is gone, perhaps
	g.srv.Release() // the one that is asked next
	if code := g.start(nil, "--yolo", "--resume", "s").play(); code != 0 {
		t.Fatalf("it ends with %d", code)
	}
	logs := g.sessionsOf("s")
	_, notices := results(logs["s"])
	all := strings.Join(notices, "\n")
	if strings.Count(all, "failed: (subagent failed) main/explore-") != 1 || !strings.Contains(all, "out of order") {
		t.Errorf("of the one without a model was told: %s", all)
	}
	if strings.Count(all, "done: there I am") != 1 {
		t.Errorf("of the one that was killed was told: %s", all)
	}
	g.check()
}

// What a sub-agent of a sub-agent asks is asked at the root, under its path; "always" holds for all of them, and nothing
// is asked twice.
func TestSubAgentsAskAtTheRoot(t *testing.T) {
	t.Parallel()
	g := newRig(t, `
		FOR go
		CALL task {"prompt":"delegate it","agent_type":"lead"}
		SAY the end
		FOR delegate it
		CALL task {"prompt":"do it","agent_type":"general-purpose"}
		CALL bash {"command":"touch two.txt"}
		SAY delegated
		FOR do it
		CALL bash {"command":"touch one.txt"}
		SAY did it
	`)
	g.agentFile("lead", "tools: Task, Bash")
	l := g.start(nil, "--session", "s", "go")
	var asks []agent.Ask
	for {
		e, ok := l.next()
		if !ok {
			break
		}
		switch e.Type { //nolint:exhaustive // the rest is not looked at
		case agent.EvAsk:
			asks = append(asks, *e.Ask)
			_, _ = fmt.Fprintf(l.in, `{"answer":{"id":%q,"allow":true,"always":true}}`+"\n", e.Ask.ID)
		case agent.EvEnd:
			_ = l.in.Close()
		}
	}
	if code := l.wait(); code != 0 {
		t.Fatalf("ended with %d: %s", code, l.errs.String())
	}
	if len(asks) != 1 || !strings.HasPrefix(asks[0].Text, "[main/lead-1/general-purpose-1] ") || len(asks[0].Rules) == 0 {
		t.Fatalf("asked: %+v", asks)
	}
	for _, file := range []string{"one.txt", "two.txt"} {
		if _, err := os.Stat(g.work(file)); err != nil {
			t.Error(err)
		}
	}
	for id, log := range g.sessionsOf("s") {
		if !over(log) {
			t.Errorf("%s is not over", id)
		}
	}
	g.check()
}

// agentFile puts an agent into the person's own folder.
func (g *rig) agentFile(name, header string) {
	g.t.Helper()
	dir := filepath.Join(g.dir, ".claude", "agents")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		g.t.Fatal(err)
	}
	text := fmt.Sprintf("---\nname: %s\ndescription: works\n%s\n---\nYou work.\n", name, header)
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// With nobody to ask, a sub-agent's call is refused and the whole run says so; a background one is refused in any case.
func TestSubAgentsWithNobodyToAsk(t *testing.T) {
	t.Parallel()
	const script = `
		FOR wait
		CALL task {"prompt":"do it","agent_type":"general-purpose"}
		SAY the end
		FOR leave
		CALL task {"prompt":"do it","agent_type":"general-purpose","background":true}
		* SAY the end
		FOR do it
		CALL bash {"command":"touch one.txt"}
		SAY I may not
	`
	for prompt, want := range map[string]int{"wait": 7, "leave": 0} {
		g := newRig(t, script)
		out, err := g.command(nil, "run", "--session", "s", "--output", "json", prompt).Output()
		code := 0
		if ee, ok := errors.AsType[*exec.ExitError](err); ok {
			code = ee.ExitCode()
		}
		if code != want || !strings.Contains(string(out), `"text":"the end"`) {
			t.Errorf("%s: %d, %s", prompt, code, out)
		}
		if _, err := os.Stat(g.work("one.txt")); err == nil {
			t.Errorf("%s: the command ran", prompt)
		}
		logs := g.sessionsOf("s")
		texts, _ := results(logs["s.1"])
		for _, list := range texts {
			if !strings.Contains(list[0], "nobody can be asked") && !strings.Contains(list[0], "denied by the person") {
				t.Errorf("%s: the sub-agent reads %q", prompt, list)
			}
		}
		if end := logs["s.1"][len(logs["s.1"])-1]; end.Stop != agent.RunDenied {
			t.Errorf("%s: the sub-agent ends with %s", prompt, end.Stop)
		}
	}
}

// A cancel reaches sub-agents of sub-agents and what they run, and the run ends after them.
func TestCancelReachesAllBelow(t *testing.T) {
	t.Parallel()
	g := newRig(t, `
		FOR go
		CALL task {"prompt":"delegate it","agent_type":"lead"}
		+ CALL task {"prompt":"do it","agent_type":"general-purpose","background":true}
		SAY never said
		FOR delegate it
		CALL task {"prompt":"do it","agent_type":"general-purpose"}
		SAY never said
		FOR do it
		* CALL bash {"command":"echo $$ >> pids.txt; exec sleep 300"}
	`)
	g.agentFile("lead", "tools: Task, Bash")
	l := g.start(nil, "--yolo", "--session", "s", "go")
	ctx := soon(t)
	for len(readLines(t, g.work("pids.txt"))) < 2 {
		select {
		case <-ctx.Done():
			t.Fatalf("the commands do not start: %s", l.errs.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_, _ = fmt.Fprintln(l.in, `{"cancel":true}`)
	if code := l.play(); code != 130 {
		t.Fatalf("ended with %d: %s", code, l.errs.String())
	}
	for _, pid := range readLines(t, g.work("pids.txt")) {
		if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, 0) == nil {
			t.Errorf("process %s is still there (%v)", pid, err)
		}
	}
	logs := g.sessionsOf("s")
	if len(logs) != 4 {
		t.Errorf("%d sessions", len(logs))
	}
	root := logs["s"][len(logs["s"])-1]
	for id, log := range logs {
		end := log[len(log)-1]
		if end.Type != agent.EvEnd || end.Stop != agent.RunCancelled {
			t.Errorf("%s ends with %s %s", id, end.Type, end.Stop)
		}
		if strings.Count(id, ".") == 2 && end.Time.After(root.Time) {
			t.Errorf("%s ended %s after the root", id, end.Time.Sub(root.Time))
		}
	}
	g.check()
	raw, err := os.ReadFile(g.state("kv", "team", "s.json"))
	if err != nil || strings.Count(string(raw), `"state":"cancelled"`) != 3 {
		t.Errorf("%s %v", raw, err)
	}
}
