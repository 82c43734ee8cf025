package rewind

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// tail is a file of lines, each one JSON value, that grows at its end and is now and then written anew. Several processes
// share it under the lock; each reads what the others have added.
type tail struct {
	path string
	info os.FileInfo // of the file that was read; nil: none
	off  int64       // behind the last whole line
	open bool        // what was added may not be on the disk
}

// read gives fresh = true when it begins at the beginning: then what was known is forgotten first. A torn last line is
// not there; one that cannot be read ends the file.
func (t *tail) read(begin func(), line func(raw []byte) error) error {
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		if t.info != nil || t.off > 0 {
			t.info, t.off = nil, 0
		}
		begin()
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if t.info == nil || !os.SameFile(t.info, info) || info.Size() < t.off {
		t.off = 0
		begin()
	}
	t.info = info
	if info.Size() == t.off {
		return nil
	}
	if _, err := f.Seek(t.off, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(f, 1<<16)
	for {
		raw, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := line(bytes.TrimSuffix(raw, []byte("\n"))); err != nil {
			return fmt.Errorf("%s at byte %d: %w; remove the file to begin anew", t.path, t.off, err)
		}
		t.off += int64(len(raw))
	}
}

// add appends values, one a line, by one write behind the last whole line.
func (t *tail) add(values ...any) error {
	if len(values) == 0 {
		return nil
	}
	data, err := encodeLines(values)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > t.off {
		err = f.Truncate(t.off) // a torn line
	}
	if err == nil {
		_, err = f.WriteAt(data, t.off)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	t.info, t.open = info, true
	t.off += int64(len(data))
	return nil
}

// rewrite puts these values in the place of the whole file.
func (t *tail) rewrite(sync bool, values []any) error {
	data, err := encodeLines(values)
	if err != nil {
		return err
	}
	tmp := t.path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err == nil {
		err = os.Rename(tmp, t.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	t.info, t.off, t.open = info, int64(len(data)), false
	if sync {
		return syncFolder(filepath.Dir(t.path))
	}
	return nil
}

// sync waits until what was added is on the disk.
func (t *tail) sync() error {
	if !t.open {
		return nil
	}
	f, err := os.OpenFile(t.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	t.open = false
	return nil
}

func encodeLines(values []any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
