package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/rewind"
)

// Rewinder brings chat and files of one session back.
type Rewinder struct {
	// Files has the checkpoints of where the session works.
	Files *rewind.Rewind
	// Do runs fn on a session between runs: engine.Local.Do.
	Do func(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error) error
}

// runPatience is how long a rewind waits for the session: more than opening one takes, and not for the end of a run.
const runPatience = 3 * time.Second

// between is Do, but refuses what would have to wait for the end of a run, here or in another process: who asks for it
// would see nothing happen, and get something else than they have seen.
func (r *Rewinder) between(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var decided atomic.Bool
	timer := time.AfterFunc(runPatience, func() {
		if decided.CompareAndSwap(false, true) {
			stop(usage(msg.ModeBusy))
		}
	})
	defer timer.Stop()
	return r.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error {
		if !decided.CompareAndSwap(false, true) {
			return usage(msg.ModeBusy)
		}
		return fn(ctx, a, s, emit)
	})
}

// Words behind /rewind N and /redo.
const (
	wordYes   = "yes"
	wordForce = "force"
	wordRedo  = "redo"
	wordJSON  = "json"
)

// rewindCommands go back and forward again.
func rewindCommands() []Command {
	return []Command{
		{
			Name: "rewind", Args: "[N|#SEQ [json|yes|force] [SUM]]", Help: msg.HelpRewind, Slash: true, Max: 3,
			Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
				if len(in.Args) == 0 {
					return Outcome{}, listTurns(ctx, h, in)
				}
				seq, bySeq := strings.CutPrefix(in.Args[0], "#")
				n, err := strconv.ParseInt(seq, 10, 64)
				if err != nil || n < 1 {
					return Outcome{}, usage(msg.BadNumber, "/rewind", in.Args[0])
				}
				return Outcome{}, slashRewind(ctx, h, in, in.Args[1:], "/rewind "+in.Args[0], planTurn(n, bySeq))
			},
		},
		{
			Name: wordRedo, Args: "[json|yes|force] [SUM]", Help: msg.HelpRedo, Slash: true, Max: 2,
			Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
				return Outcome{}, slashRewind(ctx, h, in, in.Args, "/redo", planRedo)
			},
		},
		{
			Name: "session rewind", Args: "ID SEQ|redo", Help: msg.HelpSessionRewind, Shell: true, Min: 2, Max: 2,
			Flags: []Flag{
				{Name: "dry-run", Default: "false", Help: msg.FlagDryRun},
				{Name: wordYes, Default: "false", Help: msg.FlagYes},
				{Name: wordForce, Default: "false", Help: msg.FlagForce},
			},
			Run: sessionRewind,
		},
	}
}

type planner func(ctx context.Context, r *rewind.Rewind, s *agent.Session) (*rewind.Plan, error)

// planTurn goes back to before the turn whose message is event n, or to before the last n turns.
func planTurn(n int64, bySeq bool) planner {
	return func(ctx context.Context, r *rewind.Rewind, s *agent.Session) (*rewind.Plan, error) {
		turns, err := r.Turns(ctx, s)
		if err != nil {
			return nil, err
		}
		at := len(turns) - int(min(n, int64(len(turns)+1)))
		if bySeq {
			at = slices.IndexFunc(turns, func(t rewind.Turn) bool { return t.Seq == n })
		}
		switch {
		case at >= 0:
			return r.Plan(ctx, s, turns[at].Seq)
		case s.Compacted() > 0:
			return nil, usage(msg.RewindBehind)
		case bySeq:
			return nil, usage(msg.RewindNoTurn, n)
		}
		return nil, usage(msg.RewindFewTurns, len(turns))
	}
}

func planRedo(ctx context.Context, r *rewind.Rewind, s *agent.Session) (*rewind.Plan, error) {
	return r.PlanRedo(ctx, s)
}

// rewinder is the host's, for this session.
func rewinder(ctx context.Context, h *Host, session string) (*Rewinder, error) {
	if h.Rewind == nil {
		return nil, usage(msg.RewindOff)
	}
	r, err := h.Rewind(ctx, session)
	if err == nil && r == nil {
		err = usage(msg.RewindOff)
	}
	return r, err
}

