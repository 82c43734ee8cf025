package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Save remembers a draft, or changes the memory of its kind and scope that says nearly the same: that keeps its id, and
// what it says now is the draft's. Secrets are masked. The error names what is wrong with the draft, or with the file.
func (s *Store) Save(ctx context.Context, d Draft) (Saved, error) {
	f, e, err := s.entry(d)
	if err != nil {
		return Saved{}, err
	}
	if v := s.embed(ctx, []string{e.vectorText()}); v != nil {
		e.vectors = append(e.vectors, stored{model: s.o.Embedder.Model(), data: Pack(v[0])})
	}
	var done Saved
	err = f.open(ctx, patience, true, func(f *file) error {
		return f.change(ctx, func(tx *sql.Tx) (err error) {
			done, err = f.save(ctx, tx, s.ngrams(), e)
			return err
		})
	})
	return done, err
}

// importAtOnce is how many drafts one transaction has: it keeps other processes out while it is written.
const importAtOnce = 100

// Import saves drafts one after the other as [Store.Save] does, many at once, and gives what became of those that were saved
// when one cannot be. The Embedder is not asked: what it makes of them comes a few at a time, as memories are looked for.
func (s *Store) Import(ctx context.Context, drafts []Draft) (done []Saved, err error) {
	for len(drafts) > len(done) && err == nil {
		var part []*entry
		var f *file
		for _, d := range drafts[len(done):min(len(drafts), len(done)+importAtOnce)] {
			at, e, wrong := s.entry(d)
			if err = wrong; err != nil || f != nil && at != f {
				break
			}
			f, part = at, append(part, e)
		}
		if len(part) == 0 {
			return done, err
		}
		saved, failed := s.importPart(ctx, f, part)
		done, err = append(done, saved...), cmp.Or(failed, err)
	}
	return done, err
}

