package command

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/kit/rewind"
	"react-agent/store/mem"
	"react-agent/tool"
)

// rewindHost is a host with a session of two turns, each of which wrote a file.
func rewindHost(t *testing.T) (*Host, string) {
	t.Helper()
	root := t.TempDir()
	rw, err := rewind.New(rewind.Options{Root: root, Dir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	model := agenttest.NewModel(
		agenttest.CallTool("write_file", `{"path":"a","content":"1"}`), agenttest.Say("ok"),
		agenttest.CallTool("write_file", `{"path":"b","content":"2"}`), agenttest.Say("ok"),
	)
	st := mem.New()
	eng, err := engine.New(engine.Config{Log: st, KV: st, Blobs: st, Factory: func(context.Context, engine.Spec) (*agent.Agent, error) {
		return &agent.Agent{Model: model, Tools: rw.Wrap(tool.All(tool.Env{Root: root}))}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	h := &Host{Engine: eng, Rewind: func(context.Context, string) (*Rewinder, error) { return &Rewinder{Files: rw, Do: eng.Do}, nil }}
	var seq int64
	for _, text := range []string{"write a", "write b"} {
		m := agent.TextMessage(agent.User, text)
		if _, err := eng.Submit(t.Context(), "s", engine.Input{Message: &m}); err != nil {
			t.Fatal(err)
		}
		for e, err := range eng.Follow(t.Context(), "s", seq, true) {
			if err != nil {
				t.Fatal(err)
			}
			if seq = e.Seq; e.Type == agent.EvEnd {
				break
			}
		}
	}
	return h, root
}

// rewindRun runs one of the commands.
func rewindRun(t *testing.T, h *Host, name string, in Input) (string, error) {
	t.Helper()
	for _, c := range rewindCommands() {
		if c.Name != name {
			continue
		}
		flags := map[string]string{}
		for _, f := range c.Flags {
			flags[f.Name] = f.Default
		}
		maps.Copy(flags, in.Flags)
		var out strings.Builder
		in.Flags, in.Out = flags, &out
		_, err := c.Run(t.Context(), h, in)
		return out.String(), err
	}
	t.Fatalf("no command %q", name)
	return "", nil
}

func thereIs(t *testing.T, root, file string, want bool) {
	t.Helper()
	_, err := os.Stat(filepath.Join(root, file))
	if got := err == nil; got != want {
		t.Errorf("%s is there: %v, want %v", file, got, want)
	}
}

func wantText(t *testing.T, got string, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q does not contain %q", got, w)
		}
	}
}

// A program names the turn by its event, and does what it was shown or nothing.
func TestRewindBySum(t *testing.T) {
	h, root := rewindHost(t)
	run := func(args ...string) (string, error) {
		return rewindRun(t, h, "rewind", Input{Session: "s", Args: args})
	}
	type shown struct {
		Sum, Text string
		Force     bool
		Plan      rewind.Plan
	}
	look := func(turn string) (p shown) {
		t.Helper()
		out, err := run(turn, "json")
		if err == nil {
			err = json.Unmarshal([]byte(out), &p)
		}
		if err != nil {
			t.Fatal(out, err)
		}
		return p
	}
	list, err := run()
	if err != nil {
		t.Fatal(err)
	}
	var turns []string
	for line := range strings.Lines(list) {
		if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(words[1], "#") {
			turns = append(turns, words[1])
		}
	}
	first, last := turns[0], turns[1]
	p := look(last)
	if len(p.Plan.Files) != 1 || p.Plan.Files[0].Path != "b" || "#"+strconv.FormatInt(p.Plan.Void.From, 10) != last || p.Force || p.Sum == "" ||
		!strings.Contains(p.Text, "remove  b (1 B)") || strings.Contains(p.Text, "yes") {
		t.Errorf("%+v", p)
	}
	if q := look("1"); q.Sum != p.Sum {
		t.Errorf("the same turn has the sums %s and %s", p.Sum, q.Sum)
	}
	if q := look(first); q.Sum == p.Sum {
		t.Error("two turns have one sum")
	}
	if err := os.WriteFile(filepath.Join(root, "b"), []byte("9"), 0o600); err != nil { // as long as before
		t.Fatal(err)
	}
	if out, err := run(last, "yes", p.Sum); err == nil || !strings.Contains(err.Error(), "look at it again") {
		t.Errorf("something else than was shown: %q %v", out, err)
	}
	thereIs(t, root, "b", true)
	if p = look(last); !p.Force {
		t.Errorf("%+v", p)
	}
	out, err := run(last, "force", p.Sum)
	wantText(t, out, err, "done; files: 1")
	thereIs(t, root, "b", false)
	for _, bad := range [][]string{{last}, {"#1000"}, {"#0"}, {"#x"}, {first, "json", "x"}, {first, "now", "x"}, {first, "yes", p.Sum}} {
		if out, err := run(bad...); !usageError(err) {
			t.Errorf("%v: %q %v", bad, out, err)
		}
	}
	thereIs(t, root, "a", true)
}

func usageError(err error) bool {
	_, ok := errors.AsType[*UsageError](err)
	return ok
}

func TestSlashRewind(t *testing.T) {
	h, root := rewindHost(t)
	in := func(args ...string) Input { return Input{Session: "s", Args: args} }
	out, err := rewindRun(t, h, "rewind", in())
	wantText(t, out, err, "  2  #", "write a", "  1  #", "write b", "[files: 1: b]", "/rewind N")
	out, err = rewindRun(t, h, "rewind", in("1"))
	wantText(t, out, err, "remove  b (1 B)", "/rewind 1 yes", ".git")
	thereIs(t, root, "b", true)
	out, err = rewindRun(t, h, "rewind", in("1", "yes"))
	wantText(t, out, err, "done; files: 1")
	thereIs(t, root, "b", false)
	thereIs(t, root, "a", true)
	out, err = rewindRun(t, h, "redo", in())
	wantText(t, out, err, "create  b", "/redo yes")
	out, err = rewindRun(t, h, "redo", in("yes"))
	wantText(t, out, err, "done; files: 1")
	if strings.Contains(out, "/redo") { // there is nothing more to take back
		t.Errorf("%q", out)
	}
	thereIs(t, root, "b", true)

	if err := os.WriteFile(filepath.Join(root, "a"), []byte("person"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = rewindRun(t, h, "rewind", in("2"))
	wantText(t, out, err, "a: left alone", "/rewind 2 force")
	out, err = rewindRun(t, h, "rewind", in("2", "yes"))
	wantText(t, out, err, "done; files: 1, left alone: 1")
	thereIs(t, root, "a", true)
	h.Msg = msg.For(msg.Zh)
	if out, err = rewindRun(t, h, "rewind", in()); err != nil || !strings.Contains(out, "还没有") {
		t.Errorf("%q %v", out, err)
	}
}

func TestSessionRewind(t *testing.T) {
	h, root := rewindHost(t)
	out, err := rewindRun(t, h, "rewind", Input{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	seq := strings.Fields(strings.TrimLeft(strings.SplitN(out, "#", 3)[2], "#"))[0]
	in := func(flags ...string) Input {
		i := Input{Args: []string{"s", seq}, Flags: map[string]string{}}
		for _, f := range flags {
			i.Flags[f] = "true"
		}
		return i
	}
	out, err = rewindRun(t, h, "session rewind", in("dry-run"))
	wantText(t, out, err, "before event "+seq, "remove  b")
	if _, err := rewindRun(t, h, "session rewind", in()); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("err = %v", err)
	}
	h.Options.Confirm = func(string) Reply { return No }
	if _, err := rewindRun(t, h, "session rewind", in()); err == nil {
		t.Error("a no was taken for a yes")
	}
	thereIs(t, root, "b", true)
	i := in("yes")
	i.JSON = true
	out, err = rewindRun(t, h, "session rewind", i)
	var res rewind.Result
	if json.Unmarshal([]byte(out), &res) != nil || err != nil || len(res.Done) != 1 || res.Event == 0 {
		t.Errorf("%q %v", out, err)
	}
	thereIs(t, root, "b", false)
	h.Options.Confirm = func(string) Reply { return Yes }
	i = in()
	i.Args[1] = "redo"
	out, err = rewindRun(t, h, "session rewind", i)
	wantText(t, out, err, "create  b", "done; files: 1")
	thereIs(t, root, "b", true)
}

func TestRewindMistakes(t *testing.T) {
	h, _ := rewindHost(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"rewind", []string{"x"}},
		{"rewind", []string{"0"}},
		{"rewind", []string{"3"}},
		{"rewind", []string{"1", "maybe"}},
		{"redo", nil},
		{"session rewind", []string{"s", "x"}},
		{"session rewind", []string{"s", strconv.Itoa(1 << 30)}},
		{"session rewind", []string{"unknown", "1"}},
	} {
		_, err := rewindRun(t, h, c.name, Input{Session: "s", Args: c.args})
		if _, ok := AsUsage(err); !ok {
			t.Errorf("%s %v: %v", c.name, c.args, err)
		}
	}
	h.Rewind = nil
	if _, err := rewindRun(t, h, "rewind", Input{Session: "s"}); err == nil || !strings.Contains(err.Error(), "not on") {
		t.Errorf("err = %v", err)
	}
}
