package tool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"react-agent/agent"
)

// callRenamed runs a tool as the kernel does, its renaming of arguments included.
func callRenamed(t *testing.T, tool agent.Tool, a args) (string, agent.Result) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = tool.Rename(raw); err != nil {
		t.Fatal(err)
	}
	a = nil
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	return call(t, tool, a)
}

func TestGlob(t *testing.T) {
	needUnix(t)
	e := world(t)
	for _, name := range []string{
		"a.go", "b/c.go", "b/d/e.go", "b/d/f.txt", "b.go", ".hid/g.go", "gone/h.go", "gone/deep/i.go", ".git/config", "x y/[z].go", "new\nline",
	} {
		write(t, filepath.Join(e.Root, name), "")
	}
	write(t, filepath.Join(e.Root, ".gitignore"), "gone/\n")
	if err := os.Symlink("b", filepath.Join(e.Root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(e.Root, "b", "round")); err != nil {
		t.Fatal(err)
	}
	out := world(t).Root
	write(t, filepath.Join(out, "far.go"), "")
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"pattern": "*.go"}, ".hid/g.go\na.go\nb.go\nb/c.go\nb/d/e.go\nx y/[z].go"},
		{args{"pattern": "./*.go"}, "a.go\nb.go"},
		{args{"pattern": "b/*"}, "b/c.go\nb/d/\nb/round -> .."},
		{args{"pattern": "b/**"}, "b/\nb/c.go\nb/d/\nb/d/e.go\nb/d/f.txt\nb/round -> .."},
		{args{"pattern": "b/"}, "b/\nb/c.go\nb/d/\nb/d/e.go\nb/d/f.txt\nb/round -> .."},
		{args{"pattern": "**/**/d/**/*.go"}, "b/d/e.go"},
		{args{"pattern": "**/*.{txt,md}"}, "b/d/f.txt"},
		{args{"pattern": "{b/d,b}/*.go"}, "b/c.go\nb/d/e.go"},
		{args{"pattern": "d"}, "b/d/"},
		{args{"pattern": "b/d/e.go"}, "b/d/e.go"},
		{args{"pattern": "*", "path": "b/d"}, "b/d/e.go\nb/d/f.txt"},
		{args{"pattern": "*", "path": "link/d"}, "b/d/e.go\nb/d/f.txt"},
		{args{"pattern": "../b/d/*.go", "path": "b"}, "b/d/e.go"},
		{args{"pattern": "../far.go", "path": out + "/x"}, out + "/far.go"},
		{args{"pattern": out + "/**/*.go"}, out + "/far.go"},
		{args{"pattern": e.Root + "/b/*.go"}, "b/c.go"},
		{args{"pattern": "gone/*"}, "gone/deep/\ngone/h.go"},
		{args{"pattern": "*.go", "path": "gone"}, "gone/deep/i.go\ngone/h.go"},
		{args{"pattern": "h.go"}, "(no matches)\n[1 ignored files or directories were passed over: set all to see them too]\n[2 links were not followed]"},
		{args{"pattern": "h.go", "all": true}, "gone/h.go"},
		{args{"pattern": "config", "all": true}, "(no matches)\n[2 links were not followed]"},
		{args{"pattern": `**/\[z\].*`}, "x y/[z].go"},
		{args{"pattern": "new*"}, `new\x0aline`},
		{args{"pattern": "b/missing/**/*.go"}, "(no matches)\n[1 ignored files or directories were passed over: set all to see them too]\n[2 links were not followed]"},
		{args{"pattern": "!*.go", "path": "b"}, "b/d/\nb/d/f.txt\nb/round -> .."},
		{args{"pattern": "*.go", "limit": 2}, ".hid/g.go\na.go\n... (4 more)"},
	} {
		if got, r := callRenamed(t, Glob(e), c.a); got != c.want || r.Error {
			t.Errorf("%v:\n%s\nwant\n%s", c.a, got, c.want)
		}
	}
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"pattern": ""}, "pattern is empty"},
		{args{"pattern": "[a"}, `pattern: "[a" is not valid`},
		{args{"pattern": "x/../../y/*"}, "leads out of the directory"},
		{args{"pattern": "*", "path": "a.go"}, "a.go is no directory"},
		{args{"pattern": "*", "path": "missing"}, "no such file"},
		{args{"pattern": "*", "limit": -2}, "limit is -2"},
	} {
		if got, r := callRenamed(t, Glob(e), c.a); !r.Error || !strings.Contains(got, c.want) {
			t.Errorf("%v: %s", c.a, got)
		}
	}
	e.Confine = true
	for _, pattern := range []string{out + "/*", "../*", "/*"} {
		if got, r := callRenamed(t, Glob(e), args{"pattern": pattern}); !r.Error || !strings.Contains(got, "Path escapes workspace") {
			t.Errorf("confined: %s: %s", pattern, got)
		}
	}
	for _, raw := range []string{`{"pattern":7}`, `[]`, `{"pattern":"/x/*","path":7}`, `{"path":"x"}`, `{"pattern":"a*"}`} {
		if got, err := splitPattern(json.RawMessage(raw)); err != nil || string(got) != raw {
			t.Errorf("%s: %s %v", raw, got, err)
		}
	}
}

