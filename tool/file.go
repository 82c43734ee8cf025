package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"react-agent/internal/ordinary"
)

const (
	maxFile  = 32 << 20        // bytes of a file that is read as a whole
	readTime = 5 * time.Second // for files of the kernel that make a reader wait
)

var (
	errChanged = errors.New("the file was changed by somebody else while it was being edited; read it again")
	errMoved   = errors.New("the path leads elsewhere now; somebody changed a link or directory meanwhile")
	errBinary  = errors.New("binary")
)

// slurp reads a regular file, whole. It never waits for a FIFO or a device.
func slurp(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, info, err := ordinary.Open(path) // it may have become a FIFO since
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if err := regular(path, info); err != nil {
		return nil, err
	}
	_ = f.SetReadDeadline(time.Now().Add(readTime)) // ordinary files have no deadlines and do not need them
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, tooLarge(path, max(info.Size(), maxFile))
	}
	return b, nil
}

// regular explains why a file cannot be read as text before it is opened.
func regular(path string, info fs.FileInfo) error {
	switch m := info.Mode(); {
	case m.IsRegular():
		if info.Size() > maxFile {
			return tooLarge(path, info.Size())
		}
		return nil
	case m.IsDir():
		return fmt.Errorf("%s is a directory; list it instead", path)
	}
	return fmt.Errorf("%s is %s, no regular file", path, ordinary.Kind(info.Mode()))
}

func tooLarge(path string, size int64) error {
	return fmt.Errorf("%s is too large (%d MiB, the limit is %d): look at parts of it with head, tail, sed -n or grep",
		path, size>>20, maxFile>>20)
}

// notText explains why b is no text; nil: it is, or nearly.
func notText(b []byte) error {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}), bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return fmt.Errorf("%w: UTF-16 text; convert it with iconv first", errBinary)
	case bytes.IndexByte(b, 0) >= 0:
		return fmt.Errorf("%w: a NUL byte at offset %d of %d; look at it with file, xxd or strings", errBinary, bytes.IndexByte(b, 0), len(b))
	}
	return nil
}

// replace puts data in the place of the file: a new file is renamed over the old one, which keeps its mode and owner. A
// file with several names or attributes of its own, or whose owner or directory does not allow that, is written in place.
// ready is asked last, when everything else has worked.
func replace(path string, data []byte, ready func() error) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return create(path, data, ready)
	case err != nil:
		return err
	}
	if err := regular(path, info); err != nil && !info.Mode().IsRegular() {
		return err
	}
	// Renaming over a file needs no right to write to it; changing it does.
	f, err := os.OpenFile(path, os.O_WRONLY|ordinary.NonBlocking, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if !mustStay(path, info) {
		if tmp, err := twin(path, data, info); err == nil {
			return swap(tmp, path, ready)
		} else if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			return err // in place would lose the old content as well
		}
	}
	return inPlace(f, path, data, info.Mode(), ready)
}

// inPlace writes over the content of a file, which is put back when that fails half-way: on a full disk, say.
func inPlace(f *os.File, path string, data []byte, mode fs.FileMode, ready func() error) error {
	old, _ := slurp(path) // what cannot be read can still be written
	if err := ready(); err != nil {
		return err
	}
	err := fill(f, data)
	if err != nil && old != nil {
		if back := fill(f, old); back != nil {
			return fmt.Errorf("%w; its old content could not be put back either: %w", err, back)
		}
	}
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Mode() != mode { // some systems drop the set-user bits at a write
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	return f.Close()
}

func fill(f *os.File, data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// create makes a file that is not there, with its directories.
func create(path string, data []byte, ready func() error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the user's umask decides
		return err
	}
	tmp, err := temporary(dir, data)
	if err != nil {
		return err
	}
	return swap(tmp, path, ready)
}

// twin writes data to a temporary file that is like the old one but for the content.
func twin(path string, data []byte, like fs.FileInfo) (string, error) {
	tmp, err := temporary(filepath.Dir(path), data)
	if err != nil {
		return "", err
	}
	if err = sameOwner(tmp, like); err == nil {
		err = os.Chmod(tmp, like.Mode())
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(tmp))
	}
	return tmp, nil
}

// temporary writes a new file with the mode that the umask gives.
func temporary(dir string, data []byte) (string, error) {
	name := filepath.Join(dir, ".tmp-"+strconv.FormatUint(rand.Uint64(), 36)) //nolint:gosec // O_EXCL makes it safe
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)     //nolint:gosec // the user's umask decides
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

func swap(tmp, path string, ready func() error) error {
	err := ready()
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}
