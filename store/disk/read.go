package disk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"react-agent/internal/filelock"
	"react-agent/store"
)

// Read implements [store.Log]. It takes no lock where nobody else writes: whole lines never change.
func (s *Store) Read(ctx context.Context, name string, after int64, follow bool) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		path, at, err := s.logs.path(name)
		if err != nil {
			yield(store.Record{}, err)
			return
		}
		if err := s.mend(ctx, name); err != nil {
			yield(store.Record{}, err)
			return
		}
		r := reader{path: path, at: at, off: after, yield: yield}
		defer r.close()
		if follow {
			s.watch.join(path)
			defer s.watch.leave(path)
		}
		for wait := s.poll / 4; ; {
			var changed <-chan struct{}
			if follow {
				changed = s.watch.next(path)
			}
			before := r.off
			more, err := r.drain(ctx)
			if err != nil {
				yield(store.Record{}, fmt.Errorf("read %s: %w", name, err))
				return
			}
			if !more || !follow {
				return
			}
			if wait = min(2*wait, s.poll); r.off != before {
				wait = s.poll / 4
			}
			if !pause(ctx, changed, wait) {
				return
			}
		}
	}
}

// pause waits for a change, at most as long as another process' change may stay unseen; false when ctx ended.
func pause(ctx context.Context, changed <-chan struct{}, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
		return false
	}
	return true
}

type reader struct {
	path  string
	at    Place
	f     *os.File // nil while there is none
	off   int64    // of the first line not yielded
	yield func(store.Record, error) bool
}

func (r *reader) close() {
	if r.f != nil {
		_ = r.f.Close() // was only read
	}
}

// drain yields the whole lines there are. It says no more when the reader has left or the log was dropped. Each look
// begins at a line and is one read: the end of the file may be cut and written anew at any time.
func (r *reader) drain(ctx context.Context) (more bool, err error) {
	if r.f == nil {
		if ok, err := r.open(); err != nil || !ok {
			return err == nil, err
		}
	}
	for size := int64(chunkSize); ; {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		chunk, dropped, err := r.chunk(size)
		if err != nil || dropped {
			return false, err
		}
		before := r.off
		if left := r.lines(chunk); left {
			return false, nil
		}
		switch {
		case r.off > before:
			size = chunkSize
		case int64(len(chunk)) < size: // the rest is no whole line yet
			return true, nil
		case size < longest:
			size = longest
		default: // a line that Append cannot have written
			if ok, err := r.skip(size); err != nil || !ok {
				return err == nil, err
			}
		}
	}
}

const (
	chunkSize = 256 << 10
	longest   = store.MaxRecord + 2
)

// open opens the log, and checks that a line ends where reading begins.
func (r *reader) open() (bool, error) {
	f, err := r.at.open(r.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.f = f
	fi, err := f.Stat()
	if err != nil {
		return false, err
	}
	if ok, err := boundary(f, r.off, fi.Size()); err != nil {
		return false, err
	} else if !ok {
		return false, fmt.Errorf("no record ends at %d: %w", r.off, store.ErrConflict)
	}
	return true, nil
}

// chunk reads what comes next.
func (r *reader) chunk(size int64) (chunk []byte, dropped bool, err error) {
	fi, err := r.f.Stat()
	if err != nil {
		return nil, false, err
	}
	n := min(fi.Size()-r.off, size)
	if n <= 0 {
		return nil, gone(fi), nil
	}
	chunk = make([]byte, n)
	got, err := r.f.ReadAt(chunk, r.off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return chunk[:got], false, err
}

// lines yields the whole lines of a chunk.
func (r *reader) lines(chunk []byte) (left bool) {
	for {
		i := bytes.IndexByte(chunk, '\n')
		if i < 0 {
			return false
		}
		line := chunk[:i:i]
		chunk = chunk[i+1:]
		r.off += int64(i) + 1
		if !damaged(line) && !r.yield(store.Record{Pos: r.off, Data: line}, nil) {
			return true
		}
	}
}

// skip passes over the line of which size bytes were seen, if it ends.
func (r *reader) skip(size int64) (bool, error) {
	buf := make([]byte, chunkSize)
	for from := r.off + size; ; {
		n, err := r.f.ReadAt(buf, from)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			r.off = from + int64(i) + 1
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		from += int64(n)
	}
}

// Torn implements [store.Torn]. Damaged lines at the end count as torn.
func (s *Store) Torn(ctx context.Context, name string) (int64, error) {
	var torn int64
	err := s.look(ctx, name, func(f *os.File, size int64) error {
		rec, err := lastRecord(f, size)
		torn = size - rec.Pos
		return err
	})
	return torn, err
}

// Last implements [store.Last].
func (s *Store) Last(ctx context.Context, name string) (store.Record, error) {
	var rec store.Record
	if err := s.mend(ctx, name); err != nil {
		return rec, err
	}
	err := s.look(ctx, name, func(f *os.File, size int64) (err error) {
		rec, err = lastRecord(f, size)
		return err
	})
	return rec, err
}

// Size implements [store.Sized].
func (s *Store) Size(ctx context.Context, name string) (int64, error) {
	path, at, err := s.logs.path(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	fi, err := at.stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fault("look at "+name, err)
	}
	return fi.Size(), nil
}

// lastRecord finds the last whole, undamaged line.
func lastRecord(f io.ReaderAt, size int64) (store.Record, error) {
	end, err := lastLine(f, size)
	for err == nil && end > 0 {
		begin, err := lastLine(f, end-1)
		if err != nil {
			return store.Record{}, err
		}
		line, whole, err := firstLine(f, begin, end)
		if err != nil {
			return store.Record{}, err
		}
		if whole && !damaged(line) {
			return store.Record{Pos: end, Data: line}, nil
		}
		end = begin
	}
	return store.Record{}, err
}

// quiet is how long nobody must have written for half a line to be all that comes.
const quiet = time.Minute

// mend ends the last line of a log in which others write if they have not: a whole one at once, half a one when they are
// quiet.
func (s *Store) mend(ctx context.Context, name string) error {
	path, at, err := s.logs.path(name)
	if err != nil || at.Within == "" || ctx.Err() != nil { // who reads then says that it has ended
		return err
	}
	open := false
	err = s.look(ctx, name, func(f *os.File, size int64) error {
		begin, err := lastLine(f, size)
		if begin == size || err != nil {
			return err
		}
		line, _, err := firstLine(f, begin, size)
		if err != nil {
			return err
		}
		fi, err := f.Stat()
		open = err == nil && (json.Valid(line) || time.Since(fi.ModTime()) > quiet)
		return err
	})
	if !open || err != nil {
		return err
	}
	f := s.files.take(path, at)
	defer s.files.give(f)
	if err := f.mu.lock(ctx); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer f.mu.unlock()
	size, err := f.openLocked(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = endLine(f.f, size)
		filelock.Unlock(f.f)
	}
	if err != nil {
		return fault("read "+name+", whose last line has no end", err)
	}
	return nil
}

// look opens a log for a short look; an absent one is not looked at.
func (s *Store) look(ctx context.Context, name string, fn func(f *os.File, size int64) error) error {
	path, at, err := s.logs.path(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	f, err := at.open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault("read "+name, err)
	}
	defer f.Close() //nolint:errcheck // was only read
	fi, err := f.Stat()
	if err == nil {
		err = fn(f, fi.Size())
	}
	if err != nil {
		return fault("read "+name, err)
	}
	return nil
}
