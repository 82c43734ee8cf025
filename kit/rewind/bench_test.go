package rewind

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"react-agent/agent"
)

// bigWorld has 10,000 files with 100 MB together, all kept.
func bigWorld(b *testing.B) *world {
	b.Helper()
	root := b.TempDir()
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		dir := filepath.Join(root, fmt.Sprintf("pkg%02d/part%d", i/250, i/25%10))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		data := make([]byte, 10_000)
		for j := range data {
			data[j] = byte(rnd.Uint32())
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", i)), data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	w := newWorld(b, root, b.TempDir(), func(o *Options) { o.NoSync = false })
	w.call(func() {}) // the first look at everything
	return w
}

// BenchmarkEdit10k is the checkpoint around a call that edits one file: before it and after it, the disk waited for.
func BenchmarkEdit10k(b *testing.B) {
	w := bigWorld(b)
	path := w.path("pkg03/part3/file1.go")
	n := 0
	t := w.tool(agent.Writes, false, func() { n++; w.write("pkg03/part3/file1.go", fmt.Sprint(n)) })
	c := agent.Call{Key: "s/2.1", Args: []byte(fmt.Sprintf(`{"paths":[%q]}`, path))}
	for b.Loop() {
		if res, err := t.Run(context.Background(), c); err != nil || res.Error {
			b.Fatal(res, err)
		}
	}
}

// BenchmarkShell10k is the same around a command that changes one file.
func BenchmarkShell10k(b *testing.B) {
	w := bigWorld(b)
	n := 0
	var begun time.Time
	var before time.Duration
	t := w.tool(agent.Executes, false, func() {
		before += time.Since(begun)
		n++
		w.write("pkg03/part3/file1.go", fmt.Sprint(n))
	})
	for b.Loop() {
		begun = time.Now()
		if res, err := t.Run(context.Background(), agent.Call{Key: "s/2.1", Args: []byte("{}")}); err != nil || res.Error {
			b.Fatal(res, err)
		}
	}
	b.ReportMetric(float64(before.Microseconds())/1000/float64(n), "ms-before")
}

// BenchmarkFirst10k is the first look at everything: what is read is kept.
func BenchmarkFirst10k(b *testing.B) {
	w := bigWorld(b)
	for b.Loop() {
		w.o.Dir = b.TempDir()
		w.open()
		t := w.tool(agent.Executes, false, func() {})
		if res, err := t.Run(context.Background(), agent.Call{Key: "s/2.1", Args: []byte("{}")}); err != nil || res.Error {
			b.Fatal(res, err)
		}
	}
}

// BenchmarkSmallEdit and BenchmarkSmallShell are what a step costs in a small work directory.
func BenchmarkSmallEdit(b *testing.B) { smallStep(b, agent.Writes) }

// BenchmarkSmallShell is the same around a command.
func BenchmarkSmallShell(b *testing.B) { smallStep(b, agent.Executes) }

func smallStep(b *testing.B, effect agent.Effect) {
	b.Helper()
	w := newWorld(b, b.TempDir(), b.TempDir(), func(o *Options) { o.NoSync = false })
	for i := range 20 {
		w.write(fmt.Sprint("dir/f", i), "content")
	}
	w.call(func() {})
	n := 0
	t := w.tool(effect, false, func() { n++; w.write("dir/f1", fmt.Sprint(n)) })
	c := agent.Call{Key: "s/2.1", Args: []byte(fmt.Sprintf(`{"paths":[%q]}`, w.path("dir/f1")))}
	for b.Loop() {
		if res, err := t.Run(context.Background(), c); err != nil || res.Error {
			b.Fatal(res, err)
		}
	}
}
