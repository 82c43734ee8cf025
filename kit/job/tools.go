package job

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/shell"
)

// Names of the tools.
const (
	toolRun   = "background_run"
	toolCheck = "check_background"
	toolJob   = "job"
)

//go:embed background_run.md
var runDoc string

//go:embed check_background.md
var checkDoc string

//go:embed job.md
var jobDoc string

type bareRunArgs struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty" doc:"seconds, default 120"`
}

type runArgs struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty" doc:"seconds, default 120"`
	PTY     bool   `json:"pty,omitempty" doc:"give it a terminal"`
	Keep    bool   `json:"keep,omitempty" doc:"let it run on after the session, without a default timeout"`
}

type bareCheckArgs struct {
	TaskID string `json:"task_id,omitempty"`
}

type checkArgs struct {
	TaskID string `json:"task_id,omitempty"`
	Wait   int    `json:"wait,omitempty" doc:"wait up to so many seconds for it (without task_id: for any) to end"`
	Offset *int64 `json:"offset,omitempty" doc:"page the output from this byte; negative: from the end"`
}

type jobArgs struct {
	TaskID string `json:"task_id"`
	Action string `json:"action" enum:"kill,input"`
	Text   string `json:"text,omitempty" doc:"to type"`
	Key    string `json:"key,omitempty" doc:"to press after text" enum:"enter,tab,esc,up,down,left,right,backspace,ctrl-c,ctrl-d,ctrl-z"`
}

// Tools gives background_run and check_background, and, unless the texts are bare, job. waiting is as in [Jobs.Hook]: a
// wait ends when the person speaks. background_run is a Resume tool: a call that is run again finds its own job.
func (j *Jobs) Tools(waiting func() bool) []agent.Tool {
	if j.o.Texts.Bare {
		return []agent.Tool{
			newTool(toolRun, runDoc, agent.Executes, func(ctx context.Context, c agent.Call, a bareRunArgs) (agent.Result, error) {
				return j.run(ctx, c, runArgs{Command: a.Command, Timeout: a.Timeout})
			}),
			newTool(toolCheck, checkDoc, agent.Reads, func(ctx context.Context, c agent.Call, a bareCheckArgs) (agent.Result, error) {
				return j.check(ctx, c, checkArgs{TaskID: a.TaskID}, waiting)
			}),
		}
	}
	check := newTool(toolCheck, checkDoc, agent.Reads, func(ctx context.Context, c agent.Call, a checkArgs) (agent.Result, error) {
		return j.check(ctx, c, a, waiting)
	})
	check.Aliases = []string{"job_output", "job_wait"}
	return []agent.Tool{newTool(toolRun, runDoc, agent.Executes, j.run), check, newTool(toolJob, jobDoc, agent.Executes, j.act)}
}

// newTool makes a tool that may run beside its neighbours.
func newTool[In any](name, doc string, e agent.Effect, fn func(ctx context.Context, c agent.Call, in In) (agent.Result, error)) agent.Tool {
	t := agent.NewCallTool(name, strings.TrimSpace(doc), e, fn)
	t.Resume = name == toolRun
	t.Shared = true
	return t
}

// run is background_run.
func (j *Jobs) run(ctx context.Context, c agent.Call, a runArgs) (agent.Result, error) {
	o := order{key: c.Key, command: a.Command, pty: a.PTY, keep: a.Keep, timeout: j.o.Timeout}
	if a.Keep {
		o.timeout = 0
	}
	if a.Timeout > 0 {
		o.timeout = time.Duration(min(a.Timeout, int(maxTimeout/time.Second))) * time.Second
	}
	if a.PTY && a.Keep {
		return j.failed(errors.New("pty and keep exclude each other: a terminal goes away with the agent")), nil
	}
	x, err := j.start(ctx, o)
	if err != nil {
		return j.failed(err), nil
	}
	text := fmt.Sprintf(j.o.Texts.Started, x.id, short(a.Command, 80, "..."))
	if !j.o.Texts.Bare {
		text += "\nIts output goes to " + j.output(x.id)
		if dir := x.startedIn(); dir != "" {
			text += "\n[the work directory is gone; started in " + dir + "]"
		}
	}
	res := agent.TextResult(text)
	res.State = pendingState(x.id, pending{})
	return res, nil
}

func (x *job) startedIn() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.task == nil {
		return ""
	}
	return x.task.Dir()
}

// failed is a failed result with the face's words around err.
func (j *Jobs) failed(err error) agent.Result {
	return agent.ErrorResult(fmt.Sprintf(j.o.Texts.Error, err.Error()))
}

// own finds a job that the session of a call may know of.
func (j *Jobs) own(ctx context.Context, c agent.Call, id string) (*job, error) {
	x, err := j.get(ctx, strings.TrimPrefix(strings.TrimSpace(id), "bg:"))
	if err == nil && !sameTree(x.start.Session, sessionOf(c.Key)) {
		err = errNoJob
	}
	return x, err
}

