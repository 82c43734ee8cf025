package rewind

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's own name of a content, not a protection
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
)

// objects keeps contents under their SHA-256. Its methods may be called by several goroutines at once, under the lock of the directory.
type objects struct {
	dir  string
	sync bool
	max  int64 // of all together

	size    atomic.Int64
	room    atomic.Int64 // what the look that is going on may still copy
	noClone atomic.Bool  // the file system cannot
	counted bool
	next    atomic.Int64 // names temporary files

	// git has the contents that are linked from git, by their sum.
	git *objectMap

	mu    sync.Mutex
	dirty []string // not on the disk yet
}

var (
	// errBound: keeping this would exceed the bound.
	errBound = errors.New("no room within the bound")
	// errLook: one look would copy too much.
	errLook = errors.New("too much for one look")
	// errLost: a content is not there, or not what it was.
	errLost = errors.New("lost")
	// errChanging: a file was changed while it was read.
	errChanging = errors.New("changes while it is read")
)

// storeError is a fault of the place where things are kept, not of the file that is read.
type storeError struct{ err error }

func (e *storeError) Error() string { return "cannot be kept: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

func notKept(err error) error {
	if err == nil || errors.Is(err, errBound) || errors.Is(err, errLook) || errors.Is(err, errChanging) {
		return err
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok && pe.Op == "read" {
		return err
	}
	return &storeError{err}
}

// Files up to small are read as a whole; larger ones are cloned or copied.
const small = 1 << 20

func (o *objects) path(sum string) string { return filepath.Join(o.dir, sum[:2], sum[2:]) }

func (o *objects) has(sum string) bool {
	if o.git.oids[sum] != "" {
		return true
	}
	info, err := os.Lstat(o.path(sum))
	return err == nil && info.Mode().IsRegular()
}

// count adds up what is there, once.
func (o *objects) count() error {
	if o.counted {
		return nil
	}
	var total int64
	err := filepath.WalkDir(o.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	o.size.Store(total)
	o.counted = true
	return nil
}

// gitName is what git calls a content.
func gitName(size int64) hash.Hash {
	h := sha1.New() //nolint:gosec // see the import
	h.Write([]byte("blob " + strconv.FormatInt(size, 10) + "\x00"))
	return h
}

// content is what was read of a file.
type content struct {
	sum  string
	oid  string // git's name, when the file has the content that git has for it
	size int64
}

// keep reads a file and keeps its content, unless it is what git calls oid; "" asks for a copy in any case. The content
// belongs to the stamp that f had before.
func (o *objects) keep(f *os.File, size int64, oid string) (content, error) {
	if size <= small {
		return o.keepSmall(f, oid)
	}
	if oid != "" {
		c, err := sums(f, size)
		if err != nil || c.oid == oid || o.has(c.sum) {
			return c, err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return content{}, err
		}
	}
	return o.keepLarge(f, size)
}

func sums(r io.Reader, size int64) (content, error) {
	own, git := sha256.New(), gitName(size)
	n, err := io.Copy(io.MultiWriter(own, git), r)
	return content{sum: hex.EncodeToString(own.Sum(nil)), oid: hex.EncodeToString(git.Sum(nil)), size: n}, err
}

func (o *objects) keepSmall(f *os.File, oid string) (content, error) {
	data, err := io.ReadAll(io.LimitReader(f, small+1))
	if err != nil {
		return content{}, err
	}
	if len(data) > small {
		return content{}, errChanging // it has grown
	}
	sum := sha256.Sum256(data)
	c := content{sum: hex.EncodeToString(sum[:]), size: int64(len(data))}
	if o.has(c.sum) {
		return c, nil
	}
	if oid != "" {
		h := gitName(c.size)
		h.Write(data)
		if name := hex.EncodeToString(h.Sum(nil)); name == oid {
			c.oid = oid
			return c, nil
		}
	}
	return c, notKept(o.put(c, func(tmp *os.File) (string, error) {
		if !o.afford(c.size) {
			return "", errLook
		}
		_, err := tmp.Write(data)
		return c.sum, err
	}))
}

// allow sets how much may be copied from now on.
func (o *objects) allow(bytes int64) { o.room.Store(bytes) }

func (o *objects) afford(size int64) bool {
	if o.room.Add(-size) >= 0 {
		return true
	}
	o.room.Add(size)
	return false
}

// keepLarge clones, so that what is hashed stands still; where that cannot be done it hashes what it copies.
func (o *objects) keepLarge(f *os.File, size int64) (content, error) {
	c := content{size: size}
	err := o.put(c, func(tmp *os.File) (string, error) {
		h := sha256.New()
		if !o.noClone.Load() && cloneFile(tmp, f) == nil {
			n, err := io.Copy(h, tmp)
			c.size, c.sum = n, hex.EncodeToString(h.Sum(nil))
			return c.sum, err
		}
		o.noClone.Store(true)
		if !o.afford(size) {
			return "", errLook
		}
		n, err := io.Copy(tmp, io.TeeReader(io.LimitReader(f, size+1), h))
		c.size, c.sum = n, hex.EncodeToString(h.Sum(nil))
		return c.sum, err
	})
	return c, notKept(err)
}

// put writes an object; fill gives its sum.
func (o *objects) put(c content, fill func(tmp *os.File) (string, error)) error {
	if o.size.Load()+c.size > o.max {
		return errBound
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	name := filepath.Join(o.dir, "new-"+strconv.Itoa(os.Getpid())+"-"+strconv.FormatInt(o.next.Add(1), 10))
	tmp, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o400)
	if err != nil {
		return err
	}
	sum, err := fill(tmp)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = o.place(name, sum)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func (o *objects) place(tmp, sum string) error {
	if o.has(sum) {
		return os.Remove(tmp)
	}
	info, err := os.Lstat(tmp)
	if err != nil {
		return err
	}
	to := o.path(sum)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(tmp, to); err != nil {
		return err
	}
	o.size.Add(info.Size())
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dirty = append(o.dirty, to)
	return nil
}

// flush waits until every new object is on the disk. For many at once the whole system is flushed: that is faster.
func (o *objects) flush() error {
	o.mu.Lock()
	dirty := o.dirty
	o.dirty = nil
	o.mu.Unlock()
	if !o.sync || len(dirty) == 0 || len(dirty) > 128 && syncAll() {
		return nil
	}
	folders := map[string]bool{}
	for _, path := range dirty {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		if err := syncFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// copyTo writes an object's content and checks it.
func (o *objects) copyTo(w io.Writer, sum string) error {
	f, err := os.Open(o.path(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return errLost
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return checked(w, f, sum)
}

// checked copies and compares what it copied with its sum.
func checked(w io.Writer, r io.Reader, sum string) error {
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, h), r); err != nil {
		return err
	}
	if got := h.Sum(nil); !bytes.Equal([]byte(hex.EncodeToString(got)), []byte(sum)) {
		return fmt.Errorf("%w: the content kept as %s is another one now", errLost, sum)
	}
	return nil
}

// sweep removes every object that is not needed, and what a crash left half written.
func (o *objects) sweep(needs map[string]int) error {
	var freed int64
	err := filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum := filepath.Base(filepath.Dir(path)) + d.Name()
		if needs[sum] > 0 {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		freed += info.Size()
		return os.Remove(path) //nolint:gosec // a directory of our own; a link in it is removed itself
	})
	o.size.Add(-freed)
	return err
}
