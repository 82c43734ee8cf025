package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// keptCaps are what root keeps of its powers: to own, change and read files of others, as far as the file system lets it.
// None of them leads out. Without them root could not work in a directory that belongs to somebody else.
func keptCaps() []string {
	return []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID"}
}

// bwrap makes cmd a call of bubblewrap.
func (s *Sandbox) bwrap(program string, cmd *exec.Cmd) error {
	m, err := s.places(true)
	if err != nil {
		return err
	}
	// Of /proc root could set the kernel's own switches, so it cannot be written.
	args := []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"}
	args = append(args, s.mounts(m.sorted())...)
	argv := append([]string{cmd.Path}, cmd.Args[1:]...)
	if i, file := tempFile(argv); i >= 0 && m.replaced(resolved(file)) {
		inside := "/dev/" + filepath.Base(file)
		args = append(args, "--ro-bind", file, inside)
		argv[i] = inside
	}
	args = append(args, "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL")
	if !s.o.Network {
		args = append(args, "--unshare-net")
	}
	if len(cmd.ExtraFiles) == 0 {
		// While its first process takes the box down, nobody shall think that a group is left behind. A command that was given
		// files of its own is a background job, whose group has to stay together to be found.
		args = append(args, "--new-session")
	}
	if os.Geteuid() == 0 {
		for _, c := range keptCaps() {
			args = append(args, "--cap-add", c)
		}
	} else {
		args = append(args, "--unshare-user", "--disable-userns")
	}
	args = append(args, "--chdir", s.startIn(cmd, m), "--")
	cmd.Env = s.environment(cmd.Environ(), true)
	cmd.Args = append(args, argv...)
	cmd.Path = program
	cmd.SysProcAttr = attributes(cmd)
	return nil
}

// mounts are the arguments for the places.
func (s *Sandbox) mounts(list []place) []string {
	var args, late []string
	for i, p := range list {
		switch {
		case within(p.Path, "/proc"):
		case within(p.Path, "/dev"):
			if p.Access == write {
				args = append(args, "--dev-bind", p.Path, p.Path)
			}
		case p.Access == hidden && p.Dir && i+1 < len(list) && within(list[i+1].Path, p.Path):
			args = append(args, "--tmpfs", p.Path)
			late = append(late, "--remount-ro", p.Path)
		case p.Access == hidden && p.Dir:
			args = append(args, "--ro-bind", s.store.file(noneName), p.Path)
		case p.Access == hidden:
			args = append(args, "--ro-bind", s.store.file(emptyName), p.Path)
		case p.Access == read:
			args = append(args, "--ro-bind", p.source(), p.Path)
		default:
			args = append(args, "--bind", p.source(), p.Path)
		}
	}
	return append(args, late...)
}

// source is what stands at the place.
func (p place) source() string {
	if p.From != "" {
		return p.From
	}
	return p.Path
}

// tempFile finds the argument that is a program or script in the temporary directory that commands do not see, as a
// command too long for an argument is: the program, its first argument, or the last one of a shell around a shell.
func tempFile(argv []string) (index int, path string) {
	for _, i := range []int{0, 1, len(argv) - 1} {
		if i >= len(argv) || i > 0 && argv[i-1] == "-c" || i > 1 && argv[1] != "-c" {
			continue // what comes after -c is a text
		}
		path := argv[i]
		if !filepath.IsAbs(path) || !slices.ContainsFunc([]string{os.TempDir(), "/tmp", "/var/tmp"}, func(dir string) bool { return within(path, filepath.Clean(dir)) }) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return i, path
		}
	}
	return -1, ""
}

// startIn is the directory in which the command starts: its own, unless that is hidden.
func (s *Sandbox) startIn(cmd *exec.Cmd, m places) string {
	dir := cmd.Dir
	if dir == "" {
		dir = s.root
	}
	dir = resolved(dir)
	if p, ok := m.around(dir); ok && (p.Access == hidden || p.From != "" && p.Path != dir) {
		return s.root
	}
	return dir
}

// attributes are the command's own, in a session without a terminal.
func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	var a syscall.SysProcAttr
	if cmd.SysProcAttr != nil {
		a = *cmd.SysProcAttr
	}
	a.Setsid = true
	a.Setpgid = false
	a.Foreground = false
	return &a
}

// failure is what a probe printed, or its error.
func failure(err error, output []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}
