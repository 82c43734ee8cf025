package responses

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// kind is what an item is.
type kind int

const (
	unknown kind = iota
	message
	reasoning
	call
)

// kindOf reads the type of an item, or of a part of one.
func kindOf(word string) kind {
	switch word {
	case "message", "output_text", "text", "refusal":
		return message
	case "reasoning", "reasoning_text", "summary_text":
		return reasoning
	case "function_call", "custom_tool_call":
		return call
	}
	return unknown
}

// item is one item of the reply's output.
type item struct {
	kind    kind
	at      place
	callID  string
	name    string // of a call
	parts   uint64 // the parts of which something has come, one bit each
	from    source // where a reasoning item's thoughts are taken from
	sealed  bool
	added   bool // its .added event has come
	over    bool // its .done event has come
	claimed bool // an item of the whole reply stands for it
	skipped bool // there were too many
}

// source is which of a reasoning item's texts counts.
type source int

const (
	fromNothing source = iota
	fromSummary
	fromText
)

// maxItems bounds the items of a reply; what comes behind them is left out.
const maxItems = agent.MaxParts / 2

// find gives the item an event is about: by id, else by its place in the output, else the last one of its kind, unless that
// is known by another id from events like this one. If there is none, it begins one.
func (d *decoder) find(at place, k kind) int {
	if d.cur < len(d.items) {
		if it := &d.items[d.cur]; it.kind == k && at == it.at {
			return d.cur
		}
	}
	i := d.lookup(at, k)
	if i < 0 && !at.indexed {
		if last := d.lastOf(k); last >= 0 && (at.id == "" || d.items[last].added) { // an id of the event alone
			i = last
		}
	}
	if i < 0 {
		i = d.open(at, k)
	}
	d.cur = i
	return i
}

// lookup finds an item of a kind by its id, else by its place; -1 = there is none. Some servers make up an id for every
// event, some give every item the same place.
func (d *decoder) lookup(at place, k kind) int {
	if at.id != "" {
		for i, it := range slices.Backward(d.items) {
			if it.kind == k && it.at.id == at.id {
				return i
			}
		}
	}
	if at.indexed {
		for i, it := range slices.Backward(d.items) {
			if it.kind == k && it.at.indexed && it.at.index == at.index {
				return i
			}
		}
	}
	return -1
}

// lastOf is the last item of a kind that is not over, -1 = none.
func (d *decoder) lastOf(k kind) int {
	for i, it := range slices.Backward(d.items) {
		if it.kind == k && !it.over {
			return i
		}
	}
	return -1
}

// unplaced finds an item whose end names neither a known id nor a place: the call with that call_id, else the last one of
// its kind, if it is no other call.
func (d *decoder) unplaced(k kind, call string) int {
	for i, it := range slices.Backward(d.items) {
		if call != "" && it.callID == call && !it.over {
			return i
		}
	}
	i := d.lastOf(k)
	if i >= 0 && call != "" && d.items[i].callID != "" {
		return -1
	}
	return i
}

func (d *decoder) open(at place, k kind) int {
	if n := len(d.items); n >= maxItems {
		d.items[n-1].skipped = true
		d.items[n-1].kind = k
		return n - 1
	}
	d.items = append(d.items, item{kind: k, at: at})
	return len(d.items) - 1
}

// added is the item that an event begins. It is a new one unless the same event has come before.
func (d *decoder) added(e *event) int {
	k, at := kindOf(e.item.Get("type").Str), e.at
	if id := e.item.Get("id").Str; id != "" {
		at.id = id
	}
	for i := range d.items {
		if it := &d.items[i]; it.kind == k && !it.over && it.at == at && (at.id != "" || it.callID == callID(e.item)) {
			return i
		}
	}
	return d.open(at, k)
}

// done takes an item that is complete.
func (d *decoder) done(e *event) {
	k, at := kindOf(e.item.Get("type").Str), e.at
	if id := e.item.Get("id").Str; id != "" {
		at.id = id
	}
	i := d.lookup(at, k)
	if i < 0 && !at.indexed {
		i = d.unplaced(k, callID(e.item))
	}
	if i < 0 || d.items[i].over && d.items[i].at.id != at.id {
		i = d.open(at, k)
	}
	d.complete(i, e.item)
}

