package instruct

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"react-agent/internal/msg"
)

// tree makes files below a new directory without links on its way; a value that begins with "-> " is a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(text, "-> "); link {
			if err := os.Symlink(filepath.FromSlash(to), path); err != nil {
				t.Skip("not here: symbolic links")
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// options are those of a project at top/p, worked on in dir, of a person whose home is top/home.
func options(top, dir string) Options {
	return Options{
		Dir: filepath.Join(top, "p", filepath.FromSlash(dir)), Top: filepath.Join(top, "p"), Home: filepath.Join(top, "home"),
		Config: filepath.Join(top, "home", ".config", "react-agent"), Project: true,
	}
}

// outline is the names of the sections, with their texts.
func outline(s *Set) string {
	var out []string
	for _, part := range strings.Split(s.System(), "<file path=")[1:] {
		name, rest, _ := strings.Cut(part, ">\n")
		text, _, _ := strings.Cut(rest, "\n</file>")
		out = append(out, strings.Trim(name, `"`)+": "+strings.ReplaceAll(text, "\n", "/"))
	}
	return strings.Join(out, "\n")
}

// fates are what became of the files, with the reasons.
func fates(top string, s *Set) string {
	var out []string
	for _, f := range s.Findings() {
		name, err := filepath.Rel(top, f.Path)
		if err != nil {
			name = f.Path
		}
		line := filepath.ToSlash(name) + ": " + string(f.Status)
		if reason := f.In(msg.For(msg.En)); reason != "" {
			line += ": " + strings.ReplaceAll(filepath.ToSlash(reason), filepath.ToSlash(top)+"/", "")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		name, dir   string
		files       map[string]string
		want, fates string
	}{
		{name: "nothing", dir: ".", files: map[string]string{"p/README.md": "x"}},
		{
			name: "from the top down to the work directory, not beside and not above", dir: "a/b",
			files: map[string]string{
				"AGENTS.md": "above", "p/AGENTS.md": "top", "p/a/CLAUDE.md": "middle", "p/a/b/AGENTS.md": "here", "p/a/c/AGENTS.md": "beside", "p/a/b/d/AGENTS.md": "below",
			},
			want: "../../AGENTS.md: top\n../CLAUDE.md: middle\nAGENTS.md: here",
		},
		{
			name: "the person's own come first", dir: ".",
			files: map[string]string{
				"p/AGENTS.md": "project", "home/.claude/CLAUDE.md": "claude", "home/.codex/AGENTS.md": "codex", "home/.config/react-agent/AGENTS.md": "ours",
			},
			want: "~/.claude/CLAUDE.md: claude\n~/.codex/AGENTS.md: codex\n~/.config/react-agent/AGENTS.md: ours\nAGENTS.md: project",
		},
		{
			name: "the names of one directory", dir: ".",
			files: map[string]string{
				"p/AGENTS.override.md": "override", "p/AGENTS.md": "plain", "p/CLAUDE.md": "claude", "p/.claude/CLAUDE.md": "hidden", "p/CLAUDE.local.md": "local",
				"p/.claude/rules/b.md": "rule b", "p/.claude/rules/a/a.md": "rule a", "p/.claude/rules/x.txt": "no rule", "p/agents.md": "other capitals",
			},
			want:  "AGENTS.override.md: override\nCLAUDE.md: claude\nCLAUDE.local.md: local\n.claude/rules/a/a.md: rule a\n.claude/rules/b.md: rule b",
			fates: "p/AGENTS.md: skipped: AGENTS.override.md stands in its place\np/AGENTS.override.md: taken\np/CLAUDE.md: taken\np/CLAUDE.local.md: taken\np/.claude/rules/a/a.md: taken\np/.claude/rules/b.md: taken",
		},
		{
			name: "an override without text replaces nothing", dir: ".",
			files: map[string]string{"p/AGENTS.override.md": "", "p/AGENTS.md": "plain", "p/.claude/CLAUDE.md": "hidden"},
			want:  "AGENTS.md: plain\n.claude/CLAUDE.md: hidden",
		},
		{
			name: "one text under several names, once", dir: "sub",
			files: map[string]string{"p/AGENTS.md": "same", "p/CLAUDE.md": "-> AGENTS.md", "p/CLAUDE.local.md": "\n@AGENTS.md\n", "p/sub/AGENTS.md": "same\n"},
			want:  "../AGENTS.md: same",
			fates: "p/AGENTS.md: taken\np/CLAUDE.md: same: its text is there already, from ../AGENTS.md\np/CLAUDE.local.md: same: it only imports ../AGENTS.md\np/sub/AGENTS.md: same: its text is there already, from ../AGENTS.md",
		},
		{
			name: "imports stand behind the file that names them", dir: ".",
			files: map[string]string{
				"p/AGENTS.md": "see @docs/a.md, and\n`@docs/none.md`\n```\n@docs/none.md\n```\n<!-- @docs/none.md -->\n(@docs/b.md).", "p/CLAUDE.md": "last",
				"p/docs/a.md": "a @b.md", "p/docs/b.md": "b @a.md @../AGENTS.md", "p/docs/none.md": "never",
			},
			want: "AGENTS.md: see @docs/a.md, and/`@docs/none.md`/```/@docs/none.md/```/(@docs/b.md).\ndocs/a.md: a @b.md\ndocs/b.md: b @a.md @../AGENTS.md\nCLAUDE.md: last",
		},
		{
			name: "not deeper than five", dir: ".",
			files: map[string]string{
				"p/AGENTS.md": "0 @1.md", "p/1.md": "1 @2.md", "p/2.md": "2 @3.md", "p/3.md": "3 @4.md", "p/4.md": "4 @5.md", "p/5.md": "5 @6.md", "p/6.md": "6",
			},
			want:  "AGENTS.md: 0 @1.md\n1.md: 1 @2.md\n2.md: 2 @3.md\n3.md: 3 @4.md\n4.md: 4 @5.md\n5.md: 5 @6.md",
			fates: "p/AGENTS.md: taken\np/1.md: taken\np/2.md: taken\np/3.md: taken\np/4.md: taken\np/5.md: taken\np/6.md: skipped: imported more than 5 deep",
		},
		{
			name: "nothing from outside of the project", dir: ".",
			files: map[string]string{
				"p/AGENTS.md": "@~/x.md @../home/x.md @../out.md @link.md @none.md @nobody", "p/CLAUDE.md": "-> ../home/x.md", "p/link.md": "-> ../home/x.md",
				"p/.claude": "-> ../home", "home/x.md": "SECRET", "home/CLAUDE.md": "SECRET", "home/rules/a.md": "SECRET", "out.md": "SECRET",
			},
			want: "AGENTS.md: @~/x.md @../home/x.md @../out.md @link.md @none.md @nobody",
			fates: "p/AGENTS.md: taken\nhome/x.md: skipped: a file of the project cannot import one from outside of it\nhome/x.md: skipped: a file of the project cannot import one from outside of it\n" +
				"out.md: skipped: a file of the project cannot import one from outside of it\np/link.md: skipped: a file of the project cannot import one from outside of it\np/none.md: skipped: there is no such file\n" +
				"p/CLAUDE.md: skipped: it is a link out of the project, to home/x.md\np/.claude/rules/a.md: skipped: it is a link out of the project, to home/rules/a.md",
		},
		{
			name: "the person's files may import from home, and be links to anywhere", dir: ".",
			files: map[string]string{
				"home/.claude/CLAUDE.md": "-> ../../dots/claude.md", "dots/claude.md": "mine @~/notes.md @out.md", "home/notes.md": "notes", "dots/out.md": "SECRET",
			},
			want:  "~/.claude/CLAUDE.md: mine @~/notes.md @out.md\n~/notes.md: notes",
			fates: "home/.claude/CLAUDE.md: taken\nhome/notes.md: taken\ndots/out.md: skipped: it is not in the home directory",
		},
		{
			name: "what is no text", dir: ".",
			files: map[string]string{"p/AGENTS.md": "a\x00b", "p/CLAUDE.md": "<!-- all of it -->", "p/CLAUDE.local.md": strings.Repeat("\xfd\xfea", 50)},
			fates: "p/AGENTS.md: skipped: it is no text\np/CLAUDE.md: skipped: it is empty\np/CLAUDE.local.md: skipped: it is no text",
		},
		{name: "a directory with the name of a file", dir: ".", files: map[string]string{"p/AGENTS.md/x": "x", "p/CLAUDE.md/x": "y"}},
		{name: "a link to nothing", dir: ".", files: map[string]string{"p/AGENTS.md": "-> none.md"}, fates: "p/AGENTS.md: skipped: no such file or directory"},
		{name: "a link round in a circle", dir: ".", files: map[string]string{"p/AGENTS.md": "-> AGENTS.md"}, fates: "p/AGENTS.md: skipped: EvalSymlinks: too many links"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := tree(t, c.files)
			if err := os.MkdirAll(filepath.Join(top, "p", filepath.FromSlash(c.dir)), 0o755); err != nil {
				t.Fatal(err)
			}
			s := Load(options(top, c.dir))
			got := outline(s)
			if c.want != "" && got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if (s.System() == "") != (got == "") {
				t.Errorf("prompt: %q", s.System())
			}
			if c.fates != "" && fates(top, s) != c.fates {
				t.Errorf("got\n%s\nwant\n%s", fates(top, s), c.fates)
			}
			if strings.Contains(s.System(), "SECRET") || !utf8.ValidString(s.System()) {
				t.Errorf("prompt: %q", s.System())
			}
			if again := Load(options(top, c.dir)); again.System() != s.System() {
				t.Error("two loads give different bytes")
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	top := tree(t, map[string]string{
		"p/AGENTS.md": "\xef\xbb\xbfone\r\ntwo\rthree", "p/CLAUDE.md": "\xff\xfe\x2d\x4e\x62\x00", "p/CLAUDE.local.md": "gr\xfc\xdfe from elsewhere",
		"p/.claude/rules/big.md": "\xfe\xff\x4e\x2d", "p/.claude/rules/no.md": strings.Repeat("\xff\xfd", 60) + "ab",
	})
	s := Load(options(top, "."))
	want := "AGENTS.md: one/two/three\nCLAUDE.md: 中b\nCLAUDE.local.md: gr\uFFFDe from elsewhere\n.claude/rules/big.md: 中"
	if got := outline(s); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestWithoutTrustOnlyThePersonsOwn(t *testing.T) {
	top := tree(t, map[string]string{"p/AGENTS.md": "project", "home/.claude/CLAUDE.md": "mine"})
	o := options(top, ".")
	o.Project = false
	s := Load(o)
	if got := outline(s); got != "~/.claude/CLAUDE.md: mine" {
		t.Errorf("got %s", got)
	}
	if len(s.Findings()) != 1 {
		t.Errorf("findings: %v", s.Findings())
	}
	if s := Load(Options{}); s.System() != "" || len(s.Findings()) != 0 {
		t.Errorf("without places: %q", s.System())
	}
}

func TestAHomeThatIsTheProject(t *testing.T) {
	top := tree(t, map[string]string{"home/.claude/CLAUDE.md": "mine", "home/AGENTS.md": "here"})
	o := Options{Dir: filepath.Join(top, "home"), Home: filepath.Join(top, "home"), Project: true}
	if got := outline(Load(o)); got != ".claude/CLAUDE.md: mine\nAGENTS.md: here" {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsTooLongIsCutAtALine(t *testing.T) {
	long := strings.Repeat("a line of thirty-two characters.\n", 2000)
	top := tree(t, map[string]string{"p/AGENTS.md": "the short one", "p/CLAUDE.md": long, "p/CLAUDE.local.md": strings.ReplaceAll(long, "a", "b")})
	s := Load(options(top, "."))
	if n := len(s.System()); n > DefaultMax+1000 || n < DefaultMax-200 {
		t.Errorf("%d bytes", n)
	}
	got := outline(s)
	if !strings.Contains(got, "AGENTS.md: the short one\n") {
		t.Error("the short one is cut, too")
	}
	for _, f := range s.Findings()[1:] {
		if f.Status != Cut || f.Bytes != int64(len(long)) || f.Shown < DefaultMax/2-100 || f.Shown > DefaultMax/2 {
			t.Errorf("finding: %+v", f)
		}
		if !strings.Contains(got, fmt.Sprintf("characters./[cut: the first %d of %d bytes; read the file for the rest]", f.Shown, f.Bytes)) {
			t.Errorf("no remark for %s", f.Path)
		}
	}
	o := options(top, ".")
	o.Max = 20
	if got := outline(Load(o)); !strings.HasPrefix(got, "AGENTS.md: the sh/[cut: the first 6 of 13 bytes") {
		t.Errorf("got %s", got)
	}
}

func TestAVeryLargeFileIsNotReadWhole(t *testing.T) {
	top := tree(t, map[string]string{"p/AGENTS.md": ""})
	path := filepath.Join(top, "p", "AGENTS.md")
	if err := os.WriteFile(path, []byte(strings.Repeat("é", 5000)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 10<<40); err == nil { // a file with a hole; not everywhere
		s := Load(options(top, "."))
		if f := s.Findings()[0]; f.Status != Skipped || f.Bytes != 10<<40 {
			t.Errorf("finding: %+v", f)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("a", maxRead-1)+strings.Repeat("é", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Load(options(top, "."))
	if f := s.Findings()[0]; f.Status != Cut || f.Shown != DefaultMax {
		t.Errorf("finding: %+v", f)
	}
}

func TestRefusedAndMasked(t *testing.T) {
	top := tree(t, map[string]string{"p/AGENTS.md": "one secret @keys.md", "p/keys.md": "KEY"})
	o := options(top, ".")
	o.Refuse = func(path string) error {
		if filepath.Base(path) == "keys.md" {
			return errors.New("by a rule")
		}
		return nil
	}
	o.Mask = func(s string) string { return strings.ReplaceAll(s, "secret", "***") }
	s := Load(o)
	if got := outline(s); got != "AGENTS.md: one *** @keys.md" {
		t.Errorf("got %s", got)
	}
	if got := fates(top, s); !strings.Contains(got, "p/keys.md: skipped: by a rule") {
		t.Errorf("got %s", got)
	}
	if f := s.Findings()[1]; f.From != filepath.Join(top, "p", "AGENTS.md") || f.Line != 1 {
		t.Errorf("finding: %+v", f)
	}
}

func TestManyFilesAreBounded(t *testing.T) {
	files := map[string]string{}
	var all strings.Builder
	for i := range maxFiles + 5 {
		files[fmt.Sprintf("p/%d.md", i)] = fmt.Sprint("text ", i)
		fmt.Fprintf(&all, "@%d.md\n", i)
	}
	files["p/AGENTS.md"] = "all of\n" + all.String()
	top := tree(t, files)
	s := Load(options(top, "."))
	if n := strings.Count(s.System(), "<file "); n != maxFiles {
		t.Errorf("%d files", n)
	}
	if got := fates(top, s); !strings.Contains(got, "p/203.md: skipped: there are too many files, at most 200 are taken") {
		t.Errorf("got %s", got)
	}
}

// Whatever the sizes, short texts are whole before long ones get more, and the bound holds.
func TestSharesAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 100), 0, 12).Draw(t, "sizes")
		room := rapid.IntRange(0, 500).Draw(t, "room")
		list := make([]section, len(sizes))
		total := 0
		for i, n := range sizes {
			list[i].text = strings.Repeat("x", n)
			total += n
		}
		got, sum, least := shares(list, room), 0, 1<<30
		for i, n := range got {
			if n < 0 || n > sizes[i] {
				t.Fatalf("%d of %d", n, sizes[i])
			}
			if sum += n; n < sizes[i] {
				least = min(least, n)
			}
		}
		if sum > room || total <= room && sum != total {
			t.Fatalf("%v of %v in %d", got, sizes, room)
		}
		for i, n := range got {
			if n == sizes[i] && n > least+len(sizes) {
				t.Fatalf("%v of %v in %d: a long one is whole and a shorter one cut", got, sizes, room)
			}
		}
	})
}
