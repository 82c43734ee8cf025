package shellhook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// world is hooks with real commands, and what the person was shown.
type world struct {
	t       *testing.T
	dir     string
	hooks   *Hooks
	mu      sync.Mutex
	notices []string
	ran     []string
}

// newWorld makes hooks of event, matcher, command and so on.
func newWorld(t *testing.T, parts ...string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	v := map[string]any{}
	for i := 0; i < len(parts); i += 3 {
		list, _ := v[parts[i]].([]any)
		v[parts[i]] = append(list, map[string]any{"matcher": parts[i+1], "hooks": []any{map[string]any{"type": "command", "command": parts[i+2]}}})
	}
	c, faults := Parse(v)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	w.hooks = New(Options{
		Config: c, Dir: w.dir, Hide: []string{"MY_KEY"}, Timeout: 20 * time.Second,
		Vars: []string{"PATH=" + os.Getenv("PATH"), "MY_KEY=hidden"},
		Notice: func(s string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.notices = append(w.notices, s)
		},
		Transcript: func(s string) string { return "/state/" + s },
		Mode:       func() string { return "ask" },
		Mask:       func(s string) string { return strings.ReplaceAll(s, "geheim", "[masked]") },
	})
	return w
}

func (w *world) tools() []agent.Tool {
	tool := func(name string, fail bool) agent.Tool {
		return agent.Tool{Name: name, Effect: agent.Executes, Schema: json.RawMessage(`{"type":"object"}`), Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			w.ran = append(w.ran, name+string(c.Args))
			if fail {
				return agent.ErrorResult("it broke"), nil
			}
			return agent.TextResult("it worked"), nil
		}}
	}
	return []agent.Tool{tool("bash", false), tool("edit_file", false), tool("broken", true)}
}

// run plays a script and gives the session and its last event.
func (w *world) run(script ...agenttest.Reply) (*agent.Session, agent.Event, *agenttest.Model) {
	w.t.Helper()
	model := agenttest.NewModel(script...)
	a := &agent.Agent{Model: model, Tools: w.tools(), Hooks: []agent.Hook{w.hooks.Hook()}}
	s := agent.NewSession("s")
	if h := w.hooks.Hook(); h.OnSession != nil {
		h.OnSession(w.t.Context(), s, true)
		defer h.OnSession(w.t.Context(), s, false)
	}
	events, err := agenttest.Collect(a.Run(w.t.Context(), s, agent.Say("please go")))
	if err != nil {
		w.t.Fatal(err)
	}
	return s, events[len(events)-1], model
}

func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func results(s *agent.Session) (out []string) {
	for _, m := range s.Messages {
		if r := m.Result(); r != nil {
			out = append(out, r.Text())
		}
	}
	return out
}

