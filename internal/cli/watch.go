package cli

import (
	"os"
	"sync/atomic"
	"time"
)

// The program's patience once it has to end: hurry is what the second Ctrl-C leaves to it. A signal that ends it leaves
// it patience for the run and as much as hurry for the rest.
const hurry = 2 * time.Second

// watch passes signals on to whoever acts on them, and sees that the program ends where nobody can: the loop may be stuck
// in the middle of something, and the run that it waits for may compute for ever. What is stored survives that.
type watch struct {
	exit  func(code int)
	turns atomic.Int64 // how often the loop has come round
	ends  chan end
}

// end says that the program has to be gone soon.
type end struct {
	code   int
	within time.Duration
}

// watched starts the watch over the program's signals; it needs a way out. It lasts as long as the process.
func (a *program) watched() {
	if a.std.Exit == nil || a.std.Signals == nil {
		return
	}
	a.watch = &watch{exit: a.std.Exit, ends: make(chan end)}
	from, to := a.std.Signals, make(chan os.Signal)
	a.std.Signals = to
	go a.watch.pass(from, to)
}

// turn is called by a loop that looks at signals, each time round.
func (w *watch) turn() {
	if w != nil {
		w.turns.Add(1)
	}
}

// leave ends the program with a code, whatever goes on in it by then. Who says so knows how long it takes: what a signal has
// left it before counts no more.
func (w *watch) leave(code int, within time.Duration) {
	if w != nil {
		w.ends <- end{code, within}
	}
}

func (w *watch) pass(from <-chan os.Signal, to chan<- os.Signal) {
	var queue []os.Signal
	var sure, stuck final
	last := int64(-1) // the turn in which the last Ctrl-C came
	for {
		var next os.Signal
		taker := to
		if len(queue) == 0 {
			taker = nil
		} else {
			next = queue[0]
		}
		select {
		case taker <- next:
			queue = queue[1:]
		case sig := <-from:
			queue = append(queue, sig)
			turn := w.turns.Load()
			switch {
			case sig != os.Interrupt:
				sure.set(end{signalCode(sig), patience + hurry})
			case turn == last: // nothing has moved since the last one
				stuck.set(end{exitInterrupted, hurry})
			default:
				last, stuck = turn, final{}
			}
		case e := <-w.ends:
			sure = final{}
			sure.set(e)
		case <-sure.due:
			w.exit(sure.code)
			return
		case <-stuck.due:
			if last == w.turns.Load() {
				w.exit(stuck.code)
				return
			}
			stuck = final{} // it has moved after all
		}
	}
}

// final is the end that comes by itself.
type final struct {
	code int
	at   time.Time
	due  <-chan time.Time
}

// set takes an end in, unless an earlier one is due.
func (f *final) set(e end) {
	if at := time.Now().Add(e.within); f.due == nil || at.Before(f.at) {
		*f = final{code: e.code, at: at, due: time.After(e.within)}
	}
}
