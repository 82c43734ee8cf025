package mates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"react-agent/internal/msg"
	"react-agent/store"
)

// inboxLog is the log of a name's mail, as it stands in Took.
func inboxLog(key string) string { return "inbox/" + key }

// cursor is the document beside an inbox.
type cursor struct {
	// Pos is how far everybody has read.
	Pos int64 `json:"pos"`
	// Held is what somebody has taken and not stored yet. Until then nobody else reads on.
	Held *hold `json:"held,omitempty"`
}

// hold is a stretch of an inbox, from the cursor to To, that the session By is about to store.
type hold struct {
	By string    `json:"by"`
	To int64     `json:"to"`
	At time.Time `json:"at"`
}

// holdFor is how long a hold keeps others away: a session stores what it has taken at once, unless its process has died.
const holdFor = time.Minute

// mail is a message where it lies.
type mail struct {
	pos int64
	Message
}

// read gives the messages behind a position. Lines that are none are passed over; the last one of them is told.
func (m *Mates) read(ctx context.Context, key string, after int64) (list []mail, end int64, err error) {
	after = max(after, 0)
	end = after
	var faulty error
	for rec, err := range m.o.Log.Read(ctx, inboxLog(key), after, false) {
		if errors.Is(err, store.ErrConflict) && after > 0 { // somebody has emptied it
			return m.read(ctx, key, 0)
		}
		if err != nil {
			return nil, end, fmt.Errorf("inbox of %s: %w", key, err)
		}
		end = rec.Pos
		if x, err := parse(rec.Data); err == nil {
			list = append(list, mail{rec.Pos, x})
		} else if len(bytes.TrimSpace(rec.Data)) > 0 {
			faulty = msg.Errorf(msg.MateLine, ".team/"+inboxLog(key)+".jsonl", string(rec.Data), err)
		}
	}
	if faulty != nil {
		m.warn(faulty)
	}
	return list, end, nil
}

// end is where an inbox ends.
func (m *Mates) end(ctx context.Context, key string) (int64, error) {
	rec, err := m.o.Log.Last(ctx, inboxLog(key))
	if err != nil {
		err = fmt.Errorf("inbox of %s: %w", key, err)
	}
	return rec.Pos, err
}

// cursorOf reads the cursor of an inbox.
func (m *Mates) cursorOf(ctx context.Context, key string) (c cursor, err error) {
	_, err = m.load(ctx, "cursor/"+key, &c)
	return c, err
}

// unread gives what nobody has read or holds, as [Mates.marked] does, and the end of the inbox.
func (m *Mates) unread(ctx context.Context, key string, c cursor) (list []mail, end int64, err error) {
	all, end, err := m.marked(ctx, key, c.Pos)
	for _, x := range all {
		if !c.held() || x.pos > c.Held.To {
			list = append(list, x)
		}
	}
	return list, end, err
}

// held reports whether a hold keeps others away. One from the future does not: the file may be anybody's.
func (c *cursor) held() bool { return c.Held != nil && time.Since(c.Held.At).Abs() < holdFor }

// settled is a cursor without its hold, of which as much was read as its holder has stored.
func (c cursor) settled(stored int64) cursor {
	return cursor{Pos: max(c.Pos, min(stored, c.Held.To))}
}

// lapsed is a cursor whose hold is over, if it has lasted too long: its holder's process has died, and what that has stored
// was read.
func (m *Mates) lapsed(ctx context.Context, key string, c cursor) (cursor, error) {
	if c.Held == nil || c.held() {
		return c, nil
	}
	stored, err := m.stored(ctx, key, c.Held.By)
	if errors.Is(err, store.ErrName) { // no session: the file may be anybody's
		err = nil
	}
	return c.settled(stored), err
}

// stored is how far a session has stored the mail of a name.
func (m *Mates) stored(ctx context.Context, key, session string) (last int64, err error) {
	for e, err := range m.o.Sessions.Follow(ctx, session, 0, false) {
		if err != nil {
			return 0, err
		}
		for _, t := range e.Took {
			if t.Log == inboxLog(key) {
				last = max(last, t.Pos)
			}
		}
		last = max(last, readTo(e.State))
	}
	return last, nil
}

// some reports whether there is unread mail that nobody holds and that may be taken in.
func (m *Mates) some(ctx context.Context, key string) (bool, error) {
	c, err := m.cursorOf(ctx, key)
	if err != nil {
		return false, err
	}
	list, _, err := m.unread(ctx, key, c)
	return slices.ContainsFunc(list, func(x mail) bool { return !x.Brought }), err
}

// opened makes a cursor ready for a session that wants to read: a hold of its own that it has stored is over. false: somebody
// else is reading.
func (c *cursor) opened(session string, taken func(pos int64) bool) bool {
	h := c.Held
	if h != nil && h.By == session && taken(h.To) {
		*c = cursor{Pos: h.To}
	}
	return !c.held() || h.By == session
}

