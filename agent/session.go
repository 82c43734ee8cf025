package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Session is the fold of its durable events. One run owns it at a time; it is not safe for concurrent use.
type Session struct {
	ID       string
	Seq      int64 // of the last durable event
	Messages []Message
	Usage    Usage // of the open or last run
	Steps    int   // model calls of the open or last run, those inside its tools included
	Driven   int   // of these, the ones that Result.Driven keeps away from limits
	Total    Usage // of the whole session; what was voided no longer counts
	Open     bool  // a run without end
	// Started has the keys of calls that were started and have no result yet.
	Started map[string]bool
	Asks    map[string]Ask    // asked, not answered
	Answers map[string]Answer // by Ask.ID, until the call has its result
	Refused bool              // a call of this run had nobody to ask
	Setup   Setup
	State   map[string]json.RawMessage

	run   string // Event.Run of the open or last run
	taken map[string]*takenLog
	head  int64 // number of the last compact event with a head: messages with this Seq are it
	busy  bool  // a run owns it
	stale bool  // a void was stored: it must be loaded again
}

// usable reports wrong use: a session has one owner, and after a void it is not what the log says.
func (s *Session) usable() error {
	switch {
	case s.busy:
		return fmt.Errorf("%w: session %s is already running", ErrUse, s.ID)
	case s.stale:
		return fmt.Errorf("%w: a void was stored in session %s, load it again", ErrUse, s.ID)
	}
	return nil
}

// NewSession makes an empty session.
func NewSession(id string) *Session { return &Session{ID: id} }

// ErrVoid is what Apply answers to a void: what counts must be decided anew, from the log.
var ErrVoid = errors.New("agent: a void cannot be applied, load the session again")

// Nobody is the Text of an answer event whose question had nobody to answer it.
const Nobody = "nobody"

// Apply folds the next durable event. It refuses a live event, a gap in the numbers, and a void ([ErrVoid]).
func (s *Session) Apply(e Event) error {
	switch {
	case !e.Type.Durable():
		return fmt.Errorf("agent: event %q is not durable", e.Type)
	case e.Seq != s.Seq+1:
		return fmt.Errorf("agent: event %d does not follow event %d", e.Seq, s.Seq)
	case e.Type == EvVoid:
		return ErrVoid
	}
	return s.fold(&e)
}

// fold takes one event in; numbers may have gaps (voided events). Events and session share no memory that either
// changes later.
func (s *Session) fold(e *Event) error {
	if field := missing(e); field != "" {
		return lacks(e, field)
	}
	s.Seq = e.Seq
	if e.Run != "" && e.Run != s.run {
		s.run, s.Open, s.Usage, s.Steps, s.Driven, s.Refused = e.Run, true, Usage{}, 0, 0, false
	}
	for _, t := range e.Took {
		s.take(t)
	}
	if e.Type == EvCompact {
		s.foldCompact(e)
		return nil
	}
	s.mergeState(e.State)
	if e.Type != EvEnd {
		s.spend(e.Usage)
		s.Steps += e.Steps
	}
	switch e.Type {
	case EvMessage:
		s.foldMessage(e)
	case EvCall:
		put(&s.Started, e.Call.Key, true)
	case EvAsk:
		put(&s.Asks, e.Ask.ID, *e.Ask)
	case EvAnswer:
		s.foldAnswer(e)
	case EvSetup:
		s.Setup = *e.Setup
		s.Setup.Blobs = nil
	case EvVoid, EvEnd: // what a void leaves of a cut run does not go on by itself
		s.close()
	case EvState, EvCompact, EvStep, EvChunk, EvProgress, EvNotice, EvRetry:
	}
	return nil
}

// missing names the field that an event of this type must have and does not.
func missing(e *Event) string {
	for _, f := range []struct {
		typ  EventType
		name string
		has  bool
	}{
		{EvMessage, "message", e.Message != nil},
		{EvMessage, "role (system, user, assistant or tool)", e.Message == nil || e.Message.Role.known()},
		{EvMessage, "result", e.Message == nil || e.Message.Role != ToolRole || e.Message.Result() != nil},
		{EvCall, "call", e.Call != nil},
		{EvAsk, "ask", e.Ask != nil},
		{EvAnswer, "answer", e.Answer != nil},
		{EvSetup, "setup", e.Setup != nil},
		{EvCompact, "trim", e.Trim != nil},
		{EvCompact, "carry", e.Carry != nil},
		{EvCompact, "head of messages with a role and, for tools, a result", e.Trim == nil || !slices.ContainsFunc(e.Trim.Head, func(m Message) bool {
			return !m.Role.known() || (m.Role == ToolRole && m.Result() == nil)
		})},
		{EvVoid, "range of earlier events", e.Void != nil && e.Void.From >= 1 && e.Void.From <= e.Void.To && e.Void.To < e.Seq},
	} {
		if e.Type == f.typ && !f.has {
			return f.name
		}
	}
	return ""
}

