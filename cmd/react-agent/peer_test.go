//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
)

const peerToken = "a-word-between-two-tests"

// peers are two programs: b serves, with a token and on a port of its own; a may call it.
func peers(t *testing.T, scriptA, scriptB, mode string) (a, b *rig, s *served, listen string) {
	t.Helper()
	a, b = newRig(t, scriptA), newRig(t, scriptB)
	b.extra = []string{"REACT_AGENT_SERVER_TOKEN=" + peerToken}
	listen = freeAddress(t)
	s = b.serve("--listen", listen, "--mode", mode)
	a.knows("tester: {url: http://" + listen + ", token: " + peerToken + ", about: tests things}")
	return a, b, s, listen
}

// freeAddress is a place on loopback where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// knows puts agents into the person's configuration.
func (g *rig) knows(agents ...string) {
	g.t.Helper()
	path := filepath.Join(g.dir, ".config", "react-agent", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("agents:\n  "+strings.Join(agents, "\n  ")+"\n"), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// called reads the log of the one session in which a program was called.
func (g *rig) called() []agent.Event {
	g.t.Helper()
	logs := g.sessionsOf("call-1-")
	if len(logs) != 1 {
		g.t.Fatalf("%d sessions were called", len(logs))
	}
	for _, log := range logs {
		return log
	}
	return nil
}

// ends waits until the session in which a program was called is at rest.
func (g *rig) ends() {
	g.t.Helper()
	ctx := soon(g.t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !over(g.called()) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			g.t.Fatal("it does not end")
		}
	}
}

// once looks whether a program was called once, and did its work once.
func (g *rig) once(stop agent.RunStop) {
	g.t.Helper()
	log := g.called()
	said := 0
	for _, e := range log {
		if e.Message != nil && e.Message.Role == agent.User {
			said++
		}
	}
	if said != 1 || !over(log) || log[len(log)-1].Stop != stop {
		g.t.Errorf("said %d times, over %v, %s", said, over(log), log[len(log)-1].Stop)
	}
	if n := len(readLines(g.t, g.work("once.txt"))); n != 1 {
		g.t.Errorf("the work was done %d times", n)
	}
}

// answered is the one result of a program's session s.
func (g *rig) answered() string {
	g.t.Helper()
	texts, _ := results(g.sessionsOf("s")["s"])
	for _, list := range texts {
		if len(texts) == 1 && len(list) == 1 {
			return list[0]
		}
	}
	g.t.Fatalf("%q", texts)
	return ""
}

const (
	caller = `
		KEYED
		CALL call_agent {"agent":"tester","prompt":"test it"}
		* SAY heard
	`
	callee = `
		KEYED
		CALL bash {"command":"echo x >> once.txt"}
		WAIT
		+ SAY all is green
	`
)

// One program calls the other and hears its answer; it shows what goes on there.
func TestCallAgent(t *testing.T) {
	t.Parallel()
	a, b, s, _ := peers(t, caller, strings.Replace(callee, "WAIT\n\t\t+ SAY", "SAY", 1), "yolo")
	out, err := a.command(nil, "run", "--yolo", "--session", "s", "go").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "heard") || !strings.Contains(string(out), `[tester] · bash {"command":"echo x >> once.txt"}`) {
		t.Errorf("%v %s", err, out)
	}
	if got := a.answered(); got != "all is green" {
		t.Errorf("%q", got)
	}
	if body := a.srv.Bodies()[0]; !strings.Contains(body, `"enum":["tester"]`) || !strings.Contains(body, "- tester: tests things") || strings.Contains(body, peerToken) {
		t.Errorf("%s", body)
	}
	b.once(agent.RunEnd)
	a.knows("tester: {url: " + strings.TrimSuffix(s.url, "/") + ", token: a-wrong-word-of-a-test}")
	if out, err := a.command(nil, "run", "--yolo", "--session", "s2", "go").CombinedOutput(); err != nil || !strings.Contains(string(out), "answered 401") {
		t.Errorf("%v %s", err, out)
	}
	s.end(syscall.SIGTERM)
	a.check()
}

// Whoever dies in the middle, or both: the work is done once, and its answer comes.
func TestCallAgentKilled(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]struct{ caller, callee bool }{"caller": {true, false}, "callee": {false, true}, "both": {true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, s, listen := peers(t, caller, callee, "yolo")
			l := a.start(nil, "--yolo", "--session", "s", "go")
			if err := b.srv.Holding(soon(t)); err != nil {
				t.Fatal(err)
			}
			if kill.caller {
				if err := l.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				l.wait()
			}
			if kill.callee {
				s.end(syscall.SIGKILL)
				b.srv.Release() // the request whose client is gone, perhaps
				b.serve("--listen", listen, "--yolo")
			}
			if kill.caller {
				l = a.start(nil, "--yolo", "--resume", "s")
			}
			b.srv.Release()
			if code := l.play(); code != 0 {
				t.Fatalf("it ends with %d: %s", code, &l.errs)
			}
			if got := a.answered(); got != "all is green" {
				t.Errorf("%q", got)
			}
			b.once(agent.RunEnd)
			a.check()
		})
	}
}

