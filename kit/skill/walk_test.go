package skill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

func file(name string) string {
	return "---\nname: " + name + "\ndescription: About " + name + ".\n---\nBody of " + name + ".\n"
}

func namesOf(s *Set) string { return names(s.list) }

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Skip("not here: symbolic links cannot be made: ", err)
	}
}

func TestLinks(t *testing.T) {
	dir := write(t, map[string]string{
		"p/.agents/skills/one/SKILL.md": file("one"),
		"p/skills/two/SKILL.md":         file("two"),
		"p/skills/group/deep/SKILL.md":  file("deep"),
		"else/three/SKILL.md":           file("three"),
		"else/note.md":                  file("note"),
		"else/four.txt":                 file("four"),
	})
	p := filepath.Join(dir, "p")
	link(t, "../../.agents/skills/one", filepath.Join(p, ".claude/skills/one")) // as the skills CLI makes them
	link(t, ".", filepath.Join(p, "skills/self"))
	link(t, "..", filepath.Join(p, "skills/group/up"))
	link(t, "group", filepath.Join(p, "skills/zgroup"))
	link(t, filepath.Join(dir, "else/three"), filepath.Join(p, "skills/three"))
	link(t, filepath.Join(dir, "else/note.md"), filepath.Join(p, "skills/note.md"))
	link(t, filepath.Join(dir, "else/four.txt"), filepath.Join(p, "skills/four/SKILL.md"))
	link(t, "nowhere", filepath.Join(p, "skills/gone"))
	link(t, filepath.Join(dir, "else"), filepath.Join(dir, "home/.agents/skills"))

	s := load(t, Options{Roots: Places(p, p, "", "")})
	if got := namesOf(s); got != "deep, one, two" {
		t.Errorf("project: %s", got)
	}
	escapes := 0
	for _, d := range s.Diagnostics() {
		switch d.Code {
		case LinkEscapes:
			escapes++
		case Unreadable:
			if filepath.Base(d.File) != "gone" {
				t.Error(d.String())
			}
		default:
			t.Error(d.String())
		}
	}
	if escapes != 3 {
		t.Errorf("%d links lead out: %v", escapes, s.Diagnostics())
	}
	// a whole folder of skills may be a link
	link(t, "../.agents/skills", filepath.Join(dir, "q/.claude/skills"))
	link(t, filepath.Join(p, ".agents"), filepath.Join(dir, "q/.agents"))
	s = load(t, Options{Roots: Places(filepath.Join(dir, "q"), "", "", "")})
	if got := namesOf(s); got != "" || codes(s.Diagnostics()) != "link_escapes/error:0 link_escapes/error:0" {
		t.Errorf("%s: %s", got, codes(s.Diagnostics()))
	}
	// a person's own links may lead anywhere
	s = load(t, Options{Roots: Places("", "", filepath.Join(dir, "home"), "")})
	if got := namesOf(s); got != "note, three" {
		t.Errorf("home: %s", got)
	}
}

func TestPlacesAndOrder(t *testing.T) {
	dir := write(t, map[string]string{
		"top/sub/.claude/skills/a/SKILL.md":     file("a"),
		"top/.opencode/skills/b/SKILL.md":       file("b"),
		"top/skills/a.md":                       file("a"),
		"home/.agents/skills/a/SKILL.md":        file("a"),
		"home/.config/react-agent/skills/c.md":  file("c"),
		"top/.agents/skills/c_/SKILL.md":        strings.Replace(file("c_"), "c_", "C", 1),
		"top/node_modules/skills/no/SKILL.md":   file("no"),
		"outside/.agents/skills/no/SKILL.md":    file("no"),
		"top/.agents/skills/node_modules/no.md": file("no"),
	})
	top := filepath.Join(dir, "top")
	roots := Places(filepath.Join(top, "sub"), top, filepath.Join(dir, "home"), "")
	s := load(t, Options{Roots: roots})
	if got := namesOf(s); got != "a, b, C" {
		t.Errorf("%s", got)
	}
	a, _ := s.Find("a")
	if a.Dir != filepath.Join(top, "sub/.claude/skills/a") {
		t.Errorf("a is from %s", a.Dir)
	}
	b, _ := s.Find("b")
	if !b.Root.FromOne || b.Root.Within != top || b.Root.Scope != Project {
		t.Errorf("%+v", b.Root)
	}
	var shadowed []string
	for _, f := range s.Doctor() {
		if f.Status == Shadowed {
			shadowed = append(shadowed, f.Path)
		}
	}
	if len(shadowed) < 2 {
		t.Errorf("shadowed: %v", shadowed)
	}
	if got := Places("/a/b", "/c", "", ""); len(got) != len(projectPlaces()) || got[0].Path != filepath.FromSlash("/a/b/skills") || got[0].Within != "/a/b" {
		t.Errorf("%v", got[0])
	}
	if len(Places("", "", "", "")) != 0 {
		t.Error("places of nobody")
	}
}

