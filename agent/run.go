package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"
)

// Agent is configuration; it holds no conversation and may serve many sessions at once.
type Agent struct {
	Name   string // path of the agent in events; "" is "main"
	System string
	Model  Model
	Tools  []Tool
	Hooks  []Hook
	// Ask puts a question to the person and waits; nil: nobody to ask.
	Ask func(ctx context.Context, q Ask) (Answer, error)
	// Compact makes the history smaller. It is asked before each model call, on overflow, and by CompactNow. A nil Trim
	// means that there is nothing to do; beside an error, whose text the person reads, it only says what was used. [Progress]
	// inside it shows that a compaction is under way.
	Compact func(ctx context.Context, s *Session, n Need) (*Trim, error)
	// Journal stores a durable event; it may first move data to blobs and add Took to answer and end. nil: memory only.
	// Its ctx is never cancelled by the run: what happened must be stored.
	Journal func(ctx context.Context, e *Event) error
	// Waiting is asked before each tool start; true: the rest of the batch is answered "skipped: the person spoke".
	Waiting  func() bool
	MaxSteps int // model calls per run, those inside tools included unless a program made them; 0 = no limit
	Parallel int // tools that run beside each other; 0 = 1
	// Grace is how long a cancelled tool may take to return before the run goes on without it; 0 = 1 s.
	Grace time.Duration
	// UnknownTool and InvalidArgs word the results of calls that cannot run: %s is the name, or what is wrong. "" = the
	// kernel's own words, which name the tools there are.
	UnknownTool, InvalidArgs string
	Effort                   string // goes into each Request
	MaxOut                   int    // likewise, tokens
}

// Need says why a compaction is asked for.
type Need struct {
	Why   Why
	Focus string // what the person wants kept, for Asked
	// Tries counts, on Overflow, the compactions since the model's last answer that did not help. When no more are made,
	// Compact is asked once more, and only an error counts: it says what fills the window.
	Tries int
	// Said is, on Overflow, how the model has refused the request.
	Said string
}

// Why is the reason of a compaction.
type Why string

// The three reasons.
const (
	Check    Why = "check"    // before a model call: compact only if the window is nearly full
	Overflow Why = "overflow" // the model refused the request as too long
	Asked    Why = "asked"    // the person or the model asked for it
)

// ErrUse is wrapped by errors about wrong use: a session that another run owns, a run ranged over twice.
var ErrUse = errors.New("agent: wrong use")

// Run goes on with the session: it finishes what is open, adds the input, and loops until the model answers. It is
// single use; breaking out cancels and waits (Grace). The error comes once, last, and only when the journal failed or
// use was wrong; every other end is an end event. With the last message answered and no input nothing happens.
func (a *Agent) Run(ctx context.Context, s *Session, in ...Note) iter.Seq2[Event, error] {
	return a.drive(ctx, s, func(ctx context.Context, r *run) error { return r.main(ctx, in) })
}

// CompactNow compacts between runs; focus says what the person wants kept. A failure is a notice; without
// anything to do nothing comes.
func (a *Agent) CompactNow(ctx context.Context, s *Session, focus string) iter.Seq2[Event, error] {
	return a.drive(ctx, s, func(ctx context.Context, r *run) error {
		if s.Open {
			return fmt.Errorf("%w: session %s has an open run", ErrUse, s.ID)
		}
		r.id = "" // this is no run
		_, err := r.compact(ctx, Need{Why: Asked, Focus: focus})
		if err != nil && !r.pending.IsZero() { // it failed, and has cost something
			err = errors.Join(err, r.emit(ctx, &Event{Type: EvState, Usage: r.pending}))
		}
		if end, ok := errors.AsType[*ending](err); ok {
			return r.notice(ctx, end.text)
		}
		return err
	})
}

// Append stores and folds one event between runs (mode, undo, rewind): it stamps number, time and session. A void is
// stored but not folded: the session must be loaded again.
func (a *Agent) Append(ctx context.Context, s *Session, e *Event) error {
	if err := s.usable(); err != nil {
		return err
	}
	return (&run{a: a, s: s, id: "", quiet: true}).emit(ctx, e)
}

// run is one pass over a session; all of it happens on the goroutine that ranges over it.
type run struct {
	a      *Agent
	s      *Session
	yield  func(Event, error) bool
	cancel context.CancelCauseFunc

	id      string // Event.Run: the number of the first event
	live    int64  // live events since the last durable one
	quiet   bool   // nobody listens (any more)
	fatal   error  // a journal failure: nothing may be stored, folded or shown after it
	said    Event  // the last chunk's: there are many, and who is shown one gets a copy
	pending *Usage // spent by a failed model call, not stored yet
	trims   int    // compactions since the last message of the model
}

