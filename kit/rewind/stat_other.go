//go:build !linux && !darwin && !freebsd && !netbsd

package rewind

import (
	"errors"
	"io/fs"
	"os"
)

func stampOf(info fs.FileInfo) stamp {
	return stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
}

func cloneFile(_, _ *os.File) error { return errors.ErrUnsupported }
