package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"react-agent/internal/shell"
)

// leaver is a program that leaves a child behind in a session of its own, with nothing of its parent's open.
func leaver() int {
	child := exec.CommandContext(context.Background(), os.Args[0])
	child.Env = append(os.Environ(), roleVar+"=sleep")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if child.Start() != nil {
		return 1
	}
	_, _ = os.Stdout.WriteString(`{"content":"` + strconv.Itoa(child.Process.Pid) + `"}`)
	return 0
}

func TestNothingIsLeftOfAProgramThatHasAnswered(t *testing.T) {
	var mark string
	c := self(t, "leaves")
	c.Run = func(ctx context.Context, cmd shell.Cmd) (shell.Result, error) {
		mark = cmd.Vars[len(cmd.Vars)-1]
		return shell.Run(ctx, cmd)
	}
	got := listen(t, New(c), request("x"))
	pid, err := strconv.Atoi(got.msg.Text())
	if got.err != nil || err != nil || !strings.HasPrefix(mark, markName+"=") {
		t.Fatalf("%v %q %q", got.err, got.msg.Text(), mark)
	}
	if raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ"); err == nil && strings.Contains(string(raw), mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Errorf("the child %d goes on", pid)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
}
