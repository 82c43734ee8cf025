//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/provider/providertest"
)

// spoken is a conversation as a model reads it.
type spoken struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

// done is a call with its result.
type done struct{ name, args, result string }

// talk is what an agent of the team knows: its system prompt, what it was told, what it has done, in order.
type talk struct {
	system string
	told   []string // by the person and the team; one that was told before a call stands before it
	calls  []done
	before []int // for each of told: how many calls had been made
}

func readTalk(body []byte) (t talk) {
	var req struct{ Messages []spoken }
	if json.Unmarshal(body, &req) != nil {
		return t
	}
	at := map[string]int{}
	for _, m := range req.Messages {
		text := textOf(m.Content)
		switch m.Role {
		case "system":
			t.system += text
		case "user":
			t.told, t.before = append(t.told, text), append(t.before, len(t.calls))
		case "assistant":
			for _, c := range m.Calls {
				at[c.ID] = len(t.calls)
				t.calls = append(t.calls, done{name: c.Function.Name, args: c.Function.Arguments})
			}
		case "tool":
			t.calls[at[m.CallID]].result = text
		}
	}
	return t
}

func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// did counts the calls of a tool whose arguments have all these words, from the n-th call on. One that a kill has cut off does
// not count.
func (t *talk) did(from int, name string, words ...string) (n int) {
	for _, c := range t.calls[min(from, len(t.calls)):] {
		fits := c.name == name && !strings.Contains(c.result, "interrupted")
		for _, w := range words {
			fits = fits && strings.Contains(c.args, w)
		}
		if fits {
			n++
		}
	}
	return n
}

// letter is a message of an inbox.
type letter struct {
	Type      string `json:"type"`
	From      string `json:"from"`
	Content   string `json:"content"`
	RequestID string `json:"request_id"`
	Approve   *bool  `json:"approve"`
}

// inbox is all that a lead has found in its inbox.
func (t *talk) inbox() (all []letter) {
	for _, s := range t.told {
		if s, ok := strings.CutPrefix(s, "<inbox>"); ok {
			var list []letter
			_ = json.Unmarshal([]byte(strings.TrimSuffix(s, "</inbox>")), &list)
			all = append(all, list...)
		}
	}
	return all
}

func call(name string, args map[string]any) string {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return "CALL " + name + " " + string(raw)
}

var claimed = regexp.MustCompile(`^<auto-claimed>Task #(\d+): (.*)\n`)

// mateSays is a teammate that takes tasks: one named "plan" needs an approved plan, in one named "slow" it does not want to
// be disturbed.
func mateSays(t *talk) string {
	from, id, subject := -1, "", ""
	for i, s := range t.told {
		if m := claimed.FindStringSubmatch(s); m != nil {
			from, id, subject = i, m[1], m[2]
		}
	}
	var asked, plans []letter
	for i, s := range t.told {
		var l letter
		if json.Unmarshal([]byte(s), &l) != nil {
			continue
		}
		switch {
		case l.Type == "shutdown_request":
			asked = append(asked, l)
		case l.Type == "plan_approval_response" && i > from:
			plans = append(plans, l)
		}
	}
	slow := strings.HasPrefix(subject, "slow")
	for i, l := range asked {
		if t.did(0, "shutdown_response", l.RequestID) == 0 {
			return call("shutdown_response", map[string]any{"request_id": l.RequestID, "approve": !slow || i > 0, "reason": "there is work to do"})
		}
	}
	if from < 0 {
		return "SAY ready"
	}
	start := t.before[from]
	if strings.HasPrefix(subject, "plan") {
		n := t.did(start, "plan_approval")
		rejected := len(plans) > 0 && plans[len(plans)-1].Approve != nil && !*plans[len(plans)-1].Approve
		switch {
		case n == 0, rejected && n == len(plans):
			return call("plan_approval", map[string]any{"plan": fmt.Sprintf("plan %d for %s", n+1, id)})
		case len(plans) < n:
			return "SAY waiting for an answer"
		}
	}
	if slow {
		switch {
		case t.did(start, "send_message", "started #"+id) == 0:
			return call("send_message", map[string]any{"to": "lead", "content": "started #" + id})
		case len(asked) == 0:
			return call("bash", map[string]any{"command": "sleep 0.2; echo waited"})
		}
	}
	switch {
	case t.did(start, "bash", "built") == 0:
		return call("bash", map[string]any{"command": "mkdir -p built/" + id + "; echo ok"})
	case t.did(start, "send_message", "done #"+id) == 0:
		return call("send_message", map[string]any{"to": "lead", "content": "done #" + id})
	case t.did(start, "idle") == 0:
		return call("idle", map[string]any{})
	}
	return "SAY nothing left"
}

