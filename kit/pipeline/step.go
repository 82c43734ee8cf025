package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Exit codes of the program that mean no failure: something else has to be done first, which `next` will describe.
const (
	exitPending = 10
	exitRubric  = 11
	exitBadPath = 2
)

// An action is a part of a step that is not done twice.
type action func(ctx context.Context) error

// step does what a block says. A block that it returns has ended the run.
func (r *run) step(ctx context.Context, b *Block) (*Block, error) {
	r.report.begin(r.rec.Step, b)
	command := strings.TrimSpace(b.Run)
	switch {
	case b.Type != SubAgent && b.Type != Bash:
		return nil, stopped("step %q has TYPE %q, which is none of llm_subagent, bash, terminal", b.Step, b.Type)
	case r.mustFollow(b, command), b.Type == Bash && command == "" && r.noted(b) != "":
		return nil, r.follow(ctx, b)
	case b.Type == Bash && command == "":
		return nil, stopped("step %q is of type bash and has no RUN", b.Step)
	case r.special != nil && r.special.wanted(b):
		return r.special.step(ctx, r, b)
	case b.Type == Bash:
		return nil, r.perform(ctx, []action{r.commands(command)})
	}
	return nil, r.subAgents(ctx, b, command)
}

// subAgents does a step of sub-agents and what has to run before or after them.
func (r *run) subAgents(ctx context.Context, b *Block, command string) error {
	jobs, err := r.jobs(b)
	if err != nil {
		return err
	}
	for _, j := range jobs { // what was done, and is gone since, is done again
		if j.file && r.rec.Stage > 0 && !isFile(j.to.full) {
			r.rec.Stage = 0
			if err := r.save(ctx); err != nil { // the processes of a command are known by its stage
				return err
			}
		}
	}
	var actions []action
	if command != "" && runFirst(b.Notes) {
		actions, command = append(actions, r.commands(command)), ""
	}
	for i := range jobs {
		actions = append(actions, func(ctx context.Context) error { return r.subAgent(ctx, b, jobs, i) })
	}
	if command != "" {
		actions = append(actions, r.commands(command))
	}
	return r.perform(ctx, actions)
}

// perform does the actions that are not done yet.
func (r *run) perform(ctx context.Context, actions []action) error {
	for i := r.rec.Stage; i < len(actions); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := actions[i](ctx); err != nil {
			return err
		}
		r.rec.Stage = i + 1
		if err := r.save(ctx); err != nil {
			return err
		}
	}
	return nil
}

// mustFollow reports whether a block came again although what it asks for is there: then the command in its note is
// what is missing.
func (r *run) mustFollow(b *Block, command string) bool {
	if r.rec.Seen < 2 || r.rec.Followed || command != "" || r.rec.Stage > 0 || r.noted(b) == "" {
		return false
	}
	for file := range r.outputs(b) {
		if !isFile(file) {
			return false
		}
	}
	return true
}

// follow runs the command that stands in a note.
func (r *run) follow(ctx context.Context, b *Block) error {
	err := r.commands(r.noted(b))(ctx)
	r.rec.Followed = true
	return err
}

// noted is the command in a block's note, with the program as the note writes it.
func (r *run) noted(b *Block) string {
	if c := notesCommand(b.Notes, r.entry); c != "" {
		return c
	}
	return notesCommand(b.Notes, skillDirWord+"/"+filepath.ToSlash(r.set.Entry))
}

// commands runs the commands of a step, once more if they fail.
func (r *run) commands(command string) action {
	return r.filledCommands(insert(command, r.shellWords()))
}

