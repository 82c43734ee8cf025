package tool

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The parameters and sentences of the server whose tools these were.
func TestServerTools(t *testing.T) {
	e := world(t)
	e.Texts, e.Confine, e.EditFirst = Server(), true, true
	lines := make([]string, 10)
	for i := range lines {
		lines[i] = strconv.Itoa(i)
	}
	put(t, filepath.Join(e.Root, "ten.txt"), strings.Join(lines, "\n"))
	put(t, filepath.Join(e.Root, "long.txt"), strings.Repeat("字", 60_000))
	bash, read, write, edit := Bash(e), ReadFile(e), WriteFile(e), EditFile(e)
	for _, c := range []struct {
		name string
		got  string
		want string
	}{
		{"bash", first(call(t, bash, args{"command": "printf '  a\\nb  '; echo err >&2"})), "a\nb  err"},
		{"bash, nothing", first(call(t, bash, args{"command": "true"})), "(no output)"},
		{"bash, a failure with output", first(call(t, bash, args{"command": "echo why; exit 3"})), "why"},
		{"bash, a failure without", first(call(t, bash, args{"command": "exit 3"})), "Error: exit status 3"},
		{"bash, out of time", first(call(t, bash, args{"command": "sleep 20", "timeout": 1})), "Error: Timeout (1s)"},
		{"read", first(call(t, read, args{"path": "ten.txt"})), strings.Join(lines, "\n")},
		{"read, limit", first(call(t, read, args{"path": "ten.txt", "limit": 3})), "0\n1\n2\n... (7 more)"},
		{"read, nothing there", first(call(t, read, args{"path": "no"}))[:7], "Error: "},
		{"read, outside", first(call(t, read, args{"path": "../x"})), "Error: Path escapes workspace: ../x"},
		{"write", first(call(t, write, args{"path": "new/dir/f.txt", "content": "é"})), "Wrote 2 bytes to new/dir/f.txt"},
		{"write, outside", first(call(t, write, args{"path": "/etc/x", "content": "é"})), "Error: Path escapes workspace: /etc/x"},
		{"write, a name with two dots", first(call(t, write, args{"path": "..f", "content": "a a"})), "Wrote 3 bytes to ..f"},
		{"edit", first(call(t, edit, args{"path": "..f", "old_text": "a", "new_text": "b"})), "Edited ..f"},
		{"edit, not there", first(call(t, edit, args{"path": "..f", "old_text": "z", "new_text": "b"})), "Error: Text not found in ..f"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(e.Root, "..f")); err != nil || string(got) != "b a" {
		t.Errorf("the first place alone is replaced: %q %v", got, err)
	}
	if got := first(call(t, read, args{"path": "long.txt"})); len([]rune(got)) > 50_200 || !strings.HasPrefix(got, "字字") || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("cut to %d characters", len([]rune(got)))
	}
}

func first[A, B any](a A, _ B) A { return a }

// The sentences of the loop with skills.
func TestSkillsTools(t *testing.T) {
	e := world(t)
	e.Texts = Skills()
	if got, r := call(t, ReadFile(e), args{"path": "no"}); !strings.HasPrefix(got, "读取失败: ") || !r.Error {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(e.Root, "s.sh"), "echo \" $1 \"")
	if got, _ := call(t, RunScript(e), args{"path": "s.sh", "args": "'a b'"}); got != "a b" {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(e.Root, "bad.sh"), "echo why >&2; exit 2")
	if got, r := call(t, RunScript(e), args{"path": "bad.sh"}); !strings.HasPrefix(got, "执行失败: ") || !strings.Contains(got, "why") || !r.Error {
		t.Errorf("%q", got)
	}
}
