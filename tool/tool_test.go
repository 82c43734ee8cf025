package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"react-agent/agent"
)

type args map[string]any

// call runs a tool as the kernel does and gives the text for the model.
func call(t *testing.T, tool agent.Tool, a args) (string, agent.Result) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r, err := tool.Run(t.Context(), agent.Call{Name: tool.Name, Args: raw})
	if err != nil {
		t.Fatalf("%s %s: %v", tool.Name, raw, err)
	}
	if took := time.Since(start); took > time.Minute { // it hung
		t.Errorf("%s %s took %s", tool.Name, raw, took)
	}
	if !utf8.ValidString(r.Text()) {
		t.Errorf("%s: the result is no UTF-8", tool.Name)
	}
	return r.Text(), r
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func needUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not here: a Unix system")
	}
}

func world(t *testing.T) Env {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Env{Root: root, Logs: filepath.Join(t.TempDir(), "logs")}
}

func TestBashTexts(t *testing.T) {
	for _, c := range []struct {
		command                     string
		lean, server, classic, mini string
		failed                      bool
	}{
		{"echo hi", "hi", "hi", "hi", "hi", false},
		{"true", "(no output)", "(no output)", "(no output)", "（无输出）", false},
		{"echo  hi; exit 3", "hi\n[exit status 3]", "hi", "hi\n[error: exit status 3]", "hi\n[错误：exit status 3]", true},
		{"exit 3", "[exit status 3]", "Error: exit status 3", "[error: exit status 3]", "[错误：exit status 3]", true},
		{"echo begun; sleep 20", "begun\n[timed out after 1 s]", "Error: Timeout (1s)", "begun\n[error: timeout after 1 s]", "begun\n[错误：命令超过 1 秒，已终止]", true},
		{"kill -9 $$", "[killed by SIGKILL]", "Error: killed by SIGKILL", "[error: killed by SIGKILL]", "[错误：killed by SIGKILL]", true},
	} {
		for name, want := range map[string]string{"lean": c.lean, "server": c.server, "classic": c.classic, "mini": c.mini} {
			t.Run(name+" "+c.command, func(t *testing.T) {
				t.Parallel()
				e := world(t)
				var ok bool
				if e.Texts, ok = Named(name); !ok {
					t.Fatal("no such texts")
				}
				got, r := call(t, Bash(e), args{"command": c.command, "timeout": 1})
				if got != want || r.Error != c.failed {
					t.Errorf("%q, failed %v; want %q, %v", got, r.Error, want, c.failed)
				}
			})
		}
	}
}

func TestBashRemarks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not here: the process table of Linux")
	}
	e := world(t)
	got, r := call(t, Bash(e), args{"command": "sleep 300 & echo $!"})
	pid, _, _ := strings.Cut(got, "\n")
	if !strings.Contains(got, "[stopped what the command left behind: "+pid+" ") || r.Error {
		t.Errorf("%q", got)
	}
	got, r = call(t, Bash(e), args{"command": "read x </dev/tty"})
	if !strings.Contains(got, "[needs a human: ") || !r.Error {
		t.Errorf("%q", got)
	}
	gone := e
	gone.Root = filepath.Join(e.Root, "was", "here")
	got, r = call(t, Bash(gone), args{"command": "pwd"})
	if got != e.Root+"\n[the work directory is gone; started in "+e.Root+"]" || r.Error {
		t.Errorf("%q", got)
	}
}

func TestBashLongOutput(t *testing.T) {
	for _, lines := range []int{500, 100_000} { // in memory, and not
		e := world(t)
		e.Cut = 1000
		got, _ := call(t, Bash(e), args{"command": fmt.Sprintf("echo 始; seq %d; echo 终", lines)})
		if n := utf8.RuneCountInString(got); n > 1000 || n < 900 {
			t.Errorf("%d characters", n)
		}
		if !strings.HasPrefix(got, "始\n1\n") || !strings.HasSuffix(got, fmt.Sprintf("%d\n终", lines)) {
			t.Errorf("the ends are missing: %q", got)
		}
		files, err := filepath.Glob(filepath.Join(e.Logs, "*"))
		if err != nil || len(files) != 1 || !strings.Contains(got, files[0]) {
			t.Fatalf("files %v, %v", files, err)
		}
		if whole := get(t, files[0]); !strings.HasPrefix(whole, "始\n1\n2\n") || strings.Count(whole, "\n") != lines+2 {
			t.Errorf("the file has %d bytes", len(whole))
		}
	}
}

