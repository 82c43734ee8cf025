package responses

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// input writes the history as items, repaired for this vendor.
func (m *model) input(out []byte, msgs []agent.Message, without uint32) []byte {
	ids := m.Preset.IDs
	if ids == wire.IDAny || ids == wire.IDOpenAI {
		ids = wire.IDFlat
	}
	w := writer{m: m, out: append(out, '['), replays: without&replay == 0, plain: without&lists != 0}
	for _, msg := range wire.Outbound(msgs, wire.OutboundOptions{Origin: m.Info().Origin(), IDs: ids}) {
		w.message(&msg)
	}
	return append(w.out, ']')
}

// writer writes items.
type writer struct {
	m       *model
	out     []byte
	n       int
	replays bool     // reasoning goes back
	plain   bool     // what the model said is a text, no list
	waiting [][]byte // reasoning items: they need one behind them
}

// item begins an item and lets what waits for it go first.
func (w *writer) item(begin string) {
	for _, raw := range w.waiting {
		w.comma()
		w.out = append(w.out, raw...)
	}
	w.waiting = w.waiting[:0]
	w.comma()
	w.out = append(w.out, begin...)
}

func (w *writer) comma() {
	if w.n++; w.n > 1 {
		w.out = append(w.out, ',')
	}
}

func (w *writer) text(s string) { w.out = wire.AppendString(w.out, s) }

func (w *writer) message(msg *agent.Message) {
	switch msg.Role {
	case agent.ToolRole:
		w.result(msg.Result())
	case agent.Assistant:
		w.assistant(msg)
	case agent.System, agent.User:
		if pieces := w.contents(msg.Parts); len(pieces) > 0 {
			w.item(`{"type":"message","role":"` + string(msg.Role) + `","content":`)
			w.list(pieces)
			w.out = append(w.out, '}')
		}
	}
}

func (w *writer) list(pieces [][]byte) {
	w.out = append(w.out, '[')
	for i, p := range pieces {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, p...)
	}
	w.out = append(w.out, ']')
}

// contents are the parts of a message that is not the model's.
func (w *writer) contents(parts []agent.Part) (pieces [][]byte) {
	for _, p := range parts {
		switch {
		case p.Kind == agent.Text && strings.TrimSpace(p.Text) != "":
			pieces = append(pieces, inputText(p.Text))
		case p.Kind == agent.BlobKind && p.Blob != nil:
			pieces = append(pieces, attachment(p.Blob))
		}
	}
	return pieces
}

func inputText(s string) []byte {
	return append(wire.AppendString([]byte(`{"type":"input_text","text":`), s), '}')
}

func attachment(b *agent.Blob) []byte {
	if words, ok := wire.InWords(b); ok {
		return inputText(words)
	}
	switch {
	case strings.HasPrefix(b.MIME, "image/"):
		return append(wire.AppendString([]byte(`{"type":"input_image","detail":"auto","image_url":`), wire.Address(b)), '}')
	case strings.HasPrefix(b.MIME, "audio/") && len(b.Data) > 0:
		out := wire.AppendString([]byte(`{"type":"input_audio","input_audio":{"data":`), wire.Base64(b))
		out = append(out, `,"format":`...)
		out = wire.AppendString(out, strings.TrimPrefix(strings.TrimPrefix(b.MIME, "audio/"), "x-"))
		return append(out, "}}"...)
	case len(b.Data) == 0:
		return append(wire.AppendString([]byte(`{"type":"input_file","file_url":`), b.URI), '}')
	}
	out := wire.AppendString([]byte(`{"type":"input_file","filename":`), b.Name)
	out = append(out, `,"file_data":`...)
	out = wire.AppendString(out, wire.Address(b))
	return append(out, '}')
}

// result writes the output of a call: a text, or a list when there is more than text in it.
func (w *writer) result(r *agent.Result) {
	if r == nil {
		return
	}
	var pieces [][]byte
	var words []string
	say := func(text string) {
		words, pieces = append(words, text), append(pieces, inputText(text))
	}
	for _, p := range r.Parts {
		switch {
		case p.Kind == agent.Text && p.Text != "":
			say(p.Text)
		case p.Kind != agent.BlobKind || p.Blob == nil:
		case !w.m.Config.Info.Takes(p.Blob.MIME):
			say(wire.LeftOut(p.Blob))
		default:
			if text, ok := wire.InWords(p.Blob); ok {
				say(text)
				continue
			}
			pieces = append(pieces, attachment(p.Blob))
		}
	}
	w.item(`{"type":"function_call_output","call_id":`)
	w.text(r.CallID)
	w.out = append(w.out, `,"output":`...)
	if len(pieces) > len(words) {
		w.list(pieces)
	} else {
		w.text(strings.Join(words, "\n\n"))
	}
	w.out = append(w.out, '}')
}

// assistant writes what the model said, in its order.
func (w *writer) assistant(msg *agent.Message) {
	for _, p := range msg.Parts {
		switch p.Kind {
		case agent.Thinking:
			if raw := thought(p.Opaque); raw != nil && w.replays {
				w.waiting = append(w.waiting, raw)
			}
		case agent.Text:
			w.said(&p)
		case agent.CallKind:
			if p.Call == nil {
				continue
			}
			w.item(`{"type":"function_call","call_id":`)
			w.text(p.Call.ID)
			w.out = append(w.out, `,"name":`...)
			w.text(p.Call.Name)
			w.out = append(w.out, `,"arguments":`...)
			w.text(string(wire.Object(p.Call.Args)))
			w.out = append(w.out, '}')
		case agent.BlobKind, agent.ResultOf:
		}
	}
	w.waiting = w.waiting[:0] // nothing followed from them
}

func (w *writer) said(p *agent.Part) {
	if strings.TrimSpace(p.Text) == "" {
		return
	}
	w.item(`{"type":"message","role":"assistant",`)
	if p.Opaque != nil {
		if phase := gjson.GetBytes(p.Opaque.Data, "phase").Str; phase != "" {
			w.out = append(w.out, `"phase":`...)
			w.text(phase)
			w.out = append(w.out, ',')
		}
	}
	w.out = append(w.out, `"content":`...)
	if w.plain {
		w.text(p.Text)
		w.out = append(w.out, '}')
		return
	}
	w.out = append(w.out, `[{"type":"output_text","text":`...)
	w.text(p.Text)
	w.out = append(w.out, `,"annotations":[]}]}`...)
}

// thought is a reasoning item as it goes back; nil: it cannot. What the server left empty is no field of an input, and an
// id that is longer than what it takes is not needed beside the content.
func thought(o *agent.Opaque) []byte {
	if o == nil {
		return nil
	}
	v := gjson.ParseBytes(o.Data)
	if !sealed(v) {
		return nil
	}
	out := []byte{'{'}
	field := func(key, raw string) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, key...)
		out = append(out, ':')
		out = append(out, wire.Compact(json.RawMessage(raw))...)
	}
	v.ForEach(func(key, f gjson.Result) bool {
		if f.Type != gjson.Null && (key.Str != "id" || fits(f.Str)) && (key.Str != "summary" || f.IsArray()) {
			field(key.Raw, f.Raw)
		}
		return true
	})
	if !v.Get("summary").IsArray() {
		field(`"summary"`, "[]")
	}
	return append(out, '}')
}

// sealed reports whether a reasoning item has what it takes to be sent back.
func sealed(v gjson.Result) bool { return v.Get("encrypted_content").Str != "" }

// maxID is how long an item's id may be.
const maxID = 64

func fits(id string) bool { return id != "" && len(id) <= maxID }
