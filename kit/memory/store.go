package memory

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Store is the memories of a project and of the person. Its methods may be called by many at once.
type Store struct {
	o      Options
	files  []*file
	ngrams func() *Ngrams

	mu   sync.Mutex
	told map[string]bool // faults that were named
	far  [][]float32     // the Embedder's vectors of texts about nothing
}

// New makes a store; no file is touched.
func New(o Options) *Store {
	o.Budget = cmp.Or(o.Budget, defaultBudget)
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	s := &Store{o: o, ngrams: sync.OnceValue(NewNgrams), told: map[string]bool{}}
	for _, f := range []*file{{scope: Project, path: o.Project}, {scope: User, path: o.User}} {
		if f.noSync, f.busy = o.NoSync, make(chan struct{}, 1); f.path != "" {
			s.files = append(s.files, f)
		}
	}
	return s
}

// Close lets go of the files. It may be called more than once.
func (s *Store) Close() error {
	if s == nil { // it was switched off
		return nil
	}
	for _, f := range s.files {
		f.busy <- struct{}{}
		f.drop()
		f.closed = true
		f.release()
	}
	return nil
}

// in is the file of a scope.
func (s *Store) in(scope Scope) (*file, error) {
	for _, f := range s.files {
		if f.scope == scope {
			return f, nil
		}
	}
	return nil, msg.Errorf(msg.MemoryScope, string(scope))
}

// of finds the file and the number of an id.
func (s *Store) of(id string) (*file, int64, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	if n := number(id); n > 0 {
		for _, f := range s.files {
			if f.id(n) == id {
				return f, n, nil
			}
		}
	}
	return nil, 0, none(id)
}

func none(id string) error { return msg.Errorf(msg.MemoryNone, ErrNone, text.Name(id)) }

// each does fn with every file of the scope ("" = all) that is there. Faults of one do not keep it from the others: the error
// names them all.
func (s *Store) each(ctx context.Context, wait time.Duration, scope Scope, fn func(f *file) error) error {
	var failed error
	for _, f := range s.files {
		if scope != "" && scope != f.scope {
			continue
		}
		err := f.with(ctx, wait, fn)
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, ErrClosed):
			return err
		default:
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// notice names a fault, each text once.
func (s *Store) notice(err error) {
	if err == nil || s.o.Notice == nil {
		return
	}
	s.mu.Lock()
	again := s.told[err.Error()]
	s.told[err.Error()] = true
	s.mu.Unlock()
	if !again {
		s.o.Notice(err)
	}
}

// Get reads one memory by its id; [ErrNone] when there is none.
func (s *Store) Get(ctx context.Context, id string) (r Record, err error) {
	f, n, err := s.of(id)
	if err != nil {
		return r, err
	}
	err = f.with(ctx, patience, func(f *file) (err error) {
		r, err = f.get(ctx, n)
		return err
	})
	if err == nil && r.ID == "" {
		err = none(id)
	}
	return r, err
}

// get reads one memory; one that is not there has no id.
func (f *file) get(ctx context.Context, n int64) (Record, error) {
	list, err := f.read(ctx, []int64{n})
	return list[n], err
}

// Delete forgets a memory and gives what it was; [ErrNone] when there is none.
func (s *Store) Delete(ctx context.Context, id string) (r Record, err error) {
	f, n, err := s.of(id)
	if err != nil {
		return r, err
	}
	err = f.with(ctx, patience, func(f *file) (err error) {
		r, err = f.remove(ctx, n)
		return err
	})
	if err == nil && r.ID == "" {
		err = none(id)
	}
	return r, err
}

// List gives memories, those that were changed last first, and how many the filter meets in all. The error names the files
// that could not be read; what the others hold is given all the same.
func (s *Store) List(ctx context.Context, q Filter) (page []Record, total int, err error) {
	return s.list(ctx, patience, q)
}

func (s *Store) list(ctx context.Context, wait time.Duration, q Filter) (page []Record, total int, err error) {
	err = s.each(ctx, wait, q.Scope, func(f *file) error {
		var n int
		if err := f.db.QueryRowContext(ctx, "SELECT count(*) FROM memory"+filtered, 0, string(q.Kind)).Scan(&n); err != nil {
			return err
		}
		limit := -1
		if q.Limit > 0 {
			limit = q.Limit + q.Offset // of each file: where they meet is not known before
		}
		rows, err := f.db.QueryContext(ctx, "SELECT "+columns+" FROM memory"+filtered+" ORDER BY created DESC, id DESC LIMIT ?3", 0, string(q.Kind), limit)
		if err != nil {
			return err
		}
		list, err := collect(rows, f.scan)
		if err == nil {
			page, total = append(page, list...), total+n
		}
		return err
	})
	slices.SortStableFunc(page, func(a, b Record) int { return b.Created.Compare(a.Created) })
	page = page[min(max(0, q.Offset), len(page)):]
	if q.Limit > 0 {
		page = page[:min(q.Limit, len(page))]
	}
	return page, total, err
}

// filtered picks the memories behind an id, of a kind if one is given.
const filtered = " WHERE id > ?1 AND (?2 = '' OR kind = ?2)"

// all reads page by page, so that the file is free while somebody works on one.
func (s *Store) all(ctx context.Context, q Filter, yield func(Record, error) bool) {
	const page = 500
	for _, f := range s.files {
		if q.Scope != "" && q.Scope != f.scope {
			continue
		}
		last, more := int64(0), true
		for more {
			var list []Record
			err := f.with(ctx, patience, func(f *file) error {
				rows, err := f.db.QueryContext(ctx, "SELECT "+columns+" FROM memory"+filtered+" ORDER BY id LIMIT ?3", last, string(q.Kind), page)
				if err == nil {
					list, err = collect(rows, f.scan)
				}
				return err
			})
			if err != nil && !yield(Record{}, err) {
				return
			}
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
				last = number(r.ID)
			}
			more = err == nil && len(list) == page
		}
	}
}

