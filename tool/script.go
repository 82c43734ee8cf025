package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
)

//go:embed run_script.md
var scriptDoc string

type scriptArgs struct {
	Path string `json:"path"`
	Args string `json:"args,omitempty"`
}

const scriptTime = 10 * time.Second

// RunScript makes the tool that runs a script file without a shell, in the work directory, with the manners of package
// shell: it always comes back, and its processes with it. The result is what the script printed, without the white space
// around it; standard error is shown when it fails. A script outside the work directory asks first, as a write does. It is
// Shared.
func RunScript(e Env) agent.Tool {
	e = e.withDefaults()
	t := agent.NewTool("run_script", strings.TrimSpace(scriptDoc), agent.Executes,
		func(ctx context.Context, a scriptArgs) (agent.Result, error) {
			s, err := e.runScript(ctx, a)
			if err != nil {
				return e.scriptFailed(err), ctx.Err()
			}
			return agent.TextResult(s), nil
		})
	t.Shared = true
	return t
}

func (e Env) scriptFailed(err error) agent.Result {
	if worded, ok := errors.AsType[wordedError](err); ok {
		return agent.ErrorResult(string(worded))
	}
	if e.Texts.ScriptError != "" {
		return agent.ErrorResult(fmt.Sprintf(e.Texts.ScriptError, err.Error()))
	}
	return e.failed(err)
}

func (e Env) runScript(ctx context.Context, a scriptArgs) (string, error) {
	words, err := splitArgs(a.Args)
	if err != nil {
		return "", err
	}
	p, err := e.locate(a.Path)
	if err != nil {
		return "", err
	}
	argv, err := interpreter(a.Path, p.real)
	if err != nil {
		return "", err
	}
	if err := e.mayRun(ctx, p); err != nil {
		return "", err
	}
	if err := p.still(ctx); err != nil {
		return "", err
	}
	limit := e.seams.orLimit(scriptTime)
	c := shell.Cmd{
		Args: append(argv, words...), Dir: e.Root, Vars: e.Vars, Hide: e.HideEnv,
		Timeout: limit, Keep: 2 * e.Cut, Logs: e.Logs, Split: true, Output: e.progress(ctx),
	}
	if e.Sandbox != nil {
		c.Prepare = e.Sandbox.Prepare
	}
	r, err := shell.Run(ctx, c)
	stderr := strings.TrimSpace(text.Clean(r.Errors))
	if r.ErrorsLost > 0 {
		stderr = "[...]\n" + stderr
	}
	if err != nil {
		return "", e.notStarted(argv[0], a.Path, err)
	}
	return e.scriptResult(&r, stderr, limit)
}

// interpreter is the program that runs a script, with the script as its argument.
func interpreter(given, path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", given)
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".js", ".mjs", ".cjs":
		return []string{"node", path}, nil
	case ".py":
		return []string{"python3", path}, nil
	case ".sh":
		return []string{"sh", path}, nil
	case ".exe", ".bat", ".cmd":
		if runtime.GOOS == "windows" {
			return []string{path}, nil
		}
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o111 != 0 {
		return []string{path}, nil
	}
	return nil, fmt.Errorf("%s: nothing is known to run it with: it ends in none of .js .mjs .cjs .py .sh and is not executable (chmod +x makes it so)", given)
}

// notStarted explains why a script could not be started.
func (e Env) notStarted(program, given string, err error) error {
	if !errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("starting %s: %w", given, err)
	}
	install := "it belongs to every Unix system; on Windows it comes with Git"
	switch program {
	case "node":
		install = "install Node.js (https://nodejs.org)"
	case "python3":
		install = "install Python 3 (https://www.python.org)"
	}
	return fmt.Errorf("%s needs the program %s, which is not on PATH: %s", given, program, install)
}

// mayRun decides on a script outside the work directory: where the model may write unasked it may run as well.
func (e Env) mayRun(ctx context.Context, p place) error {
	if p.inside || e.Outside != nil && e.Outside(p.real) {
		return nil
	}
	a, err := e.ask(ctx, agent.Ask{Text: msg.For(msg.Lang(e.Lang)).Text(msg.ScriptOutside, p.real, e.Root)})
	if err != nil {
		return fmt.Errorf("asking about %s: %w", p.real, err)
	}
	if a.Allow {
		return nil
	}
	reason := "nobody allowed to run it"
	if a.Text != "" {
		reason = "the answer was: " + a.Text
	}
	return fmt.Errorf("%s is %s, outside the work directory %s; %s", p.given, p.real, e.Root, reason)
}

// scriptResult is what the model is told; the error has the words of a failure.
func (e Env) scriptResult(r *shell.Result, stderr string, limit time.Duration) (string, error) {
	out := strings.TrimSpace(e.output(&r.Captured))
	if !r.Failed() {
		if out == "" {
			out = e.Texts.Empty
		}
		return out, nil
	}
	what := r.Status()
	switch {
	case r.TimedOut:
		what = fmt.Sprintf("no end within %s; it was stopped", limit)
	case r.Cancelled:
		what = "cancelled"
	}
	lines := []string{what}
	if stderr != "" {
		lines = append(lines, stderr)
	}
	if out != "" {
		lines = append(lines, "[standard output]", out)
	}
	if r.Human != "" {
		lines = append(lines, "[needs a human: "+r.Human+"]")
	}
	if why := e.explain(r, out+"\n"+stderr); why != "" {
		lines = append(lines, why)
	}
	return "", errors.New(text.Cut(strings.Join(lines, "\n"), e.Cut, ""))
}
