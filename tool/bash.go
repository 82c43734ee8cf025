package tool

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/internal/text"
)

//go:embed bash.md
var bashDoc string

type bashArgs struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty" doc:"seconds"`
}

// heldArgs are bash's arguments when there is a sandbox to leave.
type heldArgs struct {
	bashArgs
	Unsandboxed bool `json:"unsandboxed,omitempty" doc:"run outside the sandbox, when it is in the way; the person is asked"`
}

// maxSeconds bounds the time limit a model may ask for: a day.
const maxSeconds = 24 * 60 * 60

// Bash makes the tool that runs one command in a shell, see package shell for its manners. It is Shared: several may run
// beside each other. A command that fails gives a failed result with its output and how it ended; only a shell that cannot
// be started is an error. It may also be called with timeout_seconds instead of timeout. With Env.Sandbox set there is an
// argument unsandboxed, and whoever allows calls has to judge it: the tool itself asks nobody.
func Bash(e Env) agent.Tool {
	e = e.withDefaults()
	path, missing := shell.Find(e.Shell)
	run := func(ctx context.Context, e Env, a bashArgs) (agent.Result, error) {
		if missing != nil {
			return e.failed(missing), nil //nolint:nilerr // a failed result is the answer
		}
		return e.bash(ctx, path, a)
	}
	doc := strings.TrimSpace(bashDoc)
	var t agent.Tool
	if e.Sandbox == nil {
		t = agent.NewTool("bash", doc, agent.Executes,
			func(ctx context.Context, a bashArgs) (agent.Result, error) { return run(ctx, e, a) })
	} else {
		t = agent.NewTool("bash", doc+" "+e.Sandbox.Describe(), agent.Executes,
			func(ctx context.Context, a heldArgs) (agent.Result, error) {
				e := e
				if a.Unsandboxed {
					e.Sandbox = nil
				}
				return run(ctx, e, a.bashArgs)
			})
	}
	t.Aliases = []string{"run_shell_command", "run_command"}
	t.Shared = true
	t.Rename = renameTimeout
	return t
}

