package completions

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// encode writes the body of a request.
func (m *model) encode(req *agent.Request) []byte {
	b := wire.NewBody(m.Extra, req.Extra)
	b.Text("model", m.Model)
	b.Raw("stream", []byte("true"))
	if !m.Preset.NoStreamUsage {
		b.Raw("stream_options", []byte(`{"include_usage":true}`))
	}
	if req.MaxOut > 0 {
		key := m.Preset.MaxTokensField
		if key == "" {
			key = "max_tokens"
		}
		b.Raw(key, strconv.AppendInt(nil, int64(req.MaxOut), 10))
	}
	if req.Effort != "" {
		b.Text("reasoning_effort", req.Effort)
	}
	if len(req.Schema) > 0 {
		b.Raw("response_format", format(req.Schema))
	}
	if len(req.Tools) > 0 {
		b.Raw("tools", tools(req.Tools))
		choice(b, req.Choice)
	}
	return b.End("messages", func(out []byte) []byte { return m.messages(out, req) })
}

func choice(b *wire.Body, choice string) {
	switch choice {
	case "":
	case "none", "required", "auto":
		b.Text("tool_choice", choice)
	default:
		out := wire.AppendString([]byte(`{"type":"function","function":{"name":`), choice)
		b.Raw("tool_choice", append(out, "}}"...))
	}
}

func format(schema json.RawMessage) json.RawMessage {
	out := append([]byte(nil), `{"type":"json_schema","json_schema":{"name":"answer","schema":`...)
	out = append(out, wire.Compact(schema)...)
	return append(out, "}}"...)
}

// tools writes the definitions. A schema without parameters is still an object: some servers fail at null.
func tools(list []agent.Tool) json.RawMessage {
	out := []byte{'['}
	for i, t := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"type":"function","function":{"name":`...)
		out = wire.AppendString(out, t.Shown())
		if t.Doc != "" {
			out = append(out, `,"description":`...)
			out = wire.AppendString(out, t.Doc)
		}
		out = append(out, `,"parameters":`...)
		out = append(out, wire.Schema(&t)...)
		out = append(out, "}}"...)
	}
	return append(out, ']')
}

// messages writes the history, repaired for this vendor.
func (m *model) messages(out []byte, req *agent.Request) []byte {
	w := writer{m: m, out: append(out, '['), tools: len(req.Tools) > 0}
	if req.System != "" {
		w.begin("system")
		w.field("content", req.System)
		w.end()
	}
	for _, msg := range wire.Outbound(req.Messages, wire.OutboundOptions{Origin: m.Info().Origin(), IDs: m.Preset.IDs, UserLast: !m.Preset.AssistantLast}) {
		w.message(&msg)
	}
	w.pictures()
	return append(w.out, ']')
}

// writer writes messages.
type writer struct {
	m      *model
	out    []byte
	n      int
	tools  bool
	images []agent.Part // of results: they follow the batch in a message of their own
}

func (w *writer) begin(role string) {
	if w.n++; w.n > 1 {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, `{"role":"`...)
	w.out = append(w.out, role...)
	w.out = append(w.out, '"')
}

func (w *writer) end() { w.out = append(w.out, '}') }

func (w *writer) name(key string) {
	w.out = append(w.out, ',')
	w.out = wire.AppendString(w.out, key)
	w.out = append(w.out, ':')
}

func (w *writer) field(key, v string) {
	w.name(key)
	w.out = wire.AppendString(w.out, v)
}

func (w *writer) rawField(key string, v []byte) {
	w.name(key)
	w.out = append(w.out, v...)
}

func (w *writer) message(msg *agent.Message) {
	if msg.Role != agent.ToolRole {
		w.pictures()
	}
	switch msg.Role {
	case agent.ToolRole:
		w.result(msg.Result())
	case agent.Assistant:
		w.assistant(msg)
	case agent.System:
		w.begin("system")
		w.field("content", wire.Joined(msg.Parts))
		w.end()
	case agent.User:
		w.begin("user")
		w.content(msg.Parts)
		w.end()
	}
}

// content writes a string, or a list when there are attachments.
func (w *writer) content(parts []agent.Part) {
	rich := false
	for _, p := range parts {
		rich = rich || p.Kind == agent.BlobKind && p.Blob != nil
	}
	if !rich {
		w.field("content", wire.Joined(parts))
		return
	}
	w.name("content")
	w.out = append(w.out, '[')
	n := 0
	for _, p := range parts {
		piece := w.contentPart(&p)
		if piece == nil {
			continue
		}
		if n++; n > 1 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, piece...)
	}
	w.out = append(w.out, ']')
}

func (w *writer) contentPart(p *agent.Part) []byte {
	switch {
	case p.Kind == agent.Text && p.Text != "":
		return textPart(p.Text)
	case p.Kind != agent.BlobKind || p.Blob == nil:
		return nil
	}
	blob := p.Blob
	if words, ok := wire.InWords(blob); ok {
		return textPart(words)
	}
	address := wire.Address(blob)
	switch {
	case strings.HasPrefix(blob.MIME, "image/"):
		out := wire.AppendString([]byte(`{"type":"image_url","image_url":{"url":`), address)
		return append(out, "}}"...)
	case strings.HasPrefix(blob.MIME, "audio/") && len(blob.Data) > 0:
		out := wire.AppendString([]byte(`{"type":"input_audio","input_audio":{"data":`), wire.Base64(blob))
		out = append(out, `,"format":`...)
		out = wire.AppendString(out, strings.TrimPrefix(strings.TrimPrefix(blob.MIME, "audio/"), "x-"))
		return append(out, "}}"...)
	}
	out := wire.AppendString([]byte(`{"type":"file","file":{"filename":`), blob.Name)
	out = append(out, `,"file_data":`...)
	out = wire.AppendString(out, address)
	return append(out, "}}"...)
}

func textPart(text string) []byte {
	return append(wire.AppendString([]byte(`{"type":"text","text":`), text), '}')
}

// result writes a tool message. Pictures cannot stand in one; they follow.
func (w *writer) result(r *agent.Result) {
	if r == nil {
		return
	}
	text := wire.Joined(r.Parts)
	for _, p := range r.Parts {
		switch {
		case p.Kind != agent.BlobKind || p.Blob == nil:
		case w.m.Config.Info.Takes(p.Blob.MIME):
			w.images = append(w.images, p)
		default: // a picture from the time of another model: sent to one without eyes, every later request would fail
			text += "\n" + wire.LeftOut(p.Blob)
		}
	}
	text = strings.TrimPrefix(text, "\n")
	if text == "" {
		text = "(no output)"
	}
	w.begin("tool")
	w.field("tool_call_id", r.CallID)
	w.field("content", text)
	w.end()
}

// pictures writes the attachments of the results before.
func (w *writer) pictures() {
	if len(w.images) == 0 {
		return
	}
	parts := append([]agent.Part{agent.TextPart("Attachments of the tool results above:")}, w.images...)
	w.images = nil
	w.begin("user")
	w.content(parts)
	w.end()
}

// assistant writes a message of the model, with its thoughts if they are its own.
func (w *writer) assistant(msg *agent.Message) {
	own := w.own(msg)
	text := msg.Text()
	calls := slices.ContainsFunc(msg.Parts, func(p agent.Part) bool { return p.Kind == agent.CallKind && p.Call != nil })
	if w.m.Preset.ThinkInContent && own.tagged() {
		text = own.asText() + text
	}
	if text == "" && !calls {
		return
	}
	w.begin("assistant")
	switch {
	case text != "":
		w.field("content", text)
	case w.m.Preset.EmptyContent == `""` || w.m.Preset.EmptyContent == "empty":
		w.field("content", "")
	default:
		w.rawField("content", []byte("null"))
	}
	if calls {
		w.calls(msg)
	}
	w.reasoning(own)
	w.end()
}

func (w *writer) calls(msg *agent.Message) {
	w.name("tool_calls")
	w.out = append(w.out, '[')
	n := 0
	for _, p := range msg.Parts {
		if p.Kind != agent.CallKind || p.Call == nil {
			continue
		}
		if n++; n > 1 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, `{"id":`...)
		w.out = wire.AppendString(w.out, p.Call.ID)
		w.out = append(w.out, `,"type":"function","function":{"name":`...)
		w.out = wire.AppendString(w.out, p.Call.Name)
		w.out = append(w.out, `,"arguments":`...)
		w.out = wire.AppendString(w.out, string(wire.Object(p.Call.Args)))
		w.out = append(w.out, '}')
		w.extras(p.Opaque)
		w.out = append(w.out, '}')
	}
	w.out = append(w.out, ']')
}