// leadSays is the lead of three: it marks what is done, rejects the first plan, and disturbs whoever begins something slow.
func leadSays(t *talk) string {
	names := []string{"alice", "bob", "carol"}
	for _, name := range names {
		if t.did(0, "spawn_teammate", `"`+name+`"`) == 0 {
			return call("spawn_teammate", map[string]any{"name": name, "role": "builder", "prompt": "Take tasks of the board."})
		}
	}
	completed, plans := 0, 0
	gone := map[string]bool{}
	for _, l := range t.inbox() {
		id, isDone := strings.CutPrefix(l.Content, "done #")
		switch {
		case l.Type == "plan_approval_response":
			if plans++; t.did(0, "plan_approval", l.RequestID) == 0 {
				return call("plan_approval", map[string]any{"request_id": l.RequestID, "approve": plans > 1, "feedback": "more detail"})
			}
		case strings.HasPrefix(l.Content, "started #") && t.did(0, "shutdown_request", l.From) == 0:
			return call("shutdown_request", map[string]any{"teammate": l.From})
		case isDone:
			if completed++; t.did(0, "task_update", `"task_id":`+id+"}") == 0 {
				return call("task_update", map[string]any{"status": "completed", "task_id": json.Number(id)})
			}
		case l.Type == "shutdown_response" && *l.Approve, strings.HasPrefix(l.Content, "Teammate "):
			gone[l.From] = true
		}
	}
	if completed < 4 {
		return "SAY waiting"
	}
	for _, name := range names {
		asks := t.did(0, "shutdown_request", name)
		answers := len(slices.DeleteFunc(t.inbox(), func(l letter) bool { return l.Type != "shutdown_response" || l.From != name }))
		if !gone[name] && asks == answers {
			return call("shutdown_request", map[string]any{"teammate": name})
		}
	}
	if len(gone) < len(names) {
		return "SAY waiting for the last ones"
	}
	return "SAY the board is finished"
}

func teamSays(_ string, body []byte) string {
	t := readTalk(body)
	if strings.HasPrefix(t.system, "You are '") {
		return mateSays(&t)
	}
	return leadSays(&t)
}

