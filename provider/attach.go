package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
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
// Of more than fit into one request the newest are sent. That is held against none of them: what is remembered is how many
// fit, and how many bytes when the request was too large.
//
// note nil is English. The model may be used by many runs at once.
func Attachments(m agent.Model, note AttachmentNote) agent.Model {
	if note == nil {
		note = englishAttachmentNote
	}
	return &attachments{Model: m, note: note, known: map[string]fate{}, small: map[string]func() *agent.Blob{}, most: map[string]int{}}
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
	surplus // left out because there are too many others; nothing is wrong with it
)

// Bounds of what is remembered of attachments; what is forgotten costs another refusal, or is made again as it was.
const (
	maxKnown = 4096
	maxSmall = 64 // of up to half a megabyte each
)

type attachments struct {
	agent.Model
	note AttachmentNote

	mu    sync.Mutex
	known map[string]fate               // by hash of the bytes; only what a finished request has shown
	small map[string]func() *agent.Blob // smaller pictures, made once by who asks first; nil: there is none
	most  map[string]int                // how many a request may have, by the kind that the vendor spoke of
	bulk  int                           // how many bytes of them a request had that was not too large; 0 = not known
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
	most     map[string]int // what this call has found, as in attachments
	bulk     bool           // a request was too large
}

// item is an attachment of a request, however often it stands there.
type item struct {
	id    string
	blob  *agent.Blob
	small *agent.Blob // the smaller one, once it was asked for
	msg   int         // the newest message that has it
	times int         // how often it stands in the request
	fate  fate
	old   fate // before this call
}

// sent reports whether it is in the request, in whatever form.
func (it *item) sent() bool { return it.fate != leftOut && it.fate != surplus }

// plan looks at the attachments of a request; nil: it has none.
func (a *attachments) plan(req *agent.Request) *plan {
	p := &plan{a: a, most: map[string]int{}}
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
			it.times++
			return nil
		}
		it := &item{id: id, blob: b, msg: msg, times: 1}
		byID[id] = it
		p.items = append(p.items, it)
		return nil
	})
	if !found {
		return nil
	}
	a.recall(p)
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

// recall gives the attachments of a plan the fates that are known, and leaves out what is known to be too much.
func (a *attachments) recall(p *plan) {
	a.mu.Lock()
	for _, it := range p.items {
		it.fate = a.known[it.id]
	}
	most, bulk := maps.Clone(a.most), a.bulk
	a.mu.Unlock()
	for kind, n := range most {
		p.keepNewest(n, of(kind))
	}
	if bulk > 0 {
		p.keepLight(bulk)
	}
	for _, it := range p.items {
		it.old = it.fate
	}
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
		if b := a.shrunk(it); b != nil {
			return &agent.Part{Kind: agent.BlobKind, Blob: b}
		}
	case surplus:
		part := agent.TextPart("[" + nameOf(it.blob) + " (" + it.blob.MIME + ") is left out: one request cannot have all attachments, newer ones are sent]")
		return &part
	case leftOut:
		part := agent.TextPart("[" + nameOf(it.blob) + " (" + it.blob.MIME + ") is left out: the model's vendor has refused it]")
		return &part
	case untried, taken:
	}
	return nil
}

// shrunk is a smaller form of a picture; nil when there is none. It is made once, while other calls go on.
func (a *attachments) shrunk(it *item) *agent.Blob {
	a.mu.Lock()
	made, known := a.small[it.id]
	if !known {
		blob := it.blob
		made = sync.OnceValue(func() *agent.Blob { return shrink(blob) })
		bound(a.small, maxSmall)
		a.small[it.id] = made
	}
	a.mu.Unlock()
	it.small = made()
	return it.small
}

func shrink(blob *agent.Blob) *agent.Blob {
	const edge, size = 768, 500_000 // half of what models look at, far below all limits
	p, err := media.Fit(blob.Data, media.Limits{Edge: edge, Bytes: min(size, len(blob.Data)-1)})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(p.Data)
	return &agent.Blob{MIME: p.MIME, Name: blob.Name, Data: p.Data, SHA256: hex.EncodeToString(sum[:])}
}

// bound makes room for one more.
func bound[V any](m map[string]V, most int) {
	for id := range m {
		if len(m) < most {
			return
		}
		delete(m, id)
	}
}

