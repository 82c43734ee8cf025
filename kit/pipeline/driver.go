package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// run is one call of a pipeline's tool.
type run struct {
	o      *Options
	skill  Skill
	set    Settings
	entry  string
	call   string
	states states
	paths  paths
	hold   func(dir string) bool // takes the run folder; false: another call has it
	log    *journal
	report report
	// special is for query injection and questions out of scope; nil when both are switched off.
	special *special

	rec     record
	rev     int64
	resumed bool
	first   int            // steps that were done before this call
	died    bool           // the process that drove the run has died in the middle
	found   bool           // the folder was found by its question
	at      string         // the step under way; empty between two steps
	replies map[int]string // of the sub-agents of the step under way
}

// The limits that no skill sets.
const (
	nextTimeout  = time.Minute // it only reads
	maxSame      = 3           // times that a block may come while nothing changes
	maxSeen      = 10          // times that it may come while nothing but its own outputs changes
	maxIdle      = 20          // steps in a row, of whatever blocks, that change nothing
	maxHandshake = 3
)

// stop says why a run cannot go on: in full for the model, and in a line for the person where there is a shorter one.
type stop struct {
	full  error
	shown error
}

// Error is the text for the model.
func (s *stop) Error() string { return s.full.Error() }

// Unwrap gives what it is made of.
func (s *stop) Unwrap() error { return s.full }

// as gives the line for the person.
func (s *stop) as(shown error) *stop { return &stop{full: s.full, shown: shown} }

func stopped(format string, args ...any) *stop { return &stop{full: fmt.Errorf(format, args...)} }

// drive does step after step until the program says that the run has ended.
func (r *run) drive(ctx context.Context) (*Block, error) {
	for {
		b, err := r.due(ctx)
		if err != nil {
			return nil, err
		}
		if r.set.ends(b) {
			return b, nil
		}
		if err := r.arrive(ctx, b); err != nil {
			return nil, err
		}
		begun := time.Now()
		r.announce(ctx, b)
		end, err := r.step(ctx, b)
		r.finished(ctx, b, time.Since(begun), err)
		if err != nil {
			return nil, err
		}
		r.rec.Closed = true
		if err := r.save(ctx); err != nil {
			return nil, err
		}
		if end != nil {
			return end, nil
		}
	}
}

// due is the block that is to be done now. A step that was left halfway is finished first: from what was kept of it where
// the process has died in it; where the run has stopped in it, only if the program does not speak of that step any more,
// since somebody may have mended it.
func (r *run) due(ctx context.Context) (*Block, error) {
	half := r.rec.Under
	if r.rec.Closed {
		half = nil
	}
	died := r.died
	r.died = false
	if half != nil && died {
		return half, nil
	}
	b, err := r.next(ctx)
	if err == nil && half != nil && r.rec.Stage > 0 && (b.State != half.State || b.Step != half.Step) {
		return half, nil
	}
	return b, err
}

// halfway is what has to be kept of a block, see [record]. nil: nothing.
func halfway(b *Block) *Block {
	if b.Type != SubAgent || strings.TrimSpace(b.Run) == "" {
		return nil
	}
	kept := *b
	kept.Outside = ""
	return &kept
}

