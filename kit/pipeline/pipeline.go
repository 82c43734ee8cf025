package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
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
	// Text is for the shell, one command a line; the first that fails ends it. With Args it only says what they mean: they
	// are a program and its arguments, the skill's own, to be run without a shell.
	Text string
	Args []string
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

// Reply is what a sub-agent came back with. Usage is what it has spent, Steps how many model calls it made, known also
// beside an error.
type Reply struct {
	Text  string
	Usage *agent.Usage
	Steps int
}

// Files reads and writes what the model of a sub-agent sees and says. Paths are absolute, and in the run folder where they
// are written; call is the key of the tool call. It may be used by many calls at once.
type Files interface {
	// Read gives the text of a file as a model may see it. The error says why it may not be read, or cannot be.
	Read(ctx context.Context, call, path string) (string, error)
	// Write makes a file of what a model said, byte for byte but for what was hidden from it, in one piece: a failure leaves
	// what there was. The error says why it may not, or could not; [ErrReply] is in it when another text could be written.
	Write(ctx context.Context, call, path, content string) error
}

// ErrReply says that a reply cannot become this file, and another one might.
var ErrReply = errors.New("pipeline: the reply cannot be written")

// Options of [New]. WorkDir, KV, Run, Ask and Files are required.
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
	// Files is the way of a sub-agent's files. What the driver needs for itself it reads directly.
	Files Files
	// Trusted says whether the skill's program may run; the error tells why not. nil: all may.
	Trusted func(ctx context.Context, s Skill) error
	// Log is where a run is noted when the skill's own log cannot be written; nil: nowhere.
	Log *slog.Logger
	// Mask puts placeholders in the place of secrets in what the model reads; nil: there are none.
	Mask func(text string) string
	// Avoid are texts that no run folder's name may hold, since it stands in the commands of its run: a list of words for which
	// commands are refused.
	Avoid []string
	// Lang is the language of progress, "zh" or "en"; empty is English.
	Lang string
}

// Pipelines are the pipelines of a work directory.
type Pipelines struct {
	o        Options
	list     []pipeline
	problems []Problem

	mu    sync.Mutex
	fresh map[string]bool   // calls that are made for the first time
	held  map[string]string // run folders in use here, by the call
}

// pipeline is a skill with its settings.
type pipeline struct {
	skill Skill
	set   Settings
	tool  string // name
}

// New makes pipelines. The settings of the skills are read; nothing is run or written.
func New(o Options) (*Pipelines, error) {
	if !filepath.IsAbs(o.WorkDir) || o.KV == nil || o.Run == nil || o.Ask == nil || o.Files == nil {
		return nil, errors.New("pipeline: an absolute WorkDir, KV, Run, Ask and Files are needed")
	}
	to, err := filepath.EvalSymlinks(o.WorkDir)
	if err != nil {
		return nil, fmt.Errorf("pipeline: the work directory: %w", err)
	}
	o.WorkDir = to
	p := &Pipelines{o: o, fresh: map[string]bool{}, held: map[string]string{}}
	taken := map[string]bool{}
	for _, s := range o.Skills {
		set, problems := LoadSettings(s.Dir)
		for i := range problems {
			problems[i].Skill = s.Name
		}
		p.problems = append(p.problems, problems...)
		name := toolName(s.Name)
		if entry := filepath.Join(s.Dir, filepath.FromSlash(set.Entry)); !isFile(entry) {
			p.problems = append(p.problems, Problem{Skill: s.Name, File: entry, Field: "entry", Reason: msg.Errorf(msg.PipelineNoEntry), Left: true})
			continue
		}
		if taken[underscored(name)] {
			p.problems = append(p.problems, Problem{Skill: s.Name, File: s.Dir, Reason: msg.Errorf(msg.PipelineSameName, name), Left: true})
			continue
		}
		taken[underscored(name)] = true
		p.list = append(p.list, pipeline{skill: s, set: set, tool: name})
	}
	return p, nil
}

