package pipeline

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"react-agent/internal/shell"
)

// sleeper is a process that a command has left behind.
func sleeper(t *testing.T, env []string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "echo x; sleep 1000; :")
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // it was killed
	})
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// What a killed process has left of a step's command is ended before the command is run again; what an earlier step has
// left on purpose is not.
func TestOrphansAreEnded(t *testing.T) {
	g := newRig(t)
	g.blocks(bashBlock("RUN    : work"), bashBlock("RUN    : more"), done())
	var server, old *exec.Cmd
	g.run = func(c Command) (Outcome, error) {
		switch {
		case server == nil:
			server = sleeper(t, c.Env)
			return printed(""), nil
		case old == nil:
			old = sleeper(t, c.Env)
			return Outcome{}, errDead
		}
		if err := old.Wait(); err == nil { // it is over, or this waits
			t.Error("it came to its end")
		}
		return printed(""), nil
	}
	want(t, g.call("q"), true, "the process is gone")
	r, rev, err := states{g.kv}.load(t.Context(), "s/1.0")
	if err != nil {
		t.Fatal(err)
	}
	r.Running, r.Owner = true, shell.Ident{PID: 1 << 30}
	if _, err := (states{g.kv}).save(t.Context(), r, rev); err != nil {
		t.Fatal(err)
	}
	nexts := g.nexts
	g.next = func(n int) Outcome {
		return printed([]string{bashBlock("RUN    : more"), done()}[min(n-nexts, 1)])
	}
	want(t, g.call("q"), false, "DONE")
	if server.ProcessState != nil || server.Process.Signal(syscall.Signal(0)) != nil {
		t.Error("what was meant to stay is gone")
	}
}
