package gemini

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// What stands where the API wants a word of the user.
const (
	atBegin = "[The conversation before this is not here.]"
	atEnd   = "Go on."
)

// unsigned is what the API takes for the signature of a call that another model made. It is sent as it is, not as base64.
const unsigned = "skip_thought_signature_validator"

// The roles.
const (
	user  = "user"
	other = "model"
)

// contents writes the history, repaired for this vendor.
func (m *model) contents(out []byte, req *agent.Request) []byte {
	w := writer{m: m, out: append(out, '['), strict: !m.version().before(3, 0)}
	for _, msg := range wire.Outbound(req.Messages, wire.OutboundOptions{Origin: m.Info().Origin(), IDs: m.Preset.IDs, UserLast: true}) {
		w.message(&msg)
	}
	w.attachments()
	if w.role != user {
		w.text(user, atEnd)
	}
	return append(w.out, "]}]"...)
}

// writer writes contents. One is open as long as its role speaks.
type writer struct {
	m      *model
	out    []byte
	strict bool   // the model checks signatures, and takes attachments within results
	role   string // of the open content; "" = none was begun

	calls []call       // of the last message, in the order of their results
	media []agent.Blob // of its results: they follow the last one
}

// call is what a result has to repeat.
type call struct{ id, name string }

// begin begins a part of a role.
func (w *writer) begin(role string) {
	switch {
	case w.role == role:
		w.out = append(w.out, ',')
		return
	case w.role != "":
		w.out = append(w.out, "]},"...)
	case role != user:
		w.text(user, atBegin)
		w.begin(role)
		return
	}
	w.role = role
	w.out = append(w.out, `{"role":"`...)
	w.out = append(w.out, role...)
	w.out = append(w.out, `","parts":[`...)
}

func (w *writer) name(key string) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(wire.AppendString(w.out, key), ':')
}

func (w *writer) field(key, v string) {
	w.name(key)
	w.out = wire.AppendString(w.out, v)
}

func (w *writer) text(role, text string) {
	w.begin(role)
	w.out = append(wire.AppendString(append(w.out, `{"text":`...), text), '}')
}

func (w *writer) message(msg *agent.Message) {
	if msg.Role == agent.ToolRole {
		w.result(msg.Result())
		return
	}
	w.attachments()
	if msg.Role == agent.Assistant {
		w.assistant(msg)
		return
	}
	for _, p := range msg.Parts {
		switch {
		case p.Kind == agent.Text && p.Text != "":
			w.text(user, p.Text)
		case p.Kind == agent.BlobKind && p.Blob != nil:
			w.blob(user, p.Blob)
		}
	}
}

// blob writes an attachment.
func (w *writer) blob(role string, b *agent.Blob) {
	if words, ok := wire.InWords(b); ok {
		w.text(role, words)
		return
	}
	w.begin(role)
	w.out = append(w.out, '{')
	w.media64(b)
	w.out = append(w.out, '}')
}

// media64 writes the field of an attachment: its bytes, or where they are.
func (w *writer) media64(b *agent.Blob) {
	if len(b.Data) == 0 {
		w.name("fileData")
		w.out = append(w.out, '{')
		w.field("mimeType", b.MIME)
		w.field("fileUri", b.URI)
	} else {
		w.name("inlineData")
		w.out = append(w.out, '{')
		w.field("mimeType", b.MIME)
		w.field("data", wire.Base64(b))
	}
	w.out = append(w.out, '}')
}

// assistant writes a message of the model: its parts as they came, if it is this very model.
func (w *writer) assistant(msg *agent.Message) {
	w.calls = w.calls[:0]
	for _, p := range msg.Parts {
		own := keptOf(p.Opaque)
		switch {
		case len(own.Part) > 0:
			w.begin(other)
			w.out = append(w.out, wire.Compact(own.Part)...)
		case p.Kind == agent.Thinking && own.Signature == "", p.Kind == agent.Text && p.Text == "" && own.Signature == "":
		case p.Kind == agent.CallKind && p.Call != nil:
			w.call(p.Call, own)
		case p.Kind == agent.Text, p.Kind == agent.Thinking:
			w.begin(other)
			w.out = append(w.out, '{')
			w.field("text", p.Text)
			if p.Kind == agent.Thinking {
				w.name("thought")
				w.out = append(w.out, "true"...)
			}
			w.signature(own.Signature)
			w.out = append(w.out, '}')
		case p.Kind == agent.BlobKind && p.Blob != nil && len(p.Blob.Data) > 0:
			w.begin(other)
			w.out = append(w.out, '{')
			w.media64(p.Blob)
			w.signature(own.Signature)
			w.out = append(w.out, '}')
		}
	}
}

