package app_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/provider/providertest"
)

// place is a product at a scripted server.
type place struct {
	t    *testing.T
	dir  string
	srv  *providertest.Server
	host *command.Host
	seen int64 // the number of the last event that was shown
}

// at opens the product with a scripted model behind a wire; settings are lines of a config.yaml.
func at(t *testing.T, api, script, settings string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	s, err := providertest.Parse(script, p.dir)
	if err != nil {
		t.Fatal(err)
	}
	p.srv = providertest.New(t.Context(), s)
	t.Cleanup(p.srv.Close)
	own := fmt.Sprintf("provider: own\napi: %s\nmodel: test-model\nrate_limit: {requests_per_minute: 1000}\npresets:\n  own: {base_url: '%s', api: %s, key_header: X-Key}\n", api, p.srv.URL, api)
	p.write("own.yaml", own+settings)
	if err := os.Mkdir(filepath.Join(p.dir, "work"), 0o750); err != nil {
		t.Fatal(err)
	}
	p.host = opened(t, command.Options{
		Env:   []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "REACT_AGENT_API_KEY=sk-secret-key-0123456789"},
		Flags: map[string]string{"config": filepath.Join(p.dir, "own.yaml"), "state-dir": filepath.Join(p.dir, "state"), "cwd": filepath.Join(p.dir, "work"), "mode": "yolo"}, Model: true,
	})
	t.Cleanup(func() {
		if err := p.host.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// say says a message as a front end does, and waits for the end of its run.
func (p *place) say(text string) {
	p.t.Helper()
	l, err := command.Read(p.t.Context(), p.host, "s", text)
	if err != nil {
		p.t.Fatal(err)
	}
	m, sent, err := command.Attached(p.t.Context(), p.host, "s", l.Message)
	if err != nil {
		p.t.Fatal(err)
	}
	p.submit(engine.Input{Message: &m})
	p.host.Tray.Sent("s", sent)
}

// submit hands something in and waits until nothing goes on any more.
func (p *place) submit(in engine.Input) {
	p.t.Helper()
	info, err := p.host.Engine.Info(p.t.Context(), "s")
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.host.Engine.Submit(p.t.Context(), "s", in); err != nil {
		p.t.Fatal(err)
	}
	p.seen = max(p.seen, info.Seq) // this process may learn late what is stored
	ctx, stop := context.WithCancel(p.t.Context())
	defer stop()
	for e, err := range p.host.Engine.Follow(ctx, "s", p.seen, true) {
		if err != nil {
			p.t.Fatal(err)
		}
		if p.seen = max(p.seen, e.Seq); e.Type == agent.EvEnd {
			if e.Stop != agent.RunEnd {
				p.t.Fatalf("the run ended %s: %s %+v", e.Stop, e.Text, e.Error)
			}
			return
		}
	}
}

// command runs a slash command and gives what it prints.
func (p *place) command(line string) string {
	p.t.Helper()
	var out strings.Builder
	if _, err := command.Slash(p.t.Context(), p.host, "s", line, &out); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
	return out.String()
}

// state is a hash of all files but locks and the signs of who works, which go away a moment after the end of a run.
func (p *place) state() string {
	p.t.Helper()
	h := sha256.New()
	top := os.DirFS(p.dir)
	err := fs.WalkDir(top, ".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "lease" || d.Name() == "owner") {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") || strings.Contains(d.Name(), ".db") {
			return err
		}
		data, err := fs.ReadFile(top, path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(data), data)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(h.Sum(nil))
}

// same shows the next request, then says the text, and compares what was shown with what came.
func (p *place) same(name, text string) {
	p.t.Helper()
	before, state := len(p.srv.Bodies()), p.state()
	shown := p.command("/request " + text)
	again := p.command("/request " + text)
	if shown != again {
		p.t.Errorf("%s: shown twice, it differs:\n%s\n%s", name, shown, again)
	}
	if now := len(p.srv.Bodies()); now != before {
		p.t.Errorf("%s: to look has sent %d requests", name, now-before)
	}
	if p.state() != state {
		p.t.Errorf("%s: to look has changed the state", name)
	}
	if strings.Contains(shown, "sk-secret") {
		p.t.Errorf("%s: the key is shown", name)
	}
	p.say(text)
	bodies := p.srv.Bodies()
	if len(bodies) <= before {
		p.dump()
		p.t.Fatalf("%s: nothing was sent", name)
	}
	if got, want := strings.TrimSpace(shown), strings.TrimSpace(bodies[before]); got != want {
		p.t.Errorf("%s: shown and sent differ\nshown %s\nsent  %s", name, tail(got), tail(want))
	}
}

// dump logs what is stored, shortened.
func (p *place) dump() {
	for e, err := range p.host.Engine.Follow(p.t.Context(), "s", 0, false) {
		raw, encodeErr := agent.EncodeJSON(e)
		p.t.Log(err, encodeErr, string(raw[:min(len(raw), 300)]))
	}
}

func tail(s string) string { return s[max(0, len(s)-500):] }

func wires() []string { return []string{"chat", "responses", "anthropic", "gemini"} }

// What /request shows is what is sent next, byte for byte, whatever the session has been through; and to look changes
// nothing and sends nothing.
func TestTheRequestThatIsShownIsTheOneThatIsSent(t *testing.T) {
	for _, api := range wires() {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			p := at(t, api, `
				SAY one
				THINK hm
				+ CALL bash {"command":"echo two"}
				SAY two
				* SAY more
			`, "")
			p.same("first", "hello, <b>you</b>  with  blanks")
			p.same("tools", "run it")
			p.same("behind tools", "and now?\nin two lines")
			p.write("work/a.txt", "what is in a\n")
			p.same("a mention", "look at @a.txt")
			if err := command.AttachFile(t.Context(), p.host, "s", "a.txt"); err != nil {
				t.Fatal(err)
			}
			p.same("the tray", "it is attached")
			p.command("/rewind 2 yes")
			p.command("/redo")
			p.same("behind a redo", "still there?")
			p.command("/rewind 1 yes")
			p.same("behind a rewind", "again")
			p.command("/model other-model")
			p.same("another model", "who are you?")
			p.command("/mode readonly")
			p.same("another mode", "look only")
			p.queued("one that waits", true)
			p.queued("said beside it", false)
			p.waiting()
		})
	}
}

