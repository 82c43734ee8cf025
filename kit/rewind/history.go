package rewind

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// change is what happened to one path.
type change struct {
	Path   name  `json:"p"`
	Before state `json:"b,omitzero"`
	After  state `json:"a,omitzero"`
}

// The types of records.
const (
	recBegin  = "begin"  // a call is about to run
	recEnd    = "end"    // it is over, and what it changed is recorded
	recChange = "change" // something changed
	recDrop   = "drop"   // older records were dropped
)

// record is one line of the history. Numbers grow; several processes share them.
type record struct {
	ID   int64     `json:"id"`
	Type string    `json:"type"`
	Time time.Time `json:"time"`
	// Of begin and end: the call, its tool, and the files it named; none: it may change anything.
	Key   string `json:"key,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Paths []name `json:"paths,omitempty"`
	Outer bool   `json:"outer,omitempty"` // of begin: it works through calls of its own
	// Of a change: the calls it belongs to; without any, and without Session, to others.
	Keys    []string `json:"keys,omitempty"`
	Unsure  bool     `json:"unsure,omitempty"` // the call was cut off, or has started a job; somebody else may have been there
	Changes []change `json:"changes,omitempty"`
	// Of a change that jobs may have made: their names, and the begin of the last one. Keys are those of the calls that
	// have started them.
	Jobs  []string `json:"jobs,omitempty"`
	Since int64    `json:"since,omitempty"`
	// Of a change that a rewind made: the session, the number of the void event, and what was redone. Of end: Seq is the
	// number of its begin.
	Session string `json:"session,omitempty"`
	Seq     int64  `json:"seq,omitempty"`
	Redo    int64  `json:"redo,omitempty"`
	// Of drop: by session, the last event whose checkpoints are gone.
	Dropped map[string]int64 `json:"dropped,omitempty"`
}

// history is what calls, rewinds and others have done, in order.
type history struct {
	file    tail
	records []record
	active  map[int64]record // begun and not ended
	open    map[int64]record // the same for those that work through others: what they have started may run on
	dropped map[string]int64
	last    int64
	pending []any

	parent  func(session string) (key string) // see Options.Parent
	lineage map[string]string                 // what it has told under this lock
}

// above is the call that has started a child's session, "" if nobody knows.
func (h *history) above(session string) string {
	if key, ok := h.lineage[session]; ok || h.parent == nil {
		return key
	}
	key := h.parent(session)
	if s, _ := callKey(key); key != "" && isChild(session, s) {
		if h.lineage == nil {
			h.lineage = map[string]string{}
		}
		h.lineage[session] = key
		return key
	}
	return ""
}

// lift turns a call of a session's child, or of that one's child, into the session's own call in whose course it was made;
// ok is false when that is not known, or the call belongs to another session.
func (h *history) lift(key, session string) (own string, ok bool) {
	s, _ := callKey(key)
	for isChild(s, session) {
		if key = h.above(s); key == "" {
			return "", false
		}
		s, _ = callKey(key)
	}
	return key, s == session
}

func decode(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("not readable: %w", err)
	}
	return nil
}

func (h *history) read() error {
	return h.file.read(func() {
		h.records, h.dropped, h.last = nil, map[string]int64{}, 0
		h.active, h.open = map[int64]record{}, map[int64]record{}
	}, func(raw []byte) error {
		var rec record
		if err := decode(raw, &rec); err != nil {
			return err
		}
		h.take(rec)
		return nil
	})
}

func (h *history) take(rec record) {
	h.last = max(h.last, rec.ID)
	switch rec.Type {
	case recBegin:
		if rec.Outer {
			h.open[rec.ID] = rec
		} else {
			h.active[rec.ID] = rec
		}
	case recEnd:
		delete(h.active, rec.Seq)
		delete(h.open, rec.Seq)
		return
	case recDrop:
		maps.Copy(h.dropped, rec.Dropped)
		return
	}
	h.records = append(h.records, rec)
}

// add numbers a record and takes it in; save stores it.
func (h *history) add(rec record) int64 {
	rec.ID, rec.Time = h.last+1, time.Now().UTC().Truncate(time.Millisecond)
	h.pending = append(h.pending, rec)
	h.take(rec)
	return rec.ID
}

// end notes that the call begun as id is over.
func (h *history) end(id int64) {
	a, ok := h.active[id]
	if !ok {
		a, ok = h.open[id]
	}
	if ok {
		h.add(record{Type: recEnd, Key: a.Key, Seq: id})
	}
}

func (h *history) save() error {
	defer func() { h.pending = nil }()
	return h.file.add(h.pending...)
}

// callKey takes the key of a call apart: "SESSION/SEQ.N".
func callKey(key string) (session string, seq int64) {
	session, rest, _ := strings.Cut(key, "/")
	num, _, _ := strings.Cut(rest, ".")
	seq, err := strconv.ParseInt(num, 10, 64)
	if err != nil {
		return session, 0
	}
	return session, seq
}

func isChild(session, parent string) bool { return strings.HasPrefix(session, parent+".") }

// start finds the first record of a session from an event on; 0: there is none.
func (h *history) start(session string, from int64) int64 {
	for _, rec := range h.records {
		if h.own(rec, session, from) {
			return rec.ID
		}
	}
	return 0
}

// own reports whether a record belongs to the session itself, or to what a call of it has started, at event from or later.
func (h *history) own(rec record, session string, from int64) bool {
	if rec.Session == session && rec.Seq >= from {
		return true
	}
	for _, key := range rec.keys() {
		if key, ok := h.lift(key, session); ok {
			if _, seq := callKey(key); seq >= from {
				return true
			}
		}
	}
	return false
}

func (rec record) keys() []string {
	if rec.Key != "" {
		return []string{rec.Key}
	}
	return rec.Keys
}

// belongs adds to own what children of whom nobody knows the call did since start.
func (h *history) belongs(rec record, session string, from, start int64) bool {
	if h.own(rec, session, from) {
		return true
	}
	if rec.ID < start || rec.Since > 0 && rec.Since < start {
		return false
	}
	return isChild(rec.Session, session) || slices.ContainsFunc(rec.keys(), func(key string) bool {
		s, _ := callKey(key)
		_, known := h.lift(key, session)
		return isChild(s, session) && !known
	})
}

// byOthers reports whether a change was made by no call and no rewind.
func (rec record) byOthers() bool { return len(rec.Keys) == 0 && rec.Session == "" }
