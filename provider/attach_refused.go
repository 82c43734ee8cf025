package provider

import (
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

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
	newest := p.newest(fresh)
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

// onlyNewest leaves out what does not stand in the newest message that has attachments.
func (p *plan) onlyNewest() (changed bool) {
	newest := p.newest(all)
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