func callID(v gjson.Result) string { return v.Get("call_id").Str }

// begin takes what is known of an item at its beginning.
func (d *decoder) begin(i int, v gjson.Result) {
	d.cur, d.items[i].added = i, true
	if d.items[i].kind == call {
		d.call(i, v, callID(v))
	}
}

// complete takes an item as a whole: what of it has not come yet. A call without a call_id is known by the item's id, but
// not before it is certain that none comes.
func (d *decoder) complete(i int, v gjson.Result) {
	d.cur = i
	switch d.items[i].kind {
	case message:
		d.contents(i, v)
		if phase := v.Get("phase"); phase.Type == gjson.String && phase.Str != "" && d.said == i {
			d.EndText(d.opaque(json.RawMessage(`{"phase":` + phase.Raw + `}`)))
			d.said = -1
		}
	case reasoning:
		d.reasoned(i, v)
	case call:
		id := callID(v)
		if id == "" {
			id = v.Get("id").Str
		}
		d.call(i, v, id)
	case unknown:
	}
	d.items[i].over = true
}

// contents takes the content of a message: a list of parts, or a text.
func (d *decoder) contents(i int, v gjson.Result) {
	list := v.Get("content")
	if list.Type == gjson.String {
		d.textOnce(i, -1, list)
		return
	}
	n := int64(-1)
	list.ForEach(func(_, part gjson.Result) bool {
		n++
		d.contentPart(i, n, part)
		return true
	})
}

// contentPart takes a whole part of a message, or of a reasoning item.
func (d *decoder) contentPart(i int, at int64, part gjson.Result) {
	switch part.Get("type").Str {
	case "refusal":
		d.Refuses()
		d.textOnce(i, at, part.Get("refusal"))
	case "output_text", "text", "":
		d.textOnce(i, at, part.Get("text"))
	case "reasoning_text":
		d.thoughtOnce(i, fromText, at, part.Get("text"))
	case "summary_text":
		d.thoughtOnce(i, fromSummary, at, part.Get("text"))
	}
}

// seen marks a part of an item, and reports whether something of it had come before. A part without a number is all parts.
func (it *item) seen(at int64) bool {
	bits := ^uint64(0)
	if at >= 0 {
		bits = 1 << min(uint64(at), 63)
	}
	before := it.parts&bits != 0
	it.parts |= bits
	return before
}

// textOnce takes the whole text of a part, unless pieces of it came.
func (d *decoder) textOnce(i int, at int64, v gjson.Result) {
	if said(v) && !d.items[i].seen(at) {
		d.say(i, v)
	}
}

// text takes a piece of text.
func (d *decoder) text(i int, at int64, v gjson.Result) {
	if v.IsObject() {
		v = v.Get("text")
	}
	if said(v) {
		d.items[i].seen(at)
		d.say(i, v)
	}
}

func said(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" }

// say passes text on. Messages stay apart: each goes back as an item of its own.
func (d *decoder) say(i int, v gjson.Result) {
	if d.items[i].kind != message || d.items[i].skipped {
		return
	}
	if d.said >= 0 && d.said != i {
		d.EndText(nil)
	}
	d.said = i
	d.Text(v)
}

// args takes a piece of a call's arguments, or all of them once more.
func (d *decoder) args(i int, v gjson.Result, whole bool) {
	if !v.Exists() || v.Type == gjson.Null || v.Raw == `""` || d.items[i].skipped {
		return
	}
	d.Batch()
	d.Call(wire.Piece{Index: int64(i), Indexed: true, Args: v, Whole: whole})
}

// call takes what an item says about a call, which is known by id.
func (d *decoder) call(i int, v gjson.Result, id string) {
	it := &d.items[i]
	if it.skipped {
		return
	}
	p := wire.Piece{Index: int64(i), Indexed: true}
	if it.callID == "" {
		it.callID, p.ID = id, id
	}
	if name := v.Get("name").Str; it.name == "" && name != "" {
		it.name, p.Name = name, name
	}
	if p.ID != "" || p.Name != "" {
		d.Batch()
		d.Call(p)
	}
	d.args(i, arguments(v), true)
}

// arguments are those of a whole call.
func arguments(v gjson.Result) gjson.Result {
	if args := v.Get("arguments"); args.Exists() {
		return args
	}
	return v.Get("input")
}
