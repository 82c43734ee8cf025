package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// The file says what it is: application_id, and user_version, which grows with every change of the schema.
const (
	applicationID = 0x52414d45 // "RAME"
	schemaVersion = 1
	smallest      = 512 // bytes that a database has, if it has any
)

// How long somebody waits for a file that others have: who asked for it, and who looks on the way to something else. SQLite
// waits by itself for a moment only, for it does not hear that a context has ended.
const (
	patience    = 10 * time.Second
	glance      = 250 * time.Millisecond
	leftAlone   = time.Minute // by glances, after others had it
	busyTimeout = 100         // milliseconds
)

// schema: rev grows by one with every change, so that a process can ask for what others have changed since it last looked.
// tally counts the vectors of each model, and under the name ” the memories. words and pieces hold no text, only what is
// found by it; the words are made by [terms].
const schema = `
CREATE TABLE memory(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL, said BLOB NOT NULL,
	created INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0, uses INTEGER NOT NULL DEFAULT 0);
CREATE INDEX memory_said ON memory(said);
CREATE TABLE vector(model TEXT NOT NULL, rev INTEGER NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL,
	PRIMARY KEY(model, rev)) WITHOUT ROWID;
CREATE INDEX vector_id ON vector(id, model);
CREATE TABLE tally(model TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO tally VALUES('', 0);
CREATE TRIGGER memory_more AFTER INSERT ON memory BEGIN UPDATE tally SET n=n+1 WHERE model=''; END;
CREATE TRIGGER memory_less AFTER DELETE ON memory BEGIN UPDATE tally SET n=n-1 WHERE model=''; END;
CREATE TRIGGER vector_more AFTER INSERT ON vector BEGIN INSERT INTO tally VALUES(new.model, 1) ON CONFLICT DO UPDATE SET n=n+1; END;
CREATE TRIGGER vector_less AFTER DELETE ON vector BEGIN UPDATE tally SET n=n-1 WHERE model=old.model; END;
CREATE TABLE counter(rev INTEGER NOT NULL);
INSERT INTO counter VALUES(0);
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize="ascii tokenchars '_'");
CREATE VIRTUAL TABLE pieces USING fts5(text, content='', contentless_delete=1, tokenize='trigram');
`

// file is the memories of one scope. busy is held by whoever works with it.
type file struct {
	scope  Scope
	path   string
	noSync bool

	busy   chan struct{} // of one place
	db     *sql.DB       // nil: not open
	info   fs.FileInfo   // of the open file
	closed bool
	rest   time.Time       // others had it: until then a glance at it is in vain
	had    error           // what was said then
	sets   map[string]*set // vectors by model
}

// hold waits until nobody else in this process works with the file. The context's error, or [ErrSlow].
func (f *file) hold(ctx context.Context, wait time.Duration) error {
	select { // whoever need not wait may look, however late it is
	case f.busy <- struct{}{}:
		return nil
	default:
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case f.busy <- struct{}{}:
		return nil
	case <-late.C:
		return f.fault(ctx, ErrSlow)
	case <-ctx.Done():
		return f.fault(ctx, ctx.Err())
	}
}

func (f *file) release() { <-f.busy }

// open does fn with the file, for as long as another process has it again and again until wait is over: so fn may be begun
// more than once, and must not leave anything behind when it fails. Without create nothing is done when there is no file.
// After others had it a glance fails at once for a while.
func (f *file) open(ctx context.Context, wait time.Duration, create bool, fn func(f *file) error) error {
	until := time.Now().Add(wait)
	if err := f.hold(ctx, wait); err != nil {
		return err
	}
	defer f.release()
	if wait <= glance && time.Now().Before(f.rest) {
		return f.had
	}
	f.rest = time.Time{}
	var busy error
	for {
		ok, err := f.ready(ctx, create)
		if err == nil && ok {
			err = f.fault(ctx, fn(f))
		}
		switch {
		case errors.Is(err, ErrSlow) && busy != nil:
			f.rest, f.had = time.Now().Add(leftAlone), busy
			return busy
		case !errors.Is(err, ErrBusy):
			return err
		case ctx.Err() != nil || time.Now().After(until):
			f.rest, f.had = time.Now().Add(leftAlone), err
			return err
		}
		busy = err
	}
}

