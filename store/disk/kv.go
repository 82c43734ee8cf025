package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/filelock"
	"react-agent/store"
)

// Get implements [store.KV].
func (s *Store) Get(_ context.Context, key string) (store.Doc, error) {
	path, at, err := s.docs.path(key)
	if err != nil {
		return store.Doc{}, err
	}
	return readDoc(key, path, at)
}

func readDoc(key, path string, at Place) (store.Doc, error) {
	data, err := at.readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return store.Doc{}, fmt.Errorf("document %s: %w", key, store.ErrNotFound)
	}
	if err != nil {
		return store.Doc{}, fmt.Errorf("document %s: %w", key, err)
	}
	return store.Doc{Key: key, Rev: revision(data), Data: data}, nil
}

// revision is a hash, so that a document needs no field for it and one changed by hand has a new one.
func revision(data []byte) int64 {
	sum := sha256.Sum256(data)
	return max(1, int64(binary.BigEndian.Uint64(sum[:8])&math.MaxInt64))
}

// Put implements [store.KV].
func (s *Store) Put(ctx context.Context, d store.Doc) (int64, error) {
	path, at, err := s.docs.path(d.Key)
	if err != nil {
		return 0, err
	}
	if err := s.puts.lock(ctx); err != nil {
		return 0, fmt.Errorf("document %s: %w", d.Key, err)
	}
	defer s.puts.unlock()
	release, err := lockFolder(ctx, at)
	if err != nil {
		return 0, fault("document "+d.Key, err)
	}
	defer release()
	return s.put(d, path, at)
}

// put is Put for who holds the folder's lock.
func (s *Store) put(d store.Doc, path string, at Place) (int64, error) {
	old, err := readDoc(d.Key, path, at)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	if old.Rev != d.Rev {
		return 0, fmt.Errorf("document %s: %w", d.Key, store.ErrConflict)
	}
	if d.Data == nil {
		if err := at.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, fault("document "+d.Key, err)
		}
		return 0, nil
	}
	if err := at.replace(path, path+".tmp", d.Data, s.sync && !at.Fast); err != nil {
		return 0, fault("document "+d.Key, err)
	}
	return revision(d.Data), nil
}

// Lock implements [store.Locker]. Writers of other kinds are not held up, whoever has the lock.
func (s *Store) Lock(ctx context.Context, prefix string, fn func(store.KV) error) error {
	kind, err := store.CleanPrefix(prefix)
	if err != nil {
		return err
	}
	release, err := lockFolder(ctx, s.docs.of(kind))
	if err != nil {
		return fault("documents "+prefix, err)
	}
	defer release()
	return fn(locked{s, kind})
}

// locked is a store whose documents of one kind nobody else changes.
type locked struct {
	*Store
	kind string
}

// Put implements [store.KV].
func (l locked) Put(_ context.Context, d store.Doc) (int64, error) {
	path, at, err := l.docs.path(d.Key)
	if err != nil {
		return 0, err
	}
	if at.Kind != l.kind {
		return 0, fmt.Errorf("document %s: %w: the lock is for %s/", d.Key, store.ErrName, l.kind)
	}
	return l.put(d, path, at)
}

// lockFolder lets one process at a time change the documents of a folder.
func lockFolder(ctx context.Context, at Place) (release func(), err error) {
	name := filepath.Join(at.Dir, ".lock")
	f, err := at.open(name, os.O_RDWR|os.O_CREATE)
	if errors.Is(err, fs.ErrNotExist) {
		if err := at.mkdir(); err != nil {
			return nil, err
		}
		f, err = at.open(name, os.O_RDWR|os.O_CREATE)
	}
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(ctx, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		filelock.Unlock(f)
		_ = f.Close() // nothing was written
	}, nil
}

// replace writes a file beside path and renames it: a reader finds the old bytes or the new, whatever happens.
func (p Place) replace(path, temp string, data []byte, sync bool) error {
	err := p.writeFile(temp, data, sync)
	if err == nil {
		err = p.rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, ignoreAbsent(p.remove(temp)))
	}
	if sync {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

func (p Place) writeFile(path string, data []byte, sync bool) error {
	f, err := p.open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = syncData(f)
	}
	return errors.Join(err, f.Close())
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements [store.KV].
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		for n, err := range s.docs.list(ctx, prefix) {
			if err != nil {
				yield(store.Doc{}, err)
				return
			}
			d, err := readDoc(n.name, n.path, n.at)
			if errors.Is(err, store.ErrNotFound) {
				continue // deleted meanwhile
			}
			foreign := errors.Is(err, store.ErrForeign)
			if foreign {
				d.Key = n.name
			}
			if !yield(d, err) || err != nil && !foreign {
				return
			}
		}
	}
}

// PutBlob implements [store.Blobs].
func (s *Store) PutBlob(_ context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	dir := filepath.Join(s.dir, "blob")
	path := s.BlobFile(sha)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return sha, nil
	}
	temp, err := os.CreateTemp(dir, ".tmp-*")
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return "", fault("blob", err)
		}
		temp, err = os.CreateTemp(dir, ".tmp-*")
	}
	if err != nil {
		return "", fault("blob", err)
	}
	name := temp.Name()
	if err := errors.Join(temp.Close(), Place{}.replace(path, name, data, s.sync)); err != nil {
		return "", errors.Join(fault("blob", err), ignoreAbsent(os.Remove(name)))
	}
	return sha, nil
}

// BlobFile is the file that holds a blob, for a person to look at or to copy; it may not be changed.
func (s *Store) BlobFile(sha string) string { return filepath.Join(s.dir, "blob", sha) }

// GetBlob implements [store.Blobs]. Bytes that do not have the hash are as good as absent.
func (s *Store) GetBlob(_ context.Context, sha string) ([]byte, error) {
	if len(sha) != 2*sha256.Size || strings.Trim(sha, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("blob %q: %w: use 64 digits of lower-case hex", sha[:min(len(sha), 80)], store.ErrName)
	}
	data, err := os.ReadFile(s.BlobFile(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", sha, store.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", sha, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sha {
		return nil, fmt.Errorf("blob %s is damaged: %w", sha, store.ErrNotFound)
	}
	return data, nil
}
