//go:build unix

package rewind

import (
	"context"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"react-agent/agent"
)

// TestMain lets the test binary be a process that dies: see TestKilled.
func TestMain(m *testing.M) {
	switch os.Getenv("REWIND_TEST_JOB") {
	case "restore":
		os.Exit(dyingRestore())
	case "call":
		os.Exit(dyingCall())
	}
	goleak.VerifyTestMain(m)
}

// process is a tb of a process without a test.
type process struct{}

func (process) Helper()                      {}
func (process) Fatal(args ...any)            { panic(args) }
func (process) Fatalf(f string, args ...any) { panic(append([]any{f}, args...)) }
func (process) Errorf(f string, args ...any) { panic(append([]any{f}, args...)) }

func die() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// dyingRestore plays a history and kills itself in the middle of taking it back.
func dyingRestore() int {
	w := newWorld(process{}, os.Getenv("REWIND_ROOT"), os.Getenv("REWIND_DIR"), nil)
	at := int(os.Getenv("REWIND_AT")[0] - 'a')
	from := play(w)
	w.r.stepped = func(n int) {
		if n > at {
			die()
		}
	}
	w.rewind(from)
	return 0
}

// play makes a history with every kind of change.
func play(w *world) int64 {
	w.Helper()
	w.write("kept", "old")
	w.write("gone/x", "x")
	w.write("gone/y", "y")
	w.write("was/file", "f")
	w.write("mode", "m")
	from := w.say("go")
	w.call(func() {
		w.write("kept", "new")
		w.must(os.RemoveAll(w.path("gone")))
		w.must(os.RemoveAll(w.path("was")))
		w.must(os.WriteFile(w.path("was"), []byte("now a file"), 0o600))
		w.must(os.Chmod(w.path("mode"), 0o755))
		w.must(os.Symlink("kept", w.path("link")))
		w.write("more/a/b", "c")
	})
	return from
}

// dyingCall is killed while a tool runs.
func dyingCall() int {
	w := newWorld(process{}, os.Getenv("REWIND_ROOT"), os.Getenv("REWIND_DIR"), nil)
	w.say("go")
	c := w.ask([]byte("{}"))
	_, _ = w.tool(agent.Executes, false, func() {
		w.write("a", "by the call")
		w.write("b", "by the call")
		die()
	}).Run(context.Background(), c)
	return 0
}
