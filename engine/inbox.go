package engine

import (
	"slices"
	"sync"
	"time"

	"react-agent/agent"
)

// entry is a record of an input log.
type entry struct {
	Time time.Time `json:"time"`
	Input
}

// item is a message that was not used up yet.
type item struct {
	took   []agent.Took // its record, and those that edited it
	msg    agent.Message
	queue  bool
	flying bool // given to the run, not stored yet
}

func (i *item) pos() int64 { return i.took[0].Pos }

// inbox is what the input log holds for a running session.
type inbox struct {
	mu      sync.Mutex
	log     string
	pos     int64 // everything up to here was looked at
	items   []*item
	cancels []agent.Took
	named   []named        // cancels of a message that is in the run
	run     map[int64]bool // the messages that were given to the run
	answers map[string]*given
	quiet   bool
	bell    chan struct{} // closed at the next change
}

// named is a cancel of the run that a message is in.
type named struct {
	agent.Took
	pos int64 // the message
}

// given is the first answer to a question.
type given struct {
	answer agent.Answer
	took   agent.Took
	used   bool
}

func newInbox(log string, pos int64) *inbox {
	return &inbox{log: log, pos: pos, answers: map[string]*given{}, run: map[int64]bool{}, bell: make(chan struct{})}
}

// add takes one record in; taken says that an event has used it up. It reports a cancel.
func (b *inbox) add(pos int64, e *entry, taken bool) (cancel bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if pos <= b.pos {
		return false
	}
	b.pos = pos
	if taken {
		b.cancels = nil // they were for what came before
		return false
	}
	took := agent.Took{Log: b.log, Pos: pos, ID: e.ID}
	switch {
	case e.Cancel && b.run[e.Edit]:
		b.named = append(b.named, named{took, e.Edit})
		cancel = true
	case e.Edit > 0: // without a message, as in a cancel, what waits is removed
		b.edit(e, took)
	case e.Message != nil:
		b.items = append(b.items, &item{took: []agent.Took{took}, msg: *e.Message, queue: e.Queue})
	case e.Answer != nil:
		if b.answers[e.Answer.ID] == nil {
			b.answers[e.Answer.ID] = &given{answer: *e.Answer, took: took}
		}
	case e.Cancel:
		b.cancels = append(b.cancels, took)
		cancel = true
	case e.Quiet:
		b.quiet = true
	}
	close(b.bell)
	b.bell = make(chan struct{})
	return cancel
}

// edit changes or removes a message that is still waiting.
func (b *inbox) edit(e *entry, took agent.Took) {
	i := slices.IndexFunc(b.items, func(it *item) bool { return it.pos() == e.Edit && !it.flying })
	switch {
	case i < 0:
	case e.Message == nil || len(e.Message.Parts) == 0:
		b.items = slices.Delete(b.items, i, i+1)
	default:
		it := *b.items[i]
		it.msg, it.took = *e.Message, append(slices.Clone(it.took), took)
		b.items[i] = &it
	}
}

// next gives what a run is to begin with: one queued message, or those that were not to wait. cancelled says that
// somebody has cancelled them meanwhile. open: the run goes on anyway, so a cancel is for it, and what is queued waits.
func (b *inbox) next(open bool) (notes []agent.Note, cancelled, quiet bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	quiet, b.quiet = b.quiet, false
	until := b.until()
	if len(b.items) > 0 && b.items[0].pos() < until || open && until > 0 {
		cancelled = true
	} else {
		b.cancels = nil
	}
	for _, it := range b.items {
		if cancelled && it.pos() > until || it.queue && (open || len(notes) > 0) {
			break
		}
		notes = append(notes, b.fly(it))
		if it.queue {
			break
		}
	}
	return notes, cancelled, quiet
}

func (b *inbox) fly(i *item) agent.Note {
	i.flying, b.run[i.pos()] = true, true
	return agent.Note{Messages: []agent.Message{i.msg}, Took: slices.Clone(i.took)}
}

// obey calls end if somebody has cancelled the run that goes on. None ends while it does, so end meets no other one.
func (b *inbox) obey(end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.cancels)+len(b.named) > 0 {
		end()
	}
}