func TestPreToolUse(t *testing.T) {
	call := agenttest.CallTool("bash", `{"command":"ls"}`)
	for name, c := range map[string]struct {
		parts        []string
		result, ran  string
		notice, stop string
	}{
		"nothing":          {[]string{preToolUse, "", "true"}, "it worked", `bash{"command":"ls"}`, "", "end"},
		"status 2 blocks":  {[]string{preToolUse, "Bash", "echo not geheim >&2; exit 2"}, "refused by the hook echo not [masked] >&2; exit 2: not [masked]", "", "", "end"},
		"without a reason": {[]string{preToolUse, "bash", "exit 2"}, "refused by the hook exit 2", "", "", "end"},
		"another tool":     {[]string{preToolUse, "Edit", "exit 2"}, "it worked", `bash{"command":"ls"}`, "", "end"},
		"other status":     {[]string{preToolUse, "*", "echo oops >&2; exit 1"}, "it worked", `bash{"command":"ls"}`, "failed (exit status 1), the action goes on: oops", "end"},
		"not found":        {[]string{preToolUse, ".*", "no-such-command-here"}, "it worked", `bash{"command":"ls"}`, "exit status 127", "end"},
		"deny":             {[]string{preToolUse, "", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'`}, `"…: no`, "", "", "end"},
		"old block":        {[]string{preToolUse, "", `echo '{"decision":"block","reason":"old"}'`}, "old", "", "", "end"},
		"ask why":          {[]string{preToolUse, "", `A=1; echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"big"}}'`}, "asked by the hook A=1;", "", "", "denied"},
		"ask":              {[]string{preToolUse, "", `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`}, "nobody can be asked", "", "", "denied"},
		"defer":            {[]string{preToolUse, "", `echo '{"hookSpecificOutput":{"permissionDecision":"defer"}}'`}, "nobody can be asked", "", "", "denied"},
		"allow is nothing": {[]string{preToolUse, "", `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`}, "it worked", `bash{"command":"ls"}`, "", "end"},
		"deny beats ask beats allow": {[]string{
			preToolUse, "", `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`,
			preToolUse, "", `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"strict"}}'`,
			preToolUse, "", `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`,
		}, "strict", "", "", "end"},
		"input":    {[]string{preToolUse, "", `echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"},"additionalContext":"made longer"}}'`}, "it worked\n[hook] made longer", `bash{"command":"ls -l"}`, "", "end"},
		"stop":     {[]string{preToolUse, "", `echo '{"continue":false,"stopReason":"enough","systemMessage":"bye"}'`}, "", "", "bye", "denied"},
		"bad JSON": {[]string{preToolUse, "", `echo '{"decision":'`}, "it worked", `bash{"command":"ls"}`, "cannot be used", "end"},
		"bad word": {[]string{preToolUse, "", `echo '{"decision":"maybe"}'`}, "it worked", `bash{"command":"ls"}`, `"maybe"`, "end"},
		"too long": {[]string{preToolUse, "", `head -c 5000000 /dev/zero`}, "it worked", `bash{"command":"ls"}`, "too long", "end"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.parts...)
			s, end, _ := w.run(call, agenttest.Say("done"))
			if got := strings.Join(results(s), "|"); !strings.Contains(got, c.result) {
				t.Errorf("result %q", got)
			}
			if got := strings.Join(w.ran, "|"); got != c.ran {
				t.Errorf("ran %q", got)
			}
			if got := strings.Join(w.notices, "|"); !strings.Contains(got, c.notice) || c.notice == "" && got != "" {
				t.Errorf("notices %q", got)
			}
			if string(end.Stop) != c.stop {
				t.Errorf("stop %s: %s", end.Stop, end.Text)
			}
		})
	}
}

func TestInput(t *testing.T) {
	w := newWorld(t, preToolUse, "Edit", `cat > in.json; echo "$CLAUDE_PROJECT_DIR $AGENT_HOOK_EVENT $MY_KEY $PWD" > env.txt`,
		preToolUse, "MultiEdit", `echo '{"hookSpecificOutput":{"updatedInput":{"path":"a","file_path":"b","old_text":"x","old_string":"x","new_text":"y"}}}'`)
	w.run(agenttest.CallTool("edit_file", `{"path":"a","old_text":"x","new_text":"y"}`), agenttest.Say("done"))
	var in map[string]any
	if err := json.Unmarshal([]byte(w.read("in.json")), &in); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"session_id": "s", "transcript_path": "/state/s", "cwd": w.dir, "hook_event_name": "PreToolUse", "permission_mode": "ask", "tool_name": "edit_file", "tool_alias": "Edit",
		"tool_input": "map[file_path:a new_string:y new_text:y old_string:x old_text:x path:a]",
	} {
		if got := fmt.Sprint(in[key]); got != want {
			t.Errorf("%s is %q, not %q", key, got, want)
		}
	}
	if got := strings.TrimSpace(w.read("env.txt")); got != w.dir+" PreToolUse  "+w.dir {
		t.Errorf("environment: %q", got)
	}
	if got := strings.Join(w.ran, "|"); got != `edit_file{"new_text":"y","old_text":"x","path":"b"}` {
		t.Errorf("ran %s", got)
	}
}

func TestPostToolUse(t *testing.T) {
	w := newWorld(
		t, postToolUse, "Bash", `cat > post.json; echo '{"decision":"block","reason":"look again","hookSpecificOutput":{"additionalContext":"more"}}'`,
		postToolUse, "Edit", `echo '{"hookSpecificOutput":{"updatedToolOutput":{"a":"geheim"}}}'`,
		postToolUseFailure, "", `cat > fail.json; echo mend it >&2; exit 2`,
		preToolUse, "", `grep -q forbidden && exit 2; exit 0`,
	)
	s, _, _ := w.run(agenttest.CallTool("bash", `{"command":"ls"}`), agenttest.CallTool("edit_file", `{}`), agenttest.CallTool("broken", `{}`),
		agenttest.CallTool("broken", `{"x":"forbidden"}`), agenttest.Say("done"))
	got := results(s)
	for i, want := range []string{"it worked\n[hook] look again\n[hook] more", `{"a":"[masked]"}`, "it broke\n[hook] mend it", "refused by the hook grep -q forbidden"} {
		if !strings.HasPrefix(got[i], want) || strings.Contains(got[3], "mend") {
			t.Errorf("result %d is %q", i, got[i])
		}
	}
	if post := w.read("post.json"); !strings.Contains(post, `"tool_response":{"content":"it worked","is_error":false}`) {
		t.Error(post)
	}
	if fail := w.read("fail.json"); !strings.Contains(fail, `"error":"it broke"`) || !strings.Contains(fail, `"hook_event_name":"PostToolUseFailure"`) {
		t.Error(fail)
	}
	w = newWorld(t, postToolUse, "", `echo '{"continue":false,"stopReason":"enough"}'`)
	s, end, _ := w.run(agenttest.CallTool("bash", `{}`), agenttest.Say("done"))
	if end.Stop != agent.RunDenied || !strings.Contains(end.Text, "enough") || results(s)[0] != "it worked" {
		t.Errorf("%s %q %q", end.Stop, end.Text, results(s))
	}
}