// Problems lists what is wrong with the settings of the skills.
func (p *Pipelines) Problems() []Problem { return p.problems }

// SlashMode says how /NAME puts a pipeline's skill before the model, "inline" or "reference"; empty: it is no pipeline.
func (p *Pipelines) SlashMode(skill string) string {
	for _, l := range p.list {
		if l.skill.Name == skill {
			return l.set.SlashMode
		}
	}
	return ""
}

// Tool is the name of the tool that drives a skill; empty: it is no pipeline.
func (p *Pipelines) Tool(skill string) string {
	for _, l := range p.list {
		if l.skill.Name == skill {
			return l.tool
		}
	}
	return ""
}

// toolName is run_NAME_pipeline, of signs that every vendor takes, and at most 64 of them.
func toolName(skill string) string {
	name := strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return -1
	}, skill)
	if name != skill {
		name = Slug(skill)
	}
	const around = len("run__pipeline")
	return "run_" + name[:min(len(name), 64-around)] + "_pipeline"
}

// underscored is the other name of a tool.
func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

// args are the arguments of the tool.
type args struct {
	Query  string `json:"query" doc:"the person's question or topic, in their own words"`
	RunDir string `json:"run_dir,omitempty" doc:"a run folder to go on with; leave it out to begin anew"`
}

// Tools gives run_NAME_pipeline for each skill, also under the name with underscores only.
func (p *Pipelines) Tools() []agent.Tool {
	var tools []agent.Tool
	for _, l := range p.list {
		doc := fmt.Sprintf("Run all phases of the skill %s on a question, in this one call; it may take long. Nothing has to be asked or "+
			"prepared before. The result tells what was done and ends with the final texts. A run that stopped goes on when the same query comes again.", l.skill.Name)
		run := func(ctx context.Context, c agent.Call, in args) (agent.Result, error) { return p.run(ctx, l, c, in) }
		tools = append(tools, tool(l.tool, doc, run))
	}
	return tools
}

func tool(name, doc string, run func(context.Context, agent.Call, args) (agent.Result, error)) agent.Tool {
	t := agent.NewTool(name, doc, agent.Executes, func(context.Context, args) (agent.Result, error) { return agent.Result{}, nil })
	t.Resume = true
	if under := underscored(name); under != name {
		t.Aliases = []string{under}
	}
	t.Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
		var in args
		if err := json.Unmarshal(c.Args, &in); err != nil {
			return agent.Result{}, fmt.Errorf("arguments: %w", err)
		}
		return run(ctx, c, in)
	}
	return t
}

// Hook has to be among the agent's hooks: it tells a call that is made for the first time from one that goes on after a
// crash. Sessions can have the names of earlier ones, and then their calls have the same keys.
func (p *Pipelines) Hook() agent.Hook {
	return agent.Hook{Name: "pipeline", BeforeTool: func(_ context.Context, s *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
		if !s.Started[c.Key] && slices.ContainsFunc(p.list, func(l pipeline) bool { return l.tool == t.Name }) {
			p.mu.Lock()
			p.fresh[c.Key] = true
			p.mu.Unlock()
		}
		return agent.Decision{}, nil
	}}
}

// run is the tool's work.
func (p *Pipelines) run(ctx context.Context, l pipeline, c agent.Call, in args) (agent.Result, error) {
	p.mu.Lock()
	fresh := p.fresh[c.Key]
	delete(p.fresh, c.Key)
	p.mu.Unlock()
	if CleanQuery(in.Query) == "" {
		return agent.ErrorResult("query is empty: say what the pipeline has to work on"), nil
	}
	if p.o.Trusted != nil {
		if err := p.o.Trusted(ctx, l.skill); err != nil {
			return agent.ErrorResult(msg.For(msg.En).Text(msg.PipelineUntrusted, l.skill.Name, err)), ctx.Err()
		}
	}
	skillDir := l.skill.Dir
	if to, err := filepath.EvalSymlinks(skillDir); err == nil {
		skillDir = to
	}
	r := &run{
		o: &p.o, skill: l.skill, set: l.set, entry: filepath.Join(l.skill.Dir, filepath.FromSlash(l.set.Entry)), call: c.Key,
		states: states{p.o.KV}, paths: paths{work: p.o.WorkDir, skill: skillDir}, special: newSpecial(&l.set),
	}
	name := folderName(l.skill.Name)
	ignoreRuns(p.o.WorkDir, l.set.RunDir)
	r.log = openJournal(&p.o, placed(l.set.LogFile, "", name, ""), l.skill.Name)
	defer r.log.close()
	r.hold = func(dir string) bool { return p.hold(dir, c.Key) }
	err := r.start(ctx, in.Query, in.RunDir, fresh)
	defer p.let(c.Key)
	if err != nil {
		return agent.ErrorResult(err.Error()), ctx.Err()
	}
	return r.all(ctx)
}