func TestBashArguments(t *testing.T) {
	b := Bash(world(t))
	got, _ := call(t, b, args{"command": "  "})
	if got != "Error: command is empty" {
		t.Errorf("%q", got)
	}
	for in, want := range map[string]string{
		`{"command":"x<y","timeout_seconds":5}`:  `{"command":"x<y","timeout":5}`,
		`{"command":"x","timeout":5}`:            `{"command":"x","timeout":5}`,
		`{"timeout":1,"timeout_seconds":5}`:      `{"timeout":1,"timeout_seconds":5}`,
		`{"command":"echo \"timeout_seconds\""}`: `{"command":"echo \"timeout_seconds\""}`,
		`["timeout_seconds"]`:                    `["timeout_seconds"]`,
	} {
		if out, err := b.Rename(json.RawMessage(in)); err != nil || string(out) != want {
			t.Errorf("%s: %s, %v", in, out, err)
		}
	}
	if !b.Shared || b.Effect != agent.Executes || len(b.Aliases) != 2 {
		t.Errorf("%+v", b)
	}
	e := world(t)
	e.Shell = "no-such-shell"
	if got, r := call(t, Bash(e), args{"command": "x"}); !r.Error || !strings.Contains(got, "no-such-shell") {
		t.Errorf("%q", got)
	}
}

func TestToolsAreSmall(t *testing.T) {
	total, first := 0, []string{"bash", "read_file", "write_file", "edit_file", "list_dir"} // what a small face shows
	for _, tool := range All(world(t)) {
		if slices.Contains(first, tool.Name) {
			total += len(tool.Name) + len(tool.Doc) + len(tool.Schema)
		}
		t.Logf("%s: doc %d, schema %d bytes", tool.Name, len(tool.Doc), len(tool.Schema))
		if len(tool.Doc) > 350 {
			t.Errorf("%s: the doc has %d bytes", tool.Name, len(tool.Doc))
		}
	}
	if total > 2000 {
		t.Errorf("%d bytes together", total)
	}
}

func TestRead(t *testing.T) {
	e := world(t)
	for _, c := range []struct {
		name, content string
		a             args
		want          string
		failed        bool
	}{
		{"plain", "a\nb\n", args{}, "a\nb\n", false},
		{"no last line end", "a\nb", args{}, "a\nb", false},
		{"empty", "", args{}, "\n[the file is empty]", false},
		{"crlf and mark", bom + "é\r\nb\r\n", args{}, "é\nb\n\n[line ends are CRLF]", false},
		{"mixed", "a\r\nb\nc", args{}, "a\nb\nc\n[mixed line ends: 1 CRLF, 1 LF]", false},
		{"limit", "1\n2\n3\n4\n", args{"limit": 2}, "1\n2\n... (2 more)", false},
		{"limit is the end", "1\n2\n", args{"limit": 2}, "1\n2\n", false},
		{"offset", "1\n2\n3\n4\n", args{"offset": 2, "limit": 2}, "2\n3\n... (1 more)", false},
		{"offset behind", "1\n2\n", args{"offset": 3}, "Error: f: offset 3 is behind the end: the file has 2 lines", true},
		{"nul", "a\x00b", args{}, "Error: f is binary: a NUL byte at offset 1 of 3; look at it with file, xxd or strings", true},
		{"utf-16", "\xff\xfea\x00", args{}, "Error: f is binary: UTF-16 text; convert it with iconv first", true},
		{"latin-1", "caf\xe9 au lait", args{}, `caf\xe9 au lait` + "\n[not UTF-8: 1 bytes are shown as \\xNN]", false},
		{"gbk", "\xd6\xd0\xb9\xfa\xc8\xcb", args{}, "Error: f is not UTF-8 text, perhaps in another encoding: look at it with iconv or file", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, filepath.Join(e.Root, "f"), c.content)
			c.a["path"] = "f"
			got, r := call(t, ReadFile(e), c.a)
			if got != c.want || r.Error != c.failed {
				t.Errorf("%q, failed %v; want %q", got, r.Error, c.want)
			}
		})
	}
}