// take holds all mail of a name for a session and gives it, but for what came with the folder. taken tells whether a position stands in the session already:
// then it is not given again. The hold ends with [Mates.release].
func (m *Mates) take(ctx context.Context, key, session string, taken func(pos int64) bool) (list []mail, err error) {
	err = m.change(ctx, "cursor/"+key, func(raw []byte) (any, error) {
		var c cursor
		list = nil
		if err := decode(raw, &c); err != nil {
			return nil, err
		}
		h := c.Held
		if h != nil && h.By != session {
			if c, err = m.lapsed(ctx, key, c); err != nil {
				return nil, err
			}
		}
		if !c.opened(session, taken) {
			return nil, store.ErrSame
		}
		all, err := m.own(ctx, key, c.Pos)
		if err != nil {
			return nil, err
		}
		for _, x := range all {
			if !taken(x.pos) {
				list = append(list, x)
			}
		}
		if len(list) == 0 && c.Held == h {
			return nil, store.ErrSame
		}
		if len(list) > 0 {
			c.Held = &hold{By: session, To: list[len(list)-1].pos, At: time.Now().UTC()}
		}
		return c, nil
	})
	return list, err
}

// release moves the cursor over what a session holds, if it has stored that far.
func (m *Mates) release(ctx context.Context, key, session string, pos int64) error {
	return m.change(ctx, "cursor/"+key, func(raw []byte) (any, error) {
		var c cursor
		if err := decode(raw, &c); err != nil {
			return nil, err
		}
		if c.Held == nil || c.Held.By != session || c.Held.To > pos {
			return nil, store.ErrSame
		}
		return c.settled(c.Held.To), nil
	})
}

// Inbox gives the unread mail of a name, with a mark on what came with the folder. With drain it is read
// thereby; while a session is just about to take some in, which takes an instant, there is none. The list is never nil.
func (m *Mates) Inbox(ctx context.Context, name string, drain bool) ([]Message, error) {
	key, err := Clean(name)
	if err != nil {
		return nil, err
	}
	var list []mail
	err = m.change(ctx, "cursor/"+key, func(raw []byte) (any, error) {
		var c cursor
		if err := decode(raw, &c); err != nil {
			return nil, err
		}
		if c, err = m.lapsed(ctx, key, c); err != nil {
			return nil, err
		}
		var end int64
		if list, end, err = m.unread(ctx, key, c); err != nil {
			return nil, err
		}
		if drain && c.held() { // what comes behind is read after it
			list = nil
			return nil, store.ErrSame
		}
		if !drain || end == c.Pos {
			return nil, store.ErrSame
		}
		return cursor{Pos: end}, nil
	})
	return messages(list), err
}

func messages(list []mail) []Message {
	out := make([]Message, len(list))
	for i := range list {
		out[i] = list[i].Message
	}
	return out
}

// post puts a message into an inbox, behind a position unless that is negative, and wakes whoever waits for it.
func (m *Mates) post(ctx context.Context, key string, line []byte, after int64) error {
	if err := m.Meet(ctx); err != nil {
		return err
	}
	if _, err := m.o.Log.Append(ctx, inboxLog(key), after, line); err != nil {
		return fmt.Errorf("inbox of %s: %w", key, err)
	}
	m.arrived(ctx, key)
	return nil
}

// once posts a message unless the inbox has one that same calls equal.
func (m *Mates) once(ctx context.Context, key string, x Message, same func(Message) bool) error {
	line, err := encode(x.stamped(), "")
	if err != nil {
		return err
	}
	for {
		list, end, err := m.read(ctx, key, 0)
		if err != nil {
			return err
		}
		for i := range list {
			if same(list[i].Message) {
				return nil
			}
		}
		if err = m.post(ctx, key, line, end); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// decode reads a document, of which there may be none.
func decode(raw []byte, to any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, to)
}

// load reads a document into to; revision 0: there is none.
func (m *Mates) load(ctx context.Context, key string, to any) (rev int64, err error) {
	doc, err := m.o.KV.Get(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err == nil {
		err = decode(doc.Data, to)
	}
	return doc.Rev, fault(key, err)
}

// change is [store.Change] with a value of fn, nil for no document, and an error that names the file.
func (m *Mates) change(ctx context.Context, key string, fn func(raw []byte) (any, error)) error {
	return fault(key, store.Change(ctx, m.o.KV, key, func(raw []byte) ([]byte, error) {
		v, err := fn(raw)
		if v == nil || err != nil {
			return nil, err
		}
		return encode(v, indentOf(key))
	}))
}

// fault says which document an error is about.
func fault(key string, err error) error {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil:
		return nil
	case syntax || kind:
		return msg.Errorf(msg.MateFile, file(key), err)
	}
	return fmt.Errorf("%s: %w", file(key), err)
}
