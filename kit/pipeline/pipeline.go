package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// Skill is what the driver has to know of a skill.
type Skill struct {
	Name string // as the skill calls itself
	Dir  string // absolute; it holds scripts/run.py
}

// Command is one that a run wants to have run. It starts in the work directory.
type Command struct {
	Call  string // key of the tool call
	ID    string // names it within the call, the same after a restart
	Skill Skill
	// Args are a program and its arguments, to be run without a shell: the skill's own program. Otherwise Text is for the
	// shell, one command a line, and the first that fails ends it.
	Args []string
	Text string
	// Own are the beginnings of commands that are the skill's own program: they need no permission.
	Own [][]string
	// Env is "NAME=value", beside the usual environment.
	Env     []string
	Timeout time.Duration
	// Show is given the output while it comes; nil: nobody looks.
	Show func(piece string)
}

// Outcome is what became of a command that was run.
type Outcome struct {
	// Output is what it printed; with Command.Args without standard error, of which Errors is the end. Lost counts the bytes
	// that are missing in the middle of Output, when it was too long.
	Output []byte
	Errors string
	Lost   int64
	Code   int    // exit status; -1 when a signal ended it
	Status string // how it ended, in words
	// TimedOut says that the limit stopped it. Why explains a failure that is not the command's own; empty otherwise.
	TimedOut bool
	Why      string
}

// Task is work for an isolated sub-agent: it knows only this, and has no tools.
type Task struct {
	Call    string // key of the tool call
	ID      string // names it within the call, the same after a restart
	Name    string // for people: what the step is called
	System  string // system prompt
	Text    string
	Timeout time.Duration
}

// Reply is what a sub-agent came back with. Usage is what it has spent, known also beside an error.
type Reply struct {
	Text  string
	Usage *agent.Usage
}

// Options of [New]. WorkDir, KV, Run and Ask are required.
type Options struct {
	Skills []Skill
	// WorkDir is where commands start and run folders are made; absolute.
	WorkDir string
	// KV keeps what is under way, under pipeline/ID.
	KV store.KV
	// Run runs a command, after asking for permission if it needs one. The error says that it did not run, and why.
	Run func(ctx context.Context, c Command) (Outcome, error)
	// Ask has a sub-agent do a task; called again with the same Call and ID it gives the reply that there was.
	Ask func(ctx context.Context, t Task) (Reply, error)
	// Trusted says whether the skill's program may run; the error tells why not. nil: all may.
	Trusted func(ctx context.Context, s Skill) error
	// Log is where a run is noted when the skill's own log cannot be written; nil: nowhere.
	Log *slog.Logger
	// Mask puts placeholders in the place of secrets in what the model reads; nil: there are none.
	Mask func(text string) string
	// Lang is the language of progress, "zh" or "en"; empty is English.
	Lang string
}

// Pipelines are the pipelines of a work directory.
type Pipelines struct {
	o Options
}

// New makes pipelines. The settings of the skills are read; nothing is run or written.
func New(o Options) (*Pipelines, error) {
	if o.WorkDir == "" || o.KV == nil || o.Run == nil || o.Ask == nil {
		return nil, errors.New("pipeline: WorkDir, KV, Run and Ask are needed")
	}
	return &Pipelines{o: o}, nil
}

// Tools gives run_NAME_pipeline for each skill.
func (p *Pipelines) Tools() []agent.Tool { return nil }

// Hook has to be among the agent's hooks: it tells a call that is made for the first time from one that goes on after a
// crash.
func (p *Pipelines) Hook() agent.Hook { return agent.Hook{Name: "pipeline"} }

// Problems lists what is wrong with the settings of the skills.
func (p *Pipelines) Problems() []Problem { return nil }