func (r *run) filledCommands(command string) action {
	return func(ctx context.Context) error {
		what := r.brief(command)
		for try := 1; ; try++ {
			begun := time.Now()
			out, err := r.o.Run(ctx, Command{
				Call: r.call, ID: fmt.Sprintf("step-%d-run", r.rec.Step), Skill: r.skill, Text: command, Own: r.own(),
				Env: r.runEnv(), Timeout: r.set.BashTimeout,
			})
			took := time.Since(begun).Round(100 * time.Millisecond)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return stopped("%s did not run: %w", what, err).as(msg.Errorf(msg.PipelineNotRun, gist(command, r.set.Interpreter), err))
			}
			r.log.info("ran", "command", command, "status", out.Status, "took", took.String(), "output", text.Cut(text.Clean(out.Output), maxLogged, ""), "stderr", out.Errors)
			shown := gist(command, r.set.Interpreter)
			if out.failed() {
				shown = r.msg().Text(msg.PipelineRanWith, shown, how(&out))
			}
			r.report.current().tell(shown, "ran: %s: %s, %s", what, orText(out.Status, "exit status 0"), took)
			switch {
			case !out.failed(), out.Code == exitPending || out.Code == exitRubric:
				return nil
			case out.Code == exitBadPath:
				return r.failed(what, &out, errors.New("exit status 2: a bad argument or path")).as(msg.Errorf(msg.PipelineEndedWith, gist(command, r.set.Interpreter), how(&out)))
			case try < 2:
				continue
			case out.TimedOut:
				return r.failed(what, &out, fmt.Errorf("it did not end within %s, twice", r.set.BashTimeout)).as(msg.Errorf(msg.PipelineTooSlow, gist(command, r.set.Interpreter), r.set.BashTimeout))
			}
			return r.failed(what, &out, fmt.Errorf("it ended with %s, twice", out.Status)).as(msg.Errorf(msg.PipelineEndedWith, gist(command, r.set.Interpreter), how(&out)))
		}
	}
}

// how is how a command ended, as short as may be.
func how(o *Outcome) string {
	if o.TimedOut || o.Code < 0 {
		return orText(o.Status, strconv.Itoa(o.Code))
	}
	return "exit " + strconv.Itoa(o.Code)
}

func (o *Outcome) failed() bool { return o.TimedOut || o.Code != 0 }

// job is the work of one sub-agent.
type job struct {
	prompt string // path of the file; empty: there is none
	to     target
	file   bool // its reply becomes a file
}

// jobs are the sub-agents of a step: one, or several of which each gets what the one before has made.
func (r *run) jobs(b *Block) ([]job, error) {
	var prompts []string
	for _, line := range b.Prompt {
		line = r.fill(line)
		parts := splitThen(line)
		if _, whole, _ := r.paths.find(line); whole || !r.allFiles(parts) {
			parts = []string{line}
		}
		prompts = append(prompts, parts...)
	}
	var outputs []string
	for _, line := range b.Output {
		line = r.fill(line)
		if parts := splitThen(line); len(prompts) > 1 || r.allOutputs(parts) {
			outputs = append(outputs, parts...)
		} else {
			outputs = append(outputs, line)
		}
	}
	list := make([]job, max(1, len(prompts)))
	for i := range list {
		if i < len(prompts) {
			file, ok, err := r.paths.find(prompts[i])
			if err == nil && !ok {
				err = errors.New("there is no such file")
			}
			if err != nil {
				return nil, stopped("PROMPT %s: %v", prompts[i], err)
			}
			list[i].prompt = file
		}
		k := i - max(0, len(list)-len(outputs)) // fewer outputs than prompts are those of the last ones
		if k < 0 || k >= len(outputs) {
			continue
		}
		var err error
		if list[i].to, list[i].file, err = r.paths.output(outputs[k]); err != nil {
			return nil, stopped("%v", err)
		}
	}
	return list, nil
}

func (r *run) allFiles(parts []string) bool {
	for _, p := range parts {
		if _, ok, err := r.paths.find(p); !ok || err != nil {
			return false
		}
	}
	return true
}

func (r *run) allOutputs(parts []string) bool {
	for _, p := range parts {
		if _, ok, err := r.paths.output(p); !ok || err != nil {
			return false
		}
	}
	return true
}

