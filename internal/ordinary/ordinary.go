// Package ordinary opens files to read what is in them, whatever may stand in their place: a pipe that nobody writes to, a
// terminal, a device. Nothing here waits for any of these, and nothing but an ordinary file is ever given.
//
// The check comes after the opening, on the open file itself: what was an ordinary file a moment ago may be something else
// by now. Where the file is small and the whole of it is wanted, there is [Read].
package ordinary

import (
	"io"
	"io/fs"
	"os"
)

// Error says that there is something at a path, but no ordinary file. Mode tells what.
type Error struct {
	Path string
	Mode fs.FileMode
}

// Error names the path and what is there.
func (e *Error) Error() string { return e.Path + " is " + Kind(e.Mode) + ", no regular file" }

// Kind names what a mode means, with its article: "a FIFO", "a directory".
func Kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "an ordinary file"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Open opens an ordinary file for reading. The caller closes it. What is no ordinary file is an [*Error].
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return nil, nil, err
	}
	return checked(f, path)
}

// OpenIn is [Open] for a file below root: no link leads out of it.
func OpenIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return nil, nil, err
	}
	return checked(f, name)
}

func checked(f *os.File, path string) (*os.File, fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Error{Path: path, Mode: info.Mode()}
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, info, nil
}

// Read gives what an ordinary file holds, its first limit bytes at most. info.Size() tells whether that was all.
func Read(path string, limit int64) (data []byte, info fs.FileInfo, err error) {
	f, info, err := Open(path)
	return read(f, info, limit, err)
}

// ReadIn is [Read] for a file below root.
func ReadIn(root *os.Root, name string, limit int64) (data []byte, info fs.FileInfo, err error) {
	f, info, err := OpenIn(root, name)
	return read(f, info, limit, err)
}

func read(f *os.File, info fs.FileInfo, limit int64, err error) ([]byte, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, info, err
}