func TestPromptAndSession(t *testing.T) {
	w := newWorld(
		t, sessionStart, "startup", `cat > start.json; echo the branch is main`, sessionStart, "resume", "exit 1",
		userPromptSubmit, "ignored", `cat > prompt.json; echo '{"hookSpecificOutput":{"additionalContext":"it is Monday"}}'`, sessionEnd, "", "cat > end.json",
	)
	s, _, model := w.run(agenttest.Say("done"))
	if got := s.Messages[1]; got.From != Name || got.Text() != "the branch is main\n\nit is Monday" {
		t.Errorf("%+v", got)
	}
	if len(model.Requests()) != 1 || !strings.Contains(w.read("prompt.json"), `"prompt":"please go"`) || !strings.Contains(w.read("start.json"), `"source":"startup"`) ||
		!strings.Contains(w.read("end.json"), `"reason":"other"`) || len(w.notices) > 0 {
		t.Errorf("%q", w.notices)
	}
	w = newWorld(t, userPromptSubmit, "", "echo no secrets please >&2; exit 2")
	s, end, model := w.run(agenttest.Say("done"))
	if end.Stop != agent.RunDenied || !strings.Contains(end.Text, "the hook echo no secrets please >&2; exit 2 held back your message: no secrets please") || len(model.Requests()) != 0 || strings.Contains(s.Messages[0].Text(), "please go") {
		t.Errorf("%s %q %q", end.Stop, end.Text, s.Messages[0].Text())
	}
	w = newWorld(t, sessionStart, "resume", `echo '{"systemMessage":"back"}'`)
	s = agent.NewSession("s")
	s.Messages = []agent.Message{agent.TextMessage(agent.User, "x")}
	if w.hooks.Hook().OnSession(t.Context(), s, true); len(w.notices) != 1 || w.notices[0] != "back" {
		t.Error(w.notices)
	}
}

func TestStop(t *testing.T) {
	w := newWorld(t, stop, "", `cat > stop.json; if grep -q '"stop_hook_active":true' stop.json; then exit 0; fi; echo run the tests >&2; exit 2`)
	s, end, model := w.run(agenttest.Say("first"), agenttest.Say("second"))
	if end.Stop != agent.RunEnd || len(model.Requests()) != 2 || s.Messages[2].Text() != "run the tests" || !strings.Contains(w.read("stop.json"), `"last_assistant_message":"second"`) {
		t.Errorf("%s, %d requests, %+v", end.Stop, len(model.Requests()), s.Messages)
	}
	w = newWorld(t, stop, "", `echo never >&2; exit 2`)
	var script []agenttest.Reply
	for range 20 {
		script = append(script, agenttest.Say("x"))
	}
	if _, end, model = w.run(script...); end.Stop != agent.RunEnd || len(model.Requests()) != maxAgain+1 || len(w.notices) != 1 {
		t.Errorf("%s, %d requests, %q", end.Stop, len(model.Requests()), w.notices)
	}
	w = newWorld(t, stop, "", `echo '{"continue":false,"decision":"block","reason":"x"}'`)
	if _, end, model = w.run(agenttest.Say("x")); end.Stop != agent.RunEnd || len(model.Requests()) != 1 {
		t.Errorf("%s", end.Stop)
	}
}

