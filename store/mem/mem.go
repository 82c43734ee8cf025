// Package mem keeps logs, documents and blobs in memory: for tests, and for runs that are to leave nothing behind.
package mem

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"react-agent/store"
)

// Store implements store.Log, KV and Blobs, and store.Names, Last and Sized. It is safe for concurrent use.
type Store struct {
	mu    sync.Mutex
	logs  map[string]*log
	docs  map[string]store.Doc
	rev   int64
	blobs map[string][]byte
	locks map[string]chan struct{} // by kind
	bell  chan struct{}            // closed when any log changes
}

type log struct {
	records []store.Record
	updated time.Time
}

// New makes an empty store.
func New() *Store {
	return &Store{
		logs: map[string]*log{}, docs: map[string]store.Doc{}, blobs: map[string][]byte{}, locks: map[string]chan struct{}{}, bell: make(chan struct{}),
	}
}

func clean(name string) (string, error) {
	kind, id, err := store.CleanName(name)
	return kind + "/" + id, err
}

// Append implements [store.Log].
func (s *Store) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {
	name, err := clean(name)
	if err != nil {
		return 0, err
	}
	if err := store.CheckRecord(data); err != nil {
		return 0, fmt.Errorf("append to %s: %w", name, err)
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.logs[name]
	if l == nil {
		l = &log{}
	}
	last := l.last().Pos
	if after >= 0 && after != last {
		return 0, fmt.Errorf("append to %s: %w", name, store.ErrConflict)
	}
	pos := last + int64(len(data)) + 1
	l.records = append(l.records, store.Record{Pos: pos, Data: bytes.Clone(data)})
	l.updated = time.Now()
	s.logs[name] = l
	s.ring()
	return pos, nil
}

func (l *log) last() store.Record {
	if l == nil || len(l.records) == 0 {
		return store.Record{}
	}
	return l.records[len(l.records)-1]
}

func (s *Store) ring() {
	close(s.bell)
	s.bell = make(chan struct{})
}

// Read implements [store.Log].
func (s *Store) Read(ctx context.Context, name string, after int64, follow bool) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		name, err := clean(name)
		if err != nil {
			yield(store.Record{}, err)
			return
		}
		var seen *log
		for {
			batch, ok, l, bell := s.behind(name, after)
			if seen != nil && l != seen {
				return // dropped
			}
			if l != nil && !ok {
				yield(store.Record{}, fmt.Errorf("read %s: no record ends at %d: %w", name, after, store.ErrConflict))
				return
			}
			seen = l
			for _, r := range batch {
				if ctx.Err() != nil {
					yield(store.Record{}, context.Cause(ctx))
					return
				}
				after = r.Pos
				if !yield(store.Record{Pos: r.Pos, Data: bytes.Clone(r.Data)}, nil) {
					return
				}
			}
			if !follow {
				return
			}
			select {
			case <-bell:
			case <-ctx.Done():
				return
			}
		}
	}
}

// behind gives the records behind after; ok says that one ends there. What is in the log never changes.
func (s *Store) behind(name string, after int64) (batch []store.Record, ok bool, l *log, bell <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l = s.logs[name]
	if l == nil {
		return nil, false, nil, s.bell
	}
	i, ok := slices.BinarySearchFunc(l.records, after, func(r store.Record, pos int64) int { return cmp.Compare(r.Pos, pos) })
	if ok {
		i++
	}
	return l.records[i:len(l.records):len(l.records)], ok || after == 0, l, s.bell
}

// Drop implements [store.Log].
func (s *Store) Drop(_ context.Context, name string) error {
	name, err := clean(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.logs, name)
	s.ring()
	return nil
}

// Size implements [store.Sized].
func (s *Store) Size(ctx context.Context, name string) (int64, error) {
	rec, err := s.Last(ctx, name)
	return rec.Pos, err
}