// newTeam is a rig with a board of four tasks: the third waits for the first two, the fourth for the third.
func newTeam(t *testing.T) *rig {
	t.Helper()
	g := newRig(t, "SAY x")
	g.srv.Close()
	g.srv = providertest.New(t.Context(), providertest.Script{Choose: teamSays})
	t.Cleanup(g.srv.Close)
	for _, args := range [][]string{{"plan the house"}, {"slow concrete"}, {"walls", "--blocked-by", "1,2"}, {"roof", "--blocked-by", "3"}} {
		if out, err := g.command(nil, append([]string{"task", "add"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("task add: %v\n%s", err, out)
		}
	}
	return g
}

// checkTeam looks at what a team has come to, however often it was killed.
func (g *rig) checkTeam() {
	t := g.t
	t.Helper()
	if built, err := os.ReadDir(g.work("built")); err != nil || len(built) != 4 {
		t.Errorf("built: %v %v", built, err)
	}
	out, err := g.command(nil, "task", "list").CombinedOutput()
	if err != nil || strings.Count(string(out), "[x]") != 4 {
		t.Errorf("the board: %v\n%s", err, out)
	}
	if out, err = g.command(nil, "team", "list").CombinedOutput(); err != nil || strings.Count(string(out), ": shutdown\n") != 3 {
		t.Errorf("the team: %v\n%s", err, out)
	}
	told := map[string]int{}
	for id, log := range g.sessionsOf("s") {
		if !over(log) && log[len(log)-1].Type != agent.EvState {
			t.Errorf("session %s is not over", id)
		}
		for _, e := range log {
			for _, x := range e.Took {
				if strings.HasPrefix(x.Log, "inbox/") {
					told[fmt.Sprintf("%s/%d", x.Log, x.Pos)]++
				}
			}
		}
		if out, err := g.command(nil, "replay", id, "--check").CombinedOutput(); err != nil {
			t.Errorf("replay %s: %v\n%s", id, err, out)
		}
	}
	for at, n := range told {
		if n != 1 {
			t.Errorf("what stands at %s was told %d times", at, n)
		}
	}
	refused, rejected := 0, 0
	for _, line := range readLines(t, g.work(".team", "inbox", "lead.jsonl")) {
		var l letter
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("inbox: %v: %s", err, line)
		}
		if l.Type == "shutdown_response" && !*l.Approve {
			refused++
		}
	}
	for _, name := range []string{"alice", "bob", "carol"} {
		for _, line := range readLines(t, g.work(".team", "inbox", name+".jsonl")) {
			if strings.Contains(line, `"plan_approval_response"`) && strings.Contains(line, `"approve":false`) {
				rejected++
			}
		}
	}
	if refused != 1 || rejected != 1 {
		t.Errorf("%d requests to stop were refused, %d plans rejected", refused, rejected)
	}
	g.dump()
}

// dump shows what happened, if the test has failed.
func (g *rig) dump() {
	if !g.t.Failed() {
		return
	}
	for id, log := range g.sessionsOf("s") {
		for _, e := range log {
			raw, _ := json.Marshal(e)
			g.t.Logf("%s %.400s", id, raw)
		}
	}
	for _, args := range [][]string{{"team", "list"}, {"task", "list"}, {"team", "inbox"}} {
		out, _ := g.command(nil, args...).CombinedOutput()
		g.t.Logf("%v: %s", args, out)
	}
}

// A team of three finishes a board with dependencies; one request to stop is refused and one plan rejected on the way.
func TestTeamFinishesABoard(t *testing.T) {
	t.Parallel()
	g := newTeam(t)
	l := g.start(nil, "--profile", "full", "--yolo", "--session", "s", "build it")
	if code := l.play(); code != 0 {
		t.Errorf("it ends with %d: %s", code, l.errs.String())
	}
	if faults := g.srv.Faults(); len(faults) > 0 {
		t.Error(faults)
	}
	g.checkTeam()
}

// The same, killed five times on the way.
func TestKilledTeamFinishesItsBoard(t *testing.T) {
	t.Parallel()
	g := newTeam(t)
	args := []string{"--profile", "full", "--yolo", "--session", "s", "build it"}
	for kill := range 5 {
		l := g.start(nil, args...)
		if err := g.srv.Arrived(soon(t), len(g.srv.Requests())+3+kill); err != nil {
			t.Errorf("kill %d: %v\n%s", kill, err, l.errs.String())
			g.dump()
			t.FailNow()
		}
		if err := l.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		l.wait()
		args = []string{"--profile", "full", "--yolo", "--resume", "s"}
	}
	l := g.start(nil, args...)
	if code := l.play(); code != 0 {
		t.Errorf("it ends with %d: %s", code, l.errs.String())
	}
	g.checkTeam()
}

// A server that was killed goes on with its teammates when it starts again; what they send waits for whoever reads it, once.
func TestServedTeamGoesOn(t *testing.T) {
	t.Parallel()
	var restarted atomic.Bool
	g := newRig(t, "SAY x")
	g.srv.Close()
	g.srv = providertest.New(t.Context(), providertest.Script{Choose: func(_ string, body []byte) string {
		talk := readTalk(body)
		switch {
		case strings.HasPrefix(talk.system, "You are 'alice'") && !restarted.Load():
			return "HANG"
		case strings.HasPrefix(talk.system, "You are 'alice'") && len(talk.calls) == 0:
			return call("send_message", map[string]any{"to": "lead", "content": "here again"})
		case len(talk.calls) == 0:
			return call("spawn_teammate", map[string]any{"name": "alice", "role": "builder", "prompt": "build"})
		}
		return "SAY well"
	}})
	t.Cleanup(g.srv.Close)
	args := []string{"--listen", "127.0.0.1:0", "--profile", "server", "--api", "chat"}
	s := g.serve(args...)
	if code, body := s.ask("POST", "chat", `{"session_id":"s","message":"go"}`); code != 200 || !strings.Contains(body, "Spawned 'alice' (role: builder)") || !strings.Contains(body, `"content":"well"`) {
		t.Fatalf("%d %s", code, body)
	}
	if _, body := s.ask("GET", "team", ""); body != `{"team":"Team: default\n  alice (builder): working"}`+"\n" {
		t.Errorf("team: %q", body)
	}
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	s.end(syscall.SIGKILL)
	restarted.Store(true)
	s = g.serve(args...)
	ctx := soon(t)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	body := ""
	for !strings.Contains(body, "here again") {
		select {
		case <-tick.C:
			_, body = s.ask("GET", "inbox", "")
		case <-ctx.Done():
			t.Fatalf("nothing comes: %s", body)
		}
	}
	if _, body := s.ask("GET", "inbox", ""); body != `{"inbox":[]}`+"\n" {
		t.Errorf("inbox: %q", body)
	}
	if lines := readLines(t, g.work(".team", "inbox", "lead.jsonl")); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	s.end(syscall.SIGTERM)
}

// Mail from a shell wakes an idle lead whose conversation a server has.
func TestServedLeadIsWoken(t *testing.T) {
	t.Parallel()
	g := newRig(t, "SAY x")
	g.srv.Close()
	g.srv = providertest.New(t.Context(), providertest.Script{Choose: func(_ string, body []byte) string {
		switch talk := readTalk(body); {
		case strings.HasPrefix(talk.system, "You are 'alice'"):
			return "SAY done"
		case strings.Contains(strings.Join(talk.told, "\n"), "look at it"):
			return "SAY I have heard"
		case len(talk.calls) == 0:
			return call("spawn_teammate", map[string]any{"name": "alice", "role": "builder", "prompt": "build"})
		}
		return "SAY well"
	}})
	t.Cleanup(g.srv.Close)
	s := g.serve("--listen", "127.0.0.1:0", "--profile", "full", "--yolo")
	if code, body := s.ask("POST", "sessions/s/input", `{"message":"go"}`); code != 202 {
		t.Fatalf("%d %s", code, body)
	}
	s.until("s", `"type":"end"`)
	if out, err := g.command(nil, "--profile", "full", "team", "send", "lead", "look at it").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.until("s", "I have heard")
	s.end(syscall.SIGTERM)
}