// The same with what step by step changes a request: memories, todos and their reminder, plan mode, compactions.
func TestTheRequestThatIsShownWithEverythingOn(t *testing.T) {
	for _, api := range wires() {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			p := at(t, api, `
				CALL TodoWrite {"todos":[{"content":"a","status":"in_progress","activeForm":"doing a"}]}
				SAY one
				3* SAY more
				SAY the summary
				* SAY more
			`, "profile: full\n")
			p.command("/memory add the person drinks green tea in the morning")
			p.same("memory", "what does the person drink in the morning, green tea?")
			for _, text := range []string{"go on", "and on", "and again"} {
				p.same("todos: "+text, text)
			}
			p.command("/compact the tea")
			p.same("behind a compaction", "what did I drink?")
			p.command("/compact undo")
			p.same("behind its undo", "and now?")
			p.command("/plan")
			p.same("in plan mode", "plan it")
		})
	}
}

// A compaction that is due comes first: its request is shown, no transcript is written, and what is sent is the same.
func TestACompactionThatIsDueIsShown(t *testing.T) {
	p := at(t, "chat", "SAY one\nSAY two\nSAY the summary\n* SAY more", "compact: {at: 2200, keep: 200}\n")
	p.say("first " + strings.Repeat("many words that fill ", 120))
	p.say("second " + strings.Repeat("many words that fill ", 120))
	before, state := len(p.srv.Bodies()), p.state()
	third := "third " + strings.Repeat("many words that fill ", 120)
	shown := p.command("/request " + third)
	if p.state() != state || len(p.srv.Bodies()) != before {
		t.Error("to look has sent or changed something")
	}
	body, note, _ := strings.Cut(strings.TrimSpace(shown), "\n")
	if !strings.Contains(note, "before the conversation's own request") {
		t.Errorf("it is not said what this is: %s", tail(shown))
	}
	p.say(third)
	if len(p.srv.Bodies()) <= before {
		p.dump()
		t.Fatal("nothing was sent")
	}
	if sent := p.srv.Bodies()[before]; sent != body {
		t.Errorf("shown and sent differ\nshown %s\nsent  %s", tail(body), tail(sent))
	}
}

// queued puts a message into the input log, as a process leaves it that was killed before anybody took it in.
func (p *place) queued(text string, queue bool) {
	p.t.Helper()
	for running := true; running; { // until the last run has tidied up
		info, err := p.host.Engine.Info(p.t.Context(), "s")
		if err != nil {
			p.t.Fatal(err)
		}
		if running = info.Running; running {
			runtime.Gosched()
		}
	}
	m := agent.TextMessage(agent.User, text)
	raw, err := agent.EncodeJSON(struct {
		Time time.Time `json:"time"`
		engine.Input
	}{time.Now().UTC(), engine.Input{Message: &m, Queue: queue}})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.host.Store.Append(p.t.Context(), "input/s", -1, raw); err != nil {
		p.t.Fatal(err)
	}
}

