package team

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

// Run has a child do a task and waits for its end, unless it is a background one. ctx is that of the tool call in whose
// course this happens: progress is shown and questions are asked there, and its end cancels the child. The error says
// that the child was refused ([ErrRefused]), that the task cannot be done as it is, that ctx has ended, or that the store
// fails; how the child itself ended is in the reply.
func (t *Team) Run(ctx context.Context, task Task) (Reply, error) {
	s := t.seat(task.Parent)
	note := s.settleType(&task)
	if err := s.complete(&task); err != nil {
		return Reply{}, err
	}
	c, err := t.find(ctx, task.Parent, task.Key)
	if err != nil {
		return Reply{}, err
	}
	var spec *Spec
	if c != nil {
		spec, err = t.known(ctx, c, &task)
	} else {
		c, spec, err = t.enter(ctx, &task, s)
	}
	if err != nil {
		return Reply{}, err
	}
	var r Reply
	switch {
	case c.State.Final():
		r, err = t.reply(ctx, c)
	case c.Background:
		t.launch(ctx, c, spec)
		r = Reply{Session: c.ID, Path: c.Path, State: c.State}
	default:
		r, err = t.wait(ctx, c, spec)
	}
	r.note = note
	return r, err
}

// known gives what a child is that was written down before. Where the program was killed between the two documents, it
// is written down now.
func (t *Team) known(ctx context.Context, c *child, task *Task) (*Spec, error) {
	spec, err := t.Spec(ctx, c.ID)
	if err == nil && spec.Key == c.Key || c.State.Final() {
		return spec, nil
	}
	return t.describe(ctx, c, task)
}

// wait is the foreground: the call is there until the child has ended.
func (t *Team) wait(ctx context.Context, c *child, spec *Spec) (Reply, error) {
	s := t.seat(parentOf(c.ID))
	defer s.wait()()
	defer t.hear(c.ID)()
	end, err := t.attend(ctx, c, spec, s.ears(ctx))
	if err != nil && t.o.Closing(err) { // a result now would be an answer to the call, which is to go on later
		<-ctx.Done()
		err = context.Cause(ctx)
	}
	if err != nil {
		return Reply{}, err
	}
	end = t.deliver(ctx, s, spec, end)
	done, err := t.settle(ctx, c.ID, end)
	if err != nil {
		return Reply{}, err
	}
	return t.replyOf(&done, end.text), nil
}

// deliver writes a reply into the file that was asked for.
func (t *Team) deliver(ctx context.Context, s *Seat, spec *Spec, end ending) ending {
	if spec.Output == "" || end.state != Done {
		return end
	}
	content := unfence(spec.Output, end.text)
	err := errors.New("there are no files here")
	if s.Files != nil {
		err = s.Files.Write(ctx, spec.Output, content)
	}
	if err != nil {
		end.state, end.reason = Failed, fmt.Sprintf("the reply could not be written to %s: %v", spec.Output, err)
		return end
	}
	end.written = len(content)
	return end
}

// launch attends a background child, unless that is done already.
func (t *Team) launch(ctx context.Context, c *child, spec *Spec) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.posts[c.ID] != nil {
		cancel(nil)
		return
	}
	t.posts[c.ID] = &post{cancel}
	t.wg.Go(func() {
		defer cancel(nil)
		t.background(ctx, *c, spec)
		t.mu.Lock()
		delete(t.posts, c.ID)
		t.mu.Unlock()
		t.bell.Ring()
	})
}

// background attends a child that nobody waits for, and notes its end.
func (t *Team) background(ctx context.Context, c child, spec *Spec) {
	end, err := t.attend(ctx, &c, spec, ears{})
	if err != nil && (t.o.Closing(err) || errors.Is(err, errClosing)) {
		return
	}
	if err != nil { // it goes on when its parent is opened again, or was never begun
		end = ending{state: Failed, reason: err.Error()}
	}
	parent := parentOf(c.ID)
	end = t.deliver(ctx, t.seat(parent), spec, end)
	_, err = t.settle(ctx, c.ID, end)
	if err == nil && ctx.Err() == nil { // whoever was stopped with it is told when the person speaks again
		t.o.Notify(parent)
	}
}

// reply tells what a child has come to that has ended before.
func (t *Team) reply(ctx context.Context, c *child) (Reply, error) {
	words, err := t.words(ctx, c.ID)
	return t.replyOf(c, words), err
}

// words are the last words of a child's first run.
func (t *Team) words(ctx context.Context, id string) (string, error) {
	w := watch{t: t, c: &child{ID: id}, spec: &Spec{}}
	for e, err := range t.o.Sessions.Follow(ctx, id, 0, false) {
		if err != nil {
			return "", fmt.Errorf("sub-agent %s: %w", id, err)
		}
		if w.event(ctx, e) {
			return w.end.text, nil
		}
	}
	return w.words, nil
}

func (t *Team) replyOf(c *child, words string) Reply {
	r := Reply{
		texts: t.o.Texts, apart: t.o.OwnSteps, Session: c.ID, Path: c.Path, State: c.State, Text: words, Reason: c.Reason, Written: c.Written, Steps: c.Steps,
	}
	r.Usage.Add(c.Usage)
	return r
}

// Result makes a tool's result of the reply: its words, cut to so many characters (0 = 50000), or why there are none, with
// what the child has spent.
func (r Reply) Result(cut int) agent.Result {
	if cut <= 0 {
		cut = usualCut
	}
	words := text.Cut(r.Text, cut, "")
	res := agent.TextResult(words)
	switch {
	case r.State != Done:
		res = agent.ErrorResult(r.failure(words))
	case words == "":
		res = agent.TextResult(r.words().NoWords)
	case r.Reason != "" && !r.words().Bare:
		res.Parts = append(res.Parts, agent.TextPart("\n["+r.Reason+"]"))
	}
	if r.note != "" {
		res.Parts = append(res.Parts, agent.TextPart("\n["+r.note+"]"))
	}
	return r.spent(res)
}

// spent puts what the child has spent into a result.
func (r Reply) spent(res agent.Result) agent.Result {
	if !r.Usage.IsZero() {
		u := r.Usage
		res.Usage = &u
	}
	res.Steps, res.Driven = r.Steps, r.apart && r.Steps > 0
	return res
}

// failure says that a child has not done its task, and why.
func (r Reply) failure(words string) string {
	if r.words().Bare {
		return r.words().Failed
	}
	return r.blame(string(r.State)+": ", words)
}

// blame is a failure, with something before its reason.
func (r Reply) blame(before, words string) string {
	s := strings.TrimSuffix(r.words().Failed+" "+r.Path+": "+before+r.Reason, ": ")
	if words != "" {
		s += "\nIts last words:\n" + words
	}
	return s
}

// words are the words of results.
func (r Reply) words() Texts {
	if r.texts == (Texts{}) {
		return Lean()
	}
	return r.texts
}
