package mates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"react-agent/agent"
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

func cursorKey(key string) string { return "cursor/" + key }

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
	pos  int64
	size int // of its line
	Message
}

// lines yields what stands in an inbox behind a position, or from its beginning when somebody has emptied it.
func (m *Mates) lines(ctx context.Context, key string, after int64) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for rec, err := range m.o.Log.Read(ctx, inboxLog(key), max(after, 0), false) {
			if errors.Is(err, store.ErrConflict) && after > 0 {
				m.lines(ctx, key, 0)(yield)
				return
			}
			if err != nil {
				err = fmt.Errorf("inbox of %s: %w", key, err)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// read yields the messages behind a position, one at a time. Lines that are none are passed over; the last one of them is
// told. What came with the folder has a mark, or with own is left out: what may enter a conversation by itself.
func (m *Mates) read(ctx context.Context, key string, after int64, own bool) iter.Seq2[mail, error] {
	return func(yield func(mail, error) bool) {
		brought, err := m.mark(ctx, key)
		if err != nil {
			yield(mail{}, err)
			return
		}
		if own {
			after = max(after, brought)
		}
		var faulty error
		defer func() { m.warn(faulty) }()
		for rec, err := range m.lines(ctx, key, after) {
			if err != nil {
				yield(mail{}, err)
				return
			}
			x, err := parse(rec.Data)
			if err != nil && len(bytes.TrimSpace(rec.Data)) > 0 {
				faulty = msg.Errorf(msg.MateLine, ".team/"+inboxLog(key)+".jsonl", string(rec.Data), err)
			}
			x.Brought = rec.Pos <= brought
			if err == nil && (!own || !x.Brought) && !yield(mail{rec.Pos, len(rec.Data), x}, nil) {
				return
			}
		}
	}
}

// maxRead bounds the mail that is given at once, in bytes: an inbox may be of any size.
const maxRead = 256 << 10

// gather takes what is given at once, one message at least, without what was taken before; more: others follow.
func gather(all iter.Seq2[mail, error], taken func(pos int64) bool) (list []mail, more bool, err error) {
	size := 0
	for x, err := range all {
		switch {
		case err != nil:
			return nil, false, err
		case taken(x.pos):
			continue
		}
		if size += x.size; size > maxRead && len(list) > 0 {
			return list, true, nil
		}
		list = append(list, x)
	}
	return list, false, nil
}

// untaken is that nothing was taken before.
func untaken(int64) bool { return false }

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
	_, err = m.load(ctx, cursorKey(key), &c)
	return c, err
}

// held reports whether a hold keeps others away. One from the future does not: the file may be anybody's.
func (c *cursor) held() bool { return c.Held != nil && time.Since(c.Held.At).Abs() < holdFor }

// free is where begins what nobody has read or holds.
func (c *cursor) free() int64 {
	if c.held() {
		return max(c.Pos, c.Held.To)
	}
	return c.Pos
}

// lapsed ends a hold that has lasted too long: its holder's process has died.
func (m *Mates) lapsed(ctx context.Context, key string, c *cursor) error {
	if c.Held == nil || c.held() {
		return nil
	}
	return m.over(ctx, key, c)
}

// over ends a hold: what its holder has stored was read.
func (m *Mates) over(ctx context.Context, key string, c *cursor) error {
	stored, err := m.stored(ctx, key, c.Held.By)
	if errors.Is(err, store.ErrName) { // no session: the file may be anybody's
		err = nil
	}
	*c = cursor{Pos: max(c.Pos, min(stored, c.Held.To))}
	return err
}

// stored is how far a session has stored the mail of a name.
func (m *Mates) stored(ctx context.Context, key, session string) (last int64, err error) {
	for e, err := range m.o.Sessions.Follow(ctx, session, 0, false) {
		if err != nil {
			return 0, err
		}
		last = max(last, readBy(&e, key))
	}
	return last, nil
}

// readBy is how far an event has read the mail of a name; 0: it has read none.
func readBy(e *agent.Event, key string) int64 {
	last := readTo(e.State)
	for _, t := range e.Took {
		if t.Log == inboxLog(key) {
			last = max(last, t.Pos)
		}
	}
	return last
}

// some reports whether there is unread mail that may be taken in: what nobody holds, or with held that too.
func (m *Mates) some(ctx context.Context, key string, held bool) (bool, error) {
	c, err := m.cursorOf(ctx, key)
	if err != nil {
		return false, err
	}
	after := c.free()
	if held {
		after = c.Pos
	}
	for _, err := range m.read(ctx, key, after, true) {
		return err == nil, err
	}
	return false, nil
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

// take holds mail of a name for a session and gives it, as much as is given at once, but for what came with the folder. taken
// tells whether a position stands in the session already: then it is not given again. The hold ends with [Mates.release].
func (m *Mates) take(ctx context.Context, key, session string, taken func(pos int64) bool) (list []mail, err error) {
	err = edit(ctx, m, cursorKey(key), func(c *cursor) error {
		end, err := m.end(ctx, key)
		if err != nil {
			return err
		}
		if end < c.Pos { // somebody has emptied it
			*c = cursor{}
		}
		h := c.Held
		if h != nil && h.By != session {
			if err := m.lapsed(ctx, key, c); err != nil {
				return err
			}
		}
		if list = nil; !c.opened(session, taken) {
			return store.ErrSame
		}
		if list, _, err = gather(m.read(ctx, key, c.Pos, true), taken); err != nil {
			return err
		}
		if len(list) == 0 && c.Held == h {
			return store.ErrSame
		}
		if len(list) > 0 {
			c.Held = &hold{By: session, To: list[len(list)-1].pos, At: time.Now().UTC()}
		}
		return nil
	})
	return list, err
}

// release moves the cursor over what a session holds, if it has stored that far.
func (m *Mates) release(ctx context.Context, key, session string, pos int64) error {
	return edit(ctx, m, cursorKey(key), func(c *cursor) error {
		if c.Held == nil || c.Held.By != session || c.Held.To > pos {
			return store.ErrSame
		}
		*c = cursor{Pos: max(c.Pos, c.Held.To)}
		return nil
	})
}

// Inbox gives the unread mail of a name, as much as is given at once, with a mark on what came with the folder. With drain it
// is read thereby; while a session is just about to take some in, which takes an instant, there is none. The list is never
// nil. Where more waits, the last message says so.
func (m *Mates) Inbox(ctx context.Context, name string, drain bool) ([]Message, error) {
	key, err := Clean(name)
	if err != nil {
		return nil, err
	}
	var list []mail
	var more bool
	err = edit(ctx, m, cursorKey(key), func(c *cursor) error {
		if err := m.lapsed(ctx, key, c); err != nil {
			return err
		}
		if drain && c.held() { // what comes behind is read after it
			list, more = nil, false
			return store.ErrSame
		}
		end, err := m.end(ctx, key)
		if err != nil {
			return err
		}
		if list, more, err = gather(m.read(ctx, key, c.free(), false), untaken); err != nil {
			return err
		}
		if more {
			end = list[len(list)-1].pos
		}
		if !drain || end == c.Pos {
			return store.ErrSame
		}
		*c = cursor{Pos: end}
		return nil
	})
	return behind(messages(list), more), err
}

// behind says at the end of a list that more waits.
func behind(list []Message, more bool) []Message {
	if more {
		list = append(list, Message{Type: Plain, From: system, Content: "More messages wait behind these. They come when these are read."}.stamped())
	}
	return list
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
