package cli

import (
	"context"
	"sync"

	"react-agent/engine"
)

// aside is a command that takes its time and runs beside the conversation, once it has come to its end.
type aside struct {
	line    int    // of --input jsonl
	id      string // of the input
	typed   string // the line, where a person has typed it
	turn    int    // of the conversation when it was typed
	receipt engine.Receipt
	err     error
}

// asides are the commands that run beside the conversation. All but the running itself happens on one goroutine.
type asides struct {
	done chan aside
	open int
	ends []context.CancelFunc
	wg   sync.WaitGroup
}

// start runs a command; what came of it is read from done, and [asides.over] says so.
func (a *asides) start(ctx context.Context, x aside, run func(ctx context.Context) (engine.Receipt, error)) {
	ctx, cancel := context.WithCancel(ctx)
	a.ends = append(a.ends, cancel)
	a.open++
	a.wg.Go(func() {
		x.receipt, x.err = run(ctx)
		select {
		case a.done <- x:
		case <-ctx.Done():
		}
	})
}

// over says that the end of one was read.
func (a *asides) over() {
	if a.open--; a.open == 0 {
		a.cancel()
	}
}

// cancel ends those that run, and waits for that.
func (a *asides) cancel() {
	for _, end := range a.ends {
		end()
	}
	a.wg.Wait()
	a.ends, a.open = nil, 0
}