func TestReadChecksRanges(t *testing.T) {
	check := ReadFile(world(t)).Check
	if err := check(json.RawMessage(`{"path":"x","offset":-1,"limit":-2}`)); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two faults: %v", err)
	}
	for _, ok := range []string{`{"path":"x"}`, `{"path":"x","offset":0,"limit":0}`, `{"path":"x","offset":7,"limit":9}`} {
		if err := check(json.RawMessage(ok)); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
}

func TestReadCutsAtLines(t *testing.T) {
	e := world(t)
	e.Cut = 100
	put(t, filepath.Join(e.Root, "f"), strings.Repeat("中中中中中中中中中\n", 50))
	if got, _ := call(t, ReadFile(e), args{"path": "f"}); got != strings.Repeat("中中中中中中中中中\n", 10)+"... (40 more)" {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(e.Root, "g"), strings.Repeat("x", 5000)+"\nend\n")
	if got, _ := call(t, ReadFile(e), args{"path": "g"}); utf8.RuneCountInString(got) > 120 || !strings.HasSuffix(got, "... (1 more)") {
		t.Errorf("%q", got)
	}
}

func TestWrite(t *testing.T) {
	e := world(t)
	got, r := call(t, WriteFile(e), args{"path": "a/b/..c", "content": "é\r\n"})
	if got != "Wrote 4 bytes to a/b/..c" || r.Error || get(t, filepath.Join(e.Root, "a/b/..c")) != "é\r\n" {
		t.Errorf("%q", got)
	}
	if !strings.Contains(string(r.Detail), `+é`) {
		t.Errorf("diff: %s", r.Detail)
	}
	put(t, filepath.Join(e.Root, "crlf"), "a\r\nb\r\n")
	got, _ = call(t, WriteFile(e), args{"path": "crlf", "content": "a\nc\n"})
	if got != "Wrote 4 bytes to crlf\n[line ends were CRLF and are LF now]" {
		t.Errorf("%q", got)
	}
}

