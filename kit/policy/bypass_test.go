package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
)

func rule(t testing.TB, texts ...string) []Rule {
	t.Helper()
	var list []Rule
	for _, s := range texts {
		r, err := ParseRule(s)
		if err != nil {
			t.Fatal(err)
		}
		r.Origin = "config.yaml:7"
		list = append(list, r)
	}
	return list
}

// usual are the rules of the table: tools that only look.
func usual(t testing.TB) Rules {
	return Rules{Allow: rule(t, "bash(git *)", "bash(ls *)", "bash(echo *)", "bash(cat *)", "Bash(find:*)"), Deny: rule(t, "bash(rm *)")}
}

func command(t testing.TB, o Options, text string) agent.Decision {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": text})
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(o).BeforeTool(t.Context(), agent.NewSession("s"), agent.Tool{Name: "bash", Effect: agent.Executes}, agent.Call{Name: "bash", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// attacks try to get something past the rules of usual. Where some of them name no rm, what they would run is not allowed
// by any rule. In the file they stand between lines with a percent sign.
func attacks(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/attacks.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n%\n")
	return append(list, // what a text file should not hold
		"echo a\r\nrm keep.txt", "echo a\rrm keep.txt", "echo a\u00a0rm", "ls\u2028rm keep.txt", "echo\va", "ls\x00rm",
		"ls \u3000x", "ls \u0085", "echo a\f;rm keep.txt", "rm\u00a0keep.txt", strings.Repeat("(", 5000), strings.Repeat("$(", 300)+"rm keep.txt",
		strings.Repeat("eval ", 40)+"rm keep.txt", strings.Repeat("sudo ", 40)+"rm keep.txt", "echo "+strings.Repeat("a", 70_000)+"; rm keep.txt",
		"bash -c '"+strings.Repeat("echo a;", 3000)+"rm keep.txt'", strings.Repeat("command ", 40)+"rm keep.txt",
	)
}

func TestNoWayAroundTheRules(t *testing.T) {
	o := Options{Rules: usual(t), Root: t.TempDir()}
	list := attacks(t)
	if len(list) < 250 {
		t.Fatalf("the table has %d attacks only", len(list))
	}
	for _, c := range list {
		d := command(t, o, c)
		if d.Verdict != agent.AskFirst && d.Verdict != agent.Deny {
			t.Errorf("ran unasked: %q", c)
		}
		if d.Reason == "" {
			t.Errorf("no reason: %q", c)
		}
	}
}

// In mode yolo only the deny rule holds: whatever really runs rm is refused or asked. A rm that only leaves a mark tells.
func TestDenyHoldsInYolo(t *testing.T) {
	w := newWorld(t)
	o := Options{Mode: Yolo, Rules: Rules{Deny: rule(t, "bash(rm *)")}, Root: w.dir}
	removed := 0
	for _, c := range attacks(t) {
		if strings.ContainsAny(c, "\x00") || len(c) > 1000 || !w.runs(t, c)["rm"] {
			continue
		}
		removed++
		if d := command(t, o, c); d.Verdict == agent.Pass {
			t.Errorf("ran unasked: %q", c)
		}
	}
	if removed < 100 {
		t.Errorf("only %d attacks ran rm: the stubs do not work", removed)
	}
}

// What the rules let through is run, with stubs for programs and with the real ones: nothing is lost.
func TestAllowedCommandsAreHarmless(t *testing.T) {
	w := newWorld(t)
	o := Options{Rules: usual(t), Root: w.dir}
	keep := filepath.Join(w.dir, "keep.txt")
	ran := 0
	for _, c := range append(attacks(t), good()...) {
		if command(t, o, c).Verdict != agent.Pass {
			continue
		}
		ran++
		if err := os.WriteFile(keep, []byte("keep"), 0o600); err != nil {
			t.Fatal(err)
		}
		if w.runs(t, c)["rm"] {
			t.Errorf("rm ran: %q", c)
		}
		w.shell(t, c, os.Getenv("PATH"))
		if b, err := os.ReadFile(keep); err != nil || string(b) != "keep" {
			t.Errorf("keep.txt is gone after %q", c)
		}
	}
	if ran < len(good()) {
		t.Errorf("%d commands ran", ran)
	}
}

// good are commands that the usual rules let through: they must not be in the way of work.
func good() []string {
	return []string{
		"git status", "git", "git log --oneline -5", "git --no-pager diff HEAD", "git status && git log", "ls -l | cat", "ls; echo done",
		"echo $HOME", `echo "$HOME/x"`, "echo $((1 + 2))", "echo $(ls) $(git log)", "cat <<EOF\nhello $(ls)\nEOF", "cat <<'EOF'\n$(rm keep.txt)\nEOF",
		"find . -name '*.go'", `find . -name "*.go" -exec cat {} \;`, "find . -type f -exec cat {} +", "ls 2>/dev/null", "ls >/dev/null 2>&1", "cat < list",
		"timeout 5 git status", "nice -n 5 ls", "env git status", "LC_ALL=C ls", "command ls", "time ls", "ls & wait_for=1; echo a",
		"for f in a b; do cat $f; done", "if ls; then echo a; fi", "bash -c 'git status; ls'", "eval 'ls -l'", "(ls; echo a)", "{ ls; }",
		`git commit -m "$(cat <<'EOF'` + "\nfix (it)\nEOF\n)\"", `git commit -m "a; rm b"`, "echo 'rm keep.txt'", "ls -l # rm keep.txt", "echo a{b,c}d", "ls *.txt", "echo ~",
		"ls | xargs cat", "find . -name x | xargs -I{} echo {}", "echo a \\\n  b", "echo rm keep.txt", "git show HEAD:src/a.go", "git add -A .", "git log --format='%h (%an)'",
		"git checkout -b feature/x", "until ls; do echo a; done < list", "case a in a) ls;; esac", "[[ -f x ]] && ls", "x=1; echo $x", "! ls",
	}
}

func TestUsualWorkIsNotAsked(t *testing.T) {
	o := Options{Rules: usual(t), Root: t.TempDir()}
	for _, c := range good() {
		if d := command(t, o, c); d.Verdict != agent.Pass {
			t.Errorf("%q: %s", c, d.Reason)
		}
	}
}