// keptOf reads what goes back with a part. Outbound leaves only this model's own.
func keptOf(o *agent.Opaque) (k kept) {
	if o == nil || json.Unmarshal(o.Data, &k) != nil {
		return kept{}
	}
	return k
}

func (w *writer) signature(s string) {
	if s != "" {
		w.field(keySignature, s)
	}
}

// call writes a call. Of several in one message only the first needs a signature.
func (w *writer) call(c *agent.Call, own kept) {
	if own.Signature == "" && w.strict && len(w.calls) == 0 {
		own.Signature = unsigned
	}
	sent := call{id: own.ID, name: functionName(c.Name)}
	w.calls = append(w.calls, sent)
	w.begin(other)
	w.out = append(w.out, `{"functionCall":{`...)
	w.identity(sent)
	w.name("args")
	w.out = append(append(w.out, wire.Object(c.Args)...), '}')
	w.signature(own.Signature)
	w.out = append(w.out, '}')
}

// identity writes what a call and its result have in common. Only ids that the vendor gave go back to it.
func (w *writer) identity(c call) {
	if c.id != "" {
		w.field("id", c.id)
	}
	w.field("name", c.name)
}

// functionName makes a name begin as names have to here. Outbound has seen to the rest.
func functionName(name string) string {
	if c := name[0]; c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
		name = "_" + name
	}
	return name[:min(len(name), 64)]
}

// result writes the result of the next call. All results of a message stand in one content, which Outbound puts right
// behind it.
func (w *writer) result(r *agent.Result) {
	if r == nil || len(w.calls) == 0 {
		return
	}
	c := w.calls[0]
	w.calls = w.calls[1:]
	var inner []agent.Blob
	texts := []string{}
	for _, p := range r.Parts {
		switch {
		case p.Kind == agent.Text:
			texts = append(texts, p.Text)
		case p.Kind != agent.BlobKind || p.Blob == nil:
		case w.words(p.Blob) != "":
			texts = append(texts, w.words(p.Blob))
		case w.strict && withinResult(p.Blob):
			inner = append(inner, *p.Blob)
		default:
			w.media = append(w.media, *p.Blob)
		}
	}
	w.begin(user)
	w.out = append(w.out, `{"functionResponse":{`...)
	w.identity(c)
	w.name("response")
	w.out = append(w.out, '{')
	key := "output"
	if r.Error {
		key = "error"
	}
	w.field(key, strings.Join(texts, "\n\n"))
	w.out = append(w.out, '}')
	w.within(inner)
	w.out = append(w.out, "}}"...)
}

// words is what stands in a result for an attachment that is text, or that this model does not see; "" = the attachment.
func (w *writer) words(b *agent.Blob) string {
	if words, ok := wire.InWords(b); ok {
		return words
	}
	if !w.m.Config.Info.Takes(b.MIME) {
		return wire.LeftOut(b)
	}
	return ""
}

// withinResult reports whether an attachment may stand inside the result it belongs to.
func withinResult(b *agent.Blob) bool {
	switch b.MIME {
	case "image/png", "image/jpeg", "image/webp", "application/pdf":
		return len(b.Data) > 0
	}
	return false
}

// within writes the attachments of a result into it.
func (w *writer) within(blobs []agent.Blob) {
	if len(blobs) == 0 {
		return
	}
	w.name("parts")
	w.out = append(w.out, '[')
	for i, b := range blobs {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, '{')
		w.media64(&b)
		w.out = append(w.out, '}')
	}
	w.out = append(w.out, ']')
}

// attachments writes those of the results before that cannot stand in them.
func (w *writer) attachments() {
	for _, b := range w.media {
		w.blob(user, &b)
	}
	w.media = nil
}
