package agent

import (
	"encoding/json"
	"iter"
)

// Session is the fold of its durable events. One run owns it at a time; it is not safe for concurrent use.
type Session struct {
	ID       string
	Seq      int64 // of the last durable event
	Messages []Message
	Usage    Usage // of the open or last run
	Steps    int   // model calls of the open or last run
	Total    Usage // of the whole session
	Open     bool  // a run without end
	// Started has the keys of calls that were started and have no result yet.
	Started map[string]bool
	Asks    map[string]Ask    // asked, not answered
	Answers map[string]Answer // by Ask.ID, until the call has its result
	Refused bool              // a call of this run had nobody to ask
	Setup   Setup
	State   map[string]json.RawMessage

	run string // Run of the open or last run
}

// NewSession makes an empty session.
func NewSession(id string) *Session { return &Session{ID: id} }

// Load decides from the end of the log what counts, then decodes and folds only that. lines are the records of a
// session log in order; blob brings back bodies that the journal moved away (nil: the log has none).
func Load(id string, lines iter.Seq2[[]byte, error], blob func(sha string) ([]byte, error)) (*Session, error) {
	panic("wip")
}

// Apply folds one durable event. It refuses a void: the owner loads again.
func (s *Session) Apply(e Event) error { panic("wip") }

// Taken reports whether the record at pos of an input log, or another one with the same non-empty id, was used up.
func (s *Session) Taken(log string, pos int64, id string) bool { panic("wip") }

// OpenCalls lists the calls of the last assistant message that have no result.
func (s *Session) OpenCalls() []Call { panic("wip") }
