//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// events reads a session's stream from behind a number on, until one has a text; it gives the numbers of the durable ones.
func (s *served) events(ctx context.Context, session string, after int64, text string) (seen []int64) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"sessions/"+session+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", fmt.Sprint(after))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Seq int64
			N   int64
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.t.Fatalf("%s: %v", data, err)
		}
		if e.N == 0 {
			seen = append(seen, e.Seq)
		}
		if strings.Contains(data, text) {
			return seen
		}
	}
	s.t.Fatalf("%q does not come behind %d: %v", text, after, seen)
	return nil
}

// messages are who has spoken in a session, one letter each, and how many calls have no result.
func (s *served) messages(session string) (who string, open int) {
	s.t.Helper()
	status, body := s.ask("GET", "sessions/"+session+"/events?live=0", "")
	if status != http.StatusOK {
		s.t.Fatalf("%d %s", status, body)
	}
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct {
			Message *struct {
				Role  string
				Parts []struct{ Kind string }
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.t.Fatal(err)
		}
		if e.Message == nil {
			continue
		}
		who += e.Message.Role[:1]
		for _, p := range e.Message.Parts {
			switch p.Kind {
			case "call":
				open++
			case "result":
				open--
			}
		}
	}
	return who, open
}

// What another site's page, and a name that was bent to lead here, can send is refused before anything runs; no other origin
// is let in (R-SV-01). The same for both interfaces.
func TestOtherSitesStartNothing(t *testing.T) {
	g := newRig(t, "* SAY hi")
	g.extra = []string{"PORT=0"}
	s := g.serve()
	defer s.end(syscall.SIGTERM)
	for path, body := range map[string]string{"chat": `{"session_id":"x","message":"run id"}`, "sessions/x/input": `{"message":"run id"}`} {
		for _, h := range [][]string{
			{"Origin", "http://evil.example", "Content-Type", "text/plain"},
			{"Origin", "http://evil.example"},
			{"Content-Type", "text/plain"},
		} {
			if status, _ := s.ask("POST", path, body, h...); status < 400 || status > 499 {
				t.Errorf("%s with %q: %d", path, h, status)
			}
		}
		req, err := http.NewRequestWithContext(soon(t), "POST", s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "evil.example"
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode < 400 || res.StatusCode > 499 {
			t.Errorf("%s for another host: %d", path, res.StatusCode)
		}
		req, err = http.NewRequestWithContext(soon(t), "OPTIONS", s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", "http://evil.example")
		req.Header.Set("Access-Control-Request-Method", "POST")
		res, err = http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if o := res.Header.Get("Access-Control-Allow-Origin"); o != "" {
			t.Errorf("%s is open to %q", path, o)
		}
	}
	if n := len(g.srv.Requests()); n != 0 {
		t.Fatalf("%d calls of the model", n)
	}
	if status, body := s.ask("GET", "sessions", ""); status != 200 || strings.Contains(body, `"id"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.ask("POST", "sessions/x/input", `{"message":"hi"}`); status != 202 {
		t.Errorf("%d %s", status, body)
	}
	s.until("x", `"type":"end"`)
}

// A client that drops its connections in the middle of a run loses nothing: the run goes on, what was missed is read from
// there on, and the session takes the next message (R-SV-03).
func TestConnectionsThatAreDropped(t *testing.T) {
	call := func(n int) string { return fmt.Sprintf("CALL bash {\"command\":\"echo step %d\"}\n", n) }
	g := newRig(t, call(1)+call(2)+"WAIT\n+ "+call(3)+"SAY the end of it\nSAY second")
	g.extra = []string{"PORT=0"}
	s := g.serve("--mode", "yolo")
	defer s.end(syscall.SIGTERM)
	if status, body := s.ask("POST", "sessions/a/input", `{"message":"go"}`); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	ctx, drop := context.WithCancel(soon(t))
	first := s.events(ctx, "a", 0, `"type":"call"`)
	drop()
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	if status, body := s.ask("GET", "sessions/a", ""); status != 200 || !strings.Contains(body, `"open":true`) {
		t.Errorf("%d %s", status, body)
	}
	g.srv.Release()
	last := first[len(first)-1]
	rest := s.events(soon(t), "a", last, `"type":"end"`)
	for i, seq := range rest {
		if seq != last+int64(i)+1 {
			t.Fatalf("behind %d come %v", last, rest)
		}
	}
	if status, body := s.ask("POST", "sessions/a/input", `{"message":"and again"}`); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	s.events(soon(t), "a", rest[len(rest)-1], `"type":"end"`)
	if who, open := s.messages("a"); who != "uatatataua" || open != 0 {
		t.Errorf("%s with %d calls open", who, open)
	}
}

// A message that comes while a run goes on steers it, or waits for its end, as it says; nothing writes a history beside
// another (R-SV-05).
func TestASecondMessageWhileItRuns(t *testing.T) {
	for how, want := range map[string]string{`{"message":"two"}`: "uatua", `{"message":"two","queue":true}`: "uataua"} {
		t.Run(want, func(t *testing.T) {
			g := newRig(t, "CALL bash {\"command\":\"until [ -e go ]; do sleep 0.02; done\"}\nSAY first\nSAY second")
			g.extra = []string{"PORT=0"}
			s := g.serve("--mode", "yolo")
			defer s.end(syscall.SIGTERM)
			if status, body := s.ask("POST", "sessions/a/input", `{"message":"one"}`); status != 202 {
				t.Fatalf("%d %s", status, body)
			}
			s.events(soon(t), "a", 0, `"type":"call"`)
			if status, body := s.ask("POST", "sessions/a/input", how); status != 202 || !strings.Contains(body, `"pos":`) {
				t.Fatalf("%d %s", status, body)
			}
			if status, body := s.ask("GET", "sessions/a", ""); status != 200 || !strings.Contains(body, `"text":"two"`) {
				t.Errorf("%d %s", status, body)
			}
			if err := os.WriteFile(g.work("go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ends := strings.Count(want, "u") - strings.Count(want, "tu")
			last := int64(0)
			for range ends {
				seen := s.events(soon(t), "a", last, `"type":"end"`)
				last = seen[len(seen)-1]
			}
			if who, open := s.messages("a"); who != want || open != 0 {
				t.Errorf("%s with %d calls open, want %s", who, open, want)
			}
		})
	}
}

// run and the session commands on a server elsewhere: the same words, forms and codes, and no state here.
func TestRunElsewhere(t *testing.T) {
	g := newRig(t, "SAY hello from there\nCALL bash {\"command\":\"echo x >made\"}\nSAY refused, then\nSAY seen")
	g.extra = []string{"PORT=0"}
	s := g.serve()
	defer s.end(syscall.SIGTERM)
	here := newRig(t, "NOTHING")
	run := func(code int, args ...string) string {
		t.Helper()
		var errs strings.Builder
		cmd := here.command(nil, append([]string{"--server", s.url}, args...)...)
		cmd.Stderr = &errs
		out, err := cmd.Output()
		got := 0
		if err != nil {
			ee, ok := err.(*exec.ExitError) //nolint:errorlint // it is that or a fault of the test
			if !ok {
				t.Fatal(err)
			}
			got = ee.ExitCode()
		}
		if got != code {
			t.Errorf("%q: exit %d, want %d: %s%s", args, got, code, out, errs.String())
		}
		return string(out) + errs.String()
	}
	if out := run(0, "run", "--session", "a", "hi"); !strings.HasPrefix(out, "hello from there\n") {
		t.Errorf("%q", out)
	}
	if out := run(7, "run", "--resume", "a", "make a file"); !strings.Contains(out, "refused, then") {
		t.Errorf("%q", out)
	}
	if err := os.WriteFile(here.work("note.txt"), []byte("of this machine, see @nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(0, "run", "--continue", "--output", "json", "--attach", "note.txt", "what is in it?"); !strings.Contains(out, `"text":"seen"`) || !strings.Contains(out, `"session":"a"`) {
		t.Errorf("%q", out)
	}
	if all := g.srv.Requests(); !strings.Contains(string(all[len(all)-1].Body), "of this machine, see @nothing") {
		t.Errorf("%s", all[len(all)-1].Body)
	}
	if out := run(0, "session", "list"); !strings.Contains(out, " a ") || strings.Count(out, "\n") != 1 {
		t.Errorf("%q", out)
	}
	if out := run(0, "session", "show", "a"); !strings.Contains(out, "hello from there") {
		t.Errorf("%q", out)
	}
	if out := run(0, "session", "rm", "a"); !strings.Contains(out, "a") {
		t.Errorf("%q", out)
	}
	if out := run(2, "session", "show", "a"); !strings.Contains(out, `"a"`) {
		t.Errorf("%q", out)
	}
	for _, args := range [][]string{
		{"doctor"}, {"demo", "x"}, {"tools"}, {"run", "--model", "m", "x"}, {"run", "--yolo", "x"}, {"run", "--schema", "s", "x"}, {"serve"},
	} {
		if out := run(2, args...); !strings.Contains(out, "--server") {
			t.Errorf("%q: %q", args, out)
		}
	}
	if _, err := os.Stat(here.state()); !os.IsNotExist(err) {
		t.Errorf("state was made here: %v", err)
	}
	for url, want := range map[string]string{"": "http://127.0.0.1:8080", "http://127.0.0.1:1": "cannot be reached", "nowhere": "HOST:PORT"} {
		out, err := here.command(nil, "--server", url, "run", "x").CombinedOutput()
		if err == nil || err.Error() != "exit status 2" || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v %s", url, err, out)
		}
	}
}

// What a page sends: a file that is uploaded and named in a message, lines that are typed, and what the program says of
// itself.
func TestWhatAPageSends(t *testing.T) {
	g := newRig(t, "SAY read\nSAY literally")
	g.extra = []string{"PORT=0"}
	s := g.serve()
	defer s.end(syscall.SIGTERM)
	upload := func(name, data string, want int) string {
		t.Helper()
		status, body := s.ask("POST", "blobs", fmt.Sprintf(`{"name":%q,"data":%q}`, name, base64.StdEncoding.EncodeToString([]byte(data))))
		if status != want {
			t.Fatalf("%s: %d %s", name, status, body)
		}
		var up struct{ SHA256, MIME, Error string }
		if err := json.Unmarshal([]byte(body), &up); err != nil {
			t.Fatal(err)
		}
		return up.SHA256 + up.Error
	}
	if fault := upload("cut.png", "\x89PNG\r\n\x1a\n", 400); !strings.Contains(fault, "cut.png") {
		t.Error(fault)
	}
	sha := upload("/home/me/notes.md", "read @made/up/file aloud", 201)
	say := fmt.Sprintf(`{"message":{"parts":[{"kind":"text","text":"what does it say?"},{"kind":"blob","blob":{"mime":"x","name":"notes.md","sha256":%q}}]}}`, sha)
	if status, body := s.ask("POST", "sessions/a/input", say); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	last := s.events(soon(t), "a", 0, `"type":"end"`)
	if body := string(g.srv.Requests()[0].Body); !strings.Contains(body, "read @made/up/file aloud") || !strings.Contains(body, "notes.md") || strings.Contains(body, "not attached") {
		t.Errorf("%s", body)
	}
	for line, want := range map[string]string{"/mode": "ask", " /help ": "/compact", "/nosuch": "/nosuch"} {
		status, body := s.ask("POST", "sessions/a/input", fmt.Sprintf(`{"message":%q}`, line))
		if wrong := line == "/nosuch"; wrong != (status == 400) || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", line, status, body)
		}
	}
	if status, body := s.ask("POST", "sessions/a/input", `{"message":"//mode is a word"}`); status != 202 || strings.Contains(body, `"text"`) {
		t.Errorf("%d %s", status, body)
	}
	s.events(soon(t), "a", last[len(last)-1], `"type":"end"`)
	if body := string(g.srv.Requests()[1].Body); !strings.Contains(body, `"/mode is a word"`) {
		t.Errorf("%s", body)
	}
	if status, body := s.ask("GET", "about?session=a", ""); status != 200 || !strings.Contains(body, `"/compact"`) || !strings.Contains(body, `"mode":"ask"`) || !strings.Contains(body, `"test-model"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.ask("GET", "sessions/a/context", ""); status != 200 || !strings.Contains(body, `"compact_at":`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.ask("GET", "board", ""); status != 200 || !strings.Contains(body, `"tasks":[]`) || !strings.Contains(body, `"inbox":[]`) {
		t.Errorf("%d %s", status, body)
	}
}
