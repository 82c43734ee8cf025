package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

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

// newest is the newest message that has such attachments; -1: none has.
func (p *plan) newest(which func(*item) bool) int {
	newest := -1
	for _, it := range p.items {
		if which(it) {
			newest = max(newest, it.msg)
		}
	}
	return newest
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

func all(*item) bool { return true }
