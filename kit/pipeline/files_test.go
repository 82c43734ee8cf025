package pipeline

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// judged are files with rules and secrets: what holds "no" may not be touched, and "s3cret" is not seen.
type judged struct{ plainFiles }

func (f judged) Read(ctx context.Context, call, path string) (string, error) {
	if strings.Contains(filepath.Base(path), "no") {
		return "", errors.New("a rule is against it")
	}
	s, err := f.plainFiles.Read(ctx, call, path)
	return strings.ReplaceAll(s, "s3cret", "[masked]"), err
}

func (f judged) Write(ctx context.Context, call, path, content string) error {
	old, _ := f.plainFiles.Read(ctx, call, path)
	switch {
	case strings.Contains(filepath.Base(path), "no"):
		return errors.New("a rule is against it")
	case strings.Contains(content, "[masked]") && !strings.Contains(old, "s3cret"):
		return errors.Join(ErrReply, errors.New("[masked] stands for nothing"))
	}
	return f.plainFiles.Write(ctx, call, path, strings.ReplaceAll(content, "[masked]", "s3cret"))
}

func judgedRig(t *testing.T) *rig {
	g := newRig(t)
	g.o.Files = judged{}
	g.o.Mask = func(s string) string { return strings.ReplaceAll(s, "s3cret", "[masked]") }
	return g
}

// Nothing that a sub-agent is sent, nor the answer of the call, has a secret in it or a file that a rule keeps back.
func TestSubAgentSeesNoSecret(t *testing.T) {
	g := judgedRig(t)
	g.write("role.md", "You know s3cret.")
	g.write("a.txt", "key s3cret")
	g.write("no.txt", "kept back")
	g.write("skill_run/demo/q/end.md", "at the end s3cret")
	g.write("skill_run/demo/q/no.md", "kept back")
	g.blocks(subAgentBlock("DO     : mind s3cret", "PROMPT : role.md", "INPUT  : a.txt", "         no*.txt", "         no.txt", "OUTPUT : out.md"),
		emit("STATE  : DONE", "STEP   : end", "TYPE   : terminal", "NOTES  : end.md no.md"))
	want(t, g.call("q", "run_dir", "q"), false, "at the end [masked]", "(not read: a rule is against it)")
	task := g.asked[0]
	for _, w := range []string{"You know [masked].", "mind [masked]", "key [masked]", "no.txt ===\n(not read: a rule is against it)"} {
		if !strings.Contains(task.System+task.Text, w) {
			t.Errorf("%q is missing", w)
		}
	}
	if all := task.System + task.Text; strings.Contains(all, "s3cret") || strings.Contains(all, "kept back") || t.Failed() {
		t.Error(all)
	}
}

// A rule against the prompt or the output stops the run, with nothing written.
func TestRuleStopsStep(t *testing.T) {
	for _, lines := range [][]string{{"PROMPT : no.md", "OUTPUT : out.md"}, {"OUTPUT : no.md"}} {
		g := judgedRig(t)
		g.write("no.md", "role")
		g.blocks(subAgentBlock(lines...), done())
		want(t, g.call("q"), true, "a rule is against it", "no.md")
		if entries, _ := os.ReadDir(filepath.Join(g.work, "skill_run/demo/q")); len(entries) > 0 {
			t.Error(entries)
		}
	}
}

// What stands for a secret becomes it again where it was; elsewhere the sub-agent is asked once more.
func TestReplyWithPlaceholder(t *testing.T) {
	g := judgedRig(t)
	g.write("skill_run/demo/q/conf.txt", "a\r\nkey s3cret\r\n")
	g.ask = func(Task) (Reply, error) { return Reply{Text: "b\nkey [masked]"}, nil }
	g.blocks(subAgentBlock("OUTPUT : conf.txt (edited in place)"), done())
	want(t, g.call("q", "run_dir", "q"), false, "DONE")
	if got := g.read("skill_run/demo/q/conf.txt"); got != "b\r\nkey s3cret\r\n" {
		t.Errorf("%q", got)
	}
	for _, second := range []string{"without", "again [masked]"} {
		g := judgedRig(t)
		g.blocks(subAgentBlock("OUTPUT : new.txt"), done())
		g.ask = func(x Task) (Reply, error) {
			if strings.HasSuffix(x.ID, "-again") && strings.Contains(x.Text, "stands for nothing") {
				return Reply{Text: second}, nil
			}
			return Reply{Text: "[masked]"}, nil
		}
		bad := second != "without"
		want(t, g.call("q"), bad)
		if got := g.read("skill_run/demo/q/new.txt"); len(g.asked) != 2 || bad == (got == "without\n") {
			t.Errorf("%d asked, %q", len(g.asked), got)
		}
	}
}

// A reply is written as it is, line ends and all.
func TestReplyByteForByte(t *testing.T) {
	g := newRig(t)
	g.ask = func(Task) (Reply, error) { return Reply{Text: "one\r\ntwo\t\x00ü\n\nthree"}, nil }
	g.blocks(subAgentBlock("OUTPUT : x.txt"), done())
	want(t, g.call("q"), false, "DONE")
	if got := g.read("skill_run/demo/q/x.txt"); got != "one\r\ntwo\t\x00ü\n\nthree\n" {
		t.Errorf("%q", got)
	}
}

// A link in the place of an output leads nowhere else.
func TestOutputIsLink(t *testing.T) {
	for _, to := range []string{"victim.txt", "gone.txt"} {
		g := newRig(t)
		g.write("victim.txt", "as it was")
		g.write("skill_run/demo/q/.keep", "")
		if err := os.Symlink(filepath.Join(g.work, to), filepath.Join(g.work, "skill_run/demo/q/x.md")); err != nil {
			t.Skip("not here: no links")
		}
		g.blocks(subAgentBlock("OUTPUT : x.md"), done())
		want(t, g.call("q", "run_dir", "q"), true, "x.md")
		if g.read("victim.txt") != "as it was" || isFile(filepath.Join(g.work, "gone.txt")) {
			t.Error(to)
		}
	}
}

// A question is a text for a second shell, too, whatever is in it.
func TestQueryInSecondShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	for _, query := range []string{
		"x; touch hacked #", "x\ntouch hacked", "x | touch hacked", "x & touch hacked", "x && touch hacked", "x > hacked", "' ; touch hacked ; '", "x' > hacked '",
		"$(touch hacked)", "`touch hacked`", "x\x01; touch hacked",
	} {
		dir := t.TempDir()
		for _, command := range []string{`sh -c 'echo {query}'`, `sh -c "echo {query}"`, `eval "echo {query}"`, `eval echo {query}`, `sh -c 'sh -c "echo {query}"'`} {
			cmd := exec.CommandContext(t.Context(), sh, "-c", insert(command, map[string]string{"{query}": harmless(query)}))
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput() // a quotation mark may be a fault in the second shell
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Fatalf("%s with %q: %v\n%s", command, query, entries, out)
			}
		}
	}
	if got := harmless("C# & a<b"); got != "C＃ ＆ a＜b" {
		t.Error(got)
	}
	if got := tame([]string{"a;b", "c"}); got != "a；b|c" {
		t.Error(got)
	}
}