func listTurns(ctx context.Context, h *Host, in Input) error {
	r, err := rewinder(ctx, h, in.Session)
	if err != nil {
		return err
	}
	var turns []rewind.Turn
	behind := false
	err = r.between(ctx, in.Session, func(ctx context.Context, _ *agent.Agent, s *agent.Session, _ func(agent.Event)) (err error) {
		behind = s.Compacted() > 0
		turns, err = r.Files.Turns(ctx, s)
		return err
	})
	if err != nil {
		return err
	}
	if behind {
		if err := in.printf("%s\n", h.Msg.Text(msg.RewindBehind)); err != nil || len(turns) == 0 {
			return err
		}
	}
	if len(turns) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.RewindNoTurns))
	}
	for i, t := range turns {
		note := ""
		switch {
		case t.Gone:
			note = h.Msg.Text(msg.RewindTurnGone)
		case len(t.Files) > 0:
			note = h.Msg.Text(msg.RewindTurnFiles, len(t.Files), clip(strings.Join(t.Files, ", "), 60))
		}
		if err := in.printf("%3d  #%-5d %s  %s\n", len(turns)-i, t.Seq, clip(firstLine(t.Text), 60), note); err != nil {
			return err
		}
	}
	return in.printf("%s\n", h.Msg.Text(msg.RewindHowTo))
}

// slashRewind shows what would be done, with json for a program; with yes or force behind the command it does it. A sum behind
// that says what was shown: only that is done.
func slashRewind(ctx context.Context, h *Host, in Input, words []string, line string, plan planner) error {
	word, sum := "", ""
	if len(words) > 0 {
		word = words[0]
	}
	if len(words) > 1 {
		sum = words[1]
	}
	do := word == wordYes || word == wordForce
	if word != "" && word != wordJSON && !do || sum != "" && !do {
		return usage(msg.SlashArgs, line+" [json|yes|force] [SUM]")
	}
	if do {
		return carryOut(ctx, h, in, summed(plan, sum), nil, word == wordForce)
	}
	if word == wordJSON {
		return previewJSON(ctx, h, in, plan)
	}
	p, err := preview(ctx, h, in, plan)
	if err != nil {
		return err
	}
	if p.Gone || p.Conflicts() > 0 {
		return in.printf("%s\n", h.Msg.Text(msg.RewindConfirmForce, line))
	}
	return in.printf("%s\n", h.Msg.Text(msg.RewindConfirm, line))
}

// summed refuses a plan that is not the one whose sum was told.
func summed(plan planner, sum string) planner {
	return func(ctx context.Context, r *rewind.Rewind, s *agent.Session) (*rewind.Plan, error) {
		p, err := plan(ctx, r, s)
		if err == nil && sum != "" && sum != p.Sum() {
			err = rewind.ErrStale
		}
		return p, err
	}
}

// previewJSON is a preview for a program: the plan, its sum, whether it wants force, and the text that a person would read.
func previewJSON(ctx context.Context, h *Host, in Input, plan planner) error {
	var text strings.Builder
	said := in
	said.Out, said.JSON = &text, false
	p, err := preview(ctx, h, said, plan)
	if err != nil {
		return err
	}
	return printJSON(in, struct {
		Sum   string       `json:"sum"`
		Force bool         `json:"force"`
		Text  string       `json:"text"`
		Plan  *rewind.Plan `json:"plan"`
	}{p.Sum(), p.Gone || p.Conflicts() > 0, text.String(), p})
}

// preview plans and prints the plan.
func preview(ctx context.Context, h *Host, in Input, plan planner) (*rewind.Plan, error) {
	r, err := rewinder(ctx, h, in.Session)
	if err != nil {
		return nil, err
	}
	var p *rewind.Plan
	err = r.between(ctx, in.Session, func(ctx context.Context, _ *agent.Agent, s *agent.Session, _ func(agent.Event)) (err error) {
		p, err = plan(ctx, r.Files, s)
		return err
	})
	if err != nil {
		return nil, rewindError(err)
	}
	if in.JSON {
		return p, printJSON(in, p)
	}
	return p, printPlan(h, in, p)
}

// carryOut performs the plan that was shown, or without one a new plan.
func carryOut(ctx context.Context, h *Host, in Input, plan planner, shown *rewind.Plan, force bool) error {
	r, err := rewinder(ctx, h, in.Session)
	if err != nil {
		return err
	}
	var res rewind.Result
	done := msg.RewindDone
	err = r.between(ctx, in.Session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) (err error) {
		p := shown
		if p == nil {
			if p, err = plan(ctx, r.Files, s); err != nil {
				return err
			}
		}
		if p.Redo {
			done = msg.RedoDone
		} else if h.Team != nil { // what sub-agents would go on with is being taken back
			if err = h.Team.TakeBack(ctx, in.Session, p.Void.From); err != nil {
				return err
			}
		}
		res, err = r.Files.Perform(ctx, a, s, p, force)
		return err
	})
	if err != nil {
		return rewindError(err)
	}
	if in.JSON {
		return printJSON(in, res)
	}
	for _, f := range res.Left {
		if err := printFile(h, in, f); err != nil {
			return err
		}
	}
	return in.printf("%s\n", h.Msg.Text(done, len(res.Done), len(res.Left), res.Event))
}

