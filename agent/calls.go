package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What the model reads when a call did not run.
const (
	textInterrupted = "interrupted: may have run, or still be running; check before running it again"
	textSkipped     = "skipped: the person spoke"
	textCancelled   = "cancelled by the person"
	textStuck       = "cancelled; the tool did not stop in time and may still be running"
)

func notRun(end *ending) Result {
	switch end.stop {
	case RunCancelled:
		return ErrorResult(textCancelled)
	case RunEnd, RunLoop, RunSteps, RunBudget, RunDenied, RunOverflow, RunTimeout, RunLength, RunRefused, RunError:
	}
	text := "not run: the run ended (" + string(end.stop) + ")"
	if end.text != "" {
		text += ": " + end.text
	}
	return ErrorResult(text)
}

// job is one call on its way: decided, then run.
type job struct {
	asked   Call // as the model wrote it
	call    Call // our name and arguments
	tool    Tool
	place   int  // among the calls
	started bool // in an earlier life
	done    bool // has its result
	aside   bool // nobody's call: there is no result to store
}

// batch decides every call, questions included, then runs what may run. All results are stored when it returns nil.
func (r *run) batch(ctx context.Context, calls []Call) error {
	wasOpen := r.s.Open
	jobs := make([]*job, len(calls))
	for i, c := range calls {
		j := &job{asked: c, call: c, place: i, started: r.s.Started[c.Key]}
		jobs[i] = j
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		res, err := r.decide(ctx, j, wasOpen)
		if err != nil {
			return err
		}
		if res != nil {
			j.done = true
			if err := r.answer(ctx, j.call, *res, true); err != nil {
				return err
			}
		}
	}
	return r.runAll(ctx, jobs)
}

// cutHint names the output limit where that has ended the message in the middle of a call: the model cannot know, and would
// only write the same call again.
func (r *run) cutHint() string {
	for i := len(r.s.Messages) - 1; i >= 0; i-- {
		m := &r.s.Messages[i]
		switch {
		case m.Role != Assistant:
		case m.Stop == StopLength || m.Stop == StopOverflow:
			return "\nThe output limit cut the message before the call was complete. Write less at once: smaller pieces, several calls."
		default:
			return ""
		}
	}
	return ""
}

// decide gives a result for a call that will not run, or nil for one that may.
func (r *run) decide(ctx context.Context, j *job, open bool) (*Result, error) {
	refuse := func(text string) (*Result, error) {
		res := ErrorResult(text)
		return &res, nil
	}
	if !open { // what a rewind has left behind
		return refuse(textInterrupted)
	}
	t, ok := findTool(r.a.Tools, j.asked.Name)
	if !ok {
		return refuse(r.a.unknownTool(j.asked.Name))
	}
	if j.started && !t.Resume && t.Effect != Reads {
		return refuse(textInterrupted)
	}
	j.tool, j.call.Name = t, t.Name
	args, err := translate(t, j.asked.Args)
	if err != nil {
		return refuse(r.a.invalidArgs(t, err.Error()+r.cutHint()))
	}
	j.call.Args = args
	d, err := r.judge(ctx, j)
	if err != nil {
		return nil, err
	}
	switch d.Verdict {
	case Answered:
		if d.Result == nil {
			return refuse("answered without a result: " + d.Reason)
		}
		return d.Result, nil
	case Deny:
		return refuse(d.Reason)
	case AskFirst:
		if j.started { // it was allowed before the restart
			return nil, nil
		}
		return r.permission(ctx, j, d)
	case Pass:
	}
	return nil, nil
}

// translate checks the model's arguments against what the model was shown, and turns them into ours.
func translate(t Tool, args json.RawMessage) (json.RawMessage, error) {
	if err := checkArgs(t.Schema, args, t.Rename != nil); err != nil {
		return nil, err
	}
	if t.Rename != nil {
		var err error
		if args, err = t.Rename(args); err != nil {
			return nil, err
		}
		args = compactArgs(args)
	}
	return args, checkOurs(t, args)
}

// checkOurs checks arguments under our names. Where a tool renames, its schema has the model's names, and only Check
// knows ours.
func checkOurs(t Tool, args json.RawMessage) error {
	schema := t.Schema
	if t.Rename != nil {
		schema = nil
	}
	err := CheckArgs(schema, args)
	if err == nil && t.Check != nil {
		err = t.Check(args)
	}
	return err
}

// maxRewrites is how often hooks may change a call's arguments; each time all hooks judge the new ones.
const maxRewrites = 3

// judge asks all hooks. The strongest verdict wins.
func (r *run) judge(ctx context.Context, j *job) (Decision, error) {
	for range maxRewrites + 1 {
		best, rewritten, err := r.judgeOnce(ctx, j)
		if err != nil || !rewritten {
			return best, err
		}
		if fault := checkOurs(j.tool, j.call.Args); fault != nil {
			return Decision{Verdict: Deny, Reason: "a hook made the arguments invalid: " + fault.Error()}, nil //nolint:nilerr // the model reads it
		}
	}
	return Decision{Verdict: Deny, Reason: "refused: hooks do not agree on the arguments"}, nil
}

func (r *run) judgeOnce(ctx context.Context, j *job) (best Decision, rewritten bool, err error) {
	for _, h := range r.a.Hooks {
		if h.BeforeTool == nil {
			continue
		}
		d, err := h.BeforeTool(ctx, r.s, j.tool, j.call)
		if err != nil {
			return best, false, hookError(h, "BeforeTool", err)
		}
		if d.Args != nil {
			if args := compactArgs(d.Args); !bytes.Equal(args, j.call.Args) {
				j.call.Args = args
				return best, true, nil
			}
		}
		if d.Verdict > best.Verdict {
			best = d
		}
	}
	return best, false, nil
}