func lacks(e *Event, field string) error {
	return fmt.Errorf("agent: event %d (%s) has no %s", e.Seq, e.Type, field)
}

func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

func (s *Session) close() {
	s.Open = false
	clear(s.Started)
	clear(s.Asks)
	clear(s.Answers)
}

func (s *Session) spend(u *Usage) {
	s.Usage.Add(u)
	s.Total.Add(u)
}

func (s *Session) mergeState(state map[string]json.RawMessage) {
	for k, v := range state {
		if len(v) == 0 || string(v) == "null" {
			delete(s.State, k)
			continue
		}
		put(&s.State, k, v)
	}
}

func (s *Session) foldAnswer(e *Event) {
	if _, open := s.Asks[e.Answer.ID]; open { // else the call has its result and nothing waits for the answer
		delete(s.Asks, e.Answer.ID)
		put(&s.Answers, e.Answer.ID, *e.Answer)
	}
	s.Refused = s.Refused || e.Text == Nobody
}

func (s *Session) foldMessage(e *Event) {
	m := *e.Message
	m.Seq = e.Seq
	s.spend(m.Usage)
	switch m.Role {
	case Assistant:
		if e.Run != "" && m.Answers() {
			s.Steps++
		}
	case ToolRole:
		r := m.Result()
		s.spend(r.Usage)
		s.Steps += r.Steps
		if r.Driven {
			s.Driven += r.Steps
		}
		s.answered(r.Key)
		s.insertResult(m, r.Key)
		return
	case User, System:
	}
	s.Messages = append(s.Messages, m)
}

// answered forgets what was kept for a call until its result came.
func (s *Session) answered(key string) {
	delete(s.Started, key)
	maps.DeleteFunc(s.Asks, func(id string, _ Ask) bool { return strings.HasPrefix(id, key+"/") })
	maps.DeleteFunc(s.Answers, func(id string, _ Answer) bool { return strings.HasPrefix(id, key+"/") })
}

// insertResult puts a result in the order of its calls: results are stored as they finish, but a model wants them in
// order, and the order must not depend on who was faster.
func (s *Session) insertResult(m Message, key string) {
	i := len(s.Messages)
	for i > 0 && s.Messages[i-1].Role == ToolRole {
		i--
	}
	if i == 0 || s.Messages[i-1].Role != Assistant {
		s.Messages = append(s.Messages, m)
		return
	}
	calls := s.Messages[i-1].Calls()
	rank := func(key string) int {
		return slices.IndexFunc(calls, func(c Call) bool { return c.Key == key })
	}
	own := rank(key)
	j := len(s.Messages)
	for j > i && rank(s.Messages[j-1].Result().Key) > own {
		j--
	}
	s.Messages = slices.Insert(s.Messages, j, m)
}

// OpenCalls lists, in order, the calls of the last assistant message that have no result.
func (s *Session) OpenCalls() []Call {
	i := len(s.Messages)
	done := map[string]bool{}
	for i > 0 && s.Messages[i-1].Role == ToolRole {
		i--
		done[s.Messages[i].Result().Key] = true
	}
	if i == 0 || s.Messages[i-1].Role != Assistant {
		return nil
	}
	return slices.DeleteFunc(s.Messages[i-1].Calls(), func(c Call) bool { return done[c.Key] })
}

