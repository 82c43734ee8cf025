//go:build linux

package sandbox

import (
	"slices"
	"testing"
	"time"

	"react-agent/internal/shell"
)

// BenchmarkCommand measures what a sandbox adds to one command, run by run beside one without it. Its figures are
// medians in milliseconds.
func BenchmarkCommand(b *testing.B) {
	for _, w := range ways() {
		b.Run(w.name, func(b *testing.B) {
			r := open(b, w, Options{})
			var with, without []time.Duration
			run := func(c shell.Cmd) time.Duration {
				start := time.Now()
				if res, err := shell.Run(b.Context(), c); err != nil || res.Failed() {
					b.Fatal(err, string(res.Head))
				}
				return time.Since(start)
			}
			c := shell.Cmd{Command: "echo hi", Shell: "/bin/sh", Dir: r.root}
			held := c
			held.Prepare = r.Prepare
			for b.Loop() {
				without = append(without, run(c))
				with = append(with, run(held))
			}
			slices.Sort(with)
			slices.Sort(without)
			a, z := with[len(with)/2], without[len(without)/2]
			b.ReportMetric(float64(z.Microseconds())/1000, "ms-without")
			b.ReportMetric(float64(a.Microseconds())/1000, "ms-with")
			b.ReportMetric(float64((a-z).Microseconds())/1000, "ms-added")
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	for _, w := range ways() {
		b.Run(w.name, func(b *testing.B) {
			r := open(b, w, Options{})
			for b.Loop() {
				if err := r.Prepare(shellCommand("true")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMainOfNoHelper(b *testing.B) {
	args := []string{"react-agent", "run", "hello"}
	for b.Loop() {
		if done, _ := Main(args); done {
			b.Fatal("it is none")
		}
	}
}