// hold takes a run folder for a call of this process.
func (p *Pipelines) hold(dir, call string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if by := p.held[dir]; by != "" && by != call {
		return false
	}
	p.held[dir] = call
	return true
}

func (p *Pipelines) let(call string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.held, func(_, by string) bool { return by == call })
}

// all drives the run to its end and makes the tool's result of it.
func (r *run) all(ctx context.Context) (agent.Result, error) {
	begun := time.Now()
	r.first = r.rec.Step
	if !r.rec.Closed && r.first > 0 {
		r.first-- // the one under way goes on
	}
	if r.resumed {
		agent.Progress(ctx, r.mask(r.msg().Text(msg.PipelineResumes, r.folder(), r.first)))
		if r.found {
			agent.Progress(ctx, r.msg().Text(msg.PipelineFound))
		}
	}
	r.log.info("begin", "call", r.call, "query", r.rec.Query, "dir", r.rec.Dir, "resumed", r.resumed)
	b, err := r.drive(ctx)
	outcome := "stopped"
	var res agent.Result
	if err == nil {
		outcome = r.set.outcome(b)
		r.rec.Ended = outcome
		res = agent.TextResult(r.mask(r.ended(ctx, b, outcome)))
	} else {
		if ctx.Err() != nil {
			err = stopped("the run was stopped from outside: %w", context.Cause(ctx)).as(msg.Errorf(msg.PipelineInterrupted))
		}
		res = agent.ErrorResult(r.mask(r.broken(err)))
	}
	res.Usage, res.Steps, res.Driven = r.rec.Usage, r.rec.Steps, r.rec.Steps > 0
	r.rec.Running = false
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if saveErr := r.save(keep); saveErr != nil {
		r.log.info("the state could not be kept", "error", saveErr.Error())
	}
	took := time.Since(begun)
	if err == nil {
		res.Detail = r.line(r.msg().Text(msg.PipelineEnds, r.skill.Name, outcome, took.Round(100*time.Millisecond), r.folder()))
	} else {
		res.Detail = r.line(r.whereStopped(err))
	}
	r.log.info("end", "outcome", outcome, "took", took.String())
	return res, ctx.Err()
}

// whereStopped tells the person of a run that cannot go on: at which step, why, in which folder, and how to go on.
func (r *run) whereStopped(err error) string {
	where := r.msg().Text(msg.PipelineAfterStep, r.rec.Step)
	switch {
	case r.at != "":
		where = r.msg().Text(msg.PipelineAtStep, r.rec.Step, short(r.at))
	case r.rec.Step == 0:
		where = r.msg().Text(msg.PipelineAtStart)
	}
	return r.msg().Text(msg.PipelineStopped, r.skill.Name, where, short(r.reason(err)), r.folder())
}

// line is a result's detail: what the screen shows of it, in the place of the text for the model. Progress would not do, for
// nobody hears it any more once a run is cancelled.
func (r *run) line(said string) json.RawMessage {
	detail, err := agent.EncodeJSON(map[string]string{"line": r.mask(said)})
	if err != nil { // a text always encodes
		return nil
	}
	return detail
}

// saveTime bounds the last word about a run that was cancelled.
const saveTime = 5 * time.Second
