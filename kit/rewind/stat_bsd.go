//go:build darwin || freebsd || netbsd

package rewind

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s := stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.CTime, s.Ino, s.Dev = st.Ctimespec.Nano(), st.Ino, uint64(st.Dev) //nolint:gosec // a number like any other
	}
	return s
}

func cloneFile(_, _ *os.File) error { return errors.ErrUnsupported }