// foldCompact trims, then takes everything else from the event, which repeats it: loading may have begun here.
func (s *Session) foldCompact(e *Event) {
	t, c := e.Trim, e.Carry
	kept := make([]Message, 0, len(t.Head)+len(s.Messages))
	for _, m := range t.Head {
		m.Seq = e.Seq
		kept = append(kept, m)
	}
	for _, m := range s.Messages {
		if m.Seq < t.From || (len(t.Head) > 0 && m.Seq == s.head) {
			continue
		}
		if text, ok := t.Clear[m.Seq]; ok && m.Role == ToolRole {
			r := *m.Result()
			r.Parts = []Part{TextPart(text)}
			m.Parts = []Part{{Kind: ResultOf, Result: &r}}
		}
		kept = append(kept, m)
	}
	s.Messages = kept
	s.Usage, s.Total = Usage{}, Usage{}
	s.Usage.Add(e.Usage)
	s.Total.Add(c.Total)
	s.Steps, s.Driven, s.Refused = e.Steps, c.Driven, c.Refused
	s.State = nil
	s.mergeState(e.State)
	s.Asks, s.Answers, s.Started = maps.Clone(c.Asks), maps.Clone(c.Answers), nil
	if e.Setup != nil {
		s.Setup = *e.Setup
		s.Setup.Blobs = nil
	}
	switch {
	case len(t.Head) > 0:
		s.head = e.Seq
	case s.head < t.From: // the earlier one went with what it stood for
		s.head = 0
	}
}

// onlyHead reports whether a compaction left nothing but its head: context, neither a question nor an answer.
func (s *Session) onlyHead() bool {
	n := len(s.Messages)
	return n > 0 && s.head > 0 && s.Messages[n-1].Seq == s.head
}

// Compacted is the number of the last compact event with a head that counts, which the messages of the head have as
// theirs; 0: there was none.
func (s *Session) Compacted() int64 { return s.head }

// spent is what the run with this id has used so far; a run that has stored nothing yet has used nothing, whatever the
// last one did.
func (s *Session) spent(run string) (u Usage, steps int, refused bool) {
	if run != "" && run != s.run {
		return u, 0, false
	}
	u.Add(&s.Usage)
	return u, s.Steps, s.Refused
}

// snapshot fills a compact event with all that its fold takes from it. trim's own cost is included.
func (s *Session) snapshot(e *Event) {
	usage, steps, refused := s.spent(e.Run)
	if e.Run != "" {
		usage.Add(e.Trim.Usage)
	}
	total := Usage{}
	total.Add(&s.Total)
	total.Add(e.Trim.Usage)
	setup := s.Setup
	e.Usage, e.Steps, e.Setup, e.State = &usage, steps, &setup, maps.Clone(s.State)
	e.Carry = &Carry{Total: &total, Asks: maps.Clone(s.Asks), Answers: maps.Clone(s.Answers), Refused: refused}
	if steps > 0 { // of this run
		e.Carry.Driven = s.Driven
	}
	for _, name := range slices.Sorted(maps.Keys(s.taken)) {
		e.Took = append(e.Took, s.taken[name].list(name)...)
	}
}

// takenLog remembers which records of one input log were used up.
type takenLog struct {
	through int64
	recent  []Took // those behind through, and the newest ids
}

// keepIDs is how many ids of used-up inputs are remembered: the same input sent again later than that is new.
const keepIDs = 256

func (s *Session) take(t Took) {
	l := s.taken[t.Log]
	if l == nil {
		l = &takenLog{}
		put(&s.taken, t.Log, l)
	}
	if t.Through {
		l.through = max(l.through, t.Pos)
	}
	if known := slices.ContainsFunc(l.recent, func(o Took) bool { return o.Pos == t.Pos && o.ID == t.ID }); !known {
		l.recent = append(l.recent, Took{Pos: t.Pos, ID: t.ID})
	}
	l.recent = slices.DeleteFunc(l.recent, func(o Took) bool { return o.Pos <= l.through && o.ID == "" })
	for i := 0; i < len(l.recent) && len(l.recent) > keepIDs; {
		if l.recent[i].Pos <= l.through {
			l.recent = slices.Delete(l.recent, i, i+1)
			continue
		}
		i++
	}
}

func (l *takenLog) list(name string) []Took {
	var out []Took
	if l.through > 0 {
		out = append(out, Took{Log: name, Pos: l.through, Through: true})
	}
	for _, t := range l.recent {
		out = append(out, Took{Log: name, Pos: t.Pos, ID: t.ID})
	}
	return out
}

// Taken reports whether the record at pos of an input log, or another one with the same non-empty id, was used up.
func (s *Session) Taken(log string, pos int64, id string) bool {
	l := s.taken[log]
	if l == nil {
		return false
	}
	return pos <= l.through || slices.ContainsFunc(l.recent, func(t Took) bool {
		return t.Pos == pos || (id != "" && t.ID == id)
	})
}
