package rewind

import (
	"io/fs"
	"os"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s := stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.CTime, s.Ino, s.Dev = st.Ctim.Nano(), st.Ino, uint64(st.Dev) //nolint:unconvert // narrower on some processors
	}
	return s
}

// cloneFile makes dst share the blocks of src where the file system can do that (FICLONE); else it is an error.
func cloneFile(dst, src *os.File) error {
	const ficlone = 0x40049409
	_, _, no := syscall.Syscall(syscall.SYS_IOCTL, dst.Fd(), ficlone, src.Fd())
	if no != 0 {
		return no
	}
	return nil
}
