package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"react-agent/internal/msg"
)

// The errors that [errors.Is] finds.
var (
	ErrNone     = msg.Errorf(msg.MemoryNoSuch)
	ErrCorrupt  = errors.New("the file is damaged, or no memory file")
	ErrNewer    = errors.New("the file was written by a newer version of the program")
	ErrBusy     = errors.New("the file is in use by another process")
	ErrSlow     = errors.New("the file did not answer in time")
	ErrFull     = errors.New("the disk is full")
	ErrReadOnly = errors.New("the file cannot be read or written")
	ErrLink     = errors.New("the file is a link into nothing")
	ErrClosed   = errors.New("the memory is closed")
)

// FileError names the file that could not be used, and what to do about it. It wraps one of this package's errors where
// the cause is known.
type FileError struct {
	Scope Scope
	Path  string
	Err   error
}

// Error is the English text.
func (e *FileError) Error() string { return e.In(msg.For(msg.En)) }

// Unwrap gives the cause.
func (e *FileError) Unwrap() error { return e.Err }

// In is the text in the catalogue's language.
func (e *FileError) In(c msg.Catalogue) string {
	for _, f := range []struct {
		err error
		key msg.Key
	}{
		{ErrCorrupt, msg.MemoryCorrupt},
		{ErrNewer, msg.MemoryNewer},
		{ErrBusy, msg.MemoryBusy},
		{ErrSlow, msg.MemorySlow},
		{ErrFull, msg.MemoryFull},
		{ErrReadOnly, msg.MemoryReadOnly},
		{ErrLink, msg.MemoryLink},
	} {
		if errors.Is(e.Err, f.err) {
			return c.Text(f.key, e.Path, string(e.Scope))
		}
	}
	return c.Text(msg.MemoryFault, e.Path, e.Err)
}

// fault names the file in an error of the database. A cancelled context stays what it is.
func (f *file) fault(ctx context.Context, err error) error {
	var known *FileError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, ErrClosed):
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	return &FileError{Scope: f.scope, Path: f.path, Err: cause(ctx, err)}
}

// cause finds out what an error of the database means.
func cause(ctx context.Context, err error) error {
	var why error
	switch code := codeOf(err); {
	case code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB:
		why = ErrCorrupt
	case code == sqlite3.SQLITE_FULL, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		why = ErrFull
	case code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED:
		why = ErrBusy
	case ctx.Err() != nil:
		why = ErrSlow
	case code == sqlite3.SQLITE_READONLY || code == sqlite3.SQLITE_CANTOPEN || code == sqlite3.SQLITE_PERM, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		why = ErrReadOnly
	default:
		return err
	}
	if errors.Is(err, why) {
		return err
	}
	return fmt.Errorf("%w (%w)", why, err)
}

// codeOf is the primary code of an error of SQLite, 0 for others.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}
