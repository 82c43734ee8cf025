package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// runAll runs the jobs in order: one that neither is Shared nor only reads, or is to be Alone, in its place, neighbours
// that may share together.
func (r *run) runAll(ctx context.Context, jobs []*job) error {
	for i := 0; i < len(jobs); {
		if jobs[i].done {
			i++
			continue
		}
		end := i + 1
		for shares(jobs[i]) && end < len(jobs) && (jobs[end].done || shares(jobs[end])) {
			end++
		}
		if err := r.group(ctx, jobs[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

func shares(j *job) bool {
	return j.tool.Shared || j.tool.Effect == Reads && !j.tool.Alone
}

// said is what a running tool tells the loop, which alone may store and show.
type said struct {
	job      *job
	progress string
	ask      *Ask
	reply    chan<- Answer // where the answer to ask goes
	answer   *Answer       // the person's answer to ask
	result   *Result       // the tool is done
}

// floor is where a group of tools runs.
type floor struct {
	r       *run
	ch      chan said
	quit    chan struct{} // closed when the loop no longer listens
	next    []*job
	running map[*job]bool
}

// group runs jobs that may share, at most Parallel at once, and stores each result as it comes.
func (r *run) group(ctx context.Context, jobs []*job) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := &floor{r: r, ch: make(chan said), quit: make(chan struct{}), running: map[*job]bool{}}
	defer close(f.quit)
	for _, j := range jobs {
		if !j.done {
			f.next = append(f.next, j)
		}
	}
	err := f.work(work)
	if err == nil {
		return nil
	}
	cancel(err)
	return errors.Join(err, f.wind(work))
}

// work starts and listens until all is done; any error, and the end of ctx, makes it return early.
func (f *floor) work(ctx context.Context) error {
	for {
		if err := f.start(ctx); err != nil {
			return err
		}
		if len(f.running) == 0 {
			return nil
		}
		select {
		case m := <-f.ch:
			if err := f.hear(ctx, m); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wind gives cancelled tools their grace, stores what still comes, and answers for those that do not return.
func (f *floor) wind(ctx context.Context) error {
	grace := f.r.a.Grace
	if grace <= 0 {
		grace = time.Second
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for len(f.running) > 0 {
		select {
		case m := <-f.ch:
			if m.result == nil {
				continue
			}
			if f.r.fatal != nil { // nothing can be stored, but the tool is waited for
				delete(f.running, m.job)
				continue
			}
			_ = f.hear(ctx, m) // the run ends for an earlier reason; a fatal error is kept in f.r
		case <-timer.C:
			for _, j := range f.left() {
				if j.aside {
					continue
				}
				if err := f.r.answer(ctx, j.call, ErrorResult(textStuck), false); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return f.r.fatal
}

// left lists the running jobs in the order of their calls, so that the log does not depend on a map's order.
func (f *floor) left() []*job {
	jobs := slices.Collect(maps.Keys(f.running))
	slices.SortFunc(jobs, func(a, b *job) int { return a.place - b.place })
	return jobs
}

func (f *floor) start(ctx context.Context) error {
	limit := max(1, f.r.a.Parallel)
	for len(f.next) > 0 && len(f.running) < limit {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := f.next[0]
		if !j.started && f.r.a.Waiting != nil && f.r.a.Waiting() {
			if err := f.skip(ctx); err != nil {
				return err
			}
			continue
		}
		if err := f.announce(ctx, j); err != nil {
			return err
		}
		f.next = f.next[1:]
		f.running[j] = true
		go f.run(ctx, j)
	}
	return nil
}

// announce stores the call event, unless it was stored in an earlier life.
func (f *floor) announce(ctx context.Context, j *job) error {
	if j.started {
		return nil
	}
	call := j.call
	if err := f.r.emit(ctx, &Event{Type: EvCall, Call: &call}); err != nil || ctx.Err() == nil {
		return err
	}
	err := context.Cause(ctx) // whoever watched the event may have ended the run: the tool has not run
	return errors.Join(err, f.r.answer(ctx, j.call, notRun(f.r.ending(ctx, err)), false))
}

// skip answers what has not started: the person's words come first. The calls of later groups skip themselves.
func (f *floor) skip(ctx context.Context) error {
	var started []*job
	for _, j := range f.next {
		if j.started {
			started = append(started, j)
			continue
		}
		j.done = true
		if err := f.r.answer(ctx, j.call, ErrorResult(textSkipped), false); err != nil {
			return err
		}
	}
	f.next = started
	return nil
}

// hear handles one thing a tool said.
func (f *floor) hear(ctx context.Context, m said) error {
	switch {
	case m.result != nil:
		delete(f.running, m.job)
		m.job.done = true
		if m.job.aside {
			return nil
		}
		return f.r.answer(ctx, m.job.call, *m.result, true)
	case m.answer != nil:
		ans, err := f.r.answered(ctx, *m.ask, *m.answer, f.r.a.Ask == nil)
		if err != nil { // not stored, so it was not given
			close(m.reply)
			return err
		}
		m.reply <- ans
		return nil
	case m.ask != nil && m.job.done: // by a goroutine that outlived its tool
		close(m.reply)
		return nil
	case m.ask != nil:
		return f.ask(ctx, m)
	}
	call := m.job.call
	call.Args = nil
	return f.r.emit(ctx, &Event{Type: EvProgress, Call: &call, Text: m.progress})
}

// ask stores a tool's question and has somebody wait for the answer beside the loop.
func (f *floor) ask(ctx context.Context, m said) error {
	if ans, ok := f.r.s.Answers[m.ask.ID]; ok {
		m.reply <- ans
		return nil
	}
	if _, open := f.r.s.Asks[m.ask.ID]; !open {
		if err := f.r.emit(ctx, &Event{Type: EvAsk, Ask: m.ask}); err != nil {
			return err
		}
	}
	if f.r.a.Ask == nil {
		m.answer = &Answer{}
		return f.hear(ctx, m)
	}
	go func() {
		ans, err := f.r.a.Ask(ctx, *m.ask)
		if err != nil { // nothing is stored: after a restart the question is put again
			close(m.reply)
			return
		}
		m.answer = &ans
		f.tell(m)
	}()
	return nil
}

// tell hands something to the loop; false when nobody listens any more.
func (f *floor) tell(m said) bool {
	select {
	case f.ch <- m:
		return true
	case <-f.quit:
		return false
	}
}

// run runs one tool on its own goroutine. Whatever the tool does, exactly one result is told.
func (f *floor) run(ctx context.Context, j *job) {
	res := ErrorResult("the tool ended its goroutine without a result") // stays only after runtime.Goexit
	defer func() {
		if p := recover(); p != nil {
			res = ErrorResult(fmt.Sprintf("the tool panicked: %v", p))
		}
		f.tell(said{job: j, result: &res})
	}()
	p := port{
		progress: func(text string) { f.tell(said{job: j, progress: text}) },
		ask:      func(ctx context.Context, q Ask) (Answer, error) { return f.question(ctx, j, q) },
		asked:    new(atomic.Int64),
	}
	got, err := j.tool.Run(context.WithValue(ctx, portKey{}, p), j.call)
	if err != nil { // what it did get done is kept
		got.Error = true
		got.Parts = append(slices.Clip(got.Parts), TextPart(failure(ctx, err)))
	}
	res = got
}

// failure is what the model reads about a tool's error; of a tool that was stopped, why it was.
func failure(ctx context.Context, err error) string {
	switch {
	case ctx.Err() == nil || (!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)):
		return err.Error()
	case errors.Is(context.Cause(ctx), context.Canceled):
		return textCancelled
	}
	return "stopped before it was done: " + context.Cause(ctx).Error()
}

// question carries a tool's question to the loop and waits.
func (f *floor) question(ctx context.Context, j *job, q Ask) (Answer, error) {
	reply := make(chan Answer, 1)
	call := j.call
	q.ID, q.Call = j.call.Key+"/"+q.ID, &call
	if !f.tell(said{job: j, ask: &q, reply: reply}) {
		return Answer{}, context.Canceled
	}
	select {
	case ans, ok := <-reply:
		if !ok {
			return Answer{}, fmt.Errorf("nobody answered: %w", context.Canceled)
		}
		return ans, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	case <-f.quit:
		return Answer{}, context.Canceled
	}
}

// port is what a tool's context carries.
type port struct {
	progress func(text string)
	ask      func(ctx context.Context, q Ask) (Answer, error)
	asked    *atomic.Int64 // questions so far
}

type portKey struct{}
