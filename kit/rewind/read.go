package rewind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// looked is a path whose state was read.
type looked struct {
	seen
	entry entry
	oid   string // the content is in git under this name, and nowhere else yet
	size  int64
	why   error // why it is not kept
}

// readAll reads what differs, on all processors: small files first, and what earlier looks did not come to at the end.
func (r *Rewind) readAll(ctx context.Context, list []seen, inGit bool) ([]looked, error) {
	slices.SortFunc(list, func(a, b seen) int {
		return cmp.Or(cmp.Compare(btoi(a.late()), btoi(b.late())), cmp.Compare(a.info.Size(), b.info.Size()), cmp.Compare(a.path, b.path))
	})
	r.objects.allow(r.o.MaxLook)
	defer r.objects.allow(math.MaxInt64)
	begun := time.Now()
	var tracked map[name]string
	if inGit && len(list) > 8 { // for a few, asking git costs more than copying
		tracked = r.git.tracked(ctx)
	}
	all := make([]looked, len(list))
	err := each(ctx, len(list), func(i int) error {
		patience := r.reading
		if list[i].late() {
			patience /= 5
		}
		if list[i].info.Mode().IsRegular() && time.Since(begun) > patience {
			all[i] = unread(list[i], errLater)
			return nil
		}
		l, err := r.read(list[i], tracked[list[i].path])
		all[i] = l
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, r.fromGit(ctx, all)
}

// each calls fn for all numbers below n, on all processors.
func each(ctx context.Context, n int, fn func(i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				err := context.Cause(ctx)
				if err == nil {
					err = fn(i)
				}
				if err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return first
}

// fromGit links the contents that git has, and copies those that cannot be linked after all.
func (r *Rewind) fromGit(ctx context.Context, all []looked) error {
	var oids []string
	for _, l := range all {
		if l.oid != "" {
			oids = append(oids, l.oid)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	have, err := r.git.link(ctx, oids)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var pairs []objectLine
	for i, l := range all {
		switch {
		case l.oid == "":
		case have[l.oid]:
			pairs = append(pairs, objectLine{l.entry.State.Sum, l.oid})
		default:
			if all[i], err = r.read(l.seen, ""); err != nil {
				return err
			}
		}
	}
	return r.objects.git.add(pairs)
}

// read reads the state of one path and keeps its content. An error is a fault of the store.
func (r *Rewind) read(s seen, oid string) (looked, error) {
	path := r.file(s.path)
	for try := 0; ; try++ {
		l, err := r.readOnce(s, path, oid)
		again := errors.Is(err, errChanging)
		if again && try < 3 {
			info, statErr := os.Lstat(path)
			if statErr == nil {
				s.info = info
				continue
			}
			err = statErr
		}
		if errors.Is(err, fs.ErrNotExist) {
			return looked{seen: s}, nil
		}
		if _, fatal := errors.AsType[*storeError](err); fatal {
			return l, fmt.Errorf("%s: %w", path, err)
		}
		if err != nil { // the file cannot be read: what is known of it is kept
			l = unread(s, err)
		}
		return l, nil
	}
}

// unread is a file of which no more is known than what the file system tells.
func unread(s seen, why error) looked {
	l := looked{seen: s, entry: entry{State: bare(s.info), Stamp: stampFor(s.info)}, why: why}
	l.entry.State.Stamp = s.info.ModTime().UnixNano()
	// Is it tried again?
	l.entry.Racy = errors.Is(why, errChanging) || errors.Is(why, errBound) || errors.Is(why, errLater)
	return l
}

// late reports whether an earlier look did not come to read this, and nothing has changed since.
func (s seen) late() bool {
	return s.old != nil && s.old.Racy && !s.old.State.kept() && s.info != nil && s.old.Stamp == stampFor(s.info)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *Rewind) readOnce(s seen, path, oid string) (looked, error) {
	l := looked{seen: s, entry: entry{State: bare(s.info), Stamp: stampFor(s.info)}}
	var err error
	switch l.entry.State.Kind {
	case isDir, isOther:
		return l, nil
	case isLink:
		l.entry.State, err = linkState(path)
		l.entry.Racy = racy(l.entry.Stamp, time.Now().UnixNano())
		return l, err
	}
	if s.info.Size() > r.o.MaxFile {
		return l, errTooLarge
	}
	f, err := openRead(path)
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return l, err
	}
	if !os.SameFile(info, s.info) || !info.Mode().IsRegular() || info.Size() > r.o.MaxFile {
		return l, errChanging
	}
	c, err := r.objects.keep(f, info.Size(), oid)
	if err != nil {
		return l, err
	}
	after, err := f.Stat()
	if err != nil {
		return l, err
	}
	if l.entry.Stamp = stampOf(after); l.entry.Stamp != stampOf(info) || c.size != after.Size() {
		return l, errChanging
	}
	l.entry.State = bare(after)
	l.entry.State.Sum, l.oid, l.size = c.sum, c.oid, c.size
	l.entry.Racy = racy(l.entry.Stamp, time.Now().UnixNano())
	return l, nil
}

var (
	errTooLarge = errors.New("too large")
	// errLater: the look took too long already.
	errLater = errors.New("not read yet")
)
