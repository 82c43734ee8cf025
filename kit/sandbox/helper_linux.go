package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperName is the helper's first argument. Nobody who calls the program by a name of its own gives it this one.
const helperName = "react-agent: sandbox helper"

// cannotEnter is the exit code of a helper that could not confine itself; shells use it for what cannot be run.
const cannotEnter = 126

// spec tells the helper what to do, as its second argument. What follows is the program to run and its arguments.
type spec struct {
	Places  []place `json:"places"`
	Scratch string  `json:"scratch,omitempty"`
	Script  string  `json:"script,omitempty"` // a file that is out of sight inside, to be brought along
	Dir     string  `json:"dir"`
	Mounts  bool    `json:"mounts,omitempty"` // it has a mount namespace of its own
	Net     bool    `json:"net,omitempty"`    // it has a network namespace of its own
	NoNet   bool    `json:"no_net,omitempty"` // it must do without the network, and has no namespace for that
	Keep    bool    `json:"keep,omitempty"`   // it is root and keeps some powers
}

// Main is the helper's side of kind landlock. The program's main calls it before everything else with os.Args; when
// handled is true it exits with code. It does nothing, at no cost, in a process that is no helper.
func Main(args []string) (handled bool, code int) {
	if len(args) < 3 || args[0] != helperName {
		return false, 0
	}
	err := enter(args[1], args[2:])
	fmt.Fprintln(os.Stderr, "sandbox:", err)
	return true, cannotEnter
}

// enter confines this thread and makes it the program. It returns only with an error.
func enter(text string, argv []string) error {
	// Powers and restrictions belong to the thread; the one that calls exec is what remains of the process.
	runtime.LockOSThread()
	var sp spec
	if err := json.Unmarshal([]byte(text), &sp); err != nil {
		return err
	}
	if sp.Net {
		if err := loopback(); err != nil {
			return fmt.Errorf("loopback: %w", err)
		}
	}
	if sp.Mounts {
		if err := arrange(&sp); err != nil {
			return err
		}
	}
	if err := weaken(sp.Keep); err != nil {
		return err
	}
	if err := restrict(sp.Places, !sp.Mounts, sp.NoNet); err != nil {
		return err
	}
	if err := drop(sp.Keep); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", argv[0], syscall.Exec(argv[0], argv, os.Environ())) //nolint:forbidigo,gosec // the command's own environment, passed on
}

// kept are the powers of root that stay, as bits.
func kept(keep bool) uint32 {
	if !keep {
		return 0
	}
	return 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
}

// weaken makes sure that no program gives powers back.
func weaken(keep bool) error {
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		if c < 32 && kept(keep)&(1<<c) != 0 {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) { // not root, or an older kernel
			return fmt.Errorf("bounding set: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	return nil
}

// drop gives up this thread's powers.
func drop(keep bool) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	data[0].Effective, data[0].Permitted = kept(keep), kept(keep)
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

// helper makes cmd a call of this program as helper.
func (s *Sandbox) helper(f finding, cmd *exec.Cmd) error {
	m, err := s.places(f.spaces)
	if err != nil {
		return err
	}
	argv := append([]string{cmd.Path}, cmd.Args[1:]...)
	sp := spec{
		Places: m.sorted(), Dir: s.startIn(cmd, m), Mounts: f.spaces, Net: f.spaces && !s.o.Network,
		NoNet: !f.spaces && !s.o.Network, Keep: os.Geteuid() == 0,
	}
	if f.spaces {
		sp.Scratch = filepath.Dir(s.store.file(noneName))
		if i, file := tempFile(argv); i >= 0 && m.replaced(resolved(file)) {
			sp.Script, argv[i] = file, scriptIn(file)
		}
	}
	text, err := json.Marshal(sp)
	if err != nil {
		return err
	}
	cmd.Env = s.environment(cmd.Environ(), f.spaces)
	cmd.Args = append([]string{helperName, string(text)}, argv...)
	cmd.Path = s.o.Self
	if cmd.Path == "" {
		cmd.Path = "/proc/self/exe"
	}
	cmd.SysProcAttr = attributes(cmd)
	if f.spaces {
		s.spaces(cmd.SysProcAttr)
	}
	return nil
}

// spaces asks for namespaces. Who is not root needs one of users for that, in which it is itself and nobody else.
func (s *Sandbox) spaces(a *syscall.SysProcAttr) {
	a.Cloneflags |= unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	if !s.o.Network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	if os.Geteuid() == 0 {
		return
	}
	a.Cloneflags |= unix.CLONE_NEWUSER
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
}
