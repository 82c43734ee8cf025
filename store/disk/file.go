package disk

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"react-agent/store"
)

// mutex is a lock whose wait ends with a context.
type mutex chan struct{}

func newMutex() mutex { return make(mutex, 1) }

func (m mutex) lock(ctx context.Context) error {
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m mutex) unlock() { <-m }

// file is a log that is being appended to.
type file struct {
	mu    mutex
	path  string
	at    Place
	birth *sync.Mutex // of the cache
	f     *os.File    // nil until it is needed
	young bool        // its folder does not yet surely name it
	users int
	order *list.Element // in cache.used
}

// open opens the file, and makes it with its folder if create is set.
func (f *file) open(create bool) error {
	if f.f != nil {
		return nil
	}
	opened, err := f.at.open(f.path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := f.at.mkdir(); err != nil {
			return err
		}
		f.young = true
		// The system makes one file of a folder at a time. Those who wait there burn a processor each; here they sleep.
		f.birth.Lock()
		opened, err = f.at.open(f.path, os.O_RDWR|os.O_CREATE)
		f.birth.Unlock()
	}
	if err != nil {
		return err
	}
	f.f = opened
	return nil
}

func (f *file) close() error {
	if f.f == nil {
		return nil
	}
	err := f.f.Close()
	f.f = nil
	return err
}

// cache keeps the logs used last open.
type cache struct {
	mu    sync.Mutex
	birth sync.Mutex // held while a file is made
	limit int
	files map[string]*file
	used  list.List // of *file; the one used last is in front
}

// take gives a file to one user, who calls give.
func (c *cache) take(path string, at Place) *file {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[path]
	if f == nil {
		if c.files == nil {
			c.files = map[string]*file{}
		}
		if len(c.files) >= c.limit {
			c.evict()
		}
		f = &file{mu: newMutex(), path: path, at: at, birth: &c.birth}
		c.files[path] = f
		f.order = c.used.PushFront(f)
	}
	c.used.MoveToFront(f.order)
	f.users++
	return f
}

func (c *cache) give(f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.users--
}

// evict closes the file that nobody has used for the longest time. While all are in use, the cache grows.
func (c *cache) evict() {
	for e := c.used.Back(); e != nil; e = e.Prev() {
		if f := e.Value.(*file); f.users == 0 {
			_ = c.forget(f) // nothing is buffered that closing could lose
			return
		}
	}
}

func (c *cache) forget(f *file) error {
	delete(c.files, f.path)
	c.used.Remove(f.order)
	return f.close()
}

func (c *cache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, f := range c.files {
		if f.users == 0 {
			errs = append(errs, c.forget(f))
		}
	}
	return errors.Join(errs...)
}

// watch wakes those in this process who wait for a log to change.
type watch struct {
	mu    sync.Mutex
	names map[string]*bell
}

type bell struct {
	ring  chan struct{} // closed at the next change
	users int
}

func (w *watch) join(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names == nil {
		w.names = map[string]*bell{}
	}
	if w.names[path] == nil {
		w.names[path] = &bell{ring: make(chan struct{})}
	}
	w.names[path].users++
}

func (w *watch) leave(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.names[path]; b.users > 1 {
		b.users--
		return
	}
	delete(w.names, path)
}

// next gives the channel that is closed at the next change; take it before looking.
func (w *watch) next(path string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[path].ring
}

func (w *watch) wake(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.names[path]; b != nil {
		close(b.ring)
		b.ring = make(chan struct{})
	}
}

// fault says what failed, and makes a full disk recognizable.
func fault(what string, err error) error {
	if isFull(err) {
		return fmt.Errorf("%s: %w: %w", what, store.ErrFull, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = syncFolder(d)
	return errors.Join(err, d.Close())
}