// renameTimeout lets timeout_seconds stand for timeout. Arguments that have both, or are broken, are left to the check.
func renameTimeout(args json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(args, []byte(`"timeout_seconds"`)) {
		return args, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(args, &m); err != nil {
		return args, nil //nolint:nilerr // the check says what is wrong
	}
	if m["timeout_seconds"] == nil || m["timeout"] != nil {
		return args, nil
	}
	m["timeout"] = m["timeout_seconds"]
	delete(m, "timeout_seconds")
	return agent.EncodeJSON(m)
}

func (e Env) bash(ctx context.Context, path string, a bashArgs) (agent.Result, error) {
	if strings.TrimSpace(a.Command) == "" {
		return e.failed(errors.New("command is empty")), nil
	}
	limit := e.Timeout
	if a.Timeout > 0 {
		limit = time.Duration(min(a.Timeout, maxSeconds)) * time.Second
	}
	c := shell.Cmd{
		Command: a.Command,
		Shell:   path,
		Dir:     e.Root,
		Vars:    e.Vars,
		Hide:    e.HideEnv,
		Timeout: limit,
		Keep:    2 * e.Cut, // so many bytes may be needed for half the characters
		Logs:    e.Logs,
		Output:  e.progress(ctx),
	}
	if e.Sandbox != nil {
		c.Prepare = e.Sandbox.Prepare
	}
	r, err := shell.Run(ctx, c)
	if err != nil {
		return e.failed(err), nil
	}
	if err := e.maskFile(r.Log); err != nil {
		r.LogErr = errors.Join(r.LogErr, err)
	}
	out := agent.TextResult(e.report(&r, limit))
	out.Error = r.Failed()
	return out, nil
}

// progress shows output while it comes.
func (e Env) progress(ctx context.Context) func(piece []byte) {
	if e.Secrets == nil {
		return func(p []byte) { agent.Progress(ctx, text.Clean(p)) }
	}
	live := e.Secrets.Live()
	return func(p []byte) {
		if s := live(text.Clean(p)); s != "" {
			agent.Progress(ctx, s)
		}
	}
}

func (e Env) mask(s string) string {
	if e.Secrets == nil {
		return s
	}
	return e.Secrets.Mask(s)
}

// explain says what the sandbox has to do with a failure; "" if nothing.
func (e Env) explain(r *shell.Result, output string) string {
	if e.Sandbox == nil || !r.Failed() {
		return ""
	}
	return e.Sandbox.Explain(output)
}

// report is what the model is told.
func (e Env) report(r *shell.Result, limit time.Duration) string {
	t := e.Texts
	seconds := int((limit + time.Second - 1) / time.Second)
	if r.TimedOut && t.TimeoutAlone {
		return fmt.Sprintf(t.Timeout, seconds)
	}
	out := e.output(&r.Captured)
	var lines []string
	switch {
	case r.TimedOut:
		lines = append(lines, fmt.Sprintf(t.Timeout, seconds))
	case r.Cancelled:
		lines = append(lines, "[cancelled]")
	case r.Code == 0:
	case out == "" && t.ExitEmpty != "":
		out = fmt.Sprintf(t.ExitEmpty, r.Status())
	case t.Exit != "":
		lines = append(lines, fmt.Sprintf(t.Exit, r.Status()))
	}
	if !t.Bare {
		lines = append(lines, remarks(r)...)
	}
	if why := e.explain(r, out); why != "" {
		lines = append(lines, why)
	}
	if out == "" && len(lines) == 0 {
		return t.Empty
	}
	if out != "" {
		lines = append([]string{out}, lines...)
	}
	return strings.Join(lines, "\n")
}

// output is the command's output as text, cut.
func (e Env) output(c *shell.Captured) string {
	var s string
	if c.Lost > 0 {
		s = text.CutEnds(text.Clean(c.Head), text.Clean(c.Tail), c.Lost, e.Cut, c.Log)
	} else {
		s = text.Clean(c.Head)
		if utf8.RuneCountInString(s) > e.Cut && c.Log == "" {
			c.Log, c.LogErr = e.saveOutput(c.Head)
		}
		s = text.Cut(s, e.Cut, c.Log)
	}
	if e.Texts.Trim {
		return strings.TrimSpace(s)
	}
	return strings.TrimRight(s, "\n")
}

// saveOutput writes an output that was short enough for memory and is too long for the model.
func (e Env) saveOutput(b []byte) (string, error) {
	if e.Logs == "" {
		return "", nil
	}
	f, err := shell.NewLog(e.Logs)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(f, e.mask(string(b)))
	return f.Name(), errors.Join(err, f.Close())
}

// remarks say what happened beside the output.
func remarks(r *shell.Result) []string {
	var lines []string
	if r.Human != "" {
		lines = append(lines, "[needs a human: "+r.Human+"]")
	}
	if r.Dir != "" {
		lines = append(lines, "[the work directory is gone; started in "+r.Dir+"]")
	}
	if r.LogErr != nil {
		lines = append(lines, "[output file: "+r.LogErr.Error()+"]")
	}
	const most = 10
	for i, p := range r.Left {
		if i == most {
			lines = append(lines, fmt.Sprintf("[and %d more]", len(r.Left)-most))
			break
		}
		what := "[stopped what the command left behind: "
		if p.Running {
			what = "[still running: "
		}
		lines = append(lines, fmt.Sprintf("%s%d %s]", what, p.PID, text.Head(text.Clean([]byte(p.Command)), 60)))
	}
	return lines
}

// failed is a failed result with the face's words around err.
func (e Env) failed(err error) agent.Result {
	return agent.ErrorResult(fmt.Sprintf(e.Texts.Error, err.Error()))
}