// next asks the program what to do.
func (r *run) next(ctx context.Context) (*Block, error) {
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out, err := r.o.Run(ctx, Command{
			Call: r.call, ID: fmt.Sprintf("next-%d", r.rec.Step), Skill: r.skill, Text: quoted(r.nextArgs()), Args: r.nextArgs(), Own: r.own(),
			Env: r.env(), Timeout: min(nextTimeout, r.set.BashTimeout),
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		what := r.brief(quoted(r.nextArgs()[:3])) + " …"
		if err != nil {
			return nil, stopped("%s did not run: %w", what, err).as(msg.Errorf(msg.PipelineNotRun, gist(quoted(r.nextArgs()[:3]), r.set.Interpreter), err))
		}
		b, err := r.read(&out)
		switch {
		case err == nil:
			if b.Outside != "" {
				r.log.info("printed around the block", "text", text.Cut(b.Outside, maxLogged, ""))
			}
			return b, nil
		case errors.Is(err, errAgain) && try < maxHandshake:
			r.log.info("next wants to be called again", "exit", out.Code)
		default:
			return nil, r.failed(what, &out, err).as(msg.Errorf(msg.PipelineNextFailed, gist(quoted(r.nextArgs()[:3]), r.set.Interpreter), err))
		}
	}
}

var errAgain = errors.New("it wants to be called again")

// read makes a block of what `next` printed.
func (r *run) read(out *Outcome) (*Block, error) {
	switch {
	case out.TimedOut:
		return nil, fmt.Errorf("it did not end within %s", min(nextTimeout, r.set.BashTimeout))
	case out.Lost > 0:
		return nil, fmt.Errorf("%w: %d bytes and more", ErrTooLong, int64(len(out.Output))+out.Lost)
	}
	handshake := out.Code == exitPending || out.Code == exitRubric
	if out.Code != 0 && !handshake {
		return nil, fmt.Errorf("it ended with %s", out.Status)
	}
	b, err := Parse(out.Output)
	if !errors.Is(err, ErrNoBlock) {
		return b, err
	}
	for line := range strings.Lines(clean(out.Output)) {
		if line = strings.TrimSpace(line); r.set.signal(line) != "" {
			return &Block{State: line, Type: Terminal}, nil
		}
	}
	switch {
	case handshake:
		return nil, errAgain
	case strings.TrimSpace(clean(out.Output)) == "":
		return nil, errors.New("it printed nothing")
	}
	return nil, err
}

func (r *run) nextArgs() []string {
	args := []string{r.set.Interpreter, r.entry}
	words := strings.NewReplacer(r.pairs()...)
	for _, a := range r.set.NextArgs {
		args = append(args, words.Replace(a))
	}
	return args
}

// own are the beginnings of commands that are the skill's own program.
func (r *run) own() [][]string {
	var out [][]string
	entries := []string{r.entry}
	if to, err := filepath.EvalSymlinks(r.entry); err == nil && to != r.entry {
		entries = append(entries, to)
	}
	interpreters := []string{r.set.Interpreter}
	if r.set.Interpreter != "python3" && strings.HasSuffix(r.entry, ".py") {
		interpreters = append(interpreters, "python3")
	}
	for _, e := range entries {
		for _, i := range interpreters {
			out = append(out, []string{i, e})
		}
	}
	return out
}

// words are what stands for the placeholders.
func (r *run) words() map[string]string {
	w := map[string]string{
		runDirWord: r.rec.Dir, skillDirWord: r.skill.Dir, skillWord: r.skill.Name, queryWord: r.rec.Query, slugWord: r.rec.Slug,
	}
	for word, value := range r.set.Placeholders {
		if _, builtIn := w[word]; !builtIn {
			w[word] = value
		}
	}
	return w
}

// shellWords are the same for commands: what a person or a model has written does not begin a command of its own, even
// where a template hands it to another shell (bash -c '… {query} …', eval).
func (r *run) shellWords() map[string]string {
	w := r.words()
	w[queryWord] = harmless(w[queryWord])
	return w
}

func (r *run) pairs() []string {
	var out []string
	for word, value := range r.words() {
		out = append(out, word, value)
	}
	return out
}

// arrive takes a block in: as the one that was under way when the process died, as one that comes again, or as the next.
func (r *run) arrive(ctx context.Context, b *Block) error {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{b.State, b.Step, b.Type, b.Do, b.Notes, b.Prompt, b.Input, b.Output, b.Run, b.Other}))
	hash := hex.EncodeToString(sum[:12])
	r.replies = map[int]string{}
	if hash == r.rec.Block && !r.rec.Closed {
		return nil // it goes on where it was
	}
	if r.rec.Step-r.rec.Before >= r.set.MaxSteps {
		return stopped("max_steps: %d steps are done, and the pipeline has not ended", r.set.MaxSteps).as(msg.Errorf(msg.PipelineMaxSteps, r.set.MaxSteps))
	}
	disk := fingerprint(r.rec.Dir, nil)
	others := fingerprint(r.rec.Dir, r.outputs(b))
	again := hash == r.rec.Block
	seen, same, followed := 1, 1, false
	if again {
		followed = r.rec.Followed
		if others == r.rec.Others {
			seen = r.rec.Seen + 1
		}
		if disk == r.rec.Disk {
			same = r.rec.Same + 1
		}
	}
	if same >= maxSame || seen >= maxSeen {
		return stopped("step %q came %d times, and nothing in %s has changed meanwhile but what the step itself writes: the pipeline would go round for ever",
			b.Step, max(same, seen), r.rec.Dir).as(msg.Errorf(msg.PipelineRound, short(b.Step)))
	}
	idle := 0
	if disk == r.rec.Disk {
		idle = r.rec.Idle + 1
	}
	if idle >= maxIdle {
		return stopped("the last %d steps have changed nothing in %s, the last one is %q: the pipeline would go round for ever", idle, r.rec.Dir, b.Step).as(msg.Errorf(msg.PipelineRound, short(b.Step)))
	}
	r.rec.Step++
	r.rec.Block, r.rec.Stage, r.rec.Closed, r.rec.Under = hash, 0, false, halfway(b)
	r.rec.Seen, r.rec.Same, r.rec.Idle, r.rec.Disk, r.rec.Others, r.rec.Followed = seen, same, idle, disk, others, followed
	return r.save(ctx)
}