// with does fn with the open file, if there is one.
func (f *file) with(ctx context.Context, wait time.Duration, fn func(f *file) error) error {
	return f.open(ctx, wait, false, fn)
}

// ready opens the file if that has not been done yet, and again if another one has taken its place. Without create a file
// that is not there, or that holds nothing yet, is no error: then ok is false.
func (f *file) ready(ctx context.Context, create bool) (ok bool, err error) {
	if f.closed {
		return false, ErrClosed
	}
	info, err := os.Stat(f.path)
	if f.db != nil {
		if err == nil && os.SameFile(info, f.info) {
			return true, nil
		}
		f.drop()
	}
	size := int64(0)
	switch {
	case err == nil:
		size, err = sizeOf(info)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err == nil && size == 0 {
		if !create {
			return false, nil
		}
		err = f.create()
	}
	if err == nil {
		err = f.connect(ctx, create)
	}
	if err != nil {
		f.drop()
		return false, f.fault(ctx, err)
	}
	return f.db != nil, nil // without one another process is about to fill it
}

// sizeOf is the size of what may be a database.
func sizeOf(info fs.FileInfo) (int64, error) {
	switch n := info.Size(); {
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%w: it is no ordinary file", ErrCorrupt)
	case n > 0 && n < smallest: // SQLite would begin a new one in it
		return n, fmt.Errorf("%w: it has %d bytes", ErrCorrupt, n)
	default:
		return n, nil
	}
}

// create makes an empty file for its owner alone.
func (f *file) create() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	made, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600)
	if _, link := os.Readlink(f.path); link == nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrLink, err)
	}
	if err != nil {
		return err
	}
	return made.Close()
}

func (f *file) connect(ctx context.Context, create bool) error {
	abs, err := filepath.Abs(f.path)
	if err != nil {
		return err
	}
	path := filepath.ToSlash(abs)
	if path[0] != '/' {
		path = "/" + path // C:/…
	}
	sync := "FULL"
	if f.noSync {
		sync = "OFF"
	}
	// A journal beside the file only while it is written, so that it is one file, can be read where nothing can be written,
	// and needs no shared memory.
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{
		"mode":    {"rw"},
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(" + strconv.Itoa(busyTimeout) + ")", "synchronous(" + sync + ")", "trusted_schema(0)", "secure_delete(1)"},
	}.Encode()}
	if f.db, err = sql.Open("sqlite", u.String()); err != nil {
		return err
	}
	if f.info, err = os.Stat(abs); err != nil {
		return err
	}
	f.db.SetMaxOpenConns(1) // transactions of one process wait here for each other
	f.sets = map[string]*set{}
	empty, err := f.check(ctx, f.db)
	switch {
	case err != nil || !empty:
		return err
	case !create:
		f.drop()
		return nil
	}
	return f.change(ctx, func(tx *sql.Tx) error {
		if empty, err := f.check(ctx, tx); err != nil || !empty { // another process was first
			return err
		}
		_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, schemaVersion))
		return err
	})
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// check reads what the file says of itself. empty: it holds nothing at all.
func (f *file) check(ctx context.Context, q querier) (empty bool, err error) {
	var app, version, tables int64
	err = q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &tables)
	switch {
	case err != nil:
		return false, err
	case tables == 0 && app == 0 && version == 0:
		return true, nil
	case app != applicationID:
		return false, fmt.Errorf("%w: another program's database", ErrCorrupt)
	case version > schemaVersion:
		return false, fmt.Errorf("%w: schema %d, this one knows %d", ErrNewer, version, schemaVersion)
	case version < 1:
		return false, fmt.Errorf("%w: schema %d", ErrCorrupt, version)
	}
	return false, nil
}

// tally counts the vectors of a model, or with "" the memories.
func tally(ctx context.Context, q querier, model string) (n int, err error) {
	err = q.QueryRowContext(ctx, "SELECT n FROM tally WHERE model=?", model).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// change runs fn in a transaction that nobody else's change comes between.
func (f *file) change(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	return tx.Commit()
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

// drop lets go of the open file.
func (f *file) drop() {
	if f.db != nil {
		_ = f.db.Close() // nothing is pending
	}
	f.db, f.info, f.sets = nil, nil, nil
}