func TestHangs(t *testing.T) {
	w := newWorld(t, preToolUse, "", "sleep 1000 & sleep 1000")
	w.hooks.o.Timeout = 100 * time.Millisecond
	start := time.Now()
	w.run(agenttest.CallTool("bash", `{"command":"ls"}`), agenttest.Say("done"))
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("took %v", d)
	}
	if len(w.notices) != 1 || !strings.Contains(w.notices[0], "sleep 1000 & sleep 1000 did not end within 100ms") || len(w.ran) != 1 {
		t.Errorf("%q, ran %q", w.notices, w.ran)
	}
	w.hooks.o.Shell = "/no/such/shell" // cannot be started
	if w.hooks.Notify(t.Context(), "s", "x", "y"); len(w.notices) != 1 {
		t.Error(w.notices)
	}
	w.notices = nil
	w.run(agenttest.CallTool("bash", `{"command":"ls"}`), agenttest.Say("done"))
	if len(w.notices) != 1 || !strings.Contains(w.notices[0], "could not be started") {
		t.Errorf("%q", w.notices)
	}
}

func TestBesideEachOther(t *testing.T) {
	// Each waits for the other one: one after the other would never end.
	w := newWorld(t, preToolUse, "", "mkfifo a 2>/dev/null; mkfifo b 2>/dev/null; echo x > a & cat b >/dev/null; wait", preToolUse, "", "mkfifo b 2>/dev/null; mkfifo a 2>/dev/null; cat a > /dev/null; echo y > b",
		preToolUse, "", "echo twice >> n", preToolUse, "", "echo twice >> n")
	w.run(agenttest.CallTool("bash", `{}`), agenttest.Say("done"))
	if len(w.notices) > 0 || w.read("n") != "twice\n" {
		t.Errorf("%q %q", w.notices, w.read("n"))
	}
}

func TestAsker(t *testing.T) {
	q := agent.Ask{Text: "Run this?", Call: &agent.Call{Key: "s/1.0", Name: "bash", Args: json.RawMessage(`{"command":"ls"}`)}}
	asked := 0
	person := func(context.Context, agent.Ask) (agent.Answer, error) {
		asked++
		return agent.Answer{Allow: true, Always: true}, nil
	}
	for _, c := range []struct {
		command string
		want    agent.Answer
		asked   int
	}{
		{"true", agent.Answer{Allow: true, Always: true}, 1},
		{`echo '{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}'`, agent.Answer{Allow: true}, 0},
		{`echo '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"never"}}}'`, agent.Answer{Text: `refused by the hook echo '{"hookSpecificOutput":{"decision":{"behavior":"deny",…: never`}, 0},
		{`echo no >&2; exit 2`, agent.Answer{Text: "refused by the hook echo no >&2; exit 2: no"}, 0},
		{`echo '{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{}}}}'`, agent.Answer{Allow: true, Always: true}, 1},
	} {
		w := newWorld(t, permissionRequest, "Bash", c.command, notification, "permission_prompt", "cat > note.json")
		asked = 0
		if got, err := w.hooks.Asker(person)(t.Context(), q); err != nil || got != c.want || asked != c.asked {
			t.Errorf("%s: %+v, %v, asked %d", c.command, got, err, asked)
		}
		if c.asked > 0 && !strings.Contains(w.read("note.json"), `"message":"Run this?"`) {
			t.Error(w.read("note.json"))
		}
	}
	w := newWorld(t)
	if got, err := w.hooks.Asker(nil)(t.Context(), agent.Ask{}); err != nil || got.Text != agent.Nobody {
		t.Errorf("%+v %v", got, err)
	}
}

func TestCompaction(t *testing.T) {
	w := newWorld(t, preCompact, "auto", "echo not now >&2; exit 2", postCompact, "", "cat > post.json", preCompact, "manual", `echo '{"continue":false}'`)
	s := agent.NewSession("s")
	if err := w.hooks.PreCompact(t.Context(), s, "auto", ""); err == nil || err.Error() != "refused by the hook echo not now >&2; exit 2: not now" {
		t.Error(err)
	}
	if err := w.hooks.PreCompact(t.Context(), s, "manual", "keep"); err == nil {
		t.Error("not ended")
	}
	if err := w.hooks.PreCompact(t.Context(), s, "other", ""); err != nil {
		t.Error(err)
	}
	if w.hooks.PostCompact(t.Context(), s.ID, "auto", "the sum"); !strings.Contains(w.read("post.json"), `"compact_summary":"the sum"`) {
		t.Error(w.read("post.json"))
	}
}

func TestEmptyHook(t *testing.T) {
	h := newWorld(t).hooks.Hook()
	if h.OnSession != nil || h.OnInput != nil || h.Inject != nil || h.BeforeModel != nil || h.BeforeTool != nil || h.AfterTool != nil {
		t.Error("a hook without commands does something")
	}
}
