package conformance

import (
	"encoding/json"
	"slices"

	"react-agent/agent"
	"react-agent/provider/anthropic"
	"react-agent/provider/completions"
	"react-agent/provider/gemini"
	"react-agent/provider/responses"
	"react-agent/provider/wire"
)

const base = "http://peer.invalid/v1"

// wires are ours, by the api of a case.
func wires() map[string]func(wire.Config) agent.Model {
	return map[string]func(wire.Config) agent.Model{
		"chat": completions.New, "responses": responses.New, "anthropic": anthropic.New, "gemini": gemini.New,
	}
}

// open makes our model of a wire, for a vendor.
func open(api, vendor, model string, s *server) agent.Model {
	preset, ok := wire.Lookup(vendor)
	if of, err := preset.For(api); ok && err == nil {
		preset = of
	} else {
		preset = wire.Preset{Name: vendor, API: api}
	}
	return wires()[api](wire.Config{
		BaseURL: base, Key: "k", Model: model, Preset: preset, HTTP: s.client(),
		Info: agent.ModelInfo{Vision: true, Files: true, Audio: true, Reasoning: true, Tools: true, MaxOutput: 8192},
	})
}

// tools are those every case offers.
func tools(only *[]string) []agent.Tool {
	var out []agent.Tool
	for _, d := range []struct{ name, schema string }{
		{"bash", `{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer","exclusiveMinimum":0}},"required":["command"],"additionalProperties":false}`},
		{"read_file", `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":["integer","null"]}},"required":["path"]}`},
		{"write_file", `{"type":"object","properties":{"path":{"type":"string"},"content":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}},"required":["path","content"]}`},
		{"get_time", ``},
	} {
		if only == nil || slices.Contains(*only, d.name) {
			out = append(out, agent.Tool{Name: d.name, Doc: "A fake.", Schema: json.RawMessage(d.schema)})
		}
	}
	return out
}
