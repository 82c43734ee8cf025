package shell

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Whoever has the mark is ended, also one that left its session and does not listen; nobody else is.
func TestEndMarked(t *testing.T) {
	start := func(env, script string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.Env = append(os.Environ(), env)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			killGroup(cmd.Process.Pid)
			_ = cmd.Wait() // it was killed
		})
		return cmd
	}
	mark := newMark()
	stubborn := start(mark, "trap : TERM; echo x; while :; do sleep 100; done")
	with := start(mark, "(env -u AGENT_COMMAND_ID sleep 1000) & echo x; wait")
	other := start(mark+"1", "echo x; sleep 1000; :")
	if n := EndMarked(mark); n < 4 {
		t.Errorf("%d processes", n)
	}
	for _, cmd := range []*exec.Cmd{stubborn, with} {
		if err := cmd.Wait(); err == nil {
			t.Error("it was not ended")
		}
		for _, p := range processes() { // the dead may stay in the table for a while
			if p.session == cmd.Process.Pid {
				t.Error("its children live", commandLine(p.pid))
			}
		}
	}
	if !groupAlive(other.Process.Pid) {
		t.Error("somebody else was ended")
	}
	if n := EndMarked(mark); n != 0 {
		t.Errorf("%d are left", n)
	}
}
