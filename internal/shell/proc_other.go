//go:build !unix

package shell

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func ownSession() *syscall.SysProcAttr { return nil }

func ending(p *os.ProcessState) (code int, signal string) {
	if p == nil {
		return -1, "an unknown cause"
	}
	return p.ExitCode(), ""
}

func groupAlive(int) bool { return false }

// family is the command's tree, which taskkill knows.
type family struct{ begun bool }

func (j *job) family() family { return family{} }

func (f *family) terminate(j *job) error {
	//nolint:gosec,noctx // fixed program, numeric argument; it must run although the context has ended
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(j.cmd.Process.Pid)).Run(); err != nil {
		return j.cmd.Process.Kill()
	}
	return nil
}

func (f *family) kill(*job) {}

func (j *job) sweep(bool) []Process { return nil }

func (j *job) onOwnTerminal() bool { return false }