// waiting compares what is shown of what waits with what is sent when somebody looks after it.
func (p *place) waiting() {
	p.t.Helper()
	before := len(p.srv.Bodies())
	shown := p.command("/request")
	p.submit(engine.Input{Quiet: true})
	bodies := p.srv.Bodies()
	if len(bodies) <= before || strings.TrimSpace(shown) != bodies[before] {
		p.t.Errorf("what waits: shown and sent differ\nshown %s\nsent  %s", tail(shown), tail(bodies[before]))
	}
}

// A request that cannot be known is none: it is said why, and no tool runs a second time.
func TestARequestThatNobodyKnowsYet(t *testing.T) {
	p := at(t, "chat", `
		CALL bash {"command":"echo x >> ran; until [ -e go ]; do sleep 0.01; done"}
		* SAY done
	`, "")
	m := agent.TextMessage(agent.User, "begin")
	if _, err := p.host.Engine.Submit(t.Context(), "s", engine.Input{Message: &m}); err != nil {
		t.Fatal(err)
	}
	for e, err := range p.host.Engine.Follow(t.Context(), "s", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvCall {
			var out strings.Builder
			if _, err := command.Slash(t.Context(), p.host, "s", "/request what now", &out); err == nil || !strings.Contains(err.Error(), "1 call has no result yet") {
				t.Errorf("%v: %s", err, &out)
			}
			p.write("work/go", "")
		}
		if e.Type == agent.EvEnd {
			break
		}
	}
	if ran, err := os.ReadFile(filepath.Join(p.dir, "work", "ran")); err != nil || string(ran) != "x\n" {
		t.Errorf("%q, %v", ran, err)
	}
	p.same("when it is over", "go on")
}

// What comes before the conversation's own request is shown as that, and commands in the texts of skills do not run.
func TestWhatALookLeavesOut(t *testing.T) {
	p := at(t, "chat", "SAY {\"skill\":\"\"}\n* SAY yes", "skills: {router: model}\nmax_cost: 1\n")
	p.write(".config/react-agent/skills/find/SKILL.md", "---\nname: find\ndescription: Finds.\n---\nLook up.\n")
	if shown := p.command("/request find one"); !strings.Contains(shown, "find one") || !strings.Contains(shown, "before the conversation's own request") {
		t.Error(shown)
	}
	q := at(t, "chat", "* SAY yes", "")
	q.write(".config/react-agent/skills/count/SKILL.md", "---\nname: count\ndescription: Counts.\nuser-invocable: true\n---\nThere are !`touch ran; echo 7` files.\n")
	if shown := q.command("/request /count"); !strings.Contains(shown, "only looked at") {
		t.Error(shown)
	}
	if _, err := os.Stat(filepath.Join(q.dir, "work", "ran")); err == nil {
		t.Error("a command of a skill has run")
	}
	var out strings.Builder
	if _, err := command.Slash(t.Context(), q.host, "s", "/request /tools", &out); err == nil || !strings.Contains(err.Error(), "/tools is a command") {
		t.Errorf("%v: %s", err, &out)
	}
	if len(p.srv.Bodies())+len(q.srv.Bodies()) != 0 {
		t.Error("something was sent")
	}
}

// A run that would end before its first call says so, and a model without a wire is asked in words of its own.
func TestRequestsThatNobodySends(t *testing.T) {
	p := at(t, "chat", "SAY one\n+ USAGE 900 200\nSAY two", "max_total_tokens: 1000\n")
	p.say("hello")
	var out strings.Builder
	if _, err := command.Slash(t.Context(), p.host, "s", "/request more", &out); err == nil || !strings.Contains(err.Error(), "would end before it calls the model: 1100 tokens of 1000") {
		t.Errorf("%v: %s", err, &out)
	}
	dir := t.TempDir()
	h := opened(t, command.Options{
		Demo: true, Model: true, Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Flags: map[string]string{"state-dir": filepath.Join(dir, "state"), "cwd": dir},
	})
	if _, err := command.Slash(t.Context(), h, "s", "/request what is here?", &out); err != nil || !strings.Contains(out.String(), `"messages":[{"role":"user","parts":[{"kind":"text","text":"what is here?"}]}]`) {
		t.Errorf("%v: %s", err, &out)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