// TestFolderBeatsFile has the same name twice in one root.
// TestUntrusted: what a project brings is told and not used, and takes nobody's place.
func TestUntrusted(t *testing.T) {
	dir := write(t, map[string]string{
		"p/skills/a/SKILL.md": file("a"), "p/skills/b/SKILL.md": file("b"), "p/.claude/commands/c.md": "C", "home/.agents/skills/a/SKILL.md": file("a"),
	})
	p, home := filepath.Join(dir, "p"), filepath.Join(dir, "home")
	roots := append(Places(p, p, home, ""), CommandPlaces(p, p, home, "")...)
	s := load(t, Options{Roots: roots, Untrusted: true})
	if got := namesOf(s); got != "a" || s.list[0].Root.Scope != User {
		t.Errorf("%s", got)
	}
	var told []string
	for _, f := range s.Doctor() {
		told = append(told, f.Name+" "+string(f.Status)+" "+codes(f.Diagnostics))
	}
	slices.Sort(told)
	if got := strings.Join(told, "; "); got != "a loaded ; a skipped untrusted/warn:0; b skipped untrusted/warn:0; c skipped untrusted/warn:0" {
		t.Errorf("%s", got)
	}
	if got := namesOf(load(t, Options{Roots: roots})); got != "a, b, c" {
		t.Errorf("trusted: %s", got)
	}
}

func TestFolderBeatsFile(t *testing.T) {
	dir := write(t, map[string]string{"A_b.md": file("a-b"), "a-b/SKILL.md": file("a-b")})
	s := load(t, Options{Roots: []Root{{Path: dir}}})
	k, ok := s.Find("/A_B ")
	if !ok || k.Flat || len(s.list) != 1 {
		t.Fatalf("%+v", k)
	}
	if got := codes(s.Diagnostics()); got != "duplicate_shadowed/warn:0" {
		t.Error(got)
	}
	if d := s.Diagnostics()[0]; d.File != filepath.Join(dir, "A_b.md") || !strings.Contains(d.String(), k.File) {
		t.Error(d.String())
	}
}

func TestOneSkillEndsTheSearch(t *testing.T) {
	dir := write(t, map[string]string{"kit/SKILL.md": file("kit"), "kit/src/sub/SKILL.md": file("sub"), "kit/src/a.md": "x"})
	for _, root := range []string{dir, filepath.Join(dir, "kit"), filepath.Join(dir, "kit", "SKILL.md")} {
		s := load(t, Options{Roots: []Root{{Path: root}}})
		if got := namesOf(s); got != "kit" {
			t.Errorf("%s: %s", root, got)
		}
	}
	s := load(t, Options{Roots: []Root{{Path: filepath.Join(dir, "none")}}})
	if len(s.list)+len(s.findings) != 0 {
		t.Errorf("%v", s.findings)
	}
}

func TestOddNames(t *testing.T) {
	dir := write(t, map[string]string{
		"low/skill.md": file("low"), ".system/s/SKILL.md": file("s"), ".hidden/h/SKILL.md": file("h"), "AGENTS.md": file("agents"),
		"x.txt": file("x"), ".y.md": file("y"), "w/SKILL.md/z": "",
	})
	s := load(t, Options{Roots: []Root{{Path: dir}}})
	if got := namesOf(s); got != "low, s" {
		t.Errorf("%s", got)
	}
	if got := codes(s.Diagnostics()); got != "lowercase_filename/warn:0 not_a_file/warn:0" {
		t.Error(got)
	}
}

