package cli

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Who says how long the end takes has that long, although the signal alone would leave less.
func TestTheEndTakesAsLongAsIsSaid(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		synctest.Test(t, func(t *testing.T) {
			from, to, codes := make(chan os.Signal), make(chan os.Signal, 1), make(chan int, 1)
			w := &watch{exit: func(code int) { codes <- code }, ends: make(chan end)}
			go w.pass(from, to)
			began := time.Now()
			from <- sig
			w.leave(7, 2*patience+hurry)
			if code, took := <-codes, time.Since(began); code != 7 || took != 2*patience+hurry {
				t.Errorf("%v: code %d after %v", sig, code, took)
			}
		})
	}
}