// rewindError says what a person can do about it.
func rewindError(err error) error {
	for sentinel, key := range map[error]msg.Key{
		rewind.ErrNoRedo: msg.RewindNoRedo, rewind.ErrStale: msg.RewindStale, rewind.ErrGone: msg.RewindGone,
	} {
		if errors.Is(err, sentinel) {
			return usage(key)
		}
	}
	if errors.Is(err, rewind.ErrRange) {
		return &UsageError{err}
	}
	return err
}

func printPlan(h *Host, in Input, p *rewind.Plan) error {
	head := h.Msg.Text(msg.RewindHead, p.Void.From)
	if p.Redo {
		head = h.Msg.Text(msg.RedoHead)
	}
	if err := in.printf("%s\n", head); err != nil {
		return err
	}
	var notes []string
	for i, f := range byWeight(p.Files) {
		if i == maxShown {
			notes = append(notes, h.Msg.Text(msg.RewindMoreFiles, len(p.Files)-i))
			break
		}
		if err := printFile(h, in, f); err != nil {
			return err
		}
	}
	if len(p.Files) == 0 {
		notes = append(notes, h.Msg.Text(msg.RewindNoFiles))
	}
	if len(p.Others) > 0 {
		notes = append(notes, h.Msg.Text(msg.RewindOthers, clip(strings.Join(p.Others, ", "), 200)))
	}
	if p.Gone {
		notes = append(notes, h.Msg.Text(msg.RewindGone))
	}
	notes = append(notes, h.Msg.Text(msg.RewindStays))
	return in.printf("%s\n", strings.Join(notes, "\n"))
}

// maxShown is how many files a preview names; as JSON it names all.
const maxShown = 100

// byWeight puts first what will not be done.
func byWeight(files []rewind.File) []rewind.File {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b rewind.File) int { return cmp.Compare(b.Lost+b.Conflict, a.Lost+a.Conflict) })
	return files
}

func printFile(h *Host, in Input, f rewind.File) error {
	word := map[rewind.Action]msg.Key{
		rewind.Restore: msg.RewindRestore, rewind.Create: msg.RewindCreate, rewind.Remove: msg.RewindRemove,
	}[f.Action]
	path := strconv.Quote(f.Path)
	if path == `"`+f.Path+`"` {
		path = f.Path
	}
	line := "  " + h.Msg.Text(word) + " " + path
	switch {
	case f.Lost != "":
		line += h.Msg.Text(msg.RewindNot, f.Lost)
	case f.Conflict != "":
		line += h.Msg.Text(msg.RewindNot, f.Conflict)
	case f.Kind == "file":
		line += " (" + strconv.FormatInt(f.Size, 10) + " B)"
	}
	return in.printf("%s\n", line)
}

// sessionRewind is the subcommand: what is there is shown, asked, and done.
func sessionRewind(ctx context.Context, h *Host, in Input) (Outcome, error) {
	id, err := Existing(ctx, h, in.Args[0])
	if err != nil {
		return Outcome{}, err
	}
	in.Session = id
	plan := planRedo
	if in.Args[1] != wordRedo {
		seq, err := strconv.ParseInt(in.Args[1], 10, 64)
		if err != nil || seq < 1 {
			return Outcome{}, usage(msg.BadNumber, "SEQ", in.Args[1])
		}
		plan = func(ctx context.Context, r *rewind.Rewind, s *agent.Session) (*rewind.Plan, error) {
			p, err := r.Plan(ctx, s, seq)
			if errors.Is(err, rewind.ErrRange) {
				err = usage(msg.RewindNoEvent, s.ID, in.Args[1], s.Seq)
			}
			return p, err
		}
	}
	quiet := in
	if in.JSON && !in.isSet("dry-run") {
		quiet.Out, quiet.JSON = io.Discard, false // the result alone is the output
	}
	p, err := preview(ctx, h, quiet, plan)
	if err != nil || in.isSet("dry-run") {
		return Outcome{}, err
	}
	if !in.isSet(wordYes) {
		if h.Options.Confirm == nil {
			return Outcome{}, usage(msg.RewindSayYes)
		}
		if h.Options.Confirm(h.Msg.Text(msg.RewindQuestion)) != Yes {
			return Outcome{}, usage(msg.RewindRefused)
		}
	}
	return Outcome{}, carryOut(ctx, h, in, plan, p, in.isSet(wordForce))
}
