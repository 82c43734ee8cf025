package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// gitTime bounds one call of git. A checkout of a large repository takes its time.
const gitTime = 5 * time.Minute

// gitRunner calls git so that it runs nothing of the repository's own and asks nobody.
type gitRunner struct {
	program string
	vars    []string
}

// A gitError is a call of git that failed. What git said is its text.
type gitError struct {
	args []string
	said string
	err  error
}

func (e *gitError) Error() string {
	return "git " + strings.Join(e.args, " ") + ": " + or(e.said, e.err.Error())
}

func (e *gitError) Unwrap() error { return e.err }

// call is one call of git in a directory. More variables may be given for it.
func (g gitRunner) call(ctx context.Context, dir string, vars []string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	cmd := exec.CommandContext(ctx, g.program, append(gitSafety(), args...)...)
	cmd.Dir = dir
	cmd.Env = append(g.environment(), vars...)
	cmd.WaitDelay = 2 * time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		text := strings.TrimSpace(said.String())
		if text == "" {
			text = strings.TrimSpace(out.String())
		}
		return out.String(), &gitError{args: args, said: text, err: err}
	}
	return out.String(), nil
}

// line is call with the one line that git prints.
func (g gitRunner) line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := g.call(ctx, dir, nil, args...)
	return strings.TrimRight(out, "\r\n"), err
}

// paths is call with a list of names that end in NUL.
func (g gitRunner) paths(ctx context.Context, dir string, args ...string) ([]string, error) {
	out, err := g.call(ctx, dir, nil, args...)
	out = strings.TrimRight(out, "\x00")
	if out == "" {
		return nil, err
	}
	return strings.Split(out, "\x00"), err
}

// no reports that git ran and its answer is no.
func no(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == 1
}

// environment is the given one without what would send git elsewhere, and with what keeps it from asking.
func (g gitRunner) environment() []string {
	vars := g.vars
	if vars == nil {
		vars = (&exec.Cmd{}).Environ()
	}
	var out []string
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
			"GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS",
			"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_TRACE", "GIT_QUARANTINE_PATH", "LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE":
			continue
		}
		out = append(out, v)
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never", "GIT_EDITOR=true", "GIT_PAGER=cat",
		"GIT_NO_LAZY_FETCH=1", "GIT_MERGE_AUTOEDIT=no", "LC_ALL=C")
}

// gitSafety are settings that win over the repository's.
func gitSafety() []string {
	var args []string
	for _, s := range []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false", "core.editor=true", "core.pager=cat", "gc.auto=0",
		"maintenance.auto=false", "commit.gpgSign=false", "merge.verifySignatures=false", "merge.autoStash=false", "submodule.recurse=false",
		"status.showUntrackedFiles=normal", "status.relativePaths=false", "core.splitIndex=false",
	} {
		args = append(args, "-c", s)
	}
	return args
}

// identity are settings for a commit: the person's own if there are any.
func (g gitRunner) identity(ctx context.Context, dir string) []string {
	if _, err := g.line(ctx, dir, "var", "GIT_COMMITTER_IDENT"); err == nil {
		return nil
	}
	return []string{"-c", "user.name=react-agent", "-c", "user.email=react-agent@localhost"}
}

// snapshot writes everything in a work tree, committed or not, as a tree, and touches neither its index nor its branch.
func (g gitRunner) snapshot(ctx context.Context, dir string) (tree string, err error) {
	index, err := g.line(ctx, dir, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp("", "index-")
	if err != nil {
		return "", err
	}
	name := tmp.Name()
	defer func() {
		_ = os.Remove(name)
		_ = os.Remove(name + ".lock")
	}()
	old, err := os.ReadFile(index) // what git knows of the files saves it from reading them all
	if err == nil {
		_, err = tmp.Write(old)
	}
	if cerr := tmp.Close(); err == nil || errors.Is(err, os.ErrNotExist) {
		err = cerr
	}
	if err != nil {
		return "", fmt.Errorf("copy of the index: %w", err)
	}
	if len(old) == 0 {
		_ = os.Remove(name)
	}
	vars := []string{"GIT_INDEX_FILE=" + name}
	if err := g.addAll(ctx, dir, vars); err != nil {
		return "", err
	}
	out, err := g.call(ctx, dir, vars, "write-tree")
	return strings.TrimSpace(out), err
}

// noNested keeps git from looking into repositories within a work tree: their own settings name programs, and the session
// may have made them.
const noNested = "--ignore-submodules=dirty"

// addAll puts everything in the work tree whose top is dir into an index. Of repositories within it the commit is taken
// as it is, without a look at whether they have changes: see noNested, which the command add does not know.
func (g gitRunner) addAll(ctx context.Context, dir string, vars []string) error {
	staged, err := g.call(ctx, dir, vars, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	add, nested := []string{"add", "-A", "--", ":/"}, []string{"update-index", "--remove", "--"}
	named := len(nested)
	for entry := range strings.SplitSeq(staged, "\x00") {
		if head, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(head, "160000 ") {
			add, nested = append(add, ":(top,exclude,literal)"+path), append(nested, path)
		}
	}
	if _, err := g.call(ctx, dir, vars, add...); err != nil || len(nested) == named {
		return err
	}
	_, err = g.call(ctx, dir, vars, nested...)
	return err
}
