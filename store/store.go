// Package store is where everything durable lives: append-only logs, documents with compare-and-swap, and blobs. The
// three interfaces are all that the engine and the features know; store/mem and store/disk implement them, and
// store/storetest proves that an implementation keeps the promises written here. Implementations are safe for concurrent
// use, by many processes too where the medium allows it.
//
// Names of logs and keys of documents are kind/id (see [CleanName]); they are compared without case.
package store

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Record is one entry of a log. Pos is greater than 0, grows, may have gaps, and means nothing else.
type Record struct {
	Pos  int64
	Data []byte
}

// Doc is a document. Rev changes with the content; 0 means that there is none.
type Doc struct {
	Key  string
	Rev  int64
	Data []byte
}

// Log is a set of named append-only logs. Names are like "session/20261130-1f3a"; an absent log is an empty one.
type Log interface {
	// Append adds a record of 1 to [MaxRecord] bytes without newline or NUL. It fails with [ErrConflict] if the last
	// position is not after (0 = empty log); after = -1 appends unconditionally, for logs with many writers. When it
	// returns nil the record outlives this process; see [Syncer] for more. After an error the log is as it was, except
	// that the record may have been added when the cause was the end of ctx or a failing disk: read on to know.
	Append(ctx context.Context, name string, after int64, data []byte) (pos int64, err error)
	// Read yields the records behind position after, oldest first. With follow it waits for more until ctx ends or the
	// log is dropped; without, it ends at the end. The data belongs to the caller.
	Read(ctx context.Context, name string, after int64, follow bool) iter.Seq2[Record, error]
	// Drop removes a log; dropping an absent one is no error.
	Drop(ctx context.Context, name string) error
}

// KV is a set of documents. Keys are like "lease/ID".
type KV interface {
	// Get fails with [ErrNotFound] if there is none.
	Get(ctx context.Context, key string) (Doc, error)
	// Put is compare-and-swap: it fails with [ErrConflict] unless d.Rev is the present revision. Rev 0 creates; nil Data
	// deletes (and returns 0); deleting what is not there is no error with Rev 0. The bytes are kept exactly.
	Put(ctx context.Context, d Doc) (rev int64, err error)
	// List yields the documents under a prefix that ends in "/", by key. One that fails with [ErrForeign] comes with its key
	// and without data, and the others follow; any other error ends it.
	List(ctx context.Context, prefix string) iter.Seq2[Doc, error]
}

// Locker is a KV that lets one writer at a time change several documents of a kind as one.
type Locker interface {
	// Lock keeps everybody else, other processes too, from changing the documents under a prefix while fn runs. fn changes
	// them with the KV that it is given, and with no other. What it has put stays when it fails or its process dies: Lock
	// keeps others away, it takes nothing back.
	Lock(ctx context.Context, prefix string, fn func(kv KV) error) error
}

// Blobs stores bytes under their SHA-256 (lower-case hex).
type Blobs interface {
	PutBlob(ctx context.Context, data []byte) (sha string, err error)
	// GetBlob fails with [ErrNotFound] if there is none.
	GetBlob(ctx context.Context, sha string) ([]byte, error)
}

// Entry is a log as it is listed.
type Entry struct {
	Name    string
	Updated time.Time // of the last change, as well as the store knows
}

// Names lists logs, for finding sessions: every log under a prefix that ends in "/", by name. A Log that can do it
// implements it.
type Names interface {
	Names(ctx context.Context, prefix string) iter.Seq2[Entry, error]
}

// Syncer is a Log whose records survive the death of the process at once and that of the machine only after Sync. A
// writer calls it where an effect follows. Syncing an absent log is no error.
type Syncer interface {
	Sync(ctx context.Context, name string) error
}

// Torn is a Log that can be damaged by a crash. Torn tells how many bytes behind the last whole record there are; they
// never count, and the next Append cuts them off.
type Torn interface {
	Torn(ctx context.Context, name string) (size int64, err error)
}

// Last is a Log that finds its last record without reading the others. The zero Record means that the log is empty.
type Last interface {
	Last(ctx context.Context, name string) (Record, error)
}

// Sized is a Log that tells at little cost whether there was news: a log without records has size 0, an append changes the
// size, and where nothing is torn the size is the position of the last record.
type Sized interface {
	Size(ctx context.Context, name string) (int64, error)
}

// MaxRecord is the size limit of a record in bytes, enforced by every store.
const MaxRecord = 512 << 10

// Errors that callers test for with errors.Is.
var (
	ErrConflict = errors.New("store: somebody else was first")
	ErrNotFound = errors.New("store: not found")
	ErrTooLarge = errors.New("store: record too large")
	ErrFull     = errors.New("store: disk full")
	ErrName     = errors.New("store: bad name")
	ErrRecord   = errors.New("store: bad record")
	// ErrForeign is that in the place of a document or a log there is something else, which is neither read nor written.
	ErrForeign = errors.New("store: it is neither read nor written; move it away, or put a file of its own in its place")
)