// check is check_background.
func (j *Jobs) check(ctx context.Context, c agent.Call, a checkArgs, waiting func() bool) (agent.Result, error) {
	if a.TaskID == "" {
		return j.checkAll(ctx, c, a, waiting)
	}
	x, err := j.own(ctx, c, a.TaskID)
	if errors.Is(err, errNoJob) {
		return j.other(ctx, c, a, waiting), nil
	}
	if err != nil {
		return j.failed(err), nil
	}
	j.await(ctx, []*job{x}, a.Wait, waiting)
	if a.Offset != nil {
		return j.page(x, *a.Offset), nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	res := agent.TextResult(j.report(x))
	if x.ended() && !j.o.Texts.Bare { // it was told hereby
		res.State = map[string]json.RawMessage{stateKey(x.id): json.RawMessage("null")}
	}
	return res, nil
}

// other answers for an id that is no job's.
func (j *Jobs) other(ctx context.Context, c agent.Call, a checkArgs, waiting func() bool) agent.Result {
	if j.o.Others != nil {
		if res, ok := j.o.Others.Check(ctx, c, a.TaskID, min(a.Wait, int(maxTimeout/time.Second)), waiting); ok {
			return res
		}
	}
	res := agent.TextResult(fmt.Sprintf(j.o.Texts.Unknown, a.TaskID))
	res.Error = !j.o.Texts.Bare
	return res
}

// report is what is told of one job. The caller holds x.mu.
func (j *Jobs) report(x *job) string {
	status := j.o.Texts.status(x.state())
	switch {
	case x.ended():
		return fmt.Sprintf("[%s] %s", status, j.result(x, j.o.Cut))
	case j.o.Texts.Bare:
		return "[running] (running)"
	case x.why != "":
		return fmt.Sprintf("[%s] needs a human: %s\n%s", status, x.why, j.readOutput(x.id, runningCut))
	}
	text := fmt.Sprintf("[%s] for %s", status, time.Since(x.start.Time).Round(time.Second))
	if out := j.readOutput(x.id, runningCut); out != "" {
		text += "\n" + out
	}
	return text
}

// runningCut is how much of a running job's output is shown, in characters.
const runningCut = 4000

// checkAll lists the jobs.
func (j *Jobs) checkAll(ctx context.Context, c agent.Call, a checkArgs, waiting func() bool) (agent.Result, error) {
	list, err := j.all(ctx, sessionOf(c.Key))
	if err != nil {
		return j.failed(err), nil
	}
	var running []*job
	for _, x := range list {
		x.mu.Lock()
		if !x.ended() {
			running = append(running, x)
		}
		x.mu.Unlock()
	}
	if len(running) > 0 {
		j.await(ctx, running, a.Wait, waiting)
	}
	lines := make([]string, len(list))
	for i, x := range list {
		x.mu.Lock()
		lines[i] = fmt.Sprintf("%s: [%s] %s", x.id, j.o.Texts.status(x.state()), short(x.start.Command, 60, ""))
		x.mu.Unlock()
	}
	if j.o.Others != nil {
		lines = append(lines, j.o.Others.Lines(ctx, c)...)
	}
	if len(lines) == 0 {
		return agent.TextResult(j.o.Texts.None), nil
	}
	return agent.TextResult(strings.Join(lines, "\n")), nil
}

// await waits until one of the jobs has ended or waits for a person, the time is up, the call is cancelled, or the person
// speaks.
func (j *Jobs) await(ctx context.Context, list []*job, seconds int, waiting func() bool) {
	if seconds <= 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, time.Duration(min(seconds, int(maxTimeout/time.Second)))*time.Second)
	defer stop()
	for {
		next := j.next()
		for _, x := range list {
			x.mu.Lock()
			s := x.state()
			x.mu.Unlock()
			if s != Running {
				return
			}
		}
		if !pause(ctx, next, waiting) {
			return
		}
	}
}

// page is a piece of a job's output.
func (j *Jobs) page(x *job, from int64) agent.Result {
	piece, at, total, err := shell.ReadPage(j.output(x.id), from, j.o.Cut)
	if err != nil {
		return j.failed(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	end := at + int64(len(piece))
	return agent.TextResult(fmt.Sprintf("[%s, bytes %d to %d of %d; next offset %d]\n%s", x.state(), at, end, total, end, j.clean(piece)))
}

// act is job.
func (j *Jobs) act(ctx context.Context, c agent.Call, a jobArgs) (agent.Result, error) {
	x, err := j.own(ctx, c, a.TaskID)
	if errors.Is(err, errNoJob) {
		return agent.ErrorResult(fmt.Sprintf(j.o.Texts.Unknown, a.TaskID)), nil
	}
	if err != nil {
		return j.failed(err), nil
	}
	if a.Action == "kill" {
		if err := j.kill(ctx, x); err != nil {
			return j.failed(err), nil
		}
		return j.check(ctx, c, checkArgs{TaskID: x.id}, nil)
	}
	if err := x.input(a.Text + keys()[a.Key]); err != nil {
		return j.failed(err), nil
	}
	return agent.TextResult("typed; look at what comes with check_background"), nil
}

// keys are the characters of the keys that can be pressed.
func keys() map[string]string {
	return map[string]string{
		"": "", "enter": "\r", "tab": "\t", "esc": "\x1b", "backspace": "\x7f",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
		"ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-z": "\x1a",
	}
}
