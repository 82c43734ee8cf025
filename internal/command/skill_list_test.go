package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/internal/msg"
	"react-agent/kit/skill"
)

// Everything that is there has a row that says what became of it: also what a lock file names and nobody finds.
func TestSkillRows(t *testing.T) {
	work, home := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := func(name string) string { return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\nx\n" }
	put(filepath.Join(work, "skills/own/SKILL.md"), text("own"))
	put(filepath.Join(work, ".agents/skills/own/SKILL.md"), text("own"))
	put(filepath.Join(work, ".agents/skills/changed/SKILL.md"), text("changed"))
	put(filepath.Join(work, ".agents/skills/bad/SKILL.md"), "---\nname: bad\n---\n")
	put(filepath.Join(home, ".agents/skills/mine/SKILL.md"), text("mine"))
	put(filepath.Join(work, "skills-lock.json"), `{"version":1,"skills":{
		"changed":{"source":"a/b","sourceType":"github","ref":"v1","computedHash":"`+strings.Repeat("0", 64)+`"},
		"gone":{"source":"a/b","sourceType":"github"}}}`)
	put(filepath.Join(home, ".agents/.skill-lock.json"), `{"version":3,"skills":{"mine":{"source":"c/d","sourceType":"github","skillFolderHash":""}}}`)
	h := &Host{WorkDir: work, Options: Options{Env: []string{"HOME=" + home}}, Msg: msg.For(msg.En)}
	h.KnownSkills = func(ctx context.Context, _ bool) (*skill.Set, error) {
		return skill.Load(ctx, skill.Options{Roots: skill.Places(work, work, home, "")})
	}
	rows, err := skillRows(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]skillRow{}
	for _, r := range rows {
		got[r.Name+" "+r.State] = r
	}
	for name, loads := range map[string]bool{
		"own loaded": true, "own shadowed": false, "changed modified": true, "bad skipped": false, "mine installed": true, "gone missing": false,
	} {
		if r, ok := got[name]; !ok || r.Loads != loads {
			t.Errorf("%s: %+v %v", name, r, ok)
		}
	}
	if len(rows) != 6 || got["gone missing"].Reason == "" || got["changed modified"].Ref != "v1" || !strings.Contains(got["bad skipped"].Reason, "description") {
		t.Errorf("%+v", rows)
	}
	var out bytes.Buffer
	if err := printRows(h, Input{Out: &out}, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NAME     SCOPE    STATE      FILE <- SOURCE\n", "own      project  shadowed", "  <- a/b#v1", "~/.agents/skills/mine/SKILL.md", "its folder is gone"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
	out.Reset()
	if err := printRows(h, Input{Out: &out}, nil); err != nil || out.String() != "no skills\n" {
		t.Errorf("%q %v", &out, err)
	}
}

func TestPadCountsWideCharacters(t *testing.T) {
	if got := pad("天气", 6) + "|" + pad("ab", 3) + "|" + pad("long", 2); got != "天气  |ab |long" {
		t.Errorf("%q", got)
	}
}

// Where nobody has a home, nothing can be installed for a person.
func TestNoHome(t *testing.T) {
	h := &Host{WorkDir: t.TempDir(), Msg: msg.For(msg.En)}
	if _, err := placeFor(h, Input{Flags: map[string]string{flagGlobal: "true"}}); err == nil {
		t.Error("there is a place for nobody")
	}
	if p, err := placeFor(h, Input{Flags: map[string]string{}}); err != nil || p.Dir != h.WorkDir {
		t.Error(p, err)
	}
}
