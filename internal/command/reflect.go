package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/reflect"
)

const reflectArgs = "[last N] | stats [last N] | list | show N | apply N [yes] | undo | history | drop N"

// reflectCommand counts what was wasted and keeps what the model proposes for the system prompt. Only the person applies it.
func reflectCommand() Command {
	return Command{
		Name: "reflect", Args: reflectArgs, Help: msg.HelpReflect, Slash: true, Shell: true, Max: 3,
		Beside: true, Quick: []string{"stats", "list", "show", "apply", "undo", "history", "drop"},
		Flags: []Flag{{Name: "last", Help: msg.FlagLast}},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			return Outcome{}, reflectOn(ctx, h, in)
		},
	}
}

func reflectOn(ctx context.Context, h *Host, in Input) error {
	word, rest := "", in.Args
	if len(rest) > 0 {
		word, rest = rest[0], rest[1:]
	}
	switch word {
	case "", "last":
		return propose(ctx, h, in, in.Args, true)
	case "stats":
		return propose(ctx, h, in, rest, false)
	}
	alone := map[string]func(context.Context, *Host, Input) error{"list": listProposals, "history": reflectHistory, "undo": undoProposal}[word]
	if alone != nil && len(rest) == 0 {
		return alone(ctx, h, in)
	}
	numbered := map[string]func(context.Context, *Host, Input, int) error{"show": showProposal, "apply": applyProposal, "drop": dropProposal}[word]
	if numbered == nil || len(rest) == 0 || len(rest) > 1 && (word != "apply" || rest[1] != "yes") {
		return usage(msg.SlashArgs, "/reflect "+reflectArgs)
	}
	n, err := strconv.Atoi(rest[0])
	if err != nil {
		return usage(msg.SlashArgs, "/reflect "+reflectArgs)
	}
	return numbered(ctx, h, in, n)
}

func applyProposal(ctx context.Context, h *Host, in Input, n int) error {
	if _, err := h.Desk(ctx, in.Session).Apply(ctx, n, in.Args[len(in.Args)-1] == "yes"); err != nil {
		return refusedBy(err)
	}
	return in.printf("%s\n", h.Msg.Text(msg.ReflectDone, n))
}

func dropProposal(ctx context.Context, h *Host, in Input, n int) error {
	if err := h.Desk(ctx, in.Session).Book.Drop(ctx, n); err != nil {
		return refusedBy(err)
	}
	return in.printf("%s\n", h.Msg.Text(msg.ReflectDropped, n))
}

// refusedBy makes what was refused the person's mistake; a fault of the store stays one.
func refusedBy(err error) error {
	if _, ok := err.(msg.Translated); ok { //nolint:errorlint // what is wrapped is a fault of the store
		return &UsageError{err}
	}
	return err
}

// propose shows the statistics, and asks the model unless they are all that is wanted.
func propose(ctx context.Context, h *Host, in Input, args []string, ask bool) error {
	last := cmp.Or(in.Flags["last"], "0")
	if len(args) == 2 && args[0] == "last" {
		last, args = args[1], nil
	}
	n, err := strconv.Atoi(last)
	if err != nil || n < 0 || len(args) > 0 {
		return usage(msg.SlashArgs, "/reflect "+reflectArgs)
	}
	s, newest, err := collect(ctx, h, in.Session, n)
	switch {
	case err != nil:
		return err
	case in.JSON && !ask:
		return printJSON(in, s)
	case s.Runs == 0:
		return in.printf("%s\n", h.Msg.Text(msg.ReflectNoCalls))
	}
	if !in.JSON {
		err = printStats(h, in, s)
	}
	if err != nil || !ask {
		return err
	}
	d := h.Desk(ctx, newest)
	d.Model = h.ModelOf(ctx, newest)
	thought, p, err := d.Propose(ctx, s)
	switch {
	case err != nil:
		return err
	case in.JSON:
		return printJSON(in, map[string]any{"stats": s, "wasted": thought.Wasted, "why": thought.Why, "proposal": p})
	}
	return printThought(h, in, &thought, p)
}

// collect counts what a session has come to with its sub-agents, or the last n of the project with theirs. newest is the
// session whose model is asked.
func collect(ctx context.Context, h *Host, session string, n int) (s *reflect.Stats, newest string, err error) {
	roots, all, err := chosen(ctx, h, session, n)
	if err != nil {
		return nil, "", err
	}
	if newest = session; newest == "" && len(roots) > 0 {
		newest = roots[0]
	}
	s = &reflect.Stats{}
	for _, id := range all {
		root, _, child := strings.Cut(id, ".")
		if !slices.Contains(roots, root) && !slices.Contains(roots, id) {
			continue
		}
		if err := s.Collect(h.Engine.Follow(ctx, id, 0, false), child); err != nil {
			return nil, "", err
		}
	}
	for _, id := range roots {
		calls, err := h.Meter.Calls(ctx, id)
		if err != nil {
			return nil, "", err
		}
		for i := range calls {
			if calls[i].Failed != "" {
				s.Retries++
			}
		}
	}
	return s, newest, nil
}

// chosen are the sessions to look at, without their sub-agents: the last n, or the one at hand; and all there are.
func chosen(ctx context.Context, h *Host, session string, n int) (roots, all []string, err error) {
	if session != "" && n == 0 {
		roots = []string{session}
	}
	for info, err := range h.Engine.List(ctx, "") {
		if err != nil {
			return nil, nil, err
		}
		all = append(all, info.ID)
		if len(roots) < max(n, 1) && !strings.Contains(info.ID, ".") {
			roots = append(roots, info.ID)
		}
	}
	return roots, all, nil
}

