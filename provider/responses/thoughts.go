package responses

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"react-agent/provider/wire"
)

// musing is where the thoughts have got to.
type musing struct {
	item int // -1 = nothing is open
	part int64
}

// thought takes a piece of a reasoning item's thoughts. An item may have a summary beside its text; the one that comes
// first counts.
func (d *decoder) thought(i int, from source, at int64, v gjson.Result) {
	if v.IsObject() {
		v = v.Get("text")
	}
	if d.takes(i, from, v) {
		d.items[i].seen(at)
		d.muse(i, from, at, v)
	}
}

// thoughtOnce takes a whole part of the thoughts, unless pieces of it came.
func (d *decoder) thoughtOnce(i int, from source, at int64, v gjson.Result) {
	if d.takes(i, from, v) && !d.items[i].seen(at) {
		d.muse(i, from, at, v)
	}
}

func (d *decoder) takes(i int, from source, v gjson.Result) bool {
	it := &d.items[i]
	if !said(v) || it.kind != reasoning || it.skipped || it.sealed || it.from != fromNothing && it.from != from {
		return false
	}
	it.from = from
	return true
}

// muse passes thoughts on; parts and items are paragraphs.
func (d *decoder) muse(i int, from source, at int64, v gjson.Result) {
	pass := d.SealedThought // a summary is the server's own words
	if from == fromText {
		pass = d.Thought
	}
	if m := d.mused; m.item >= 0 && (m.item != i || m.part != at) {
		pass(paragraph())
	}
	d.mused = musing{item: i, part: at}
	pass(v)
}

// paragraph is the JSON string between two paragraphs.
func paragraph() gjson.Result {
	return gjson.Result{Type: gjson.String, Str: "\n\n", Raw: `"\n\n"`}
}

// reasoned takes a reasoning item as a whole. What it needs to go back is kept as it came.
func (d *decoder) reasoned(i int, v gjson.Result) {
	for _, list := range [...]struct {
		key  string
		from source
	}{{"summary", fromSummary}, {"content", fromText}} {
		n := int64(-1)
		v.Get(list.key).ForEach(func(_, part gjson.Result) bool {
			n++
			d.thoughtOnce(i, list.from, n, part.Get("text"))
			return true
		})
	}
	it := &d.items[i]
	if it.sealed || it.skipped || !sealed(v) {
		return
	}
	it.sealed = true
	d.EndThought(d.opaque(wire.Compact(json.RawMessage(v.Raw))))
	d.mused = musing{item: -1}
}
