package tool

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"react-agent/agent"
)

// script writes an executable or other script into the work directory.
func script(t *testing.T, e Env, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(e.Root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, path, content)
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunScript(t *testing.T) {
	needUnix(t)
	e := world(t)
	script(t, e, "show.sh", "printf '  \\n[%s]' \"$@\"; echo; pwd; echo warn >&2", 0o600)
	script(t, e, "a dir/direct", "#!/bin/sh\necho direct \"$1\"", 0o700)
	script(t, e, "quiet.SH", "exit 0", 0o600)
	script(t, e, "stdin.sh", "read x; echo \"got:$x\"", 0o600)
	for _, c := range []struct{ path, args, want string }{
		{"show.sh", `a 'b c' "d\"" '' $HOME *`, "[a]  \n[b c]  \n[d\"]  \n[]  \n[$HOME]  \n[*]\n" + e.Root},
		{"./a dir/../a dir/direct", "--深=圳", "direct --深=圳"},
		{"quiet.SH", "", "(no output)"},
		{"stdin.sh", "", "got:"},
		{filepath.Join(e.Root, "stdin.sh"), "", "got:"},
	} {
		if got, r := call(t, RunScript(e), args{"path": c.path, "args": c.args}); got != c.want || r.Error {
			t.Errorf("%s %s: %q, want %q", c.path, c.args, got, c.want)
		}
	}
}

func TestRunScriptInterpreters(t *testing.T) {
	for name, c := range map[string]struct{ program, content, want string }{
		"a.js":  {"node", "console.log('js', process.argv[2])", "js x y"},
		"a.mjs": {"node", "import fs from 'fs'; console.log('mjs', process.argv[2])", "mjs x y"},
		"a.cjs": {"node", "const fs = require('fs'); console.log('cjs', process.argv[2])", "cjs x y"},
		"a.py":  {"python3", "import sys\nprint('py', sys.argv[1])", "py x y"},
		"a.sh":  {"sh", "echo sh \"$1\"", "sh x y"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip("needs " + c.program)
			}
			e := world(t)
			script(t, e, name, c.content, 0o600)
			if got, r := call(t, RunScript(e), args{"path": name, "args": "'x y'"}); got != c.want || r.Error {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestRunScriptFailures(t *testing.T) {
	needUnix(t)
	e := world(t)
	script(t, e, "fail.sh", "echo out; echo ' why ' >&2; exit 3", 0o600)
	script(t, e, "silent.sh", "exit 4", 0o600)
	script(t, e, "killed.sh", "kill -9 $$", 0o600)
	script(t, e, "plain", "echo x", 0o600)
	script(t, e, "bad", "#!/no/such/interpreter\n", 0o700)
	script(t, e, "data.txt", "x", 0o600)
	for _, c := range []struct{ path, args, want string }{
		{"fail.sh", "", "exit status 3\nwhy\n[standard output]\nout"},
		{"silent.sh", "", "exit status 4"},
		{"killed.sh", "", "killed by SIGKILL"},
		{"plain", "", "plain: nothing is known to run it with: it ends in none of .js .mjs .cjs .py .sh and is not executable (chmod +x makes it so)"},
		{"data.txt", "", "data.txt: nothing is known"},
		{"bad", "", "starting bad: start of " + filepath.Join(e.Root, "bad")},
		{"none.sh", "", "stat " + filepath.Join(e.Root, "none.sh") + ": no such file"},
		{".", "", ". is no regular file"},
		{"", "", "path is empty"},
		{"fail.sh", `"a`, `a quote " in the arguments is not closed`},
		{"fail.sh", "a\x00b", "starting fail.sh: an argument holds a NUL byte"},
	} {
		lean := e
		got, r := call(t, RunScript(lean), args{"path": c.path, "args": c.args})
		if !strings.HasPrefix(got, "Error: "+c.want) || !r.Error {
			t.Errorf("%s %s: %q, want %q", c.path, c.args, got, c.want)
		}
		skills := e
		skills.Texts = Skills()
		if got, r := call(t, RunScript(skills), args{"path": c.path, "args": c.args}); !strings.HasPrefix(got, "执行失败: "+c.want) || !r.Error {
			t.Errorf("skills, %s %s: %q", c.path, c.args, got)
		}
	}
}

func TestRunScriptWithoutInterpreter(t *testing.T) {
	needUnix(t)
	e := world(t)
	script(t, e, "a.js", "", 0o600)
	script(t, e, "a.py", "", 0o600)
	script(t, e, "a.sh", "", 0o600)
	t.Setenv("PATH", t.TempDir())
	for path, want := range map[string]string{
		"a.js": "Error: a.js needs the program node, which is not on PATH: install Node.js",
		"a.py": "Error: a.py needs the program python3, which is not on PATH: install Python 3",
		"a.sh": "Error: a.sh needs the program sh, which is not on PATH: ",
	} {
		if got, r := call(t, RunScript(e), args{"path": path}); !strings.HasPrefix(got, want) || !r.Error {
			t.Errorf("%q", got)
		}
	}
}

func TestRunScriptPlaces(t *testing.T) {
	needUnix(t)
	e := world(t)
	outside := world(t)
	path := script(t, outside, "out.sh", "echo ran", 0o600)
	if err := os.Symlink(path, filepath.Join(e.Root, "link.sh")); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{path, "link.sh"} {
		no := &asker{}
		e.ask = no.ask
		got, r := call(t, RunScript(e), args{"path": given})
		if !r.Error || !strings.Contains(got, "outside the work directory") || !strings.Contains(got, "nobody allowed to run it") || len(no.asked) != 1 || !strings.HasPrefix(no.asked[0], "Run "+path+"?") {
			t.Errorf("%q, asked %q", got, no.asked)
		}
		for _, a := range []agent.Answer{{Allow: true}, {Text: "rather not"}} {
			ask := &asker{answer: a}
			e.ask = ask.ask
			if got, r := call(t, RunScript(e), args{"path": given}); r.Error == a.Allow || a.Allow && got != "ran" || !strings.Contains(got, a.Text) {
				t.Errorf("%+v: %q", a, got)
			}
		}
		free := e
		free.Outside = func(p string) bool { return p == path }
		free.ask = no.ask
		if got, _ := call(t, RunScript(free), args{"path": given}); got != "ran" || len(no.asked) != 1 {
			t.Errorf("%q", got)
		}
		confined := e
		confined.Confine = true
		if got, r := call(t, RunScript(confined), args{"path": given}); got != "Error: Path escapes workspace: "+given || !r.Error {
			t.Errorf("%q", got)
		}
	}
}

// A script that does not end is stopped with everything it has started, and what it said is told.
func TestRunScriptTime(t *testing.T) {
	needUnix(t)
	e := world(t)
	e.seams.limit = 500 * time.Millisecond
	script(t, e, "long.sh", "echo begun; echo waiting >&2; sleep 300 & echo $! >child; wait", 0o600)
	got, r := call(t, RunScript(e), args{"path": "long.sh"})
	if got != "Error: no end within 500ms; it was stopped\nwaiting\n[standard output]\nbegun" || !r.Error {
		t.Errorf("%q", got)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(get(t, filepath.Join(e.Root, "child"))))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Signal(syscall.Signal(0)); err == nil {
		if state, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); !strings.Contains(string(state), ") Z ") && len(state) > 0 {
			t.Errorf("the child lives: %v %s", err, state)
		}
	}
	// A script that ends is not held up by what it leaves behind, even when that has its standard error.
	script(t, e, "leaves.sh", "sleep 300 >/dev/null & echo done", 0o600)
	if got, r := call(t, RunScript(e), args{"path": "leaves.sh"}); got != "done" || r.Error {
		t.Errorf("%q", got)
	}
}

func TestRunScriptMuchOutput(t *testing.T) {
	needUnix(t)
	e := world(t)
	script(t, e, "much.sh", "yes out | head -n 100000; yes err | head -n 100000 >&2; echo last >&2; exit 1", 0o600)
	got, r := call(t, RunScript(e), args{"path": "much.sh"})
	if !r.Error || len(got) > defaultCut+200 || !strings.HasPrefix(got, "Error: exit status 1\n[...]\n") || !strings.Contains(got, "left out") {
		t.Errorf("%d bytes, %.200q", len(got), got)
	}
}

type prepared struct{ seen []string }

func (p *prepared) Prepare(cmd *exec.Cmd) error {
	p.seen = append(p.seen, strings.Join(cmd.Args, " "))
	if strings.HasSuffix(cmd.Args[len(cmd.Args)-1], "refuse") {
		return errors.New("no sandbox here")
	}
	cmd.Env = append(cmd.Env, "IN_SANDBOX=yes")
	return nil
}

func (p *prepared) Explain(output string) string {
	if strings.Contains(output, "no network") {
		return "[the sandbox has no network]"
	}
	return ""
}

func TestRunScriptInASandbox(t *testing.T) {
	needUnix(t)
	e := world(t)
	p := &prepared{}
	e.Sandbox = p
	e.Vars = []string{"KEY=geheim", "OTHER=o", "PATH=" + os.Getenv("PATH")}
	e.HideEnv = []string{"KEY"}
	path := script(t, e, "s.sh", "echo \"$IN_SANDBOX|$KEY|$OTHER\"; test -z \"$1\" || { echo no network >&2; exit 1; }", 0o600)
	if got, r := call(t, RunScript(e), args{"path": "s.sh"}); got != "yes||o" || r.Error || len(p.seen) != 1 || p.seen[0] != "sh "+path {
		t.Errorf("%q, prepared %q", got, p.seen)
	}
	if got, r := call(t, RunScript(e), args{"path": "s.sh", "args": "x"}); !r.Error || !strings.HasSuffix(got, "\n[the sandbox has no network]") {
		t.Errorf("%q", got)
	}
	if got, r := call(t, RunScript(e), args{"path": "s.sh", "args": "refuse"}); !r.Error || !strings.Contains(got, "no sandbox here") {
		t.Errorf("%q", got)
	}
}

func (p *prepared) Describe() string { return "a test" }
