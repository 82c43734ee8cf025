package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/internal/media"
	"react-agent/provider/wire"
)

// AttachmentNote words what the person is told when a vendor has refused attachments and the request was sent again:
// smaller names those that are sent smaller from now on, out those that are left out. err is the refusal.
type AttachmentNote func(smaller, out []string, err *agent.ModelError) string

// Attachments gives a model the attachments of a history as it can take them, so that none of them ends a session.
//
// What the model is not known to read (see [agent.ModelInfo.Takes]), and what is lost, is text in the request; the wire
// below spells only what is left.
//
// When a vendor refuses a request for the sake of an attachment, the request is sent again: with a smaller picture, then
// with a line of text in the place of the picture. Which one it is the vendor may say; else it is looked for, among those
// first that it has not taken before, the newest message first. What came of it holds for all later requests of this
// model, as long as the process lives; after that it costs another refusal. The person is told once. When leaving them all
// out does not help, they were not at fault: the vendor's last error stands, and nothing is remembered.
//
// note nil is English. The model may be used by many runs at once.
func Attachments(m agent.Model, note AttachmentNote) agent.Model {
	if note == nil {
		note = englishAttachmentNote
	}
	return &attachments{Model: m, note: note, known: map[string]fate{}, small: map[string]*agent.Blob{}}
}

func englishAttachmentNote(smaller, out []string, err *agent.ModelError) string {
	var parts []string
	if len(smaller) > 0 {
		parts = append(parts, strings.Join(smaller, ", ")+": sent smaller from now on")
	}
	if len(out) > 0 {
		parts = append(parts, strings.Join(out, ", ")+": left out from now on")
	}
	return fmt.Sprintf("%s; %s", strings.Join(parts, "; "), err.Error())
}

// fate is what becomes of an attachment.
type fate int

const (
	untried fate = iota
	taken
	smaller
	leftOut
)

type attachments struct {
	agent.Model
	note AttachmentNote

	mu    sync.Mutex
	known map[string]fate        // by hash of the bytes; only what a finished request has shown
	small map[string]*agent.Blob // smaller pictures; nil: there is none
}

// Stream sends the request until no attachment stands in its way.
func (a *attachments) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	p := a.plan(req)
	if p == nil {
		return a.Model.Stream(ctx, req)
	}
	return func(yield func(agent.Chunk, error) bool) {
		const rounds = 12
		var why *agent.ModelError
		for round := 1; ; round++ {
			err, left := a.attempt(ctx, req, p, why, yield)
			if left {
				return
			}
			if err == nil {
				a.learn(p)
				return
			}
			if round == rounds || ctx.Err() != nil || !p.next(err) {
				yield(agent.Chunk{}, err)
				return
			}
			why = err
		}
	}
}

// attempt sends the request as planned. Before the first chunk of one that is sent again, the person is told why.
func (a *attachments) attempt(
	ctx context.Context, req *agent.Request, p *plan, why *agent.ModelError, yield func(agent.Chunk, error) bool,
) (*agent.ModelError, bool) {
	again := *req
	again.Messages = p.messages()
	told := why == nil
	tell := func(c agent.Chunk, cerr error) bool {
		if !told {
			told = true
			small, out := p.changed()
			if !yield(agent.Chunk{Reset: true, Note: a.note(small, out, why)}, nil) {
				return false
			}
		}
		return yield(c, cerr)
	}
	return forward(a.Model.Stream(ctx, &again), tell)
}

// plan is what one call does with each of its attachments.
type plan struct {
	a        *attachments
	messages func() []agent.Message
	items    []*item
	stage    int
	pointed  int
}

// item is an attachment of a request, however often it stands there.
type item struct {
	id   string
	blob *agent.Blob
	msg  int // the newest message that has it
	fate fate
	old  fate // before this call
}

