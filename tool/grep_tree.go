package tool

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// question is a search, ready to be made.
type question struct {
	env    Env
	args   grepArgs
	at     place
	file   bool   // at is a file, not a directory
	top    string // work directory, resolved
	prefix string // what stands before the paths of results, without a slash at its end
	filter *nameFilter
	fast   *sieveQuery // nil: every file is read
	want
	// time for all, and for counting on when everything that will be shown is known
	time, countTime time.Duration
}

// room is what fits into a result.
func (q *question) room() room {
	return room{results: q.args.Limit, chars: q.env.Cut}
}

const (
	workers   = 2
	batchSize = 64                     // files that one worker takes at a time
	lastCall  = 200 * time.Millisecond // for what is half done when the time is over
)

// Reasons for which a search ends before everything was seen.
var (
	errSearchTime = errors.New("time limit of the search")
	errCountTime  = errors.New("time limit of counting on")
)

// batch is some files, one behind the other in the order of paths.
type batch struct {
	number int
	files  []string // below question.at; "" is that itself
	size   int      // of the names, in bytes
}

// outcome is what was found in a batch.
type outcome struct {
	number, files int
	list          []hits
}

// hunt is a search that is going on. Its parts speak over channels only, so that it can be left at any time, even while a
// read hangs on a dead disk.
type hunt struct {
	*question
	tally  tally
	todo   chan batch
	done   chan outcome  // closed when all is done
	gone   chan struct{} // closed when nobody listens any more
	enough atomic.Int64  // number of the batch from which on only the number of matches is wanted
	failed atomic.Pointer[error]
}

// answer searches and says what was found. The error is that of a root that cannot be read, or of ctx.
func (q *question) answer(ctx context.Context) (string, error) {
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	clock := time.AfterFunc(q.time, func() { stop(errSearchTime) })
	defer clock.Stop()

	h := &hunt{question: q, todo: make(chan batch, workers), done: make(chan outcome, workers), gone: make(chan struct{})}
	defer close(h.gone)
	h.enough.Store(1 << 62)
	var all sync.WaitGroup
	all.Go(func() { h.walk(limited) })
	for range workers {
		all.Go(func() { h.work(limited) })
	}
	go func() {
		all.Wait()
		close(h.done)
	}()
	a := newAnswer(q)
	h.collect(limited, a, func() *time.Timer { return time.AfterFunc(q.countTime, func() { stop(errCountTime) }) })
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := h.failed.Load(); err != nil && limited.Err() == nil {
		return "", *err
	}
	a.why = context.Cause(limited)
	a.denied, a.ignored, a.links = h.tally.denied.Load(), h.tally.ignored.Load(), h.tally.links.Load()
	return a.text(), nil
}

// walk hands the files out.
func (h *hunt) walk(ctx context.Context) {
	defer close(h.todo)
	b := batch{}
	send := func() bool {
		select {
		case h.todo <- b:
			b = batch{number: b.number + 1}
			return true
		case <-ctx.Done():
			return false
		}
	}
	if h.file {
		b.files = []string{""}
		send()
		return
	}
	w := walk{root: h.at.real, top: h.top, all: h.args.All, tally: &h.tally}
	w.visit = func(f found) bool {
		if f.kind.IsRegular() && h.filter.match(f.path) {
			b.files = append(b.files, f.path)
			b.size += len(f.path)
		}
		return !h.fast.filled(b) || send()
	}
	err := w.run(ctx)
	if err == nil {
		send()
	} else {
		h.failed.Store(&err)
	}
}

func (h *hunt) work(ctx context.Context) {
	s := scanner{want: h.want}
	for b := range h.todo {
		s.room = h.room()
		if int64(b.number) >= h.enough.Load() {
			s.room = room{}
		}
		o := h.batch(ctx, &s, b)
		select {
		case h.done <- o:
		case <-h.gone:
			return
		}
	}
}

// batch searches some files.
func (h *hunt) batch(ctx context.Context, s *scanner, b batch) outcome {
	o := outcome{number: b.number}
	for _, path := range h.fast.pass(ctx, h.question, b.files) {
		if ctx.Err() != nil {
			return o // what the sieve left out is not counted either: nobody knows how far it came
		}
		r, err := s.file(ctx, filepath.Join(h.at.real, filepath.FromSlash(path)))
		switch {
		case ctx.Err() != nil:
		case h.file && errors.Is(err, errBinary):
			err = fmt.Errorf("%s is a binary file and was not searched: look at it with file or strings", h.args.Path)
			h.failed.Store(&err)
		case h.file && err != nil && r.count == 0:
			h.failed.Store(&err)
		case err != nil && !errors.Is(err, errBinary):
			h.tally.denied.Add(1)
		}
		if r.path = path; r.count > 0 {
			o.list = append(o.list, r)
		}
	}
	o.files = len(b.files)
	return o
}

// collect puts the outcomes in order until all are there or the time is over. countOn is called when nothing more will be
// shown.
func (h *hunt) collect(ctx context.Context, a *answer, countOn func() *time.Timer) {
	var (
		early    []outcome // waiting for one before them
		next     int
		over     = ctx.Done()
		giveUp   <-chan time.Time
		counting *time.Timer
	)
	defer func() {
		for _, o := range early { // only when something before them is missing
			a.take(o)
		}
	}()
	for {
		select {
		case o, ok := <-h.done:
			if !ok {
				return
			}
			i, _ := slices.BinarySearchFunc(early, o.number, func(o outcome, n int) int { return o.number - n })
			early = slices.Insert(early, i, o)
		case <-over:
			if cause := context.Cause(ctx); !errors.Is(cause, errSearchTime) && !errors.Is(cause, errCountTime) {
				return
			}
			over = nil
			last := time.NewTimer(lastCall)
			defer last.Stop()
			giveUp = last.C
		case <-giveUp:
			return
		}
		for len(early) > 0 && early[0].number == next {
			a.take(early[0])
			early, next = early[1:], next+1
		}
		h.thin(a, early, next)
		if a.full() && counting == nil {
			counting = countOn()
			defer counting.Stop()
		}
	}
}

// thin drops the lines that cannot be shown any more, because those before them fill the answer.
func (h *hunt) thin(a *answer, early []outcome, next int) {
	left := a.room
	if left.full() {
		h.enough.Store(int64(next))
	}
	for i := range early {
		for j := range early[i].list {
			r := &early[i].list[j]
			if left.full() {
				r.lines = nil
				continue
			}
			for _, l := range r.lines {
				left.chars -= len(l.text)/4 + 1 // at least
				if l.hit {
					left.results--
				}
			}
			if a.q.args.Mode != "content" {
				left.results--
			}
		}
	}
}
