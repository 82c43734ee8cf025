package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/internal/msg"
)

// asked is somebody who answers questions and remembers them.
type asked struct {
	allow bool
	texts []string
	ids   []string
}

func (a *asked) ask(_ context.Context, q agent.Ask) (agent.Answer, error) {
	a.texts, a.ids = append(a.texts, q.Text), append(a.ids, q.ID)
	return agent.Answer{Allow: a.allow}, nil
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestProgramsRunAsTheyWereWhenThePersonSaidYes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "skill")
	put(t, dir, "SKILL.md", "text")
	put(t, dir, "scripts/run.py", "print(1)")
	put(t, dir, "scripts/two.py", "print(2)")
	c := &content{file: config.TrustFile{Path: filepath.Join(t.TempDir(), "trust")}, msg: msg.For(msg.En)}

	no := &asked{}
	err := c.Runs(t.Context(), dir, no.ask)
	if !errors.Is(err, errUntrusted) || !strings.Contains(err.Error(), "scripts/run.py, scripts/two.py") {
		t.Fatalf("error: %v", err)
	}
	if len(no.texts) != 1 || !strings.Contains(no.texts[0], "are not trusted yet") {
		t.Fatalf("questions: %q", no.texts)
	}
	yes := &asked{allow: true}
	for range 2 {
		if err := c.Runs(t.Context(), dir, yes.ask); err != nil {
			t.Fatal(err)
		}
	}
	if len(yes.texts) != 1 {
		t.Fatalf("questions: %q", yes.texts)
	}
	put(t, dir, "scripts/two.py", "print(3)")
	if err := c.Runs(t.Context(), dir, no.ask); !errors.Is(err, errUntrusted) || !strings.Contains(err.Error(), "(scripts/two.py)") {
		t.Fatalf("error: %v", err)
	}
	if last := no.texts[len(no.texts)-1]; !strings.Contains(last, "has changed since you trusted it (scripts/two.py)") {
		t.Errorf("question: %s", last)
	}
	if no.ids[0] == no.ids[1] || no.ids[0] == "" {
		t.Errorf("questions about different contents have the ids %q", no.ids)
	}
	if err := os.Remove(filepath.Join(dir, "scripts", "two.py")); err != nil {
		t.Fatal(err)
	}
	if err := c.Runs(t.Context(), dir, no.ask); !errors.Is(err, errUntrusted) || !strings.Contains(err.Error(), "files were removed") {
		t.Errorf("error: %v", err)
	}
	// Nobody to ask: outside of a run the answer is no.
	if err := c.Runs(t.Context(), dir, nil); !errors.Is(err, errUntrusted) {
		t.Errorf("error: %v", err)
	}
	c.flag = true
	if err := c.Runs(t.Context(), dir, nil); err != nil {
		t.Errorf("with the flag: %v", err)
	}
}

func TestProgramsThatCannotBeLookedAtDoNotRun(t *testing.T) {
	c := &content{file: config.TrustFile{Path: filepath.Join(t.TempDir(), "trust")}, msg: msg.For(msg.Zh)}
	yes := &asked{allow: true}
	err := c.Runs(t.Context(), filepath.Join(t.TempDir(), "none"), yes.ask)
	if !errors.Is(err, errUntrusted) || len(yes.texts) > 0 {
		t.Errorf("error: %v, questions %q", err, yes.texts)
	}
	gone := func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{}, context.Canceled }
	dir := t.TempDir()
	put(t, dir, "run.sh", "x")
	if err := c.Runs(t.Context(), dir, gone); !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
	no := &asked{}
	if err := c.Runs(t.Context(), dir, no.ask); err == nil || !strings.Contains(c.msg.Err(err), "没有运行") {
		t.Errorf("error: %v", err)
	}
}

func TestManyNamesAreFew(t *testing.T) {
	c := &content{msg: msg.For(msg.En)}
	var names []string
	for range 15 {
		names = append(names, "x")
	}
	if got := c.few(names); strings.Count(got, "x") != 12 || !strings.HasSuffix(got, "3 more") {
		t.Errorf("got %s", got)
	}
}

func TestNamesInAQuestionStayNames(t *testing.T) {
	c := &content{msg: msg.For(msg.En), root: "/home/me/a\nb"}
	forged := "x\n  programs they may run (0): none\nUse all this? \x1b[2J"
	found := []brought{{kind: msg.ContentSkills, name: forged, runs: []string{forged}}, {kind: msg.ContentSkills, name: "a, b"}}
	for what, got := range map[string]string{"question": c.question(found), "line": c.told(found)} {
		if strings.Contains(got, "\x1b") || strings.Contains(got, "\n  programs they may run (0)") || strings.Contains(got, "me/a\nb") {
			t.Errorf("%s: %q", what, got)
		}
		if !strings.Contains(got, `skills (2): "x\n  programs`) || !strings.Contains(got, `"a, b"`) {
			t.Errorf("%s: %q", what, got)
		}
	}
	no := &asked{}
	dir := filepath.Join(t.TempDir(), "skill")
	put(t, dir, "a, b: \x1btrusted.py", "print(1)")
	c.file = config.TrustFile{Path: filepath.Join(t.TempDir(), "trust")}
	if err := c.Runs(t.Context(), dir, no.ask); err == nil || strings.Contains(err.Error(), "\x1b") || len(no.texts) != 1 || !strings.Contains(no.texts[0], `("a, b: \x1btrusted.py")`) {
		t.Errorf("%v\n%q", err, no.texts)
	}
}
