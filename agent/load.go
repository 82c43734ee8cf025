package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// Load decides from the end of the log what counts, then decodes and folds only that. lines are the records of a
// session log in order, each one event, and may be kept by Load; blob brings back bodies that the journal moved away, and
// the bytes of attachments (nil: the log has none). What is lost, nil without an error, does not cost the session: see
// [PutBackBodies]. Numbers must rise by one from line to line.
func Load(id string, lines iter.Seq2[[]byte, error], blob func(sha string) ([]byte, error)) (*Session, error) {
	l := loader{blob: blob}
	for line, err := range lines {
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", id, err)
		}
		if err := l.index(line); err != nil {
			return nil, fmt.Errorf("session %s: line %d: %w", id, len(l.entries)+1, err)
		}
	}
	if err := l.plan(); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	l.decodeAhead()
	s := NewSession(id)
	for i := l.first; i < len(l.entries); i++ {
		x := &l.entries[i]
		if l.skips(i) {
			continue
		}
		if err := l.fold(s, i); err != nil {
			return nil, fmt.Errorf("session %s: event %d: %w", id, x.seq, err)
		}
	}
	if n := len(l.entries); n > 0 {
		s.Seq = l.entries[n-1].seq
	}
	return s, nil
}

type loader struct {
	blob     func(sha string) ([]byte, error)
	entries  []entry
	first    int // index of the first line to fold
	answered int // index of the last live message of the model
}

type entry struct {
	seq  int64
	typ  EventType
	line []byte
	dead bool   // voided
	read *Event // decoded ahead
}

// index reads the beginning of a line only: seq and type stand first.
func (l *loader) index(line []byte) error {
	e := entry{line: line}
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	num, rest, found := bytes.Cut(rest, []byte(`,"type":"`))
	typ, _, closed := bytes.Cut(rest, []byte(`"`))
	seq, err := strconv.ParseInt(string(num), 10, 64)
	if !ok || !found || !closed || err != nil {
		var head struct {
			Seq  int64     `json:"seq"`
			Type EventType `json:"type"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return fmt.Errorf("no event: %w", err)
		}
		seq, typ = head.Seq, []byte(head.Type)
	}
	e.seq, e.typ = seq, EventType(typ)
	if !e.typ.Durable() {
		return fmt.Errorf("%q is no durable event", e.typ)
	}
	if n := len(l.entries); n > 0 && e.seq != l.entries[n-1].seq+1 {
		return fmt.Errorf("event %d follows event %d", e.seq, l.entries[n-1].seq)
	}
	l.entries = append(l.entries, e)
	return nil
}

// plan walks backwards: a void that is not voided itself kills its range, and the last live compaction that has taken
// messages out says where to begin.
func (l *loader) plan() error {
	l.first, l.answered = 0, -1
	compacted := false
	for i := len(l.entries) - 1; i >= 0; i-- {
		x := &l.entries[i]
		if x.dead {
			continue
		}
		switch {
		case x.typ == EvVoid:
			e, err := l.decode(i)
			if err != nil {
				return fmt.Errorf("event %d: %w", x.seq, err)
			}
			if e.Void == nil {
				return lacks(e, "void")
			}
			l.kill(e.Void, i)
		case x.typ == EvMessage && l.answered < 0 && bytes.HasPrefix(messageOf(x.line), []byte(`{"role":"assistant"`)):
			l.answered = i
		case x.typ == EvCompact && !compacted:
			e, err := l.decode(i)
			if err != nil {
				return fmt.Errorf("event %d: %w", x.seq, err)
			}
			if e.Trim == nil {
				return lacks(e, "trim")
			}
			x.read = e
			if len(e.Trim.Head) == 0 && e.Trim.From <= 0 { // it has taken nothing out: what did stands before it
				continue
			}
			compacted = true
			l.first = min(i, l.find(e.Trim.From))
		}
	}
	return nil
}

// skips says which lines nothing is taken from: calls before the last answer have their results.
func (l *loader) skips(i int) bool { return l.entries[i].typ == EvCall && i < l.answered }

// decodeAhead decodes lines on all processors: most of the time that loading takes. What fails is decoded again in its
// turn, where the error belongs; lines with bodies are left to their turn, since blob may not be safe for concurrent use.
func (l *loader) decodeAhead() {
	const block = 128
	var next atomic.Int64
	next.Store(int64(l.first))
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(l.entries)-l.first)/block) {
		all.Go(func() {
			for {
				end := int(next.Add(block))
				for i := end - block; i < min(end, len(l.entries)); i++ {
					x := &l.entries[i]
					var e Event
					if !x.dead && x.read == nil && !l.skips(i) && !hasBody(x.line) && json.Unmarshal(x.line, &e) == nil {
						x.read = &e
					}
				}
				if end >= len(l.entries) {
					return
				}
			}
		})
	}
	all.Wait()
}

// messageOf gives a line from its message on. What stands before it are numbers and strings, in which a quote is escaped,
// so the first match is the field.
func messageOf(line []byte) []byte {
	_, rest, _ := bytes.Cut(line, []byte(`,"message":`))
	return rest
}

// fold takes one line in. Of a voided one only what it took from the inputs counts: a rewind takes back what was said
// and done, but an input that was handed over is not handed over again.
func (l *loader) fold(s *Session, i int) error {
	if !l.entries[i].dead {
		e, err := l.decode(i)
		if err != nil {
			return err
		}
		l.attach(e)
		return s.fold(e)
	}
	if !bytes.Contains(l.entries[i].line, []byte(`"took":[`)) {
		return nil
	}
	var e struct {
		Took []Took `json:"took"`
	}
	if err := json.Unmarshal(l.entries[i].line, &e); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	for _, t := range e.Took {
		s.take(t)
	}
	return nil
}

// attach brings back the bytes of attachments. Where that fails they are left out, and a wire tells the model so: a lost
// picture must not cost the session.
func (l *loader) attach(e *Event) {
	if l.blob == nil {
		return
	}
	if e.Message != nil {
		l.attachTo(e.Message.Parts)
	}
	if e.Trim != nil {
		for _, m := range e.Trim.Head {
			l.attachTo(m.Parts)
		}
	}
}

func (l *loader) attachTo(parts []Part) {
	for _, p := range parts {
		if p.Result != nil {
			l.attachTo(p.Result.Parts)
		}
		if b := p.Blob; b != nil && b.SHA256 != "" && len(b.Data) == 0 {
			b.Data, _ = l.blob(b.SHA256)
		}
	}
}

// find gives the index of the first line with at least this number.
func (l *loader) find(seq int64) int {
	i, _ := slices.BinarySearchFunc(l.entries, seq, func(e entry, seq int64) int {
		return int(min(1, max(-1, e.seq-seq)))
	})
	return i
}

func (l *loader) kill(r *Range, before int) {
	for i := l.find(r.From); i < before && l.entries[i].seq <= r.To; i++ {
		l.entries[i].dead = true
	}
}

func (l *loader) decode(i int) (*Event, error) {
	if e := l.entries[i].read; e != nil {
		l.entries[i].read = nil
		return e, nil
	}
	line := l.entries[i].line
	if hasBody(line) {
		raw, err := PutBackBodies(line, l.body)
		if err != nil {
			return nil, err
		}
		line = raw
	}
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return &e, nil
}

func (l *loader) body(sha string) ([]byte, error) {
	if l.blob == nil {
		return nil, errors.New("no blob store given")
	}
	return l.blob(sha)
}
