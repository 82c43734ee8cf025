package gemini

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// encode writes the body of a request.
func (m *model) encode(req *agent.Request) []byte {
	extra := maps.Clone(m.Extra)
	if extra == nil {
		extra = map[string]json.RawMessage{}
	}
	maps.Copy(extra, req.Extra)
	config := m.generation(req, m.Extra[keyConfig], req.Extra[keyConfig])
	delete(extra, keyConfig)
	b := wire.NewBody(extra)
	if system := m.system(req); system != nil {
		b.Raw("systemInstruction", system)
	}
	if len(req.Tools) > 0 {
		b.Raw("tools", tools(req.Tools))
		if mode := choice(req.Choice); mode != nil {
			b.Raw("toolConfig", mode)
		}
	}
	if len(config) > 0 {
		b.Raw(keyConfig, object(config))
	}
	return b.End("contents", func(out []byte) []byte { return m.contents(out, req) })
}

const keyConfig = "generationConfig"

// object writes an object by the order of its names.
func object(fields map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for _, key := range wire.SortedKeys(fields) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(wire.AppendString(out, key), ':')
		out = append(out, wire.Compact(fields[key])...)
	}
	return append(out, '}')
}

// system writes the system prompt, with the answer's schema where the API does not take one.
func (m *model) system(req *agent.Request) []byte {
	text := req.System
	if len(req.Schema) > 0 && m.schemaInWords(req) {
		text = wire.SchemaInWords(req).System
	}
	if text == "" {
		return nil
	}
	return append(wire.AppendString([]byte(`{"parts":[{"text":`), text), "}]}"...)
}

// schemaInWords reports whether the model refuses a schema of the answer: the first generations do, beside tools.
func (m *model) schemaInWords(req *agent.Request) bool {
	return len(req.Tools) > 0 && m.version().before(3, 0)
}

// generation is how the answer is to be made. What is configured wins, key by key.
func (m *model) generation(req *agent.Request, configured ...json.RawMessage) map[string]json.RawMessage {
	config := map[string]json.RawMessage{}
	if req.MaxOut > 0 {
		config["maxOutputTokens"] = strconv.AppendInt(nil, int64(req.MaxOut), 10)
	}
	if thinking := m.thinking(req.Effort); len(thinking) > 0 {
		config["thinkingConfig"] = object(thinking)
	}
	if len(req.Schema) > 0 && !m.schemaInWords(req) {
		config["responseMimeType"] = json.RawMessage(`"application/json"`)
		config["responseJsonSchema"] = cleanSchema(req.Schema)
	}
	for _, raw := range configured {
		var own map[string]json.RawMessage
		if json.Unmarshal(raw, &own) == nil {
			maps.Copy(config, own)
		}
	}
	return config
}

// tools writes the definitions. A tool without parameters has no schema.
func tools(list []agent.Tool) []byte {
	out := []byte(`[{"functionDeclarations":[`)
	for i, t := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = wire.AppendString(append(out, `{"name":`...), t.Shown())
		if t.Doc != "" {
			out = wire.AppendString(append(out, `,"description":`...), t.Doc)
		}
		if schema := cleanSchema(wire.Schema(&t)); !bare(schema) {
			out = append(append(out, `,"parametersJsonSchema":`...), schema...)
		}
		out = append(out, '}')
	}
	return append(out, "]}]"...)
}

func choice(choice string) []byte {
	switch choice {
	case "":
		return nil
	case "none", "auto":
		return []byte(`{"functionCallingConfig":{"mode":"` + strings.ToUpper(choice) + `"}}`)
	case "required":
		return []byte(`{"functionCallingConfig":{"mode":"ANY"}}`)
	}
	out := wire.AppendString([]byte(`{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[`), choice)
	return append(out, "]}}"...)
}
