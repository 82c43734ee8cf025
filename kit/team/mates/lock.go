package mates

import (
	"fmt"
	"os"
	"path/filepath"

	"react-agent/internal/filelock"
	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
)

// lock says that this process drives a teammate, until release is called or the process dies. ok is false when another one
// does.
func lock(dir, key string) (release func(), ok bool, err error) {
	for _, at := range []string{filepath.Dir(dir), dir} { // a folder that others have made leads nowhere else
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			return nil, false, msg.Errorf(msg.MateFile, at, ordinary.Kind(info.Mode()))
		}
	}
	var f *os.File
	if err = os.MkdirAll(dir, 0o700); err == nil {
		f, ok, err = filelock.Take(filepath.Join(dir, key+".lock"))
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock of teammate %s: %w", key, err)
	}
	return func() { _ = f.Close() }, ok, nil
}