// importPart saves entries of one file in one transaction; what is wrong with one does not undo those before it.
func (s *Store) importPart(ctx context.Context, f *file, part []*entry) (done []Saved, wrong error) {
	err := f.open(ctx, patience, true, func(f *file) error {
		done, wrong = nil, nil
		return f.change(ctx, func(tx *sql.Tx) error {
			for _, e := range part {
				one, err := f.save(ctx, tx, s.ngrams(), e)
				if _, mistake := errors.AsType[*msg.Error](err); mistake { // nothing of it was written
					wrong = err
					return nil
				}
				if err != nil {
					return err
				}
				done = append(done, one)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return done, wrong
}

// entry makes a draft ready to be saved, and says where.
func (s *Store) entry(d Draft) (*file, *entry, error) {
	d, err := s.checked(d)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.in(d.Scope)
	if err != nil {
		return nil, nil, err
	}
	n := s.ngrams()
	e := &entry{Draft: d, said: said(d.Text), terms: n.terms(d.Text + " " + strings.Join(d.Tags, " "))}
	e.vectors = []stored{{model: n.Model(), data: Pack(n.vector(e.vectorText()))}}
	return f, e, nil
}

// entry is a draft with what it is found by.
type entry struct {
	Draft
	said    []byte
	terms   terms
	vectors []stored
}

type stored struct {
	model string
	data  []byte
}

func (e *entry) vectorText() string { return vectorText(e.Text, e.Tags) }

// vectorText is what vectors are made of.
func vectorText(body string, tags []string) string {
	if len(tags) == 0 {
		return body
	}
	return body + "\n" + strings.Join(tags, " ")
}

// checked cleans a draft and says what is wrong with it.
func (s *Store) checked(d Draft) (Draft, error) {
	d.Text = clean(s.o.Mask(d.Text))
	if d.Kind == "" {
		d.Kind = Fact
	}
	if d.Scope == "" {
		if d.Scope = Project; d.Kind == Preference {
			d.Scope = User
		}
	}
	n := utf8.RuneCountInString(d.Text)
	switch {
	case n == 0:
		return d, msg.Errorf(msg.MemoryEmpty)
	case n > MaxText:
		return d, msg.Errorf(msg.MemoryLong, n, MaxText)
	case !slices.Contains(Kinds(), d.Kind):
		return d, msg.Errorf(msg.MemoryKind, text.Name(string(d.Kind)))
	case len(d.Tags) > MaxTags:
		return d, msg.Errorf(msg.MemoryTags, len(d.Tags), MaxTags)
	}
	var tags []string
	for _, t := range d.Tags {
		t = strings.Join(strings.Fields(clean(s.o.Mask(t))), " ")
		if n := utf8.RuneCountInString(t); n > MaxTag {
			return d, msg.Errorf(msg.MemoryTag, text.Head(t, MaxTag), n, MaxTag)
		}
		if t != "" && !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	d.Tags = tags
	return d, nil
}

// clean takes out what has no business in a text: control characters, broken bytes, blanks at the ends.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), ""))
	return strings.TrimSpace(s)
}

// save writes an entry in a transaction.
func (f *file) save(ctx context.Context, tx *sql.Tx, n *Ngrams, e *entry) (done Saved, err error) {
	id, err := f.same(ctx, tx, n, e)
	if err != nil {
		return done, err
	}
	tags, err := json.Marshal(append([]string{}, e.Tags...))
	if err != nil {
		return done, err
	}
	if id == 0 {
		id, err = insert(ctx, tx, e, string(tags))
	} else {
		if done.Record, err = f.record(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM memory WHERE id=?", id).Scan); err != nil {
			return done, err
		}
		if done.Was = done.Text; done.Was == e.Text && slices.Equal(done.Tags, e.Tags) {
			done.Same = true
			return done, nil
		}
		err = replace(ctx, tx, id, e, string(tags))
	}
	if err != nil {
		return done, err
	}
	if err := f.index(ctx, tx, id, e); err != nil {
		return done, err
	}
	done.Record, err = f.record(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM memory WHERE id=?", id).Scan)
	return done, err
}

// insert writes a new memory, if there may be one more.
func insert(ctx context.Context, tx *sql.Tx, e *entry, tags string) (int64, error) {
	count, err := tally(ctx, tx, "")
	if err != nil {
		return 0, err
	}
	if count >= MaxNumber {
		return 0, msg.Errorf(msg.MemoryMany, MaxNumber)
	}
	now := time.Now().UnixMilli()
	res, err := tx.ExecContext(ctx, "INSERT INTO memory(kind, text, tags, said, created, used, uses) VALUES(?,?,?,?,?,?,?)", string(e.Kind), e.Text, tags, e.said,
		moment(e.Created, now), moment(e.Used, 0), max(0, e.Uses))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// moment is a time of a draft as it is stored: none is the given one, and none lies in the future.
func moment(t time.Time, none int64) int64 {
	if t.IsZero() {
		return none
	}
	return max(0, min(t.UnixMilli(), time.Now().UnixMilli()))
}

// replace writes over a memory. It keeps how often it was used.
func replace(ctx context.Context, tx *sql.Tx, id int64, e *entry, tags string) error {
	if _, err := tx.ExecContext(ctx, "UPDATE memory SET text=?, tags=?, said=?, created=? WHERE id=?", e.Text, tags, e.said, moment(e.Created, time.Now().UnixMilli()), id); err != nil {
		return err
	}
	return unindex(ctx, tx, id)
}

// index writes what a memory is found by.
func (f *file) index(ctx context.Context, tx *sql.Tx, id int64, e *entry) error {
	for _, q := range []struct{ query, text string }{
		{"INSERT INTO words(rowid, text) VALUES(?,?)", e.terms.text()},
		{"INSERT INTO pieces(rowid, text) VALUES(?,?)", strings.ToLower(fold(e.vectorText()))},
	} {
		if _, err := tx.ExecContext(ctx, q.query, id, q.text); err != nil {
			return err
		}
	}
	for _, v := range e.vectors {
		if err := putVector(ctx, tx, id, e.Kind, v); err != nil {
			return err
		}
	}
	return nil
}

func putVector(ctx context.Context, tx *sql.Tx, id int64, kind Kind, v stored) error {
	var rev int64
	if err := tx.QueryRowContext(ctx, "UPDATE counter SET rev=rev+1 RETURNING rev").Scan(&rev); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO vector(model, rev, id, kind, data) VALUES(?,?,?,?,?)", v.model, rev, id, string(kind), v.data)
	return err
}

func unindex(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, q := range []string{"DELETE FROM words WHERE rowid=?", "DELETE FROM pieces WHERE rowid=?", "DELETE FROM vector WHERE id=?"} {
		if _, err := tx.ExecContext(ctx, q, id); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a memory; one that is not there has no id.
func (f *file) remove(ctx context.Context, id int64) (r Record, err error) {
	r, err = f.get(ctx, id)
	if err != nil || r.ID == "" {
		return r, err
	}
	err = f.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM memory WHERE id=?", id); err != nil {
			return err
		}
		if err := unindex(ctx, tx, id); err != nil {
			return err
		}
		return forgetWords(ctx, tx)
	})
	for _, s := range f.sets {
		s.remove(id)
	}
	return r, err
}

// forgetWords writes the indexes of words anew, so that what was forgotten stands nowhere in the file. Over many memories that
// takes too long: there it goes with later changes.
func forgetWords(ctx context.Context, tx *sql.Tx) error {
	n, err := tally(ctx, tx, "")
	if err != nil || n > fewMemories {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO words(words) VALUES('optimize'); INSERT INTO pieces(pieces) VALUES('optimize')")
	return err
}

// nearlySame is how much of two texts must be shared for one to take the other's place.
const nearlySame = 0.88

// same finds the memory that says nearly the same as an entry, 0 when there is none: the same words in any case and order
// of signs, or nearly the same terms with the same numbers in them.
func (f *file) same(ctx context.Context, tx *sql.Tx, n *Ngrams, e *entry) (int64, error) {
	var id int64
	err := tx.QueryRowContext(ctx, "SELECT id FROM memory WHERE said=? AND kind=? ORDER BY id LIMIT 1", e.said, string(e.Kind)).Scan(&id)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	mine := n.terms(e.Text)
	ids, err := f.matches(ctx, tx, "words", mine.asked(), e.Kind)
	if err != nil {
		return 0, err
	}
	for _, id := range ids[:min(len(ids), 10)] {
		var other string
		if err := tx.QueryRowContext(ctx, "SELECT text FROM memory WHERE id=?", id).Scan(&other); err != nil {
			return 0, err
		}
		if mine.alike(n.terms(other)) {
			return id, nil
		}
	}
	return 0, nil
}

// said is the mark of a text without what does not change its meaning: case, width, signs, blanks.
func said(s string) []byte {
	h := sha256.New()
	words := 0
	for tok := range tokens(fold(s)) {
		io.WriteString(h, strings.ToLower(tok.text)+" ") //nolint:errcheck // it never fails
		words++
	}
	if words == 0 { // signs alone
		io.WriteString(h, s) //nolint:errcheck // it never fails
	}
	return h.Sum(nil)[:16]
}
