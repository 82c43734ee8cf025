package cli

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
)

// result is what a run came to.
type result struct {
	Stop  agent.RunStop
	Text  string
	Data  json.RawMessage // what --schema asked for
	Error *agent.Error
	Note  string // the run's own words about its end
	Steps int
	Usage *agent.Usage
	Goal  json.RawMessage // how the goal of the run stands; nil: it has none
}

// follower reads a session's events and knows which inputs were taken in and how the last run ended.
type follower struct {
	session string
	waiting map[int64]bool // receipts whose message was not taken in yet
	open    bool           // a run has begun and not ended
	calls   map[string]agent.Call
	begun   map[string]bool   // calls that were shown when they began
	why     map[string]string // what was asked about calls
	last    string            // text of the last assistant message of the run
	asked   bool              // that message has calls
	res     result
	goal    json.RawMessage                   // see result
	data    func(text string) json.RawMessage // finds it; may be nil
	ended   bool                              // some run that we wanted has ended
}

func newFollower(session string) *follower {
	return &follower{session: session, waiting: map[int64]bool{}, calls: map[string]agent.Call{}, begun: map[string]bool{}, why: map[string]string{}}
}

// wants notes that a message was handed in.
func (f *follower) wants(r engine.Receipt) { f.waiting[r.Pos] = true }

// idle reports whether everything handed in was taken in and the run is over.
func (f *follower) idle() bool { return len(f.waiting) == 0 && !f.open }

// event takes an event in and reports whether it is the end of a run.
func (f *follower) event(e agent.Event) (end bool) {
	for _, t := range e.Took {
		f.took(t)
	}
	f.note(e)
	switch e.Type {
	case agent.EvMessage:
		f.open = true
		f.message(e.Message)
	case agent.EvStep, agent.EvChunk, agent.EvProgress, agent.EvCall, agent.EvAsk:
		f.open = f.open || e.Run != "" // a compaction between runs has steps of its own
	case agent.EvEnd:
		f.end(e)
		return true
	case agent.EvAnswer, agent.EvCompact, agent.EvSetup, agent.EvState:
		f.open = f.open || e.Run != "" // between runs there is none
	case agent.EvVoid:
		f.open = false
	case agent.EvNotice:
		if broken(e) {
			f.open = false
			clear(f.waiting)
		}
	case agent.EvRetry:
	}
	return false
}

// note keeps which calls have begun, what was asked about them, and how the goal stands.
func (f *follower) note(e agent.Event) {
	if g := command.Goal(e.State); g != nil && e.Type != agent.EvCompact {
		f.goal = g
	}
	if e.Type == agent.EvCall && e.Call != nil {
		f.begun[e.Call.Key] = true
	}
	if e.Type == agent.EvAsk && e.Ask != nil && e.Ask.Call != nil {
		f.why[e.Ask.Call.Key] = strings.TrimSpace(e.Ask.Text)
	}
}

// broken reports whether an event says that the run cannot go on here and will have no end: the disk is full, the store
// fails, or another process has taken the session over.
func broken(e agent.Event) bool { return e.Type == agent.EvNotice && e.Error != nil }

func (f *follower) took(t agent.Took) {
	if t.Log != "" && !strings.HasSuffix(t.Log, f.session) {
		return
	}
	if !t.Through {
		delete(f.waiting, t.Pos)
		return
	}
	for pos := range f.waiting {
		if pos <= t.Pos {
			delete(f.waiting, pos)
		}
	}
}

func (f *follower) message(m *agent.Message) {
	if m == nil || !m.Answers() {
		return
	}
	f.last, f.asked = textOf(*m), false
	for _, p := range m.Parts {
		if p.Kind == agent.CallKind && p.Call != nil {
			f.asked = true
			f.calls[p.Call.Key] = *p.Call
		}
	}
}

func (f *follower) end(e agent.Event) {
	f.open, f.ended = false, true
	text := f.last
	if f.asked && e.Stop != agent.RunEnd {
		text = "" // what was said before the calls is no answer
	}
	f.res = result{Stop: e.Stop, Text: text, Error: e.Error, Note: e.Text, Steps: e.Steps, Usage: e.Usage, Goal: f.goal}
	if f.data != nil && (e.Stop == agent.RunEnd || e.Stop == agent.RunDenied) {
		f.res.Data = f.data(text)
	}
	f.last, f.asked = "", false
	clear(f.calls)
	clear(f.begun)
	clear(f.why)
}

// textOf joins the text parts of a message.
func textOf(m agent.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Kind == agent.Text {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
