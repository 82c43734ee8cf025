package sandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"react-agent/internal/msg"
)

// Sandbox holds commands. Its methods may be used by many goroutines at once. A nil Sandbox holds nothing.
type Sandbox struct {
	o    Options
	root string // Root without symbolic links
	home string
	say  msg.Catalogue

	once  sync.Once // guards what is found out at the first use
	found finding
	store scratch
	stray string // see repo.stray
}

// finding is what works on this machine.
type finding struct {
	kind    Kind
	program string // of bubblewrap
	spaces  bool   // Landlock's helper gets namespaces of its own
	abi     int    // of Landlock
	err     error  // why the kind that was asked for does not work
	bwrap   error  // why bubblewrap does not
	lock    error  // why Landlock does not
	confine error  // why there are no namespaces
}

// Open makes a sandbox; kind off gives nil. It starts nothing: what works on this machine is found out at the first use.
// Its error says that the options make no sense.
func Open(o Options) (*Sandbox, error) {
	switch o.Kind {
	case Off, "":
		return nil, nil //nolint:nilnil // nil holds nothing, as documented
	case Auto, Bwrap, Landlock:
	default:
		return nil, msg.Errorf(msg.SandboxWord, string(o.Kind), known)
	}
	if !filepath.IsAbs(o.Root) {
		return nil, msg.Errorf(msg.SandboxRoot, o.Root)
	}
	s := &Sandbox{o: o, root: resolved(o.Root), home: resolved(o.Home), say: msg.For(msg.Lang(o.Lang))}
	if filepath.Dir(s.root) == s.root {
		return nil, msg.Errorf(msg.SandboxRoot, o.Root)
	}
	s.stray = repository(s.root).stray()
	return s, nil
}

// resolved is path without symbolic links where it is there, else just clean.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

// Prepare changes a command that is about to start, so that it runs inside: its program, arguments, environment and
// attributes. An error says that the sandbox that was asked for does not work here; the command must not run then. With
// kind auto on a machine where nothing works the command is left as it is, see [Sandbox.Kind].
func (s *Sandbox) Prepare(cmd *exec.Cmd) error {
	if s == nil {
		return nil
	}
	f := s.try()
	if f.err != nil {
		return f.err
	}
	if f.kind == Off {
		return nil
	}
	s.sweep()
	return s.wrap(f, cmd)
}

// Kind is what holds commands here: bwrap, landlock, or off when nothing does. The first call tries it, which takes some
// milliseconds.
func (s *Sandbox) Kind() Kind {
	if s == nil {
		return Off
	}
	return s.try().kind
}

// Warning is what the person should know before the first command: that nothing holds commands, or what stays open.
// Empty: nothing. It costs as much as [Sandbox.Kind].
func (s *Sandbox) Warning() string {
	if s == nil {
		return ""
	}
	f := s.try()
	switch {
	case f.err != nil:
		return s.say.Err(f.err)
	case f.kind == Off:
		return s.say.Text(msg.SandboxNone, f.bwrap, f.lock)
	case f.kind == Landlock:
		return s.openings(f)
	}
	return ""
}

// Temp is the directory that commands see as /tmp, made when it is first needed; empty: they see the system's own.
func (s *Sandbox) Temp() string {
	if s == nil || !s.private() {
		return ""
	}
	if dir, err := s.store.dir(); err == nil {
		return filepath.Join(dir, tempName)
	}
	return ""
}

// private reports whether commands have a /tmp of their own.
func (s *Sandbox) private() bool {
	f := s.try()
	return f.kind == Bwrap || f.kind == Landlock && f.spaces
}

// Close removes the temporary directory. Commands that still run lose it. The sandbox must not be used afterwards.
func (s *Sandbox) Close() error {
	if s == nil {
		return nil
	}
	s.sweep()
	return s.store.remove()
}

// try finds out, once, what works.
func (s *Sandbox) try() finding {
	s.once.Do(func() { s.found = s.find() })
	return s.found
}

// scratch is a directory of our own in the system's temporary one. It has what commands see as /tmp, and what is put in
// the place of hidden things.
type scratch struct {
	mu   sync.Mutex
	path string
	held *os.File // says that it is in use
}

// Names in the scratch directory.
const (
	scratchName = "react-agent-sandbox-"
	tempName    = "tmp"
	emptyName   = "empty"
	noneName    = "none"
)

// dir makes the directory when it is not there; somebody may have cleaned up.
func (s *scratch) dir() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" {
		if _, err := os.Stat(filepath.Join(s.path, noneName)); err == nil {
			return s.path, nil
		}
	}
	path, err := os.MkdirTemp("", scratchName)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	s.release()
	if err := s.hold(path); err != nil {
		return "", err
	}
	tidy(path)
	for _, name := range []string{tempName, noneName} {
		if err := os.Mkdir(filepath.Join(path, name), 0o700); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(filepath.Join(path, tempName), 0o777|os.ModeSticky); err != nil { // as /tmp is; the directory above keeps others out
		return "", err
	}
	s.path = path
	return path, os.WriteFile(filepath.Join(path, emptyName), nil, 0o400)
}

// file names something in the directory, which must have been made.
func (s *scratch) file(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return filepath.Join(s.path, name)
}

func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" {
		return nil
	}
	err := os.RemoveAll(s.path)
	s.path = ""
	s.release()
	return err
}

func (s *scratch) release() {
	if s.held != nil {
		_ = s.held.Close()
		s.held = nil
	}
}

// An Ability is something that a sandbox needs or does, as found on this machine. Detail says what was seen or what
// stays open, in the person's language.
type Ability struct {
	Name   string
	OK     bool
	Detail string
}

// Abilities tries what this machine can do, for doctor. It runs a few short processes. Root and Self of the options are
// used, as for [Open].
func Abilities(ctx context.Context, o Options) []Ability { return abilities(ctx, o) }