// Status tells how the files stand, for doctor: each is read from end to end. None is made.
func (s *Store) Status(ctx context.Context) []Status {
	var out []Status
	for _, f := range s.files {
		st := Status{Scope: f.scope, Path: f.path, Models: map[string]int{}}
		if info, err := os.Stat(f.path); err == nil {
			st.Exists, st.Size = true, info.Size()
		}
		st.Err = f.with(ctx, patience, func(f *file) error { return f.status(ctx, &st) })
		out = append(out, st)
	}
	return out
}

func (f *file) status(ctx context.Context, st *Status) error {
	var sound string
	if err := f.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&sound); err != nil {
		return err
	}
	if sound != "ok" {
		return fmt.Errorf("%w: %s", ErrCorrupt, sound)
	}
	var err error
	if st.Count, err = tally(ctx, f.db, ""); err != nil {
		return err
	}
	rows, err := f.db.QueryContext(ctx, "SELECT model, n FROM tally WHERE model<>'' AND n>0")
	if err != nil {
		return err
	}
	_, err = collect(rows, func(r *sql.Rows) (_ int, err error) {
		var model string
		var n int
		err = r.Scan(&model, &n)
		st.Models[model] = n
		return n, err
	})
	return err
}

// SetAside renames the file of a scope, with its journal, so that the next save begins a new one, and gives its new name. It
// is for a file that is damaged or too new. Nothing is deleted or overwritten.
func (s *Store) SetAside(ctx context.Context, scope Scope) (string, error) {
	f, err := s.in(scope)
	if err != nil {
		return "", err
	}
	if err := f.hold(ctx, patience); err != nil {
		return "", err
	}
	defer f.release()
	if f.closed {
		return "", ErrClosed
	}
	f.drop()
	to := f.path + ".aside-" + time.Now().UTC().Format("20060102-150405.000")
	if _, err := os.Lstat(to); err == nil {
		return "", &FileError{Scope: scope, Path: to, Err: os.ErrExist}
	}
	if err := os.Rename(f.path, to); err != nil {
		return "", &FileError{Scope: scope, Path: f.path, Err: err}
	}
	if err := os.Rename(f.path+"-journal", to+"-journal"); err != nil && !errors.Is(err, os.ErrNotExist) { // it belongs to the file
		return to, &FileError{Scope: scope, Path: f.path + "-journal", Err: err}
	}
	return to, nil
}
