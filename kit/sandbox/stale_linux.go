package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	lockName = "lock"
	// youth is the age below which a directory without a lock is one in the making.
	youth = time.Minute
	// mostStale bounds how many directories one start tidies away.
	mostStale = 50
)

// hold marks the directory as in use for as long as this process lives. The lock is taken before it gets its name: whoever
// tidies up meanwhile would take an open one for that of the dead.
func (s *scratch) hold(dir string) error {
	early := filepath.Join(dir, lockName+".new")
	f, err := os.OpenFile(early, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(early, filepath.Join(dir, lockName))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.held = f
	return nil
}

// tidy removes the directories of processes that were killed, unless a command of theirs still runs.
func tidy(own string) {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(own), scratchName+"*")) // the pattern is well formed
	var stale []string
	for _, dir := range all {
		if dir != own && len(stale) < mostStale && abandoned(dir) {
			stale = append(stale, dir)
		}
	}
	if len(stale) == 0 {
		return
	}
	mounts, err := filepath.Glob("/proc/[0-9]*/mountinfo")
	if err != nil {
		return
	}
	used := map[string]bool{}
	for _, name := range mounts {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // gone, or somebody else's, who does not use ours
		}
		for _, dir := range stale {
			used[dir] = used[dir] || bytes.Contains(text, []byte("/"+filepath.Base(dir)+"/"))
		}
	}
	for _, dir := range stale {
		if !used[dir] {
			_ = os.RemoveAll(dir) // the next start tries again
		}
	}
}

// abandoned reports whether a directory is ours and its process is gone.
func abandoned(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return time.Since(info.ModTime()) > youth
	}
	defer func() { _ = f.Close() }()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
