package sandbox

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A mounter arranges the places in a mount namespace of our own.
type mounter struct {
	spec  *spec
	trees map[string]int // what will be mounted, as it was before everything became read-only
}

// arrange makes the file system read-only but for the writable places, and puts nothing in the place of the hidden ones.
func arrange(sp *spec) error {
	script, err := sp.script()
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of our own: %w", err)
	}
	m := mounter{spec: sp, trees: map[string]int{}}
	defer m.close()
	if err := m.arrange(); err != nil {
		return err
	}
	if err := memory("/dev/shm", 0o1777); err != nil {
		return fmt.Errorf("/dev/shm: %w", err)
	}
	if sp.Script != "" {
		if err := os.WriteFile(scriptIn(sp.Script), script, 0o700); err != nil { //nolint:gosec // it may be a program
			return err
		}
	}
	return os.Chdir(sp.Dir) // the directory's own mount, not the one below it
}

func (m *mounter) arrange() error {
	list := m.list()
	for _, p := range list {
		if err := m.take(p); err != nil {
			return err
		}
	}
	if err := readOnly("/", true); err != nil {
		return err
	}
	var late []string
	for i, p := range list {
		inner := i+1 < len(list) && within(list[i+1].Path, p.Path)
		if p.Access == hidden && p.Dir && inner {
			late = append(late, p.Path)
		}
		if err := m.put(p, inner); err != nil {
			return fmt.Errorf("%s: %w", p.Path, err)
		}
	}
	for _, dir := range late {
		if err := readOnly(dir, false); err != nil {
			return err
		}
	}
	return nil
}

// script reads the file that is to be brought along.
func (sp *spec) script() ([]byte, error) {
	if sp.Script == "" {
		return nil, nil
	}
	return os.ReadFile(sp.Script)
}

// list are the places that need a mount.
func (m *mounter) list() []place {
	var list []place
	for _, p := range m.spec.Places {
		if !within(p.Path, "/proc") && !within(p.Path, "/dev") {
			list = append(list, p)
		}
	}
	return list
}

// take copies the tree of a place before it becomes read-only.
func (m *mounter) take(p place) error {
	from := p.source()
	if p.Access == hidden {
		from = filepath.Join(m.spec.Scratch, emptyName)
		if p.Dir {
			from = filepath.Join(m.spec.Scratch, noneName)
		}
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return fmt.Errorf("mount of %s: %w", from, err)
	}
	if p.Access != write {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			_ = unix.Close(fd)
			return fmt.Errorf("mount of %s: %w", from, err)
		}
	}
	m.trees[p.Path] = fd
	return nil
}

// put mounts a place. Around it there may be an empty tree, where the mount point has to be made first.
func (m *mounter) put(p place, inner bool) error {
	if err := point(p); err != nil {
		return err
	}
	if p.Access == hidden && p.Dir && inner {
		return memory(p.Path, 0o755)
	}
	return unix.MoveMount(m.trees[p.Path], "", unix.AT_FDCWD, p.Path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func point(p place) error {
	if _, err := os.Lstat(p.Path); err == nil {
		return nil
	}
	if p.Dir {
		return os.MkdirAll(p.Path, 0o755) //nolint:gosec // in a tree of our own
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil { //nolint:gosec // in a tree of our own
		return err
	}
	return os.WriteFile(p.Path, nil, 0o600)
}

// scriptIn is where a script is found inside.
func scriptIn(script string) string { return filepath.Join("/dev/shm", filepath.Base(script)) }

func (m *mounter) close() {
	for _, fd := range m.trees {
		_ = unix.Close(fd)
	}
}

func memory(dir string, mode uint32) error {
	return unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=%o", mode))
}

func readOnly(path string, recursive bool) error {
	flags := uint(0)
	if recursive {
		flags = unix.AT_RECURSIVE
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, path, flags, &attr); err != nil {
		return fmt.Errorf("read-only %s: %w", path, err)
	}
	return nil
}

// loopback switches on the loopback device of a network namespace that has nothing else.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