// splitThen divides what is done one after the other.
func splitThen(line string) []string {
	return regexp.MustCompile(`\s+(?i:then)\s+`).Split(line, -1)
}

// subAgent has one sub-agent work, and writes its reply.
func (r *run) subAgent(ctx context.Context, b *Block, jobs []job, i int) error {
	j := jobs[i]
	task, err := r.task(ctx, b, jobs, i)
	if err != nil {
		return err
	}
	said, err := r.have(ctx, b, task)
	if err != nil {
		return err
	}
	err = r.keep(ctx, j, i, said)
	if errors.Is(err, ErrReply) { // once more, with a word about it
		task.ID += "-again"
		task.Text += fmt.Sprintf("\nAn earlier reply could not be written: %v\n", err)
		if said, err = r.have(ctx, b, task); err == nil {
			err = r.keep(ctx, j, i, said)
		}
	}
	return err
}

// keep makes of a reply what it is for: a file, or words for the next sub-agent.
func (r *run) keep(ctx context.Context, j job, i int, said string) error {
	r.replies[i] = said
	r.log.info("sub-agent", "prompt", j.prompt, "reply", text.Cut(said, maxLogged, ""))
	from := "sub-agent"
	if j.prompt != "" {
		from += " " + r.short(j.prompt)
	}
	if !j.file {
		r.report.current().tell(r.msg().Text(msg.PipelineReplied, len(said)), "%s: a reply of %d bytes", from, len(said))
		return nil
	}
	data := fileText(j.to.rel, said)
	if strings.TrimSpace(data) == "" {
		r.report.current().tell(r.msg().Text(msg.PipelineNoReply, r.short(j.to.full)), "%s: an empty reply, %s is not written", from, r.short(j.to.full))
		return nil
	}
	if err := r.write(ctx, j.to, data); err != nil {
		return stopped("%w", err)
	}
	r.report.current().tell(r.msg().Text(msg.PipelineWrote, r.short(j.to.full), len(data)), "%s: %s, %d bytes", from, r.short(j.to.full), len(data))
	return nil
}

// fileText is what a reply is as a file: what stands in a code fence alone is taken out of it, and a JSON file is looked for
// in the reply.
func fileText(name, reply string) string {
	reply = strings.TrimSpace(reply)
	if strings.EqualFold(filepath.Ext(name), ".json") {
		if raw, ok := findJSON(reply); ok {
			reply = raw
		}
	} else if inner, ok := unfence(reply, strings.ToLower(filepath.Ext(name)) == ".md"); ok {
		reply = inner
	}
	if reply == "" {
		return ""
	}
	return reply + "\n"
}

// have has a sub-agent do a task. What it has spent is kept before anything is made of its reply, and counts once, however
// often a task is asked for again after a crash.
func (r *run) have(ctx context.Context, b *Block, t Task) (string, error) {
	reply, err := r.o.Ask(ctx, t)
	if (reply.Usage != nil || reply.Steps > 0) && r.rec.Counted != t.ID {
		if r.rec.Usage == nil {
			r.rec.Usage = &agent.Usage{}
		}
		r.rec.Usage.Add(reply.Usage)
		r.rec.Steps += reply.Steps
		r.rec.Counted = t.ID
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", stopped("the sub-agent of step %q: %w", b.Step, err).as(msg.Errorf(msg.PipelineAgentFailed, err))
	}
	return reply.Text, r.save(ctx)
}

// brief is a command as people read it: on one line, with short paths.
func (r *run) brief(command string) string {
	short := strings.NewReplacer(r.entry, filepath.ToSlash(r.set.Entry), r.rec.Dir, r.folder(), r.skill.Dir, r.skill.Name, "\n", "; ")
	return text.Head(short.Replace(command), maxBrief)
}

// short is a path as people read it.
func (r *run) short(path string) string {
	if rel, err := filepath.Rel(r.rec.Dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(r.skill.Dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
