package team

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// ending is what a child's run came to.
type ending struct {
	state   State
	reason  string
	text    string
	written int
	steps   int
	usage   agent.Usage
	loop    bool // it went in circles
	stop    agent.RunStop
}

// ears are those who wait for a child. The zero value hears nothing and answers no question.
type ears struct {
	progress func(line string)
	// ask puts a question of the child to the person. nil: nobody is asked, the child waits for whoever else answers.
	ask func(ctx context.Context, q agent.Ask) (agent.Answer, error)
}

// patience is how long a child that was cancelled may take to write its end. A run gives its tools a second, and each
// level above a little more.
const patience = 5 * time.Second

// attend has a child work and follows it to its end. When ctx ends because somebody stopped the parent, the child is
// cancelled and its end waited for; when the program ends, the error says so and the child stays as it is.
func (t *Team) attend(ctx context.Context, c *child, spec *Spec, e ears) (ending, error) {
	work := ctx
	if spec.Timeout > 0 {
		late := c.Began.Add(spec.Timeout)
		limited, done := context.WithDeadlineCause(ctx, late, errTime)
		defer done()
		work = limited
	}
	w := &watch{t: t, c: c, spec: spec, ears: e}
	err := t.turn(work, c.ID, func() {
		if e.progress != nil {
			e.progress(w.sign(msg.For(msg.Lang(t.o.Lang)).Text(msg.TeamQueued, t.o.Width)))
		}
	})
	if err == nil {
		var status Status
		status, err = t.o.Sessions.Status(work, c.ID)
		w.seen = status.Seq
	}
	if err == nil {
		err = t.o.Sessions.Submit(work, c.ID, Input{ID: inputID(c.Key), Message: spec.message()})
	}
	if err == nil {
		err = t.o.Sessions.Resume(work, c.ID)
	}
	if err == nil {
		stopped, serr := t.stopped(work, c.ID)
		if stopped {
			t.cancel(ctx, w, nil)
			return ending{}, nil
		}
		err = serr
	}
	if err == nil {
		err = w.follow(work)
	}
	switch {
	case err == nil, errors.Is(err, errEnded): // how that is noted already
		return w.end, nil
	case work.Err() == nil && !errors.Is(err, errHalted):
		return w.end, err
	case errors.Is(context.Cause(work), errTime) || errors.Is(err, errHalted):
	case t.leaves(ctx):
		return w.end, context.Cause(ctx)
	}
	return t.cancel(ctx, w, err), nil
}

// stopped reports whether somebody has given the child up while it was told what to do: there was nothing to cancel then.
func (t *Team) stopped(ctx context.Context, id string) (bool, error) {
	d, err := t.tree(ctx, rootOf(id))
	if err != nil {
		return false, err
	}
	c := d.byID(id)
	return c != nil && (c.State == Cancelled || c.State == Orphaned), nil
}

var errTime = errors.New("the sub-agent's time was up")

// cancel stops a child and waits for its end.
func (t *Team) cancel(ctx context.Context, w *watch, cause error) ending {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer done()
	status, err := t.o.Sessions.Status(ctx, w.c.ID)
	if err == nil && status.begun() {
		w.ears = ears{}
		if err = t.o.Sessions.Submit(ctx, w.c.ID, Input{ID: inputID(w.c.Key + "/cancel"), Cancel: true}); err == nil {
			err = w.follow(ctx)
		}
	}
	end := w.end
	if end.state == "" || end.state == Cancelled {
		end.state, end.reason = Cancelled, "the run that had started it was stopped"
	}
	switch {
	case end.state != Cancelled:
	case errors.Is(cause, errTime):
		end.state, end.reason = TimedOut, fmt.Sprintf("it did not end within %s", w.spec.Timeout)
	case errors.Is(cause, errHalted):
		end.reason = errHalted.Error()
	}
	if err != nil {
		end.reason += " (it may still be running: " + err.Error() + ")"
	}
	return end
}