func (a *Agent) drive(ctx context.Context, s *Session, body func(context.Context, *run) error) iter.Seq2[Event, error] {
	used := false
	return func(yield func(Event, error) bool) {
		err := s.usable()
		if used {
			err = fmt.Errorf("%w: this run of session %s was ranged over before", ErrUse, s.ID)
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		used, s.busy = true, true
		defer func() { s.busy = false }()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		r := &run{a: a, s: s, yield: yield, cancel: cancel, id: strconv.FormatInt(s.Seq+1, 10)}
		if s.Open {
			r.id = s.run
		}
		err = body(ctx, r)
		if r.fatal != nil {
			err = r.fatal
		}
		if err != nil && !r.quiet {
			yield(Event{}, err)
		}
	}
}

func (r *run) main(ctx context.Context, in []Note) error {
	err := r.loop(ctx, in)
	if r.fatal != nil || err == nil {
		return r.fatal
	}
	return r.finish(ctx, r.ending(ctx, err))
}

// loop is the agent: finish what is open, add the input, then call the model and its tools until it answers. nil means
// that there was nothing to do.
func (r *run) loop(ctx context.Context, in []Note) error {
	if err := r.batch(ctx, r.s.OpenCalls()); err != nil {
		return err
	}
	for _, n := range in {
		if err := r.add(ctx, &n); err != nil {
			return err
		}
	}
	if !r.s.Open && !r.unanswered() {
		return nil
	}
	for {
		if err := r.round(ctx); err != nil {
			return err
		}
	}
}

// unanswered reports whether the last message waits for the model although no run is open: after a run that failed, or
// when the answer was voided.
func (r *run) unanswered() bool {
	n := len(r.s.Messages)
	return n > 0 && !r.s.Messages[n-1].Answers() && !r.s.onlyHead() && !r.endTurn()
}

// round is one step: either the model is called, or the run is about to stop.
func (r *run) round(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	n := len(r.s.Messages)
	if n == 0 || r.endTurn() {
		return r.stopping(ctx)
	}
	if last := &r.s.Messages[n-1]; last.Answers() && !r.s.onlyHead() {
		return r.afterAnswer(ctx, last.Stop)
	}
	if _, err := r.compact(ctx, Need{Why: Check}); err != nil {
		return err
	}
	if _, err := r.inject(ctx, false); err != nil {
		return err
	}
	return r.model(ctx)
}

// afterAnswer says what follows a message without open calls.
func (r *run) afterAnswer(ctx context.Context, stop StopReason) error {
	switch stop {
	case StopPause:
		return r.model(ctx) // at once, nothing in between
	case StopLength:
		return &ending{stop: RunLength, text: "the answer was cut at the output limit"}
	case StopRefused:
		return &ending{stop: RunRefused, text: "the model refused to answer"}
	case StopAborted:
		return &ending{stop: RunCancelled}
	case StopEnd, StopCalls, StopOverflow:
	}
	return r.stopping(ctx)
}

// stopping gives the hooks a last chance to go on.
func (r *run) stopping(ctx context.Context) error {
	more, err := r.inject(ctx, true)
	if err == nil && !more {
		err = &ending{stop: RunEnd}
	}
	return err
}

// endTurn reports whether a result of the batch that was just answered ends the turn.
func (r *run) endTurn() bool {
	for _, m := range slices.Backward(r.s.Messages) {
		if m.Role != ToolRole {
			return false
		}
		if m.Result().EndTurn {
			return true
		}
	}
	return false
}

// inject asks all hooks for input and reports whether a message came.
func (r *run) inject(ctx context.Context, stopping bool) (bool, error) {
	more := false
	for _, h := range r.a.Hooks {
		if h.Inject == nil {
			continue
		}
		n, err := h.Inject(ctx, r.s, stopping && !more) // one message, and the run goes on
		for next := n; next != nil && err == nil; next = next.Next {
			for n = next; n != nil && err == nil; n, err = r.later(ctx, n.Later) {
				if err := r.add(ctx, n); err != nil {
					return false, err
				}
				more = more || len(n.Messages) > 0
			}
		}
		if err != nil {
			return false, hookError(h, "Inject", err)
		}
	}
	return more, nil
}

// later does what a hook has put off, in the way of a tool.
func (r *run) later(ctx context.Context, l *Later) (note *Note, err error) {
	if l == nil {
		return nil, nil
	}
	type outcome struct {
		note *Note
		err  error
	}
	done := make(chan outcome, 1)
	j := &job{asked: l.Call, call: l.Call, started: true, aside: true, tool: Tool{Run: func(ctx context.Context, _ Call) (Result, error) {
		n, err := l.Run(ctx)
		done <- outcome{n, err}
		return Result{}, err
	}}}
	if err := r.group(ctx, []*job{j}); err != nil {
		return nil, err
	}
	select {
	case o := <-done:
		return o.note, o.err
	default:
		return nil, errors.New("it came to no end") // a panic
	}
}

// add stores a note: its first message carries what belongs to it, a state event does when there is none.
func (r *run) add(ctx context.Context, n *Note) error {
	carrier := Event{Took: n.Took, State: n.State, Usage: n.Usage, Steps: n.Steps}
	for _, m := range n.Messages {
		m.Parts = slices.Clone(m.Parts)
		if m.From == "" && m.Role == User {
			for _, h := range r.a.Hooks {
				if h.OnInput == nil {
					continue
				}
				if err := h.OnInput(ctx, r.s, &m); err != nil {
					return hookError(h, "OnInput", err)
				}
			}
		}
		carrier.Type, carrier.Message = EvMessage, &m
		if err := r.emit(ctx, &carrier); err != nil {
			return err
		}
		carrier = Event{}
	}
	if len(n.Messages) > 0 || (len(n.Took) == 0 && len(n.State) == 0 && n.Usage.IsZero() && n.Steps == 0) {
		return nil
	}
	carrier.Type = EvState
	return r.emit(ctx, &carrier)
}

func hookError(h Hook, point string, err error) error {
	if _, ok := errors.AsType[*StopError](err); ok {
		return err
	}
	return fmt.Errorf("hook %s, %s: %w", h.Name, point, err)
}

// compact asks for a trim and stores it. A failure to compact ends a run only when there is no way on without it.
func (r *run) compact(ctx context.Context, n Need) (bool, error) {
	if r.a.Compact == nil {
		return false, nil
	}
	shown := false
	say := func(string) {
		if !shown {
			shown = true
			_ = r.emit(ctx, &Event{Type: EvStep, Text: "compact"}) // live: cannot fail
		}
	}
	t, err := r.a.Compact(context.WithValue(ctx, portKey{}, port{progress: say}), r.s, n)
	if err != nil && t != nil {
		r.pending = sum(r.pending, t.Usage)
	}
	var stop *StopError
	switch {
	case errors.As(err, &stop):
		return false, err
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && n.Why == Check:
		return false, r.notice(ctx, err.Error())
	case err != nil:
		return false, &ending{stop: RunOverflow, text: err.Error(), err: &Error{Kind: ErrContextLength, Message: err.Error()}}
	case t == nil || n.Tries >= maxTrims:
		return false, nil
	}
	return true, r.emit(ctx, &Event{Type: EvCompact, Trim: t, Text: string(n.Why)})
}

func (r *run) notice(ctx context.Context, text string) error {
	return r.emit(ctx, &Event{Type: EvNotice, Text: text})
}

// emit is the only way out: journal, then fold, then observe, then show. A live event goes straight to the observers.
func (r *run) emit(ctx context.Context, e *Event) error {
	if r.fatal != nil {
		return r.fatal
	}
	r.stamp(e)
	if e.Type.Durable() {
		if field := missing(e); field != "" { // stored, it could never be loaded again
			return lacks(e, field)
		}
		if err := r.store(ctx, e); err != nil {
			return err
		}
	}
	for _, h := range r.a.Hooks {
		if h.OnEvent != nil {
			h.OnEvent(ctx, *e)
		}
	}
	if !r.quiet && !r.yield(*e, nil) {
		r.quiet = true
		r.cancel(context.Canceled)
	}
	return nil
}

func (r *run) stamp(e *Event) {
	e.Time = time.Now().UTC().Truncate(time.Millisecond)
	e.Session, e.Agent, e.Run = r.s.ID, r.a.Name, r.id
	if e.Agent == "" {
		e.Agent = "main"
	}
	if !e.Type.Durable() {
		r.live++
		e.Seq, e.N = r.s.Seq, r.live
		return
	}
	e.Seq, e.N = r.s.Seq+1, 0
	if e.Type == EvCompact && e.Trim != nil {
		r.s.snapshot(e)
	}
	cleanEvent(e)
}

// store journals and folds. After a failure nothing more is stored, folded or shown: what was shown as durable is stored.
func (r *run) store(ctx context.Context, e *Event) error {
	if r.a.Journal != nil {
		if err := r.a.Journal(context.WithoutCancel(ctx), e); err != nil {
			r.fatal = fmt.Errorf("agent: event %d of session %s was not stored: %w", e.Seq, e.Session, err)
			if r.cancel != nil {
				r.cancel(r.fatal)
			}
			return r.fatal
		}
	}
	r.live = 0
	err := r.s.Apply(*e)
	if errors.Is(err, ErrVoid) {
		r.s.stale = true
		return nil
	}
	r.fatal = err
	return err
}