func printStats(h *Host, in Input, s *reflect.Stats) error {
	t := h.Msg.Text
	table := [][]string{{t(msg.ReflectHeadTool), t(msg.ReflectHeadCalls), t(msg.ReflectHeadFailed), t(msg.ReflectHeadNotRun), t(msg.ReflectHeadAgain), t(msg.ReflectHeadBytes)}}
	for _, x := range s.Tools {
		table = append(table, []string{clipWide(x.Name, 32), strconv.Itoa(x.Calls), strconv.Itoa(x.Failed), strconv.Itoa(x.NotRun), strconv.Itoa(x.Repeats), grouped(int64(x.Bytes))})
	}
	lines := []string{t(msg.ReflectLine, s.Sessions, s.Runs, s.Answered, float64(s.Steps)/float64(max(1, s.Answered)))}
	if spent := Spent(h.Msg, &s.Usage); spent != "" {
		lines = append(lines, spent)
	}
	if s.Refused+s.Retries+s.Compactions+s.Cleared+s.Rewinds > 0 {
		lines = append(lines, t(msg.ReflectMore, s.Refused, s.Retries, s.Compactions, s.Cleared, s.Rewinds))
	}
	if err := in.printf("%s\n", strings.Join(lines, "\n")); err != nil || len(table) == 1 {
		return err
	}
	return in.printf("\n%s\n", aligned(table))
}

func printThought(h *Host, in Input, th *reflect.Thought, p *reflect.Proposal) error {
	t := h.Msg.Text
	var lines []string
	if len(th.Wasted) > 0 {
		lines = append(lines, t(msg.ReflectWasted))
	}
	for _, w := range th.Wasted {
		lines = append(lines, strings.TrimSuffix("  - "+w.Call+": "+w.Why, ": "))
	}
	if p == nil {
		return in.printf("%s\n", strings.Join(append(lines, t(msg.ReflectNone, th.Why)), "\n"))
	}
	lines = append(lines, "", t(msg.ReflectKept, p.N))
	how := msg.ReflectHow
	if len(p.Doubts) > 0 {
		how = msg.ReflectHowSure
	}
	return in.printf("%s\n", strings.Join(append(append(lines, bodyOf(h, p)...), t(how, p.N)), "\n"))
}

// bodyOf is a proposal as it is read before it is applied.
func bodyOf(h *Host, p *reflect.Proposal) (lines []string) {
	for line := range strings.Lines(p.Text) {
		lines = append(lines, "  | "+strings.TrimRight(line, "\r\n"))
	}
	if p.Why != "" {
		lines = append(lines, h.Msg.Text(msg.ReflectWhy, p.Why))
	}
	for _, line := range p.Doubts {
		lines = append(lines, h.Msg.Text(msg.ReflectCareful, line))
	}
	return lines
}

func listProposals(ctx context.Context, h *Host, in Input) error {
	list, holds, _, err := h.Desk(ctx, in.Session).Book.All(ctx)
	if err != nil {
		return err
	}
	if in.JSON {
		return printJSON(in, map[string]any{"proposals": list, "holds": holds})
	}
	if len(list) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.ReflectEmpty))
	}
	for _, p := range list {
		mark := " "
		switch {
		case holds[p.Face] == p.N:
			mark = "*"
		case len(p.Doubts) > 0:
			mark = "!"
		}
		if err := in.printf("%s %3d  %s  %-8s %s\n", mark, p.N, p.Time.Local().Format("2006-01-02 15:04"), p.Face, clipWide(firstLine(p.Text), 44)); err != nil {
			return err
		}
	}
	return nil
}

func showProposal(ctx context.Context, h *Host, in Input, n int) error {
	p, err := h.Desk(ctx, in.Session).Book.Get(ctx, n)
	if err != nil {
		return refusedBy(err)
	}
	if in.JSON {
		return printJSON(in, p)
	}
	lines := []string{h.Msg.Text(msg.ReflectHead, p.N, p.Time.Local().Format("2006-01-02 15:04"), p.Face, p.Model)}
	lines = append(lines, bodyOf(h, &p)...)
	for _, w := range p.Wasted {
		lines = append(lines, strings.TrimSuffix("  - "+w.Call+": "+w.Why, ": "))
	}
	return in.printf("%s\n", strings.Join(lines, "\n"))
}

func undoProposal(ctx context.Context, h *Host, in Input) error {
	gone, now, err := h.Desk(ctx, in.Session).Undo(ctx)
	switch {
	case err != nil:
		return refusedBy(err)
	case now.N == 0:
		return in.printf("%s\n", h.Msg.Text(msg.ReflectUndone, gone.N))
	}
	return in.printf("%s\n", h.Msg.Text(msg.ReflectBack, gone.N, now.N))
}

func reflectHistory(ctx context.Context, h *Host, in Input) error {
	_, _, steps, err := h.Desk(ctx, in.Session).Book.All(ctx)
	if err != nil {
		return err
	}
	if in.JSON {
		return printJSON(in, map[string]any{"steps": steps})
	}
	if len(steps) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.ReflectNoSteps))
	}
	for _, x := range steps {
		did := msg.ReflectDid
		if x.Undo {
			did = msg.ReflectUndid
		}
		if err := in.printf("%s\n", fmt.Sprintf("%s  %-8s %s %d", x.Time.Local().Format("2006-01-02 15:04"), x.Face, h.Msg.Text(did), x.N)); err != nil {
			return err
		}
	}
	return nil
}