// inputID is the identity of what is said to a child: a key, or its hash where that is too long.
func inputID(key string) string {
	if len(key) <= 200 {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// watch follows one child.
type watch struct {
	t    *Team
	c    *child
	spec *Spec
	ears ears

	seen  int64 // events up to this one were there when the watch began: they are not shown again
	last  int64 // the last durable event that was taken in
	words string
	calls bool // the last message has calls: its words are no answer
	end   ending
	lines liner

	later []agent.Ask // questions of before the watch that have no answer so far

	mu    sync.Mutex
	asked map[string]context.CancelFunc // questions that wait for the person
	wg    sync.WaitGroup

	stop  context.CancelCauseFunc // of the following
	doubt context.CancelFunc      // of looking whether anybody goes on with the run
}

// lostError is the reason why nobody goes on with a child's run.
type lostError struct{ reason string }

// Error gives the reason.
func (l *lostError) Error() string { return l.reason }

var errLost = errors.New("its events ended before it did")

// follow takes in the child's events until its run ends. It can be called again after ctx has ended.
func (w *watch) follow(ctx context.Context) error {
	ctx, w.stop = context.WithCancelCause(ctx)
	defer w.wg.Wait()
	defer w.stop(nil)
	halt := w.t.halt(rootOf(w.c.ID))
	w.wg.Go(func() { w.halting(ctx, halt) })
	for e, err := range w.t.o.Sessions.Follow(ctx, w.c.ID, w.last, true) {
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return err
		}
		if w.event(ctx, e) {
			return nil
		}
	}
	cause := context.Cause(ctx)
	if lost, ok := errors.AsType[*lostError](cause); ok {
		w.end = ending{state: Failed, reason: lost.reason, text: w.words}
		return nil
	}
	if cause == nil {
		cause = errLost
	}
	return cause
}

// halting waits a little for the end of a child whose tree was stopped: it ends at its next step by itself.
func (w *watch) halting(ctx context.Context, halt <-chan struct{}) {
	select {
	case <-halt:
	case <-ctx.Done():
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		w.stop(errHalted)
	case <-ctx.Done():
	}
}

// event takes one event in and reports whether the run has ended with it.
func (w *watch) event(ctx context.Context, e agent.Event) (over bool) {
	if e.Type.Durable() {
		w.last = e.Seq
	}
	old := e.Type.Durable() && e.Seq <= w.seen
	if w.doubt != nil && !old {
		w.doubt()
		w.doubt = nil
	}
	w.note(ctx, e)
	if !old || e.Type == agent.EvEnd {
		w.show(e)
	}
	if e.Type == agent.EvEnd {
		return true
	}
	if w.last >= w.seen {
		for _, q := range w.later {
			w.ask(ctx, q)
		}
		w.later = nil
	}
	return false
}

// note keeps what an event says of the child.
func (w *watch) note(ctx context.Context, e agent.Event) {
	switch {
	case e.Message != nil && e.Message.Answers():
		w.words, w.calls = e.Message.Text(), len(e.Message.Calls()) > 0
	case e.Type == agent.EvAsk && e.Ask != nil:
		w.later = append(w.later, *e.Ask)
	case e.Type == agent.EvAnswer:
		w.unask(e.Answer)
	case e.Type == agent.EvEnd:
		w.end = w.ended(e)
	case e.Type == agent.EvNotice && e.Error != nil:
		w.look(ctx, e.Error.Message)
	}
}

// look judges a notice that the run cannot go on where it was: unless somebody goes on with it, that is its end.
func (w *watch) look(ctx context.Context, reason string) {
	ctx, w.doubt = context.WithCancel(ctx)
	w.wg.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if status, err := w.t.o.Sessions.Status(ctx, w.c.ID); err == nil && !status.Running {
				w.stop(&lostError{reason})
				return
			}
		}
	})
}

// lookEvery is the time between two looks at a child of which nobody knows who has it.
const lookEvery = 100 * time.Millisecond

// ended says what a run's end means for the child.
func (w *watch) ended(e agent.Event) ending {
	end := ending{state: Failed, text: w.words, steps: e.Steps, stop: e.Stop}
	if w.calls && e.Stop != agent.RunEnd {
		end.text = "" // what was said before the calls is no answer
	}
	if e.Usage != nil {
		end.usage = *e.Usage
	}
	switch e.Stop {
	case agent.RunEnd:
		end.state = Done
	case agent.RunDenied:
		end.state, end.reason = Done, e.Text
		if end.text == "" {
			end.state = Failed
		}
	case agent.RunCancelled:
		end.state = Cancelled
	case agent.RunTimeout:
		end.state = TimedOut
	case agent.RunLoop:
		end.loop = true
	case agent.RunSteps, agent.RunBudget, agent.RunOverflow, agent.RunLength, agent.RunRefused, agent.RunError:
	}
	if end.state != Done && end.reason == "" {
		end.reason = whyEnded(e)
	}
	return end
}

func whyEnded(e agent.Event) string {
	more := e.Text
	if e.Error != nil {
		more = e.Error.Message
	}
	switch { // what the state says already is not said again
	case e.Stop == agent.RunCancelled:
		return cmp.Or(more, "it was stopped")
	case e.Stop == agent.RunTimeout:
		return cmp.Or(more, "its time was up")
	case more == "":
		return string(e.Stop)
	}
	return string(e.Stop) + ": " + more
}

// ask puts a question of the child to the person, beside the following.
func (w *watch) ask(ctx context.Context, q agent.Ask) {
	if w.ears.ask == nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	w.mu.Lock()
	if w.asked == nil {
		w.asked = map[string]context.CancelFunc{}
	}
	w.asked[q.ID] = stop
	w.mu.Unlock()
	mine := agent.Ask{ID: q.ID, Text: w.sign(q.Text), Choices: q.Choices, Rules: q.Rules, Kind: q.Kind}
	w.wg.Go(func() {
		defer stop()
		ans, err := w.ears.ask(ctx, mine)
		if err != nil || ctx.Err() != nil { // the run is ending, or somebody else has answered
			return
		}
		ans.ID = q.ID
		_ = w.t.o.Sessions.Submit(ctx, w.c.ID, Input{ID: inputID("answer/" + q.ID), Answer: &ans}) // unanswered, it ends with ctx
	})
}

func (w *watch) unask(a *agent.Answer) {
	if a == nil {
		return
	}
	w.later = slices.DeleteFunc(w.later, func(q agent.Ask) bool { return q.ID == a.ID })
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.asked[a.ID]; stop != nil {
		stop()
		delete(w.asked, a.ID)
	}
}
