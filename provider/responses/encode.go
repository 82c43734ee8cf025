package responses

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strconv"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// encode writes the body of a request, without what the server refuses.
func (m *model) encode(req *agent.Request, without uint32) []byte {
	extra := maps.Clone(m.Extra)
	if extra == nil {
		extra = map[string]json.RawMessage{}
	}
	maps.Copy(extra, req.Extra)
	m.reasoning(extra, req, without)
	if len(req.Schema) > 0 {
		beside(extra, "text", "format", format(req.Schema))
	}
	b := wire.NewBody(extra)
	if !m.Preset.ModelInPath() {
		b.Text("model", m.Model)
	}
	b.Raw("stream", []byte("true"))
	b.Raw("store", []byte("false"))
	if without&encrypted == 0 {
		b.Raw("include", []byte(`["reasoning.encrypted_content"]`))
	}
	if without&cacheRoute == 0 {
		b.Text("prompt_cache_key", conversation(req))
	}
	if req.MaxOut > 0 {
		b.Raw("max_output_tokens", strconv.AppendInt(nil, int64(req.MaxOut), 10))
	}
	if len(req.Tools) > 0 {
		b.Raw("tools", tools(req.Tools))
		choice(b, req.Choice)
	}
	if req.System != "" {
		b.Text("instructions", req.System)
	}
	return b.End("input", func(out []byte) []byte { return m.input(out, req.Messages, without) })
}

// reasoning asks for the effort, and for a summary of what was thought.
func (m *model) reasoning(extra map[string]json.RawMessage, req *agent.Request, without uint32) {
	if req.Effort != "" {
		beside(extra, "reasoning", "effort", wire.AppendString(nil, req.Effort))
	}
	if (req.Effort != "" || m.Config.Info.Reasoning) && req.Effort != "none" && without&summary == 0 {
		beside(extra, "reasoning", "summary", []byte(`"auto"`))
	}
}

// beside adds a field to an object of the body, in which the configuration may have fields of its own; its own win.
func beside(extra map[string]json.RawMessage, key, field string, v []byte) {
	o := map[string]json.RawMessage{}
	if raw, ok := extra[key]; ok && (json.Unmarshal(raw, &o) != nil || o == nil) {
		return // it wants something that is no object there
	}
	if _, ok := o[field]; !ok {
		o[field] = v
	}
	if data, err := agent.EncodeJSON(o); err == nil {
		extra[key] = data
	}
}

// conversation names the conversation by how it began, so that all its requests reach the same cache.
func conversation(req *agent.Request) string {
	h := sha256.New()
	_, _ = h.Write([]byte(req.System))
	if len(req.Messages) > 0 {
		_, _ = h.Write([]byte("\x00" + wire.Joined(req.Messages[0].Parts)))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func choice(b *wire.Body, choice string) {
	switch choice {
	case "":
	case "none", "required", "auto":
		b.Text("tool_choice", choice)
	default:
		out := wire.AppendString([]byte(`{"type":"function","name":`), choice)
		b.Raw("tool_choice", append(out, '}'))
	}
}

func format(schema json.RawMessage) json.RawMessage {
	out := append([]byte(nil), `{"type":"json_schema","name":"answer","schema":`...)
	out = append(out, wire.Compact(schema)...)
	return append(out, '}')
}

// tools writes the definitions. They are not strict: a server that makes a schema strict by itself turns every optional
// parameter into a required one.
func tools(list []agent.Tool) json.RawMessage {
	out := []byte{'['}
	for i, t := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"type":"function","name":`...)
		out = wire.AppendString(out, t.Shown())
		if t.Doc != "" {
			out = append(out, `,"description":`...)
			out = wire.AppendString(out, t.Doc)
		}
		out = append(out, `,"parameters":`...)
		out = append(out, wire.Schema(&t)...)
		out = append(out, `,"strict":false}`...)
	}
	return append(out, ']')
}