// extras writes the fields that belong to a call, if they came from this very model.
func (w *writer) extras(o *agent.Opaque) {
	if o == nil || o.Origin != w.m.Info().Origin() {
		return
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(o.Data, &fields) != nil {
		return
	}
	for _, key := range wire.SortedKeys(fields) {
		w.rawField(key, wire.Compact(fields[key]))
	}
}

// ownThoughts are the thoughts of a message that this very model wrote.
type ownThoughts struct {
	memory
	has  bool
	text string
}

// tagged reports whether the thoughts stood in the text, between tags. Those go back there or not at all.
func (o *ownThoughts) tagged() bool {
	return o.has && o.text != "" && o.Field == "" && len(o.Details) == 0 && len(o.Blocks) == 0
}

// asText writes thoughts the way they came.
func (o *ownThoughts) asText() string {
	before, after := o.Before, o.After
	if before == "" && after == "" {
		before, after = "<think>", "</think>\n"
	}
	return before + o.text + after
}

func (w *writer) own(msg *agent.Message) (own ownThoughts) {
	for _, p := range msg.Parts {
		if p.Kind != agent.Thinking || p.Opaque == nil || p.Opaque.Origin != w.m.Info().Origin() {
			continue
		}
		if !own.has && json.Unmarshal(p.Opaque.Data, &own.memory) == nil {
			own.has = true
		}
		own.text += p.Text
	}
	return own
}

// reasoning writes thoughts back the way the vendor wants them.
func (w *writer) reasoning(own ownThoughts) {
	preset := &w.m.Preset
	text := own.text
	if own.tagged() {
		text = ""
	}
	switch {
	case preset.ReasoningField == "" || preset.ReasoningAlways && !w.tools:
	case preset.ReasoningField == "reasoning_details":
		if len(own.Details) > 0 {
			w.list("reasoning_details", own.Details)
		} else if text != "" {
			w.field("reasoning", text)
		}
	case text != "" || preset.ReasoningAlways:
		w.field(preset.ReasoningField, text)
	}
	if len(own.Blocks) > 0 {
		w.list("thinking_blocks", own.Blocks)
	}
	for _, key := range wire.SortedKeys(own.Fields) {
		w.rawField(key, wire.Compact(own.Fields[key]))
	}
}

func (w *writer) list(key string, entries []map[string]json.RawMessage) {
	raw, err := agent.EncodeJSON(entries)
	if err != nil {
		w.m.Logger.Warn("thoughts cannot be sent back", "field", key, "error", err)
		return
	}
	w.rawField(key, raw)
}