// outputs are the files that a block's step writes by itself.
func (r *run) outputs(b *Block) map[string]bool {
	out := map[string]bool{}
	for _, line := range b.Output {
		for _, part := range splitThen(r.fill(line)) {
			if t, ok, err := r.paths.output(part); ok && err == nil {
				out[t.full] = true
			}
		}
	}
	return out
}

// fill replaces placeholders in a line that no shell reads.
func (r *run) fill(line string) string { return strings.NewReplacer(r.pairs()...).Replace(line) }

func (r *run) save(ctx context.Context) error {
	rev, err := r.states.save(ctx, &r.rec, r.rev)
	r.rev = rev
	return err
}

// failed is the error of a program, with what it printed.
func (r *run) failed(what string, out *Outcome, err error) *stop {
	said := text.Clean(out.Output)
	if out.Lost > 0 {
		said += fmt.Sprintf("\n[%d bytes are missing here or further up]", out.Lost)
	}
	said = text.Cut(strings.TrimSpace(said), maxShown, "")
	if e := strings.TrimSpace(out.Errors); e != "" {
		said += "\n[standard error]\n" + text.Cut(e, maxShown, "")
	}
	if out.Why != "" {
		said += "\n" + out.Why
	}
	if strings.TrimSpace(said) == "" {
		said = "(no output)"
	}
	r.log.info("failed", "command", what, "error", err.Error(), "output", text.Cut(text.Clean(out.Output), maxLogged, ""), "stderr", out.Errors)
	return stopped("%s: %s\n%s", what, err, strings.TrimSpace(said))
}

// announce shows the step that begins.
func (r *run) announce(ctx context.Context, b *Block) {
	r.at = b.Step
	line := r.msg().Text(msg.PipelineStep, r.rec.Step, short(b.State), short(b.Step), r.describe(b))
	agent.Progress(ctx, r.mask(line))
	r.log.info("step", "n", r.rec.Step, "state", b.State, "step", b.Step, "type", string(b.Type), "run", b.Run, "output", strings.Join(b.Output, "; "))
}

// finished shows what became of it.
func (r *run) finished(ctx context.Context, b *Block, took time.Duration, err error) {
	took = took.Round(time.Millisecond * 100)
	entry := r.report.current()
	if err != nil {
		entry.add("%s: %s", failedWord(err), firstLine(err.Error()))
		agent.Progress(ctx, r.mask(r.msg().Text(msg.PipelineStepFailed, r.rec.Step, short(b.Step), took, short(r.reason(err)))))
		r.log.info("step failed", "n", r.rec.Step, "took", took.String(), "error", err.Error())
		return
	}
	r.at = ""
	agent.Progress(ctx, r.mask(r.msg().Text(msg.PipelineStepDone, r.rec.Step, short(b.Step), took, short(entry.shown))))
	r.log.info("step done", "n", r.rec.Step, "took", took.String())
}

// reason is in a line for the person why a run cannot go on.
func (r *run) reason(err error) string {
	if failedWord(err) == "cancelled" {
		return r.msg().Text(msg.PipelineInterrupted)
	}
	if s, ok := errors.AsType[*stop](err); ok && s.shown != nil {
		return firstLine(r.msg().Err(s.shown))
	}
	return firstLine(r.msg().Err(err))
}

func (r *run) msg() msg.Catalogue { return msg.For(msg.Lang(r.o.Lang)) }

func (r *run) mask(s string) string {
	if r.o.Mask == nil {
		return s
	}
	return r.o.Mask(s)
}

func failedWord(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "cancelled"
	}
	return "failed"
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
