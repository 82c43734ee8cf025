package anthropic

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// assistant writes a message of the model.
func (w *writer) assistant(msg *agent.Message) {
	parts := msg.Parts
	for n := len(parts); n > 0 && parts[n-1].Kind == agent.Thinking && msg.Stop != agent.StopPause; n-- {
		parts = parts[:n-1] // thoughts must not end a message, and nothing came of these
	}
	if w.m.Preset.ReasoningAlways && w.tools && !thinks(parts) {
		w.begin(agent.Assistant)
		w.out = append(w.out, `{"type":"thinking","thinking":"","signature":""`...)
		w.end()
	}
	for i := range parts {
		w.assistantPart(&parts[i], i == len(parts)-1 && msg.Stop == agent.StopPause)
	}
}

func thinks(parts []agent.Part) bool {
	for i := range parts {
		if parts[i].Kind == agent.Thinking {
			return true
		}
	}
	return false
}

// assistantPart writes a block. ends: the conversation may end with it, and must not do so in white space.
func (w *writer) assistantPart(p *agent.Part, ends bool) {
	mem, own := w.m.recall(p.Opaque)
	switch {
	case p.Kind == agent.CallKind && p.Call != nil:
		w.call(p)
	case own && len(mem.Block) > 0:
		if raw := wire.Compact(mem.Block); raw[0] == '{' {
			w.begin(agent.Assistant)
			w.out = append(w.out, raw[:len(raw)-1]...)
			w.end()
		}
	case p.Kind == agent.Thinking && own && mem.Signature != nil:
		w.begin(agent.Assistant)
		w.out = append(w.out, `{"type":"thinking","thinking":`...)
		w.out = wire.AppendString(w.out, p.Text)
		w.out = append(w.out, `,"signature":`...)
		w.out = wire.AppendString(w.out, *mem.Signature)
		w.end()
	case p.Kind == agent.Text && strings.TrimSpace(p.Text) != "":
		text := p.Text
		if ends {
			text = strings.TrimRight(text, " \t\r\n")
		}
		w.begin(agent.Assistant)
		w.textBlock(text)
		if len(mem.Citations) > 0 {
			w.out = append(w.out, `,"citations":`...)
			w.out = append(w.out, wire.Compact(mem.Citations)...)
		}
		w.end()
	}
}

// call writes a call, with the fields that belong to it if they came from this very model.
func (w *writer) call(p *agent.Part) {
	w.begin(agent.Assistant)
	w.out = append(w.out, `{"type":"tool_use","id":`...)
	w.out = wire.AppendString(w.out, p.Call.ID)
	w.out = append(w.out, `,"name":`...)
	w.out = wire.AppendString(w.out, p.Call.Name)
	w.out = append(w.out, `,"input":`...)
	w.out = append(w.out, wire.Object(p.Call.Args)...)
	var fields map[string]json.RawMessage
	if w.m.own(p.Opaque) && json.Unmarshal(p.Opaque.Data, &fields) == nil {
		for _, key := range wire.SortedKeys(fields) {
			w.out = wire.AppendString(append(w.out, ','), key)
			w.out = append(append(w.out, ':'), wire.Compact(fields[key])...)
		}
	}
	w.end()
}
