package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights of Landlock, by what they are used for.
const (
	fsReadFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	fsRead     = fsReadFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fsFile     = fsReadFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fsWrite    = fsFile | fsRead | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	fsUnix = unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX // to connect to a socket that was made outside
	fsAll  = fsWrite | fsUnix | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	netTCP = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	netUDP = unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// Versions of Landlock's interface that brought something we use.
const (
	abiRefer    = 2
	abiTruncate = 3
	abiNet      = 4
	abiIoctl    = 5
	abiScope    = 6
	abiUnix     = 9
	abiUDP      = 10
)

// landlockABI is the version that the kernel speaks; an error says that it has no Landlock, or it is switched off.
func landlockABI() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("landlock: %w", errno)
	}
	return int(v), nil
}

// handled are the rights that a kernel of this version can withhold.
func handled(abi int) uint64 {
	all := uint64(fsAll)
	if abi < abiRefer {
		all &^= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi < abiTruncate {
		all &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi < abiIoctl {
		all &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi < abiUnix {
		all &^= fsUnix
	}
	return all
}

// netRights are those about the network that a kernel of this version can withhold.
func netRights(abi int) uint64 {
	switch {
	case abi >= abiUDP:
		return netTCP | netUDP
	case abi >= abiNet:
		return netTCP
	}
	return 0
}

// A ruleset is a policy in the making.
type ruleset struct {
	fd  int
	fs  uint64
	all []place // all places, sorted
	// carve says that a place hidden within one that may be read or written is left out of it. It is not needed where
	// something else is mounted over hidden places.
	carve bool
}

// restrict confines the calling thread, for good, and all that it will become. noNet closes TCP, and UDP where the
// kernel can.
func restrict(list []place, carve, noNet bool) error {
	abi, err := landlockABI()
	if err != nil {
		return err
	}
	r := ruleset{fs: handled(abi), all: list, carve: carve}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: r.fs}
	if noNet {
		attr.Handled_access_net = netRights(abi)
	}
	if abi >= abiScope {
		attr.Scoped = scopes
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0) //nolint:gosec // the kernel's interface
	if errno != 0 {
		return fmt.Errorf("landlock ruleset: %w", errno)
	}
	r.fd = int(fd)
	defer func() { _ = unix.Close(r.fd) }()
	if err := r.fill(); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock restrict: %w", errno)
	}
	return nil
}

// fill adds what is allowed.
func (r *ruleset) fill() error {
	if err := r.allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil { // names are no secret, see the package's manual
		return err
	}
	if err := r.grant("/", read); err != nil {
		return err
	}
	for _, p := range r.all {
		if p.Access == hidden || p.Access == read && r.around(p.Path) == read {
			continue
		}
		if err := r.grant(p.Path, p.Access); err != nil {
			return err
		}
	}
	return r.devices()
}

// around is what holds for the directory around path.
func (r *ruleset) around(path string) access {
	a := read
	for _, p := range r.all {
		if within(path, p.Path) {
			a = p.Access // inner ones come later
		}
	}
	return a
}

// devices are those that programs expect. All others are out of reach.
func (r *ruleset) devices() error {
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "fd", "stdin", "stdout", "stderr"} {
		rights := uint64(fsFile)
		if name == "pts" {
			rights |= unix.LANDLOCK_ACCESS_FS_READ_DIR
		}
		if err := r.allow("/dev/"+name, rights); err != nil {
			return err
		}
	}
	return r.allow("/dev/shm", fsWrite)
}

// grant allows a on path and below, without what is hidden there.
func (r *ruleset) grant(path string, a access) error {
	if path == "/dev" || path == "/proc" && a == write {
		return nil
	}
	rights := uint64(fsRead)
	if a == write {
		rights = fsWrite
	}
	if !r.split(path) {
		return r.allow(path, rights)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil //nolint:nilerr // what this process cannot list, a command cannot read either
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if e.Type()&os.ModeSymlink != 0 || r.named(name) {
			continue // a link leads to a place with a word of its own
		}
		if err := r.grant(name, a); err != nil {
			return err
		}
	}
	return nil
}

// split reports whether something below path is not to be had.
func (r *ruleset) split(path string) bool {
	if path == "/" {
		return true // for /dev
	}
	if !r.carve {
		return false
	}
	for _, p := range r.all {
		if p.Access == hidden && within(p.Path, path) {
			return true
		}
	}
	return false
}

// named reports whether path is itself one of the places.
func (r *ruleset) named(path string) bool {
	for _, p := range r.all {
		if p.Path == path && (p.Access != hidden || r.carve) {
			return true
		}
	}
	return false
}

// allow adds one rule. What is not there, or cannot be opened, is left out.
func (r *ruleset) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // a rule for it would allow nothing
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fsFile
	}
	if st.Mode&unix.S_IFMT == unix.S_IFSOCK && rights&unix.LANDLOCK_ACCESS_FS_WRITE_FILE != 0 {
		rights |= fsUnix
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.fs, Parent_fd: int32(fd)} //nolint:gosec // descriptors are small
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0) //nolint:gosec // the kernel's interface
	if errno != 0 && !errors.Is(errno, unix.EBADFD) { // EBADFD: a file system of the kernel's own, which is not restricted
		return fmt.Errorf("landlock: rule for %s: %w", path, errno)
	}
	return nil
}