// permission puts the question for a call; an answer that was stored before a restart counts.
func (r *run) permission(ctx context.Context, j *job, d Decision) (*Result, error) {
	call := j.call
	q := Ask{ID: j.call.Key + "/0", Call: &call, Text: d.Reason, Rules: d.Rules}
	ans, ok := r.s.Answers[q.ID]
	nobody := ok && r.s.Refused && !ans.Allow && r.a.Ask == nil
	if !ok {
		var err error
		if ans, nobody, err = r.question(ctx, q); err != nil {
			return nil, err
		}
	}
	if ans.Allow {
		return nil, nil
	}
	if ans.Text == Nobody { // whoever was asked had nobody there
		nobody, ans.Text = true, ""
	}
	text := "denied by the person"
	if nobody {
		text = "denied: this needs an approval and nobody can be asked"
	}
	for _, more := range []string{ans.Text, d.Reason} { // the person's words first: a reason may be long
		if more != "" {
			text += ": " + more
		}
	}
	res := ErrorResult(text)
	return &res, nil
}

// question asks the person from the loop, and stores question and answer.
func (r *run) question(ctx context.Context, q Ask) (ans Answer, nobody bool, err error) {
	if _, open := r.s.Asks[q.ID]; !open {
		if err := r.emit(ctx, &Event{Type: EvAsk, Ask: &q}); err != nil {
			return ans, false, err
		}
	}
	if r.a.Ask == nil {
		ans, err = r.answered(ctx, q, Answer{}, true)
		return ans, true, err
	}
	type reply struct {
		ans Answer
		err error
	}
	got := make(chan reply, 1)
	go func() {
		ans, err := r.a.Ask(ctx, q)
		got <- reply{ans, err}
	}()
	select {
	case p := <-got:
		if p.err != nil && ctx.Err() == nil {
			return ans, false, fmt.Errorf("asking the person: %w", p.err)
		}
		if p.err == nil {
			ans, err = r.answered(ctx, q, p.ans, false)
			return ans, false, err
		}
	case <-ctx.Done():
	}
	return ans, false, context.Cause(ctx)
}

// answered stores an answer. Nobody was there when there is no way to ask, and when the one who was asked says so in the
// answer's text: a front end whose person has left.
func (r *run) answered(ctx context.Context, q Ask, ans Answer, nobody bool) (Answer, error) {
	ans.ID = q.ID
	e := Event{Type: EvAnswer, Ask: &q, Answer: &ans}
	switch there := !nobody && (ans.Allow || ans.Text != Nobody); {
	case there:
	case q.Kind != Approval: // nothing was refused
		ans.Allow, ans.Text = false, Nobody
	default:
		e.Text = Nobody
	}
	return ans, r.emit(ctx, &e)
}

// answer stores the result of c, which has our name and arguments. observe says whether hooks see it: they do not see
// what the end of a run answers.
func (r *run) answer(ctx context.Context, c Call, res Result, observe bool) error {
	res.CallID, res.Key = c.ID, c.Key
	var hookErr error
	for _, h := range r.a.Hooks {
		if !observe || h.AfterTool == nil {
			continue
		}
		if err := h.AfterTool(ctx, r.s, c, &res); err != nil {
			hookErr = errors.Join(hookErr, hookError(h, "AfterTool", err))
		}
	}
	res.CallID, res.Key = c.ID, c.Key
	state := res.State
	res.State = nil
	m := Message{Role: ToolRole, Parts: []Part{{Kind: ResultOf, Result: &res}}}
	if err := r.emit(ctx, &Event{Type: EvMessage, Message: &m, State: state}); err != nil {
		return err
	}
	return hookErr // the result is stored first: a hook may stop the run, but never lose what a tool did
}

// findTool finds a tool by a name as models write them: exactly, then without template tokens and namespaces, then as
// the only one that differs in case.
func findTool(tools []Tool, name string) (Tool, bool) {
	for _, n := range []string{name, cleanName(name)} {
		for _, t := range tools {
			if t.Shown() == n {
				return t, true
			}
		}
		for _, t := range tools {
			if t.Name == n || slices.Contains(t.Aliases, n) {
				return t, true
			}
		}
	}
	var found []Tool
	for _, t := range tools {
		names := append([]string{t.Shown(), t.Name}, t.Aliases...)
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, cleanName(name)) }) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return Tool{}, false
}

// cleanName drops what templates glue to a name: "<|special|>" tokens, "functions." in front, ":0" behind.
func cleanName(name string) string {
	if i := strings.Index(name, "<|"); i >= 0 {
		if head := strings.TrimSpace(name[:i]); head != "" {
			name = head
		} else if _, rest, ok := strings.Cut(name, "|>"); ok {
			name = cleanName(rest)
		}
	}
	name = strings.TrimSpace(name)
	for _, prefix := range []string{"functions.", "function.", "tools."} {
		name = strings.TrimPrefix(name, prefix)
	}
	if head, tail, ok := strings.Cut(name, ":"); ok && head != "" && strings.Trim(tail, "0123456789") == "" {
		name = head
	}
	return name
}

func (a *Agent) unknownTool(name string) string {
	if a.UnknownTool != "" {
		return fmt.Sprintf(a.UnknownTool, name)
	}
	names := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		names[i] = t.Shown()
	}
	if len(names) == 0 {
		return fmt.Sprintf("unknown tool %q: there are no tools", name)
	}
	return fmt.Sprintf("unknown tool %q; the tools are: %s", name, strings.Join(names, ", "))
}

func (a *Agent) invalidArgs(t Tool, faults string) string {
	if a.InvalidArgs != "" {
		return fmt.Sprintf(a.InvalidArgs, faults)
	}
	return "invalid arguments for " + t.Shown() + ", nothing was run:\n" + faults
}
