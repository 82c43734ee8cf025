package responses

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"
)

// repeated finds the item that v repeats, the nth of its kind in the whole reply, or begins one. Ids and places may be
// others there. An item's own id is certain; nothing else makes one of two items that the whole reply has.
func (d *decoder) repeated(v gjson.Result, k kind, nth int) int {
	id := v.Get("id").Str
	i := d.withID(id, k)
	switch {
	case i >= 0:
	case k == call:
		i = d.sameCall(v, nth)
	default:
		i = d.nth(k, nth)
	}
	if i < 0 {
		i = d.open(place{id: id}, k)
	}
	d.items[i].claimed = true
	return i
}

func (d *decoder) withID(id string, k kind) int {
	for i := range d.items {
		if id != "" && d.items[i].kind == k && d.items[i].at.id == id {
			return i
		}
	}
	return -1
}

// nth is the nth item of a kind, unless it was repeated already.
func (d *decoder) nth(k kind, nth int) int {
	for i := range d.items {
		if d.items[i].kind != k {
			continue
		}
		if nth == 0 && !d.items[i].claimed {
			return i
		}
		nth--
	}
	return -1
}

// sameCall finds the call that v repeats: the only one with its call_id, else one that says the same, else one with its
// call_id and name, else the one in its place that is not finished or lacks a call_id.
func (d *decoder) sameCall(v gjson.Result, nth int) int {
	name, id := v.Get("name").Str, callID(v)
	with := d.callsWith(id)
	if len(with) == 1 && (!d.items[with[0]].claimed || v.Get("id").Str == "") {
		return with[0]
	}
	free := func(i int) bool { return d.items[i].kind == call && !d.items[i].claimed && d.items[i].name == name }
	for i := range d.items {
		if free(i) && d.says(i, arguments(v)) {
			return i
		}
	}
	for _, i := range with {
		if free(i) {
			return i
		}
	}
	if i := d.nth(call, nth); i >= 0 && (id == "" || d.items[i].callID == "" || d.begun(i, name)) {
		return i
	}
	return -1
}

// callsWith are the calls with a call_id.
func (d *decoder) callsWith(id string) (all []int) {
	for i := range d.items {
		if it := &d.items[i]; id != "" && it.kind == call && it.callID == id {
			all = append(all, i)
		}
	}
	return all
}

// begun reports whether an item is a call of that name whose arguments are still to come.
func (d *decoder) begun(i int, name string) bool {
	it := &d.items[i]
	return it.name == name && !it.over && !d.Arguments(int64(i)).Complete()
}

// says reports whether a call's arguments are these, however they are written.
func (d *decoder) says(i int, v gjson.Result) bool {
	text := v.Raw
	if v.Type == gjson.String {
		text = v.Str
	}
	return string(compact(d.Arguments(int64(i)).Text())) == string(compact(text))
}

func compact(s string) []byte {
	var out bytes.Buffer
	if json.Compact(&out, []byte(s)) != nil {
		return []byte(s)
	}
	return out.Bytes()
}
