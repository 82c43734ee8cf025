// Package disk keeps logs, documents and blobs as plain files that a person can read with cat and repair with an editor.
//
//	DIR/log/KIND/ID.jsonl   one record a line; the position of a record is the offset behind its newline
//	DIR/kv/KIND/ID.json     one document, exactly its bytes; the revision is a hash of them
//	DIR/blob/SHA256         one blob
//
// [Options] can give single kinds another place. Folders are made on first use, for the user alone.
//
// Many processes may share a directory on one machine: changes are made under flock, and nothing that is read is ever
// changed in place. A record is written by one write. A crash, a full disk or a run of NULs at the end of a log leaves
// bytes behind the last whole record; they are never read, and the next Append cuts them off, so that no two records end
// up on one line. A line with a NUL byte in it was damaged and does not count.
//
// What has been written survives the process at once. It survives the machine after [Store.Sync]; documents and blobs are
// synced as they are written.
package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Durability says what a record must survive.
type Durability string

// The two kinds of durability. The zero value is Disk.
const (
	Disk    Durability = "disk"    // the machine, once synced
	Process Durability = "process" // the process only: nothing is ever synced
)

// Options change what a [Store] does. The zero value is good.
type Options struct {
	Durability Durability
	// Logs and Docs are places that differ from the usual.
	Logs, Docs []Place
	// Poll is the longest time between two looks at a log that another process may change, 0 = 250 ms. Changes by the
	// same Store are seen at once.
	Poll time.Duration
	// Open is how many logs are kept open between two appends, 0 = 256.
	Open int
}

// Store implements store.Log, KV and Blobs, and store.Names, Syncer, Torn, Last and Sized. It holds open files, but no goroutine.
type Store struct {
	dir   string
	sync  bool
	poll  time.Duration
	logs  places
	docs  places
	files cache
	watch watch
	puts  mutex
}

// Open makes a store in a directory, which need not exist yet. It touches nothing.
func Open(dir string, o Options) (*Store, error) {
	switch o.Durability {
	case "", Disk, Process:
	default:
		return nil, fmt.Errorf("durability %q: use %q or %q", o.Durability, Disk, Process)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("state directory %s: %w", dir, err)
	}
	s := &Store{
		dir: abs, sync: o.Durability != Process, poll: or(o.Poll, 250*time.Millisecond),
		files: cache{limit: or(o.Open, 256)}, puts: newMutex(),
	}
	if s.logs, err = newPlaces(filepath.Join(abs, "log"), ".jsonl", o.Logs); err != nil {
		return nil, err
	}
	fast := []Place{{Kind: "lease", Fast: true}, {Kind: "owner", Fast: true}}
	if s.docs, err = newPlaces(filepath.Join(abs, "kv"), ".json", append(fast, o.Docs...)); err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the files that are kept open. Using the store afterwards opens them again.
func (s *Store) Close() error { return s.files.close() }

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Modes of what the store makes: sessions hold what people said.
const (
	dirMode  os.FileMode = 0o700
	fileMode os.FileMode = 0o600
)

// Dir is the directory of the store.
func (s *Store) Dir() string { return s.dir }