// Last implements [store.Last].
func (s *Store) Last(_ context.Context, name string) (store.Record, error) {
	name, err := clean(name)
	if err != nil {
		return store.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.logs[name].last()
	return store.Record{Pos: r.Pos, Data: bytes.Clone(r.Data)}, nil
}

// Names implements [store.Names].
func (s *Store) Names(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if _, err := store.CleanPrefix(prefix); err != nil {
			yield(store.Entry{}, err)
			return
		}
		s.mu.Lock()
		var found []store.Entry
		for _, name := range slices.Sorted(maps.Keys(s.logs)) {
			if strings.HasPrefix(name, prefix) {
				found = append(found, store.Entry{Name: name, Updated: s.logs[name].updated})
			}
		}
		s.mu.Unlock()
		for _, e := range found {
			if ctx.Err() != nil {
				yield(store.Entry{}, context.Cause(ctx))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Get implements [store.KV].
func (s *Store) Get(_ context.Context, key string) (store.Doc, error) {
	key, err := clean(key)
	if err != nil {
		return store.Doc{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.docs[key]
	if !ok {
		return store.Doc{}, fmt.Errorf("document %s: %w", key, store.ErrNotFound)
	}
	d.Data = bytes.Clone(d.Data)
	return d, nil
}

// Put implements [store.KV].
func (s *Store) Put(ctx context.Context, d store.Doc) (int64, error) {
	kind, _, err := store.CleanName(d.Key)
	if err != nil {
		return 0, err
	}
	rev := int64(0)
	err = s.Lock(ctx, kind+"/", func(kv store.KV) error {
		rev, err = kv.Put(ctx, d)
		return err
	})
	return rev, err
}

// Lock implements [store.Locker].
func (s *Store) Lock(ctx context.Context, prefix string, fn func(store.KV) error) error {
	kind, err := store.CleanPrefix(prefix)
	if err != nil {
		return err
	}
	s.mu.Lock()
	mine, ok := s.locks[kind]
	if !ok {
		mine = make(chan struct{}, 1)
		s.locks[kind] = mine
	}
	s.mu.Unlock()
	select {
	case mine <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-mine }()
	return fn(locked{s, kind})
}

// locked is a store whose documents of one kind nobody else changes.
type locked struct {
	*Store
	kind string
}

// Put implements [store.KV].
func (l locked) Put(_ context.Context, d store.Doc) (int64, error) {
	kind, id, err := store.CleanName(d.Key)
	if err != nil {
		return 0, err
	}
	if kind != l.kind {
		return 0, fmt.Errorf("document %s: %w: the lock is for %s/", d.Key, store.ErrName, l.kind)
	}
	key := kind + "/" + id
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.docs[key].Rev != d.Rev {
		return 0, fmt.Errorf("document %s: %w", key, store.ErrConflict)
	}
	if d.Data == nil {
		delete(l.docs, key)
		return 0, nil
	}
	l.rev++
	l.docs[key] = store.Doc{Key: key, Rev: l.rev, Data: append([]byte{}, d.Data...)}
	return l.rev, nil
}

// List implements [store.KV].
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		if _, err := store.CleanPrefix(prefix); err != nil {
			yield(store.Doc{}, err)
			return
		}
		s.mu.Lock()
		var found []store.Doc
		for _, key := range slices.Sorted(maps.Keys(s.docs)) {
			if d := s.docs[key]; strings.HasPrefix(key, prefix) {
				d.Data = append([]byte{}, d.Data...)
				found = append(found, d)
			}
		}
		s.mu.Unlock()
		for _, d := range found {
			if ctx.Err() != nil {
				yield(store.Doc{}, context.Cause(ctx))
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// PutBlob implements [store.Blobs].
func (s *Store) PutBlob(_ context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blobs[sha]; !ok {
		s.blobs[sha] = append([]byte{}, data...)
	}
	return sha, nil
}

// GetBlob implements [store.Blobs].
func (s *Store) GetBlob(_ context.Context, sha string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.blobs[sha]
	if !ok {
		return nil, fmt.Errorf("blob %.80q: %w", sha, store.ErrNotFound)
	}
	return bytes.Clone(data), nil
}