func TestModesLinksAndNames(t *testing.T) {
	needUnix(t)
	e := world(t)
	in := func(name string) string { return filepath.Join(e.Root, name) }
	put(t, in("run.sh"), "#!/bin/sh\necho one")
	if err := os.Chmod(in("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("run.sh", in("link")); err != nil {
		t.Fatal(err)
	}
	put(t, in("first"), "one")
	if err := os.Link(in("first"), in("second")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere/yet", in("dangling")); err != nil {
		t.Fatal(err)
	}
	mode := func(name string, want os.FileMode) {
		t.Helper()
		info, err := os.Stat(in(name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	for _, name := range []string{"run.sh", "link"} {
		call(t, EditFile(e), args{"path": name, "old_text": "echo", "new_text": "printf"})
		mode("run.sh", 0o755)
		call(t, WriteFile(e), args{"path": name, "content": "#!/bin/sh\necho two"})
		mode("run.sh", 0o755)
	}
	if info, err := os.Lstat(in("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	call(t, EditFile(e), args{"path": "first", "old_text": "one", "new_text": "second one"})
	if get(t, in("second")) != "second one" {
		t.Error("the hard link was cut")
	}
	call(t, WriteFile(e), args{"path": "second", "content": "1"})
	if get(t, in("first")) != "1" {
		t.Error("the hard link was cut")
	}
	call(t, WriteFile(e), args{"path": "dangling", "content": "there"})
	if get(t, in("nowhere/yet")) != "there" {
		t.Error("not written through the link")
	}
	if left, _ := filepath.Glob(in(".tmp-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestOutside(t *testing.T) {
	needUnix(t)
	e := world(t)
	out, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(out, "victim"), "hello")
	for name, to := range map[string]string{"a": out + "/victim", "dir": out, "dangling": out + "/new", "chain": "a", "up": "dir/.."} {
		if err := os.Symlink(to, filepath.Join(e.Root, name)); err != nil {
			t.Fatal(err)
		}
	}
	paths := map[string]string{
		"a": out + "/victim", "chain": out + "/victim", "dir/b": out + "/b", "dangling": out + "/new", out + "/abs": out + "/abs",
		"../x": filepath.Dir(e.Root) + "/x", "up/y": filepath.Dir(out) + "/y", "dir/../z": filepath.Dir(out) + "/z",
		e.Root + "x/f": e.Root + "x/f",
	}
	for path, to := range paths {
		for _, tool := range []agent.Tool{WriteFile(e), EditFile(e)} {
			got, r := call(t, tool, args{"path": path, "content": "X", "old_text": "hello", "new_text": "X"})
			if !r.Error || !strings.Contains(got, to) {
				t.Errorf("%s %s: %q, want it to name %s", tool.Name, path, got, to)
			}
		}
	}
	if get(t, out+"/victim") != "hello" {
		t.Error("changed")
	}
	if list, err := os.ReadDir(out); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
	if got, r := call(t, ReadFile(e), args{"path": "a"}); got != "hello" || r.Error {
		t.Errorf("reading: %q", got)
	}

	asked := ""
	e.ask = func(_ context.Context, q agent.Ask) (agent.Answer, error) {
		asked = q.Text
		return agent.Answer{Allow: true}, nil
	}
	if _, r := call(t, WriteFile(e), args{"path": "a", "content": "X"}); r.Error || get(t, out+"/victim") != "X" || !strings.Contains(asked, out+"/victim") {
		t.Errorf("allowed: %v, asked %q", r.Text(), asked)
	}
	e.ask = func(context.Context, agent.Ask) (agent.Answer, error) {
		return agent.Answer{Text: "not there please"}, nil
	}
	if got, _ := call(t, WriteFile(e), args{"path": "a", "content": "Y"}); !strings.Contains(got, "not there please") {
		t.Errorf("%q", got)
	}
	e.Outside = func(path string) bool { return path == out+"/free" }
	if got, r := call(t, WriteFile(e), args{"path": "dir/free", "content": "Y"}); r.Error || get(t, out+"/free") != "Y" {
		t.Errorf("%q", got)
	}
}

func TestConfine(t *testing.T) {
	e := world(t)
	e.Confine, e.Texts = true, Server()
	for _, tool := range All(e) {
		a := args{"path": "../x", "content": "X", "old_text": "a", "new_text": "b", "pattern": "a"}
		switch tool.Name {
		case "bash", "http_request", "web_fetch", "ask_user": // they take no path
			continue
		case "multi_edit":
			a["edits"] = []args{{"old_text": "a", "new_text": "b"}}
		case "apply_patch":
			a["patch"] = "*** Begin Patch\n*** Add File: ../x\n+X\n*** End Patch"
		}
		got, r := call(t, tool, a)
		got = strings.Replace(got, "nothing was changed: ", "", 1)
		if got != "Error: Path escapes workspace: ../x" || !r.Error {
			t.Errorf("%s: %q", tool.Name, got)
		}
	}
	if got, r := call(t, WriteFile(e), args{"path": "..x", "content": "X"}); r.Error {
		t.Errorf("%q", got)
	}
}

func TestWithinByDirectory(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "Real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("Real", filepath.Join(dir, "real")); err != nil {
		t.Fatal(err)
	}
	// Two names of one directory, as on a file system that does not care about case.
	if !within(filepath.Join(dir, "Real"), filepath.Join(dir, "real", "new", "file")) {
		t.Error("not recognised")
	}
	if within(filepath.Join(dir, "Real"), dir) {
		t.Error("the parent is not inside")
	}
}

func TestEditBytes(t *testing.T) {
	e := world(t)
	for _, c := range []struct{ name, content, old, new, want string }{
		{"mixed ends", "a\r\nb\nc", "c", "C", "a\r\nb\nC"},
		{"mark and crlf", bom + "é\r\nn = 1\r\nend", "n = 1", "n = 2", bom + "é\r\nn = 2\r\nend"},
		{"lf finds crlf", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", "1\r\n2\r\nthree\r\n"},
		{"crlf finds lf", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"},
		{"line is added", "a\r\nb\r\n", "a", "a\nx", "a\r\nx\r\nb\r\n"},
		{"line is added at the end", "a\r\nb", "b", "b\nx", "a\r\nb\r\nx"},
		{"line is taken away", "a\r\nb\r\nc\r\n", "\nb", "", "a\r\nc\r\n"},
		{"mixed ends stay", "a\r\nb\nc\r\n", "a\nb\nc", "A\nb\nC", "A\r\nb\nC\r\n"},
		{"mixed ends of a longer text", "a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nb\nc\n", "a\r\nx\nb\nc\r\n"},
		{"ends chosen by the model", "a\nb\n", "a\nb", "a\r\nb", "a\r\nb\n"},
		{"no line end anywhere", "ab", "b", "\nb\n", "a\nb\n"},
		{"lone CR", "a\rb\r\nc", "b", "x\ny", "a\rx\r\ny\r\nc"},
		{"latin-1", "caf\xe9 = 1\n", " = 1", " = 2", "caf\xe9 = 2\n"},
		{"own replacement mark", "a$1b", "$1", "${1}\\0", "a${1}\\0b"},
		{"last line end", "x", "x", "y", "y"},
		{"same ends", "aaXaa", "aXa", "aYa", "aaYaa"},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, filepath.Join(e.Root, "f"), c.content)
			got, r := call(t, EditFile(e), args{"path": "f", "old_text": c.old, "new_text": c.new})
			if now := get(t, filepath.Join(e.Root, "f")); now != c.want || r.Error {
				t.Errorf("%q, want %q (%s)", now, c.want, got)
			}
			if !json.Valid(r.Detail) {
				t.Errorf("detail %s", r.Detail)
			}
		})
	}
}

func TestEditRefusals(t *testing.T) {
	e := world(t)
	file := filepath.Join(e.Root, "f")
	for _, c := range []struct{ name, content, old, new, want string }{
		{"not there", "a\n", "b", "c", "Error: Text not found in f"},
		{"twice", "a\nb\na\n", "a", "c", "Error: old_text is in f 2 times (lines 1, 3): add lines around it until it is unique, or set all"},
		{"empty", "a", "", "c", "old_text is empty"},
		{"equal", "a", "a", "a", "nothing to change"},
		{"white space", "if x {\n\treturn  1\n}\n", "if x {\n    return 1\n}", "", "lines 1 to 3 differ from it in white space only:\nif x {\n\treturn  1\n}"},
		{"nearly", "one\nthe long line\nthree\n", "two\nthe long line\nthree", "", "its longest line is line 2, where the file has:\none\nthe long line"},
		{"binary", "a\x00b", "a", "c", "binary"},
		{"other encoding", "caf\xe9", "caf", "té", "not UTF-8"},
		{"inside a character", "\xb0a = 1", "a = 1", "b = 1", "may begin inside a character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, file, c.content)
			got, r := call(t, EditFile(e), args{"path": "f", "old_text": c.old, "new_text": c.new})
			if !r.Error || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if get(t, file) != c.content {
				t.Error("the file was changed")
			}
		})
	}
}

func TestEditAllAndFirst(t *testing.T) {
	e := world(t)
	file := filepath.Join(e.Root, "f")
	put(t, file, "a\r\na\na")
	if got, _ := call(t, EditFile(e), args{"path": "f", "old_text": "a", "new_text": "b\nc", "all": true}); got != "Edited f (3 places)" || get(t, file) != "b\r\nc\r\nb\nc\nb\nc" {
		t.Errorf("%q %q", got, get(t, file))
	}
	e.EditFirst, e.Texts = true, Server()
	put(t, file, "a a")
	if got, _ := call(t, EditFile(e), args{"path": "f", "old_text": "a", "new_text": "b"}); got != "Edited f" || get(t, file) != "b a" {
		t.Errorf("%q %q", got, get(t, file))
	}
	if got, _ := call(t, EditFile(e), args{"path": "f", "old_text": "zz", "new_text": "b"}); got != "Error: Text not found in f" {
		t.Errorf("%q", got)
	}
}

// What somebody else wrote between the reading and the renaming is not lost.
func TestReplaceAsksLast(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	put(t, file, "old")
	if err := replace(file, []byte("new"), func() error { return errChanged }); err == nil || get(t, file) != "old" {
		t.Errorf("%v %q", err, get(t, file))
	}
	if left, _ := filepath.Glob(filepath.Dir(file) + "/.tmp-*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A line end that is asked for as CRLF replaces the one that stands there, of whatever kind, and tears none.
func TestEditToCRLF(t *testing.T) {
	for raw, want := range map[string]string{"\r\n\n": "\r\n\n", "a\nb\n": "a\r\nb\n", "a\r\n": "a\r\n"} {
		e := Env{EditFirst: true}.withDefaults()
		edits, err := e.plan([]byte(raw), editArgs{Path: "f", Old: "\n", New: "\r\n"})
		if err != nil {
			t.Fatal(err)
		}
		if got := raw[:edits[0].Start] + edits[0].New + raw[edits[0].End:]; got != want {
			t.Errorf("%q -> %q, want %q", raw, got, want)
		}
	}
}

// An edit touches nothing but what it says, whatever the file is made of.
func TestEditProperty(t *testing.T) {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "中", " "}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		join := func(name string) string { return strings.Join(pieces.Draw(t, name), "") }
		head, old, tail, now := join("head"), join("old"), join("tail"), join("new")
		raw := []byte(head + old + tail)
		e := Env{EditFirst: true}.withDefaults()
		edits, err := e.plan(raw, editArgs{Path: "f", Old: old, New: now})
		if old == "" || old == now {
			if err == nil {
				t.Fatal("not refused")
			}
			return
		}
		lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		at := strings.Index(lf(string(raw)), lf(old))
		if at < 0 {
			if err == nil {
				t.Fatal("found what is not there")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		ed := edits[0]
		got := string(raw[:ed.Start]) + ed.New + string(raw[ed.End:])
		want := lf(string(raw))[:at] + lf(now) + lf(string(raw))[at+len(lf(old)):]
		if lf(got) != lf(want) {
			t.Fatalf("%q -> %q, want %q but for line ends", raw, got, want)
		}
		if strings.Contains(string(raw), "\r\n") == false && !strings.Contains(now, "\r\n") && strings.Count(got, "\r\n") > strings.Count(want, "\r\n") {
			t.Fatalf("CRLF came from nowhere: %q", got)
		}
	})
}

func TestList(t *testing.T) {
	e := world(t)
	if got, _ := call(t, ListDir(e), args{}); got != "(empty)" {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(e.Root, "b.txt"), "")
	put(t, filepath.Join(e.Root, "a.txt"), "")
	if err := os.Mkdir(filepath.Join(e.Root, "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, _ := call(t, ListDir(e), args{"path": "."}); got != "a.txt\nb.txt\nc/" {
		t.Errorf("%q", got)
	}
	e.Texts = Mini()
	if got, _ := call(t, ListDir(e), args{}); got != "文件: a.txt, b.txt\n目录: c" {
		t.Errorf("%q", got)
	}
	if got, _ := call(t, ListDir(e), args{"path": "none"}); !strings.HasPrefix(got, "读取失败：") {
		t.Errorf("%q", got)
	}
}

func TestTextSets(t *testing.T) {
	for _, name := range []string{"lean", "server", "classic", "mini", "skills"} {
		x, ok := Named(name)
		if !ok {
			t.Fatalf("%s is missing", name)
		}
		for want, got := range map[string]string{
			"7":   fmt.Sprintf(x.More, 7) + fmt.Sprintf(x.Timeout, 7) + fmt.Sprintf(x.Wrote, 7, "p"),
			"PPP": fmt.Sprintf(x.Error, "PPP") + fmt.Sprintf(x.Edited, "PPP"),
			"QQQ": fmt.Sprintf(x.NotFound, "QQQ") + fmt.Sprintf(x.Escapes, "QQQ"),
		} {
			if !strings.Contains(got, want) || strings.Contains(got, "%!") {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	if _, ok := Named("other"); ok {
		t.Error("unknown set found")
	}
}