func TestBounds(t *testing.T) {
	files := map[string]string{"zz/SKILL.md": file("zz")}
	for i := range maxDirs + 5 {
		files[fmt.Sprintf("d%04d/x", i)] = ""
	}
	s := load(t, Options{Roots: []Root{{Path: write(t, files)}}})
	if got := codes(s.Diagnostics()); got != "too_many/warn:0" || len(s.list) != 0 {
		t.Errorf("%s, %d skills", got, len(s.list))
	}
	// a comb of links: each leads to a directory of links
	dir := t.TempDir()
	for i := range 12 {
		for j := range 12 {
			link(t, fmt.Sprintf("../d%02d", j), filepath.Join(dir, fmt.Sprintf("d%02d", i), fmt.Sprintf("l%02d", j)))
		}
	}
	s = load(t, Options{Roots: []Root{{Path: dir, Scope: User}}})
	if len(s.findings) != 0 {
		t.Errorf("%v", s.findings[0])
	}
}

func TestLoadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Load(ctx, Options{Roots: []Root{{Path: write(t, map[string]string{"x/SKILL.md": file("x")})}}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDoctor(t *testing.T) {
	dir := write(t, map[string]string{"a/SKILL.md": file("a"), "b/SKILL.md": "x", "c.md": file("A"), "u/SKILL.md": strings.Replace(file("u"), "u", "v", 1)})
	s := load(t, Options{Roots: []Root{{Path: dir, Scope: User}}})
	var got []string
	for _, f := range s.Doctor() {
		got = append(got, f.Name+":"+string(f.Status)+":"+string(f.Scope))
	}
	want := []string{"a:loaded:user", "b:skipped:user", "v:loaded:user", "A:shadowed:user"}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if len(s.All()) != 2 {
		t.Errorf("%v", s.All())
	}
}

func TestUnreadable(t *testing.T) {
	dir := write(t, map[string]string{"a/SKILL.md": file("a"), "b/SKILL.md": file("b")})
	if err := os.Chmod(filepath.Join(dir, "a", "SKILL.md"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(filepath.Join(dir, "a", "SKILL.md")); err == nil {
		t.Skip("not here: this user reads everything")
	}
	s := load(t, Options{Roots: []Root{{Path: dir}}})
	if got := codes(s.Diagnostics()); got != "unreadable/error:0" || namesOf(s) != "b" {
		t.Errorf("%s, %s", got, namesOf(s))
	}
	if d := s.Diagnostics()[0]; strings.Count(d.In(msg.For(msg.En)), dir) != 1 {
		t.Error(d.String())
	}
}

// TestGone has a file change behind the set's back.
func TestGone(t *testing.T) {
	s, k := one(t, Options{}, "", "old")
	if err := os.WriteFile(k.File, []byte("---\nname: x\r\n---\r\n\r\nnew\r\ntext\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if body, err := k.Body(); err != nil || body != "new\ntext" {
		t.Errorf("%q, %v", body, err)
	}
	if err := os.WriteFile(k.File, []byte("a\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Body(); err == nil {
		t.Error("no text, no error")
	}
	if err := os.Remove(k.File); err != nil {
		t.Fatal(err)
	}
	if res := run(t, s, toolView, "s/1.0", `{"name":"x"}`); !res.Error || !strings.Contains(res.Text(), "x") {
		t.Errorf("%q", res.Text())
	}
	if res := run(t, s, toolSkill, "s/1.0", `{"skill":"x"}`); !res.Error {
		t.Errorf("%q", res.Text())
	}
}

// Only the beginning of a long file is read for its header; a character that lies over the end of that is whole in the file.
func TestLongTextsAreUTF8(t *testing.T) {
	for pad := range 4 {
		dir := write(t, map[string]string{"a/SKILL.md": file("a") + strings.Repeat("x", pad) + strings.Repeat("字𝄞", headChunk)})
		for _, d := range load(t, Options{Roots: []Root{{Path: dir}}}).Diagnostics() {
			t.Error(d.String())
		}
	}
}
