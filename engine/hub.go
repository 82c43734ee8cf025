package engine

import (
	"errors"
	"strings"
	"sync"

	"react-agent/agent"
)

// hub hands the events of one session to those who follow it. A follower that is late loses live events only: what is
// durable it reads from the log.
type hub struct {
	mu    sync.Mutex
	limit int
	last  agent.Event // the last durable event's head, and N
	subs  map[*sub]bool
	step  string        // of the last step since then; "" = none
	parts []*partial    // what is shown of the message that is being streamed
	held  []Frame       // notices that nobody has seen
	local chan struct{} // while a run of this process publishes; closed at its end
}

// partial is a part so far.
type partial struct {
	head agent.Part
	text strings.Builder
}

// sub is one follower's queue.
type sub struct {
	queue []Frame
	spare []Frame       // what was taken the time before last, to be filled again
	lost  bool          // a durable event did not fit: go back to the log
	ended error         // nothing more comes
	bell  chan struct{} // one slot
}

// ErrDropped is why [Local.Do] ends on a session that is deleted meanwhile.
var ErrDropped = errors.New("engine: the session was deleted")

// publish shows one event. Durable ones are stored already.
func (h *hub) publish(f Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	durable := f.Type.Durable()
	switch {
	case durable && f.Seq <= h.last.Seq:
		return // shown already
	case durable:
		h.last.Seq, h.last.N = f.Seq, 0
		h.step, h.parts = "", nil
	case f.Type == agent.EvRetry:
		h.parts = nil
	}
	if d := f.body.delta; d != nil {
		h.last.Session, h.last.Agent, h.last.Run = d.session, d.agent, d.run
		if p := h.partial(d.index, d.kind); p != nil {
			p.text.WriteString(d.text)
		}
	}
	if e := f.body.event; e != nil {
		h.last.Session, h.last.Agent, h.last.Run = e.Session, e.Agent, e.Run
		if f.Type == agent.EvChunk {
			h.collect(e.Chunk)
		}
		if f.Type == agent.EvStep {
			h.step = e.Text
		}
	}
	if !durable {
		h.last.N = max(h.last.N, f.n)
	}
	for s := range h.subs {
		s.put(f, h.limit)
	}
}

func (s *sub) put(f Frame, limit int) {
	switch {
	case f.join && f.Type == agent.EvNotice: // the log does not have it
		s.queue = append(s.queue, f)
	case s.lost:
		return
	case len(s.queue) < limit:
		s.queue = append(s.queue, f)
	case f.Type.Durable():
		s.lost = true
	}
	s.ring()
}

func (s *sub) ring() {
	select {
	case s.bell <- struct{}{}:
	default:
	}
}

// partial is the part of the message that is being streamed with this number; nil if there can be none.
func (h *hub) partial(index int, kind agent.Kind) *partial {
	if index < 0 || index >= agent.MaxParts {
		return nil
	}
	for len(h.parts) <= index {
		h.parts = append(h.parts, nil)
	}
	if h.parts[index] == nil {
		h.parts[index] = &partial{head: agent.Part{Kind: kind}}
	}
	return h.parts[index]
}

// collect keeps what was shown of a message, for those who come later.
func (h *hub) collect(c *agent.Chunk) {
	if c == nil || c.Part == nil {
		return
	}
	p := h.partial(c.Index, c.Part.Kind)
	if p == nil {
		return
	}
	if call := c.Part.Call; call != nil {
		if p.head.Call == nil {
			p.head.Call = &agent.Call{}
		}
		if call.ID != "" {
			p.head.Call.ID = call.ID
		}
		if call.Name != "" {
			p.head.Call.Name = call.Name
		}
		if len(call.Args) > 0 {
			p.head.Call.Args = call.Args
			p.text.Reset()
		}
	}
	if c.Part.Blob != nil {
		p.head.Blob = c.Part.Blob
	}
	p.text.WriteString(c.Part.Text)
}

// shown gives the step that goes on, and the text so far as a retry and one chunk a part; nothing if there is none.
func (h *hub) shown() []Frame {
	var out []Frame
	add := func(e agent.Event) {
		e.Seq, e.N, e.Session, e.Agent, e.Run = h.last.Seq, h.last.N, h.last.Session, h.last.Agent, h.last.Run
		e.Time = now()
		f := eventFrame(&e, nil)
		f.join = true
		out = append(out, f)
	}
	if h.step != "" {
		add(agent.Event{Type: agent.EvStep, Text: h.step})
	}
	some := false
	for i, p := range h.parts {
		if p == nil {
			continue
		}
		if !some {
			some = true
			add(agent.Event{Type: agent.EvRetry})
		}
		part := p.head
		part.Text = p.text.String()
		if part.Call != nil {
			call := *part.Call
			part.Call = &call
		}
		add(agent.Event{Type: agent.EvChunk, Chunk: &agent.Chunk{Index: i, Part: &part}})
	}
	return out
}

// join adds a follower.
func (h *hub) join() *sub {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &sub{bell: make(chan struct{}, 1)}
	if h.subs == nil {
		h.subs = map[*sub]bool{}
	}
	h.subs[s] = true
	s.queue = append(h.held, h.shown()...)
	h.held = nil
	return s
}

func (h *hub) part(s *sub) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs, s)
}

// few is how long a queue may be to be kept for the next time.
const few = 8

// take gives what is queued, in memory that is used again two takes later. lost says that durable events are missing after
// it; then the queue begins anew.
func (h *hub) take(s *sub) (frames []Frame, lost bool, ended error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	frames, lost = s.queue, s.lost
	clear(s.spare[:cap(s.spare)])
	s.queue, s.spare, s.lost = s.spare, nil, false
	if cap(frames) <= few {
		s.spare = frames[:0]
	}
	if lost {
		s.queue = h.shown()
	}
	return frames, lost, s.ended
}

// say shows a live event of the engine's own. What nobody sees waits for the first who follows, or the next run.
func (h *hub) say(e agent.Event) {
	h.mu.Lock()
	e.Seq, e.N, e.Session = h.last.Seq, h.last.N, h.last.Session
	e.Agent, e.Run = h.last.Agent, h.last.Run
	e.Time = now()
	f := eventFrame(&e, nil)
	f.join = true
	if len(h.subs) == 0 && e.Type == agent.EvNotice {
		h.held = append(h.held, f)
	}
	h.mu.Unlock()
	h.publish(f)
}

// withdraw takes back what a run that died had shown of an unfinished message.
func (h *hub) withdraw() {
	h.mu.Lock()
	some := len(h.parts) > 0
	h.mu.Unlock()
	if some {
		h.say(agent.Event{Type: agent.EvRetry})
	}
}

// finish ends all who follow.
func (h *hub) finish(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.ended = err
		s.ring()
	}
}

// begin says that a run of this process publishes from now on; the returned func says that it has ended.
func (h *hub) begin() (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan struct{})
	h.local, h.held = c, nil
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.local == c {
			h.local = nil
		}
		close(c)
	}
}

// reset says what the log's last event is, before anybody publishes. A run of this process knows better.
func (h *hub) reset(seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.local == nil {
		h.last.Seq, h.last.N, h.step, h.parts = seq, 0, "", nil
	}
}

// at is reset for the run that begins to publish. What others have stored meanwhile is in the log.
func (h *hub) at(seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if seq != h.last.Seq {
		for s := range h.subs {
			s.lost = true
			s.ring()
		}
	}
	h.last.Seq, h.last.N, h.step, h.parts = seq, 0, "", nil
}

// publishing reports whether a run of this process publishes.
func (h *hub) publishing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.local != nil
}
