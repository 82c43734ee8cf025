package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"react-agent/provider/wire"
)

// kind is what a block is.
type kind int

const (
	isText kind = iota
	isThought
	isCall
	isAnswer // a call whose arguments are the answer
	isSealed // a thought that nobody can read
	isOpaque // anything else
)

// block is one of the message's, while it streams.
type block struct {
	index     int64 // as the server counts
	number    int64 // as they came; some servers count badly
	kind      kind
	begun     gjson.Result // as it began
	some      bool         // more of it than that has come
	signature string
	citations []byte // JSON values with commas between
	input     []byte // of an opaque block
}

// at finds a block that has not ended.
func (d *decoder) at(index int64) *block {
	for _, b := range slices.Backward(d.blocks) {
		if b.index == index {
			return b
		}
	}
	return nil
}

// of finds the block that a delta belongs to. An index that no block had is a server's mistake: it means the last one.
func (d *decoder) of(index int64) *block {
	b := d.at(index)
	if _, late := d.ended[index]; b != nil || late || len(d.blocks) == 0 {
		return b
	}
	return d.blocks[len(d.blocks)-1]
}

// open makes a block. What never ends of a reply without end ends the oldest.
func (d *decoder) open(b *block) {
	if len(d.blocks) >= maxOpen {
		d.end(d.blocks[0])
	}
	d.number++
	b.number = d.number
	d.blocks = append(d.blocks, b)
}

// maxOpen is how many blocks may be open at once; servers open them one after the other.
const maxOpen = 64

// start begins a block.
func (d *decoder) start(index int64, v gjson.Result) {
	if b := d.at(index); b != nil {
		d.end(b) // its end got lost
	}
	b := &block{index: index, begun: v}
	d.open(b)
	switch v.Get("type").Str {
	case "text":
		d.Text(v.Get("text"))
		v.Get("citations").ForEach(func(_, c gjson.Result) bool {
			b.cite(c)
			return true
		})
	case "thinking":
		b.kind = isThought
		b.signature = v.Get("signature").Str
		b.think(d, v.Get("thinking"))
	case "tool_use":
		b.kind = isCall
		if d.answer != "" && v.Get("name").Str == d.answer {
			b.kind = isAnswer
			return
		}
		d.Batch()
		d.Call(wire.Piece{ID: v.Get("id").String(), Name: v.Get("name").Str, Index: b.number, Indexed: true, Extra: extras(v)})
	case "redacted_thinking":
		b.kind = isSealed
	default:
		b.kind = isOpaque
	}
}

// delta takes a piece of a block. The field that holds it says what it is, whatever its type is called.
func (d *decoder) delta(root gjson.Result) {
	index, v := root.Get("index").Int(), root.Get("delta")
	b := d.of(index)
	switch v.Get("type").Str {
	case "text_delta":
		d.Text(v.Get("text"))
	case "input_json_delta":
		d.input(b, index, v.Get("partial_json"))
	case "thinking_delta":
		d.thinking(b, index, v.Get("thinking"))
	default:
		d.piece(b, index, v)
	}
}

// piece takes what comes seldom.
func (d *decoder) piece(b *block, index int64, v gjson.Result) {
	d.Text(v.Get("text"))
	if f := v.Get("thinking"); f.Str != "" {
		b = d.thinking(b, index, f)
	}
	if f := v.Get("signature"); f.Str != "" {
		b = d.thinking(b, index, gjson.Result{})
		if f.Str != b.begun.Get("signature").Str { // some send all of it twice
			b.signature += f.Str
			d.Keep(len(f.Str))
		}
	}
	if f := v.Get("partial_json"); f.Exists() {
		d.input(b, index, f)
	}
	if f := v.Get("citation"); b != nil {
		b.cite(f)
	}
}

// thinking takes a piece of thought. The block's beginning may have got lost.
func (d *decoder) thinking(b *block, index int64, v gjson.Result) *block {
	if b == nil || b.kind != isThought {
		b = &block{index: index, kind: isThought}
		d.open(b)
	}
	b.think(d, v)
	return b
}

func (b *block) think(d *decoder, v gjson.Result) {
	if v.Str != "" {
		b.some = true
		d.SealedThought(v)
	}
}

// input takes a piece of a call's arguments.
func (d *decoder) input(b *block, index int64, v gjson.Result) {
	if v.Str == "" && v.Type == gjson.String {
		return
	}
	switch {
	case b == nil: // its block has ended, or never began
		d.Call(wire.Piece{Index: d.ended[index], Indexed: true, Args: v})
	case b.kind == isCall:
		d.Call(wire.Piece{Index: b.number, Indexed: true, Args: v})
	case b.kind == isAnswer:
		d.Text(asString(v))
	case b.kind == isOpaque:
		b.input = append(b.input, v.String()...)
	}
	if b != nil {
		b.some = true
	}
}

func (b *block) cite(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	if len(b.citations) > 0 {
		b.citations = append(b.citations, ',')
	}
	b.citations = append(b.citations, v.Raw...)
}

func (d *decoder) stop(index int64) {
	if b := d.at(index); b != nil {
		d.end(b)
	}
}

// end ends a block. What it began with counts if nothing else has come.
func (d *decoder) end(b *block) {
	d.blocks = slices.DeleteFunc(d.blocks, func(o *block) bool { return o == b })
	if d.ended == nil {
		d.ended = map[int64]int64{}
	}
	d.ended[b.index] = b.number
	switch b.kind {
	case isText:
		if len(b.citations) > 0 {
			list := append(append([]byte{'['}, b.citations...), ']')
			d.EndText(d.keep(memory{Citations: list}))
			return
		}
		d.EndText(nil)
	case isThought:
		if b.signature == "" && (!b.some || d.m.Preset.ReasoningField == "") {
			d.EndThought(nil) // nobody takes it back
			return
		}
		d.EndThought(d.keep(memory{Signature: &b.signature}))
	case isCall, isAnswer:
		d.endCall(b)
	case isSealed:
		d.EndThought(nil)
		d.EndThought(d.keep(memory{Block: json.RawMessage(b.begun.Raw)}))
	case isOpaque:
		d.EndText(nil) // what came before is a part of its own
		d.EndText(d.keep(memory{Block: b.whole()}))
	}
}

// endCall ends a call.
func (d *decoder) endCall(b *block) {
	in := b.begun.Get("input")
	if b.some || in.Raw == "{}" {
		in = gjson.Result{}
	}
	switch {
	case b.kind == isAnswer:
		if in.Exists() {
			d.Text(asString(in))
		}
		d.EndText(nil)
	case in.Exists():
		d.Call(wire.Piece{Index: b.number, Indexed: true, Args: in})
	}
}

// whole is an opaque block with the input that was streamed to it.
func (b *block) whole() json.RawMessage {
	if len(b.input) == 0 || !json.Valid(b.input) {
		return json.RawMessage(b.begun.Raw)
	}
	out := []byte{'{'}
	b.begun.ForEach(func(key, v gjson.Result) bool {
		if key.Str != "input" {
			out = append(append(append(out, key.Raw...), ':'), v.Raw...)
			out = append(out, ',')
		}
		return true
	})
	return append(append(append(out, `"input":`...), b.input...), '}')
}

// asString is a JSON value as the string that holds it.
func asString(v gjson.Result) gjson.Result {
	if v.Type == gjson.String {
		return v
	}
	return gjson.ParseBytes(wire.AppendString(nil, v.Raw))
}
