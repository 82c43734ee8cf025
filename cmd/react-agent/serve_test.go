//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// served is a server that runs.
type served struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string // with a slash at its end, and a token if it needs one
	said []string
	more chan string // lines of standard error that come later
}

// serve starts a server and waits until it listens.
func (g *rig) serve(args ...string) *served {
	g.t.Helper()
	s := &served{t: g.t, cmd: g.command(nil, append([]string{"serve"}, args...)...), more: make(chan string, 100)}
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	lines := bufio.NewScanner(errs)
	for s.url == "" && lines.Scan() {
		s.said = append(s.said, lines.Text())
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			at, _, _ := strings.Cut(rest, " ")
			s.url = "http://" + at
		}
	}
	if s.url == "" {
		g.t.Fatalf("it does not listen: %q, %v", s.said, s.cmd.Wait())
	}
	go func() {
		defer close(s.more)
		for lines.Scan() {
			s.more <- lines.Text()
		}
	}()
	return s
}

// end sends a signal and gives the exit code.
func (s *served) end(sig os.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	for range s.more { // until it has closed its end: then Wait may
	}
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// ask asks the server, and gives status and body.
func (s *served) ask(method, path, body string, headers ...string) (int, string) {
	s.t.Helper()
	base, _, _ := strings.Cut(s.url, "?")
	req, err := http.NewRequestWithContext(soon(s.t), method, base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// until follows a session until its stream has a text.
func (s *served) until(session, text string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(soon(s.t), http.MethodGet, s.url+"sessions/"+session+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var all strings.Builder
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), text) {
			return
		}
	}
	s.t.Fatalf("%q does not come:\n%s", text, all.String())
}

// TestServe: from the variables of the source system to a turn over HTTP, and an end that says why.
func TestServe(t *testing.T) {
	g := newRig(t, "SAY hello there\nSAY again")
	g.extra = []string{"PORT=0"}
	s := g.serve()
	if !strings.Contains(s.said[len(s.said)-1], "http://127.0.0.1:") {
		t.Errorf("%q", s.said)
	}
	if status, body := s.ask("POST", "chat", `{"session_id":"s","message":"hi"}`); status != 200 || !strings.Contains(body, "hello there") || !strings.HasSuffix(body, "event: done\ndata: {\"type\":\"done\",\"data\":{}}\n\n") {
		t.Errorf("%d %s", status, body)
	}
	for path, want := range map[string]string{"healthz": "ok", "readyz": "ready", "": "<html", "about": `"profile":"lean"`, "sessions": `"id":"s"`} {
		if status, body := s.ask("GET", path, ""); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	_, port, err := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := g.command(nil, "serve", "--listen", port).CombinedOutput() // a port alone; the flag wins
	if !strings.Contains(string(out), "--listen") || !strings.Contains(string(out), port) || err == nil || err.Error() != "exit status 2" {
		t.Errorf("%v %s", err, out)
	}
	if code := s.end(syscall.SIGTERM); code != 143 {
		t.Error(code)
	}
	s = g.serve() // the session is still there
	if status, body := s.ask("POST", "chat", `{"session_id":"s","message":"and now?"}`); status != 200 || !strings.Contains(body, "again") {
		t.Errorf("%d %s", status, body)
	}
	if code := s.end(os.Interrupt); code != 130 {
		t.Error(code)
	}
	g.check()
}

func TestServeToOtherMachines(t *testing.T) {
	g := newRig(t, "* SAY hi")
	s := g.serve("--listen", "0.0.0.0:0")
	base, token, ok := strings.Cut(s.url, "?token=")
	if !ok || len(token) < 20 || !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Fatalf("%q", s.said)
	}
	path := filepath.Join(g.dir, ".local", "state", "react-agent", "user", "server-token")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	if data, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(data)) != token {
		t.Errorf("%q %v", data, err)
	}
	if all := strings.Join(s.said, "\n"); !strings.Contains(all, path) || !strings.Contains(all, "TLS") {
		t.Error(all)
	}
	if status, body := s.ask("GET", "sessions", ""); status != 401 || strings.Contains(body, token) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := s.ask("GET", "healthz", ""); status != 200 {
		t.Error(status)
	}
	if status, body := s.ask("POST", "chat", `{"message":"hi"}`, "Authorization", "Bearer "+token); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	s.end(syscall.SIGTERM)
	if s = g.serve("--listen", ":0"); !strings.HasSuffix(s.url, token) {
		t.Errorf("another token: %q", s.said)
	}
	s.end(syscall.SIGTERM)
	for name, spoil := range map[string]func() error{
		"remove it": func() error { return os.Chmod(path, 0o644) },
		"whole":     func() error { return os.WriteFile(path, []byte("short\n"), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		out, err := g.command(nil, "serve", "--listen", "0.0.0.0:0").CombinedOutput()
		if err == nil || err.Error() != "exit status 2" || !strings.Contains(string(out), path) || !strings.Contains(string(out), name) {
			t.Errorf("%v %s", err, out)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.extra = []string{"REACT_AGENT_SERVER_TOKEN=my-own-word-of-a-test"}
	s = g.serve("--listen", "127.0.0.1:0")                                                                                 // a token of one's own counts here, too
	if all := strings.Join(s.said, "\n"); strings.Contains(all, "my-own-word") || !strings.Contains(all, "server.token") { // and stands in no journal
		t.Error(all)
	}
	if status, _ := s.ask("GET", "sessions", "", "Authorization", "Bearer my-own-word-of-a-test"); status != 200 {
		t.Error(status)
	}
	if status, _ := s.ask("GET", "sessions", ""); status != 401 {
		t.Error(status)
	}
	s.end(syscall.SIGTERM)
}

// TestServeGoesOn: a server that was stopped or killed goes on with what was at work, unasked, once.
func TestServeGoesOn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *served){
		"SIGTERM": func(s *served) {
			if code := s.end(syscall.SIGTERM); code != 143 {
				s.t.Error(code)
			}
		},
		"Ctrl-C": func(s *served) {
			if code := s.end(os.Interrupt); code != 130 {
				s.t.Error(code)
			}
		},
		"Ctrl-C twice": func(s *served) {
			if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
				s.t.Fatal(err)
			}
			for line := range s.more {
				if strings.Contains(line, "stopping") {
					break
				}
			}
			if code := s.end(os.Interrupt); code != 130 {
				s.t.Error(code)
			}
		},
		"killed": func(s *served) { s.end(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, "WAIT\n+ SAY never heard\nSAY the answer")
			g.extra = []string{"PORT=0"}
			s := g.serve()
			if status, body := s.ask("POST", "sessions/s/input", `{"message":"hi"}`); status != 202 {
				t.Fatal(status, body)
			}
			if err := g.srv.Holding(soon(t)); err != nil {
				t.Fatal(err)
			}
			end(s)
			g.srv.Release()
			s = g.serve()
			if line, ok := <-s.more; !ok || !strings.Contains(line, "1 session goes on") {
				t.Errorf("%q", line)
			}
			s.until("s", `"stop":"end"`)
			if status, body := s.ask("GET", "sessions/s/events?live=0", ""); status != 200 || !strings.Contains(body, "the answer") {
				t.Errorf("%d %s", status, body)
			}
			s.end(syscall.SIGTERM)
			s = g.serve()
			s.end(syscall.SIGTERM)
			g.check()
		})
	}
}