// until is the position of the last cancel that takes with it what was said before.
func (b *inbox) until() int64 {
	if n := len(b.cancels); n > 0 {
		return b.cancels[n-1].Pos
	}
	return 0
}

// steer gives the messages that are to go into the running turn. Each is a note of its own: a crash between two of them
// leaves the second one where it waits.
func (b *inbox) steer() (first *agent.Note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := &first
	for _, it := range b.items {
		if it.queue || it.flying {
			continue
		}
		n := b.fly(it)
		*last, last = &n, &n.Next
	}
	return first
}

// waiting reports whether a message wants to go into the running turn.
func (b *inbox) waiting() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.items, func(it *item) bool { return !it.queue && !it.flying })
}

// wait gives the channel that is closed at the next change; take it before looking.
func (b *inbox) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bell
}

// answer gives the first answer to a question.
func (b *inbox) answer(id string) (agent.Answer, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.answers[id]
	if g == nil {
		return agent.Answer{}, false
	}
	g.used = true
	return g.answer, true
}

// uses gives the records that an event uses up by being what it is.
func (b *inbox) uses(e *agent.Event) []agent.Took {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []agent.Took
	switch {
	case e.Type == agent.EvAnswer && e.Answer != nil:
		if g := b.answers[e.Answer.ID]; g != nil && g.used {
			out = append(out, g.took)
		}
	case e.Type == agent.EvEnd:
		until := b.until()
		for _, it := range b.items {
			if it.flying && (len(b.named) == 0 || b.names(it.pos())) || it.pos() < until {
				out = append(out, it.took...)
			}
		}
		out = append(out, b.cancels...)
		for _, n := range b.named {
			out = append(out, n.Took)
		}
	}
	return out
}

// names reports whether a cancel names a message.
func (b *inbox) names(pos int64) bool {
	return slices.ContainsFunc(b.named, func(n named) bool { return n.pos == pos })
}

// through marks the last of the records if everything before it is used up with it.
func (b *inbox) through(took []agent.Took) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := -1
	used := map[int64]bool{}
	for i, t := range took {
		if t.Log != b.log {
			continue
		}
		used[t.Pos] = true
		if last < 0 || t.Pos > took[last].Pos {
			last = i
		}
	}
	if last < 0 {
		return
	}
	open := func(pos int64) bool { return pos < took[last].Pos && !used[pos] }
	for _, it := range b.items {
		if slices.ContainsFunc(it.took, func(t agent.Took) bool { return open(t.Pos) }) {
			return
		}
	}
	for _, g := range b.answers {
		if open(g.took.Pos) {
			return
		}
	}
	if slices.ContainsFunc(b.cancels, func(t agent.Took) bool { return open(t.Pos) }) ||
		slices.ContainsFunc(b.named, func(n named) bool { return open(n.Pos) }) {
		return
	}
	took[last].Through = true
}

// stored forgets what an event in the log has used up.
func (b *inbox) stored(took []agent.Took) {
	if len(took) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	used := func(t agent.Took) bool {
		return slices.ContainsFunc(took, func(o agent.Took) bool { return o.Log == b.log && o.Pos == t.Pos })
	}
	b.items = slices.DeleteFunc(b.items, func(it *item) bool { return used(it.took[0]) })
	b.cancels = slices.DeleteFunc(b.cancels, used)
	b.named = slices.DeleteFunc(b.named, func(n named) bool { return used(n.Took) })
	for id, g := range b.answers {
		if used(g.took) {
			delete(b.answers, id)
		}
	}
}

// settle is called when a run is over: answers and cancels that came too late for it are forgotten, and what it did not store
// waits again.
func (b *inbox) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.answers)
	clear(b.run)
	b.named = nil
	for _, it := range b.items {
		it.flying = false
	}
}

// empty reports whether there is nothing to do, and up to which position that is known: more may be heard at any time.
func (b *inbox) empty() (pos int64, empty bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pos, len(b.items) == 0 && len(b.cancels) == 0 && !b.quiet
}

func (b *inbox) queued() []Queued {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Queued
	for _, it := range b.items {
		if !it.flying {
			out = append(out, Queued{Pos: it.pos(), Message: it.msg, Queue: it.queue})
		}
	}
	return out
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
