package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// quietLook is how often a server looks whether it has become quiet; heapGiven is how much it must have used since it gave
// memory back last.
const (
	quietLook = 5 * time.Second
	heapGiven = 16 << 20
)

// giveBack gives memory back to the system when no session works any more. Go itself would keep what the busiest second took
// for minutes, and collect nothing while nothing happens. It ends with ctx.
func (p *product) giveBack(ctx context.Context) {
	t := time.NewTicker(quietLook)
	defer t.Stop()
	used := allocated()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if working, _ := p.engine.Load(""); working == 0 && allocated()-used > heapGiven {
			debug.FreeOSMemory()
			used = allocated()
		}
	}
}

// allocated is how many bytes the program has taken from its heap so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