// TestChangingWhatWaits: what takes the place of a message that waits is made ready as a message of its own is.
func TestChangingWhatWaits(t *testing.T) {
	g := newRig(t, "WAIT\n+ SAY one\nSAY two")
	g.extra = []string{"PORT=0"}
	s := g.serve()
	defer s.end(syscall.SIGTERM)
	post := func(path, body string, want int) (got struct {
		SHA256, Error string
		Pos           int64
	},
	) {
		t.Helper()
		status, answer := s.ask("POST", path, body)
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != want {
			t.Fatalf("%s: %d %s", body, status, answer)
		}
		return got
	}
	text := post("blobs", `{"name":"notes.md","data":"dGhlIGhpcHBvIHN3aW1z"}`, 201).SHA256
	picture := post("blobs", `{"name":"p.gif","data":"R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="}`, 201).SHA256
	post("sessions/s/input", `{"message":"hi"}`, 202)
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	pos := post("sessions/s/input", `{"message":"later","queue":true}`, 202).Pos
	edit := func(sha, mime string, n, want int) string {
		t.Helper()
		part := fmt.Sprintf(`,{"kind":"blob","blob":{"mime":%q,"name":"it","sha256":%q}}`, mime, sha)
		return post("sessions/s/input", fmt.Sprintf(`{"edit":%d,"message":{"parts":[{"kind":"text","text":"now"}%s]}}`, pos, strings.Repeat(part, n)), want).Error
	}
	if fault := edit(text, "text/plain", 21, 400); !strings.Contains(fault, "20 ") {
		t.Error(fault)
	}
	edit(picture, "image/gif", 1, 400) // its model takes no pictures
	edit(text, "text/plain", 1, 202)
	g.srv.Release()
	s.until("s", `"stop":"end"`)
	s.until("s", `"two"`)
	if body := string(g.srv.Requests()[1].Body); !strings.Contains(body, "the hippo swims") || !strings.Contains(body, "now") || strings.Contains(body, "later") {
		t.Errorf("%s", body)
	}
}

// TestServeStopsWithinTheRun: a question waits for an answer over HTTP, over a stop and a start in between.
func TestServeStopsWithinTheRun(t *testing.T) {
	g := newRig(t, "KEYED\nCALL bash {\"command\":\"echo made > made.txt\"}\nSAY done")
	g.extra = []string{"PORT=0"}
	s := g.serve()
	if status, body := s.ask("POST", "sessions/s/input", `{"message":"make it"}`); status != 202 {
		t.Fatal(status, body)
	}
	s.until("s", `"type":"ask"`)
	if code := s.end(syscall.SIGTERM); code != 143 {
		t.Error(code)
	}
	s = g.serve()
	s.until("s", `"type":"ask"`)
	_, body := s.ask("GET", "sessions/s", "")
	_, rest, ok := strings.Cut(body, `"asks":[{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !ok || id == "" {
		t.Fatal(body)
	}
	if status, body := s.ask("POST", "sessions/s/input", `{"answer":{"id":"`+id+`","allow":true}}`); status != 202 {
		t.Fatal(status, body)
	}
	s.until("s", `"stop":"end"`)
	if data, err := os.ReadFile(g.work("made.txt")); err != nil || string(data) != "made\n" {
		t.Errorf("%q %v", data, err)
	}
	s.end(syscall.SIGTERM)
	g.check()
}

// What the project brings along and is left out is told before anybody comes in.
func TestServeSaysWhatIsLeftOut(t *testing.T) {
	g := newRig(t, "* SAY hi")
	if err := os.WriteFile(g.work("AGENTS.md"), []byte("Be brief.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := g.serve("--listen", "127.0.0.1:0"); !strings.Contains(strings.Join(s.said, "\n"), "AGENTS.md") {
		t.Errorf("%q", s.said)
	}
}
