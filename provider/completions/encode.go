package completions

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// encode writes the body of a request. The messages come last: a longer history continues the bytes of a shorter one.
func (m *model) encode(req *agent.Request) []byte {
	extra := maps.Clone(m.Extra)
	if extra == nil {
		extra = map[string]json.RawMessage{}
	}
	maps.Copy(extra, req.Extra)
	b := body{out: make([]byte, 0, 4096), extra: extra}
	b.out = append(b.out, '{')
	b.text("model", m.Model)
	b.raw("stream", json.RawMessage("true"))
	if !m.Preset.NoStreamUsage {
		b.raw("stream_options", json.RawMessage(`{"include_usage":true}`))
	}
	if req.MaxOut > 0 {
		key := m.Preset.MaxTokensField
		if key == "" {
			key = "max_tokens"
		}
		b.raw(key, strconv.AppendInt(nil, int64(req.MaxOut), 10))
	}
	if req.Effort != "" {
		b.text("reasoning_effort", req.Effort)
	}
	if len(req.Schema) > 0 {
		b.raw("response_format", format(req.Schema))
	}
	if len(req.Tools) > 0 {
		b.raw("tools", tools(req.Tools))
		b.choice(req.Choice)
	}
	for _, key := range sortedKeys(extra) {
		if key != "messages" {
			b.key(key)
			b.out = append(b.out, compact(extra[key])...)
		}
	}
	b.key("messages")
	if raw, ok := extra["messages"]; ok {
		b.out = append(b.out, compact(raw)...)
	} else {
		b.out = m.messages(b.out, req)
	}
	return append(b.out, '}')
}

// body writes the keys of the request. What is in extra is written later.
type body struct {
	out   []byte
	extra map[string]json.RawMessage
}

func (b *body) key(key string) {
	if len(b.out) > 1 {
		b.out = append(b.out, ',')
	}
	b.out = appendString(b.out, key)
	b.out = append(b.out, ':')
}

func (b *body) raw(key string, v json.RawMessage) {
	if _, ok := b.extra[key]; ok {
		return
	}
	b.key(key)
	b.out = append(b.out, v...)
}

func (b *body) text(key, v string) { b.raw(key, appendString(nil, v)) }

func (b *body) choice(choice string) {
	switch choice {
	case "":
	case "none", "required", "auto":
		b.text("tool_choice", choice)
	default:
		out := appendString([]byte(`{"type":"function","function":{"name":`), choice)
		b.raw("tool_choice", append(out, "}}"...))
	}
}

func format(schema json.RawMessage) json.RawMessage {
	out := append([]byte(nil), `{"type":"json_schema","json_schema":{"name":"answer","schema":`...)
	out = append(out, compact(schema)...)
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
		out = appendString(out, t.Shown())
		if t.Doc != "" {
			out = append(out, `,"description":`...)
			out = appendString(out, t.Doc)
		}
		out = append(out, `,"parameters":`...)
		schema := compact(t.Schema)
		if len(schema) == 0 || string(schema) == "null" {
			schema = []byte(`{"type":"object","properties":{}}`)
		}
		schema = bytes.ReplaceAll(schema, []byte(`"required":null`), []byte(`"required":[]`))
		schema = bytes.ReplaceAll(schema, []byte(`"properties":null`), []byte(`"properties":{}`))
		out = append(out, schema...)
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
	for _, msg := range wire.Outbound(req.Messages, wire.OutboundOptions{Origin: m.Info().Origin(), IDs: m.Preset.IDs}) {
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
	w.out = appendString(w.out, key)
	w.out = append(w.out, ':')
}

func (w *writer) field(key, v string) {
	w.name(key)
	w.out = appendString(w.out, v)
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
		w.field("content", joined(msg.Parts))
		w.end()
	case agent.User:
		w.begin("user")
		w.content(msg.Parts)
		w.end()
	}
}

// joined is the text of several parts; parts are paragraphs.
func joined(parts []agent.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Kind == agent.Text && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// content writes a string, or a list when there are attachments.
func (w *writer) content(parts []agent.Part) {
	rich := false
	for _, p := range parts {
		rich = rich || p.Kind == agent.BlobKind && p.Blob != nil
	}
	if !rich {
		w.field("content", joined(parts))
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
	address := blob.URI
	if len(blob.Data) > 0 {
		address = "data:" + blob.MIME + ";base64," + base64.StdEncoding.EncodeToString(blob.Data)
	}
	switch {
	case strings.HasPrefix(blob.MIME, "text/") && len(blob.Data) > 0:
		return textPart(blob.Name + "\n" + string(blob.Data))
	case address == "":
		return textPart("[attachment " + blob.Name + " (" + blob.MIME + ") is not available]")
	case strings.HasPrefix(blob.MIME, "image/"):
		out := appendString([]byte(`{"type":"image_url","image_url":{"url":`), address)
		return append(out, "}}"...)
	case strings.HasPrefix(blob.MIME, "audio/") && len(blob.Data) > 0:
		out := appendString([]byte(`{"type":"input_audio","input_audio":{"data":`), base64.StdEncoding.EncodeToString(blob.Data))
		out = append(out, `,"format":`...)
		out = appendString(out, strings.TrimPrefix(strings.TrimPrefix(blob.MIME, "audio/"), "x-"))
		return append(out, "}}"...)
	}
	out := appendString([]byte(`{"type":"file","file":{"filename":`), blob.Name)
	out = append(out, `,"file_data":`...)
	out = appendString(out, address)
	return append(out, "}}"...)
}

func textPart(text string) []byte {
	return append(appendString([]byte(`{"type":"text","text":`), text), '}')
}

// result writes a tool message. Pictures cannot stand in one; they follow.
func (w *writer) result(r *agent.Result) {
	if r == nil {
		return
	}
	text := joined(r.Parts)
	for _, p := range r.Parts {
		switch {
		case p.Kind != agent.BlobKind || p.Blob == nil:
		case w.m.Config.Info.Vision || !visual(p.Blob.MIME):
			w.images = append(w.images, p)
		default: // a picture from the time of another model: sent to one without eyes, every later request would fail
			text += "\n[" + p.Blob.Name + " (" + p.Blob.MIME + ") is left out: this model is not known to see it]"
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

// visual reports whether only a model that can see takes this kind of attachment.
func visual(mime string) bool {
	return strings.HasPrefix(mime, "image/") || strings.HasPrefix(mime, "video/") || mime == "application/pdf"
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
		w.out = appendString(w.out, p.Call.ID)
		w.out = append(w.out, `,"type":"function","function":{"name":`...)
		w.out = appendString(w.out, p.Call.Name)
		w.out = append(w.out, `,"arguments":`...)
		w.out = appendString(w.out, arguments(p.Call.Args))
		w.out = append(w.out, '}')
		w.extras(p.Opaque)
		w.out = append(w.out, '}')
	}
	w.out = append(w.out, ']')
}

// arguments are a string that holds an object. Anything else makes servers refuse the whole history.
func arguments(args json.RawMessage) string {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || args[0] != '{' || !json.Valid(args) {
		return "{}"
	}
	return string(args)
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
	for _, key := range sortedKeys(fields) {
		w.rawField(key, compact(fields[key]))
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
	for _, key := range sortedKeys(own.Fields) {
		w.rawField(key, compact(own.Fields[key]))
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

// compact is raw JSON without white space; what is no JSON becomes null rather than a broken body.
func compact(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return []byte("null")
	}
	return b.Bytes()
}