// A cancelled call ends the work there; what was asked there is asked here.
func TestCallAgentCancelledAndAsked(t *testing.T) {
	t.Parallel()
	a, b, s, _ := peers(t, caller, callee, "yolo")
	l := a.start(nil, "--yolo", "--session", "s", "go")
	if err := b.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := l.wait(); code != 130 {
		t.Errorf("%d", code)
	}
	b.ends()
	b.once(agent.RunCancelled)
	s.end(syscall.SIGTERM)

	a, b, s, _ = peers(t, caller, strings.Replace(callee, "WAIT\n\t\t+ SAY", "SAY", 1), "ask")
	a.extra = []string{"REACT_AGENT_PERMISSIONS_ALLOW=call_agent"}
	l = a.start(nil, "--mode", "ask", "--session", "s", "go")
	if code := l.play(); code != 0 {
		t.Fatalf("%d: %s", code, &l.errs)
	}
	var asked []string
	for _, e := range l.events {
		if e.Type == agent.EvAsk {
			asked = append(asked, e.Ask.Text)
		}
	}
	if got := a.answered(); len(asked) != 1 || !strings.HasPrefix(asked[0], "[tester] ") || !strings.Contains(asked[0], "once.txt") || got != "all is green" {
		t.Errorf("asked %q: %q", asked, got)
	}
	b.once(agent.RunEnd)
	s.end(syscall.SIGTERM)
}

// Agents that call each other in a circle end where the depth does.
func TestCallAgentInACircle(t *testing.T) {
	t.Parallel()
	g := newRig(t, `
		KEYED
		CALL call_agent {"agent":"self","prompt":"do it"}
		* SAY the end
	`)
	listen := freeAddress(t)
	g.knows("self: {url: http://" + listen + "}")
	s := g.serve("--listen", listen, "--yolo")
	if status, body := s.ask("POST", "chat", `{"session_id":"s","message":"go"}`); status != 200 || !strings.Contains(body, `"result":"the end"`) {
		t.Errorf("%d %s", status, body)
	}
	for prefix, want := range map[string]string{"call-1-": "the end", "call-2-": "the end", "call-3-": "refused: agents may call each other 3 deep, and you are there."} {
		logs := g.sessionsOf(prefix)
		for _, log := range logs {
			texts, _ := results(log)
			for _, list := range texts {
				if len(logs) != 1 || len(texts) != 1 || !strings.HasPrefix(list[0], want) {
					t.Errorf("%s: %q", prefix, texts)
				}
			}
		}
	}
	if logs := g.sessionsOf("call-"); len(logs) != 3 {
		t.Errorf("%d sessions were called", len(logs))
	}
	s.end(syscall.SIGTERM)
	g.check()
}

// Agents of this program are called by the same tool, from the configuration and from files; nobody is asked for them.
func TestCallAgentHere(t *testing.T) {
	t.Parallel()
	g := newRig(t, `
		CALL call_agent {"agent":"critic","prompt":"look at it"}
		+ CALL call_agent {"agent":"lister","prompt":"list them"}
		* SAY heard
		FOR look at it
		SAY it is bad
		FOR list them
		SAY none
	`)
	g.knows("critic: {about: finds faults, prompt: You find faults., tools: []}")
	file := filepath.Join(g.dir, ".claude", "agents", "lister.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("---\nname: lister\ndescription: lists\ntools: Read\n---\nYou list."), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := g.command(nil, "run", "--session", "s", "go").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "heard") {
		t.Errorf("%v %s", err, out)
	}
	texts, _ := results(g.sessionsOf("s")["s"])
	all := ""
	for _, list := range texts {
		all += strings.Join(list, "|") + "|"
	}
	if len(texts) != 2 || !strings.Contains(all, "it is bad|") || !strings.Contains(all, "none|") {
		t.Errorf("%q", all)
	}
	if body := g.srv.Bodies()[1] + g.srv.Bodies()[2]; !strings.Contains(body, "You find faults.") || !strings.Contains(body, "You list.") {
		t.Errorf("%s", body)
	}
	g.check()
	for text, want := range map[string]string{
		"x: {about: y}":                      "agents.x needs url",
		"x: {url: 'http://h', prompt: y}":    "prompt is for an agent of this program",
		"x: {prompt: y, token: z}":           "a token is of use beside a url only",
		"'a b': {prompt: y}":                 "a name has letters",
		"x: {prompt: y, model: 'nobodys'}":   `the configuration knows no model "nobodys"`,
		"x: {url: 'http://h/?token=abcdef'}": "agents.x.url",
	} {
		g.knows(text)
		out, err := g.command(nil, "run", "go").CombinedOutput()
		if err == nil || err.Error() != "exit status 2" || !strings.Contains(string(out), want) || strings.Contains(string(out), "abcdef") {
			t.Errorf("%s: %v %s", text, err, out)
		}
	}
}