func TestGlobBounds(t *testing.T) {
	e := world(t)
	for i := range 500 {
		write(t, filepath.Join(e.Root, fmt.Sprintf("a-file-with-a-name-%03d", i)), "")
	}
	for _, cut := range []int{1, 50, 1000, 50000} {
		e.Cut = cut
		got, _ := call(t, Glob(e), args{"pattern": "*", "limit": 100})
		if n := len([]rune(got)); n > cut {
			t.Errorf("%d: %d characters", cut, n)
		}
		shown := strings.Count(got, "a-file-with")
		if cut >= 1000 && (shown == 0 || !strings.HasSuffix(got, fmt.Sprintf("\n... (%d more)", 500-shown))) {
			t.Errorf("%d: %s", cut, got)
		}
	}
}

// The way that a walk takes leads to everything that the pattern matches.
func TestGlobWay(t *testing.T) {
	e := world(t)
	names := []string{"a", "b", "ab", "[a]", "c.go"}
	rapid.Check(t, func(rt *rapid.T) {
		if err := os.RemoveAll(e.Root); err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(rt, "files") {
			path := filepath.Join(append([]string{e.Root}, rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(rt, "path")...)...)
			if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
				_ = os.Mkdir(path, 0o700)
			}
		}
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "**", "a*", "{a,b}", "{a/b,b}", "?", `\[a\]`, "*.go", "[ab]"}), 1, 4).Draw(rt, "parts"), "/")
		all := walked(t, e.Root, e.Root, true)
		var want []string
		for _, path := range all {
			name := path
			if !strings.Contains(pattern, "/") {
				name = filepath.Base(path)
			}
			if doublestar.MatchUnvalidated(pattern, name) {
				want = append(want, path+"/")
			}
		}
		got, _ := call(t, Glob(e), args{"pattern": pattern})
		if len(want) == 0 {
			want = []string{"(no matches)"}
		}
		list := strings.Split(got, "\n")
		for _, w := range want {
			if !strings.Contains("\n"+got+"\n", "\n"+w+"\n") {
				rt.Errorf("%s: %q, want %q", pattern, list, want)
			}
		}
		if len(list) != len(want) {
			rt.Errorf("%s: %q, want %q", pattern, list, want)
		}
	})
}

// A walk does not enter what the kernel makes up, unless it was told to begin there.
func TestWalkKernel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not here: /proc")
	}
	for path, want := range map[string]bool{"/proc": true, "/sys": true, "/dev": true, "/proc/1": false, "/home": false} {
		if got := ofKernel("/", path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if got, r := call(t, Glob(Env{Root: "/proc/self"}), args{"pattern": "./stat*"}); r.Error || !strings.Contains(got, "stat") {
		t.Error(got)
	}
}
