package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"react-agent/internal/config"
)

// quietLook is how often a server looks whether it has become quiet; heapGiven is how much it must have used since it gave
// memory back last.
const (
	quietLook = 5 * time.Second
	heapGiven = 16 << 20
)

// spareShare is how much a server lets its heap grow before it is collected, in hundredths of what lives. Go's own 100 takes
// 60 MB more for a thousand streams at once, and saves nothing that could be measured (docs/performance.md).
const spareShare = 50

// beSparing makes the process collect oftener, unless its environment says how often (GOGC); done takes it back.
func (p *product) beSparing() (done func()) {
	if config.Getenv(p.o.Env, "GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(spareShare)
	return func() { debug.SetGCPercent(before) }
}

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