// learn remembers what a request that was taken has shown.
func (a *attachments) learn(p *plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, it := range p.items {
		if it.fate == surplus {
			continue
		}
		if it.fate == untried {
			it.fate = taken
		}
		if _, known := a.known[it.id]; !known {
			bound(a.known, maxKnown)
		}
		a.known[it.id] = it.fate
	}
	for kind, n := range p.most {
		if old, known := a.most[kind]; !known || n < old {
			a.most[kind] = n
		}
	}
	if n := p.weight(); p.bulk && n > 0 && (a.bulk == 0 || n < a.bulk) {
		a.bulk = n
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
		case leftOut, surplus:
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
	case r.Most >= 0:
		return p.fewer(r) || p.search(r)
	case r.Bulk:
		p.bulk = true
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
	sent := slices.DeleteFunc(slices.Clone(p.items), func(it *item) bool { return !it.sent() })
	if r.SHA != "" {
		for _, it := range sent {
			if it.id == r.SHA || it.fate == smaller && it.small != nil && it.small.SHA256 == r.SHA {
				return it
			}
		}
	}
	if r.Place >= 0 && r.Place < len(sent) {
		return sent[r.Place]
	}
	return nil
}

// less takes a smaller one, or none when there is no smaller one or it was refused, too.
func (p *plan) less(it *item, r wire.Refusal) bool {
	if !it.sent() {
		return false
	}
	if it.fate != smaller && !r.Content && p.a.shrunk(it) != nil {
		it.fate = smaller
	} else {
		it.fate = leftOut
	}
	return true
}

// kind is the one that the vendor speaks of: "" when it says nothing of that or there are none.
func (p *plan) kind(r wire.Refusal) string {
	kind := of(r.Kind)
	if slices.ContainsFunc(p.items, func(it *item) bool { return kind(it) && it.sent() }) {
		return r.Kind
	}
	return ""
}

// about tells the attachments of that kind.
func (p *plan) about(r wire.Refusal) func(*item) bool { return of(p.kind(r)) }

// of tells the attachments of a kind, as a MIME type begins; "" is any.
func of(kind string) func(*item) bool {
	return func(it *item) bool { return strings.HasPrefix(it.blob.MIME, kind) }
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
		n += it.weight()
	}
	return n
}

func (it *item) weight() int {
	switch {
	case !it.sent():
		return 0
	case it.fate == smaller && it.small != nil:
		return it.times * len(it.small.Data)
	}
	return it.times * len(it.blob.Data)
}

func all(*item) bool { return true }

// newest is the newest message that has attachments.
func (p *plan) newest() int {
	newest := -1
	for _, it := range p.items {
		newest = max(newest, it.msg)
	}
	return newest
}

// onlyNewest leaves out what does not stand in the newest message that has attachments.
func (p *plan) onlyNewest() (changed bool) {
	newest := p.newest()
	for _, it := range p.items {
		if it.msg != newest && it.sent() {
			it.fate, changed = surplus, true
		}
	}
	return changed
}

// fewer leaves out the oldest of those of which there are too many: as many as the vendor says, else half of them. False:
// one alone is left.
func (p *plan) fewer(r wire.Refusal) bool {
	kind, n := p.kind(r), 0
	for _, it := range p.items {
		if it.sent() && of(kind)(it) {
			n += it.times
		}
	}
	most := r.Most
	if most == 0 || most >= n { // it counts what we do not
		most = n / 2
	}
	if most == 0 {
		return false
	}
	p.most[kind] = most
	return p.keepNewest(most, of(kind))
}

// keepNewest leaves out the oldest of a kind until there are n. The newest stays, even if it stands there more often.
func (p *plan) keepNewest(n int, about func(*item) bool) bool {
	return p.trim(n, about, func(it *item) int { return it.times }, func(newest, it *item) bool { return it == newest })
}

// keepLight leaves out the oldest until they have no more bytes than n. Those of the newest message stay: what else the
// request has may be less this time.
func (p *plan) keepLight(n int) {
	p.trim(n, all, func(it *item) int {
		if it.fate == smaller {
			p.a.shrunk(it)
		}
		return it.weight()
	}, func(newest, it *item) bool { return it.msg == newest.msg })
}

// trim leaves out the oldest until what they measure is no more than n, but none that is to stay.
func (p *plan) trim(n int, about func(*item) bool, measure func(*item) int, stays func(newest, it *item) bool) (changed bool) {
	sent := slices.DeleteFunc(slices.Clone(p.items), func(it *item) bool { return !it.sent() || !about(it) })
	slices.SortStableFunc(sent, func(x, y *item) int { return x.msg - y.msg })
	sum := 0
	for i, it := range slices.Backward(sent) {
		sum += measure(it)
		if sum > n && !stays(sent[len(sent)-1], it) {
			for _, it := range sent[:i+1] {
				it.fate = surplus
			}
			return true
		}
	}
	return false
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
		if which(it) && it.sent() {
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