// plan looks at the attachments of a request; nil: it has none.
func (a *attachments) plan(req *agent.Request) *plan {
	p := &plan{a: a}
	byID := map[string]*item{}
	info := a.Info()
	found := false
	own := func(p *agent.Part) bool { return p.Opaque != nil && p.Opaque.Origin == info.Origin() } // it goes back as it came
	wire.Swap(req.Messages, func(msg int, part *agent.Part) *agent.Part {
		b := part.Blob
		found = true
		if own(part) || wire.Readable(info, b) != nil {
			return nil
		}
		id := identity(b)
		if it := byID[id]; it != nil {
			it.msg = msg
			return nil
		}
		it := &item{id: id, blob: b, msg: msg}
		byID[id] = it
		p.items = append(p.items, it)
		return nil
	})
	if !found {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, it := range p.items {
		it.fate = a.known[it.id]
		it.old = it.fate
	}
	p.messages = func() []agent.Message {
		return wire.Swap(req.Messages, func(_ int, part *agent.Part) *agent.Part {
			if own(part) {
				return nil
			}
			if words := wire.Readable(info, part.Blob); words != nil {
				return words
			}
			return a.as(byID[identity(part.Blob)])
		})
	}
	return p
}

// identity is the hash of an attachment's bytes, or its address when it has none.
func identity(b *agent.Blob) string {
	switch {
	case b.SHA256 != "":
		return b.SHA256
	case len(b.Data) > 0:
		sum := sha256.Sum256(b.Data)
		return hex.EncodeToString(sum[:])
	}
	return b.URI
}

// as is the part that stands for an attachment; nil: itself.
func (a *attachments) as(it *item) *agent.Part {
	switch it.fate {
	case smaller:
		return &agent.Part{Kind: agent.BlobKind, Blob: a.shrunk(it)}
	case leftOut:
		part := agent.TextPart("[" + nameOf(it.blob) + " (" + it.blob.MIME + ") is left out: the model's vendor has refused it]")
		return &part
	case untried, taken:
	}
	return nil
}

// shrunk is a smaller form of a picture; nil when there is none. It is made once.
func (a *attachments) shrunk(it *item) *agent.Blob {
	const edge, size = 768, 500_000 // half of what models look at, far below all limits
	a.mu.Lock()
	defer a.mu.Unlock()
	if b, known := a.small[it.id]; known {
		return b
	}
	var b *agent.Blob
	p, err := media.Fit(it.blob.Data, media.Limits{Edge: edge, Bytes: min(size, len(it.blob.Data)-1)})
	if err == nil {
		sum := sha256.Sum256(p.Data)
		b = &agent.Blob{MIME: p.MIME, Name: it.blob.Name, Data: p.Data, SHA256: hex.EncodeToString(sum[:])}
	}
	a.small[it.id] = b
	return b
}

// learn remembers what a request that was taken has shown.
func (a *attachments) learn(p *plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, it := range p.items {
		if it.fate == untried {
			it.fate = taken
		}
		a.known[it.id] = it.fate
	}
}

// changed names what is treated otherwise than before this call.
func (p *plan) changed() (small, out []string) {
	for _, it := range p.items {
		if it.fate == it.old {
			continue
		}
		switch it.fate {
		case smaller:
			small = append(small, nameOf(it.blob))
		case leftOut:
			out = append(out, nameOf(it.blob))
		case untried, taken:
		}
	}
	return small, out
}

func nameOf(b *agent.Blob) string {
	if b.Name != "" {
		return b.Name
	}
	kind, _, _ := strings.Cut(b.MIME, "/")
	if kind == "" || kind == "application" {
		return "attachment"
	}
	return kind
}

// next changes the plan after a refusal; false: there is nothing left to change.
func (p *plan) next(err *agent.ModelError) bool {
	r, ok := wire.Refused(err)
	if !ok {
		return false
	}
	switch {
	case r.Blind:
		return p.leave(p.about(r))
	case r.Most > 0:
		return p.keepNewest(r.Most) || p.search(r)
	case r.Most == 0:
		return p.onlyNewest() || p.search(r)
	case r.Bulk:
		return p.weight() >= heavy && (p.shrink(all) || p.onlyNewest() || p.leave(all))
	}
	const most = 4 // pictures that are changed one by one
	if it := p.meant(r); it != nil && p.pointed < most {
		p.pointed++
		return p.less(it, r)
	}
	return p.search(r)
}

// meant is the attachment at which the vendor points; nil: none.
func (p *plan) meant(r wire.Refusal) *item {
	sent := slices.DeleteFunc(slices.Clone(p.items), func(it *item) bool { return it.fate == leftOut })
	if r.SHA != "" {
		for _, it := range sent {
			if small := p.a.cached(it); it.id == r.SHA || it.fate == smaller && small != nil && small.SHA256 == r.SHA {
				return it
			}
		}
	}
	if r.Place >= 0 && r.Place < len(sent) {
		return sent[r.Place]
	}
	return nil
}

func (a *attachments) cached(it *item) *agent.Blob {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.small[it.id]
}

// less takes a smaller one, or none when there is no smaller one or it was refused, too.
func (p *plan) less(it *item, r wire.Refusal) bool {
	if it.fate == leftOut {
		return false
	}
	if it.fate != smaller && !r.Content && p.a.shrunk(it) != nil {
		it.fate = smaller
	} else {
		it.fate = leftOut
	}
	return true
}

// about tells the attachments of the kind that the vendor speaks of: all, when it says nothing of that or there are none.
func (p *plan) about(r wire.Refusal) func(*item) bool {
	kind := func(it *item) bool { return r.Kind != "" && strings.HasPrefix(it.blob.MIME, r.Kind) }
	if slices.ContainsFunc(p.items, func(it *item) bool { return kind(it) && it.fate != leftOut }) {
		return kind
	}
	return all
}

// search looks for the one at fault, in stages; each is tried once. When the vendor does not say that it is about
// attachments at all, only those are doubted that it has never taken, and no smaller ones are tried.
func (p *plan) search(r wire.Refusal) bool {
	about := p.about(r)
	fresh := func(it *item) bool { return it.old == untried && about(it) }
	newest := -1
	for _, it := range p.items {
		if fresh(it) {
			newest = max(newest, it.msg)
		}
	}
	here := func(it *item) bool { return fresh(it) && it.msg == newest }
	shrinks := r.Sure && !r.Content
	stages := []func() bool{
		func() bool { return shrinks && p.shrink(here) },
		func() bool { return p.leave(here) },
		func() bool {
			others := r.Sure && p.leave(func(it *item) bool { return fresh(it) && it.msg != newest })
			return others && p.restore(here)
		},
		func() bool { return p.leave(fresh) },
		func() bool { return shrinks && p.shrink(about) },
		func() bool { return r.Sure && p.leave(about) },
	}
	for p.stage < len(stages) {
		p.stage++
		if stages[p.stage-1]() {
			return true
		}
	}
	return false
}

// heavy is how many bytes attachments have to have before a request that is too large is made smaller at them.
const heavy = 200_000

// weight is the bytes of what is sent.
func (p *plan) weight() (n int) {
	for _, it := range p.items {
		switch small := p.a.cached(it); {
		case it.fate == smaller && small != nil:
			n += len(small.Data)
		case it.fate != leftOut:
			n += len(it.blob.Data)
		}
	}
	return n
}

func all(*item) bool { return true }

// onlyNewest leaves out what does not stand in the newest message that has attachments.
func (p *plan) onlyNewest() bool {
	newest := 0
	for _, it := range p.items {
		newest = max(newest, it.msg)
	}
	return p.leave(func(it *item) bool { return it.msg != newest })
}

// keepNewest leaves out the oldest until there are n. It counts attachments, not how often each stands there.
func (p *plan) keepNewest(n int) bool {
	var sent []*item
	for _, it := range p.items {
		if it.fate != leftOut {
			sent = append(sent, it)
		}
	}
	slices.SortStableFunc(sent, func(x, y *item) int { return x.msg - y.msg })
	for _, it := range sent[:max(0, len(sent)-n)] {
		it.fate = leftOut
	}
	return len(sent) > n
}

// shrink takes smaller ones of those that are sent as they are; false: there are none.
func (p *plan) shrink(which func(*item) bool) (changed bool) {
	for _, it := range p.items {
		if which(it) && (it.fate == untried || it.fate == taken) && p.a.shrunk(it) != nil {
			it.fate, changed = smaller, true
		}
	}
	return changed
}

// leave leaves out those that are sent; false: there are none.
func (p *plan) leave(which func(*item) bool) (changed bool) {
	for _, it := range p.items {
		if which(it) && it.fate != leftOut {
			it.fate, changed = leftOut, true
		}
	}
	return changed
}

// restore sends them again as before this call.
func (p *plan) restore(which func(*item) bool) bool {
	for _, it := range p.items {
		if which(it) {
			it.fate = it.old
		}
	}
	return true
}
