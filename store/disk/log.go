package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"react-agent/internal/filelock"
	"react-agent/store"
)

// Append implements [store.Log].
func (s *Store) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	path, at, err := s.logs.path(name)
	if err != nil {
		return 0, err
	}
	if err := store.CheckRecord(data); err != nil {
		return 0, fmt.Errorf("append to %s: %w", name, err)
	}
	f := s.files.take(path, at)
	defer s.files.give(f)
	if err := f.mu.lock(ctx); err != nil {
		return 0, fmt.Errorf("append to %s: %w", name, err)
	}
	defer f.mu.unlock()
	pos, err := f.append(ctx, after, data)
	if err != nil {
		return 0, fault("append to "+name, err)
	}
	s.watch.wake(path)
	return pos, nil
}

func (f *file) append(ctx context.Context, after int64, data []byte) (int64, error) {
	size, err := f.openLocked(ctx, after <= 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, store.ErrConflict // the log was dropped
	}
	if err != nil {
		return 0, err
	}
	defer filelock.Unlock(f.f)
	end, err := f.room(size, after)
	if err != nil {
		return 0, err
	}
	line := make([]byte, len(data)+1)
	copy(line, data)
	line[len(data)] = '\n'
	if _, err := f.f.WriteAt(line, end); err != nil {
		_ = f.f.Truncate(end) // if even this fails, the next append does it
		if end == 0 {
			_ = f.at.remove(f.path) // no empty file is left behind
		}
		return 0, err
	}
	return end + int64(len(line)), nil
}

// openLocked opens and locks the file that has the name now, and gives its size.
func (f *file) openLocked(ctx context.Context, create bool) (int64, error) {
	for {
		if err := f.open(create); err != nil {
			return 0, err
		}
		if err := filelock.Lock(ctx, f.f); err != nil {
			return 0, err
		}
		fi, err := f.f.Stat()
		if err == nil && !gone(fi) {
			return fi.Size(), nil
		}
		filelock.Unlock(f.f)
		if err := errors.Join(err, f.close()); err != nil {
			return 0, err
		}
	}
}

// room makes room for the next record and gives its place. What was torn is cut off; where others write it stays, as a line
// of its own.
func (f *file) room(size, after int64) (int64, error) {
	if f.at.Within != "" {
		return f.behind(size, after)
	}
	end, err := f.place(size, after)
	if err == nil && end < size {
		err = f.f.Truncate(end)
	}
	return end, err
}

// behind gives the end of a log in which others write, if the last record is the one at after.
func (f *file) behind(size, after int64) (int64, error) {
	size, err := endLine(f.f, size)
	if err != nil || after < 0 {
		return size, err
	}
	rec, err := lastRecord(f.f, size)
	return size, errors.Join(err, conflict(rec.Pos == after))
}

// endLine ends the last line if nobody has, and gives the size then.
func endLine(f *os.File, size int64) (int64, error) {
	if ok, err := boundary(f, size, size); ok || err != nil {
		return size, err
	}
	_, err := f.WriteAt([]byte{'\n'}, size)
	return size + 1, err
}

// place finds where the next record goes: behind after, or for -1 behind the last whole line. What lies there was torn.
func (f *file) place(size, after int64) (int64, error) {
	if after < 0 {
		return lastLine(f.f, size)
	}
	if ok, err := boundary(f.f, after, size); err != nil || !ok {
		return 0, errors.Join(err, conflict(ok))
	}
	if after == size {
		return after, nil
	}
	line, whole, err := firstLine(f.f, after, size)
	if err != nil {
		return 0, err
	}
	if whole && !damaged(line) {
		return 0, store.ErrConflict
	}
	return after, nil
}

func conflict(ok bool) error {
	if ok {
		return nil
	}
	return store.ErrConflict
}

// boundary reports whether a line ends at pos.
func boundary(f io.ReaderAt, pos, size int64) (bool, error) {
	if pos == 0 {
		return true, nil
	}
	if pos > size {
		return false, nil
	}
	var b [1]byte
	if _, err := f.ReadAt(b[:], pos-1); err != nil {
		return false, err
	}
	return b[0] == '\n', nil
}

// damaged reports whether a line cannot have been written by Append.
func damaged(line []byte) bool {
	return len(line) == 0 || len(line) > store.MaxRecord || bytes.IndexByte(line, 0) >= 0
}

// firstLine gives the line that begins at from, or only that it is no whole one.
func firstLine(f io.ReaderAt, from, size int64) (line []byte, whole bool, err error) {
	buf := make([]byte, min(size-from, store.MaxRecord+2))
	n, err := f.ReadAt(buf, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	line, _, whole = bytes.Cut(buf[:n], []byte{'\n'})
	return line, whole, nil
}

// lastLine gives the offset behind the last newline before end.
func lastLine(f io.ReaderAt, end int64) (int64, error) {
	if whole, err := boundary(f, end, end); whole || err != nil {
		return end, err // nearly always, and without the buffer
	}
	var buf [4096]byte
	for end > 0 {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// Sync implements [store.Syncer]. With durability [Process] it does nothing.
func (s *Store) Sync(ctx context.Context, name string) error {
	path, at, err := s.logs.path(name)
	if err != nil || !s.sync {
		return err
	}
	f := s.files.take(path, at)
	defer s.files.give(f)
	if err := f.mu.lock(ctx); err != nil {
		return fmt.Errorf("sync %s: %w", name, err)
	}
	defer f.mu.unlock()
	err = f.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncData(f.f)
	}
	if err == nil && f.young {
		err = syncDir(filepath.Dir(path))
		f.young = err != nil
	}
	if err != nil {
		return fault("sync "+name, err)
	}
	return nil
}

// Drop implements [store.Log].
func (s *Store) Drop(ctx context.Context, name string) error {
	path, at, err := s.logs.path(name)
	if err != nil {
		return err
	}
	f := s.files.take(path, at)
	defer s.files.give(f)
	if err := f.mu.lock(ctx); err != nil {
		return fmt.Errorf("drop %s: %w", name, err)
	}
	defer f.mu.unlock()
	if _, err := f.openLocked(ctx, false); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fault("drop "+name, err)
	}
	err = at.remove(path)
	filelock.Unlock(f.f)
	if closed := f.close(); err == nil {
		err = closed
	}
	s.watch.wake(path)
	if err != nil {
		return fault("drop "+name, err)
	}
	return nil
}
