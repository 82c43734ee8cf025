package anthropic

import (
	"slices"
	"strconv"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// The numbers of tokens that a request asks for when it names none.
const (
	usualOut  = 32_000 // what most answers need
	thinkOut  = 64_000 // what they need with much thinking
	minBudget = 1024   // the protocol's
)

// thinking is how a request asks for thoughts.
type thinking struct {
	kind   string // of the thinking field: adaptive, enabled, disabled; "" = none
	budget int    // of enabled
	effort string // of output_config; "" = none
	max    int    // max_tokens
}

// thinkingOf decides it.
func (m *model) thinkingOf(req *agent.Request, forced bool) thinking {
	t := thinking{max: m.maxTokens(req)}
	switch {
	case req.Effort == "":
	case off(req.Effort):
		t.kind = "disabled"
	case m.can.adaptive:
		t.kind, t.effort = "adaptive", level(req.Effort)
	default:
		if m.can.effort {
			t.effort = level(req.Effort)
		}
		if t.budget = budget(req.Effort, t.max); t.budget > 0 && m.mayThink(req) {
			t.kind = "enabled"
		}
	}
	if forced { // a call that has to be made leaves no room for thoughts
		switch t.kind {
		case "adaptive":
			t.kind = ""
		case "enabled":
			t.kind = "disabled"
		}
	}
	return t
}

// maxTokens is the output limit of a request, which the protocol requires.
func (m *model) maxTokens(req *agent.Request) int {
	info := m.Config.Info
	want := req.MaxOut
	if want <= 0 {
		want = usualOut
		if req.Effort != "" && !off(req.Effort) {
			want = thinkOut
		}
		if info.Context > 0 {
			want = min(want, max(info.Context/4, 1))
		}
	}
	if info.MaxOutput > 0 {
		want = min(want, info.MaxOutput)
	}
	return want
}

// budget is how many tokens an effort may think, 0 = not at all: there has to be room for the answer.
func budget(effort string, most int) int {
	want := 16_000
	switch effort {
	case "minimal":
		want = minBudget
	case "low":
		want = 4000
	case "medium":
		want = 10_000
	case "xhigh", "max":
		want = 32_000
	}
	if want = min(want, most/2); want < minBudget {
		return 0
	}
	return want
}

// off reports whether an effort means no thoughts.
func off(effort string) bool { return effort == "none" || effort == "off" || effort == "disabled" }

// level is an effort by the names of this protocol.
func level(effort string) string {
	if effort == "minimal" {
		return "low"
	}
	return effort
}

// mayThink reports whether a budget can be given: in the middle of a step the model's message has to begin with thoughts,
// and those of another model are not there.
func (m *model) mayThink(req *agent.Request) bool {
	for i := range slices.Backward(req.Messages) {
		msg := &req.Messages[i]
		switch {
		case msg.Role != agent.Assistant:
			continue
		case len(msg.Calls()) == 0 && msg.Stop != agent.StopPause:
			return true
		}
		return len(msg.Parts) > 0 && msg.Parts[0].Kind == agent.Thinking && m.own(msg.Parts[0].Opaque)
	}
	return true
}

// write writes the fields.
func (t *thinking) write(b *wire.Body, format []byte) {
	switch t.kind {
	case "":
	case "enabled":
		out := append([]byte(`{"type":"enabled","budget_tokens":`), strconv.Itoa(t.budget)...)
		b.Raw("thinking", append(out, '}'))
	case "adaptive": // newer models keep their thoughts to themselves unless they are asked to show a summary
		b.Raw("thinking", []byte(`{"type":"adaptive","display":"summarized"}`))
	default:
		b.Raw("thinking", []byte(`{"type":"`+t.kind+`"}`))
	}
	if t.effort == "" && len(format) == 0 {
		return
	}
	out := []byte{'{'}
	if t.effort != "" {
		out = wire.AppendString(append(out, `"effort":`...), t.effort)
	}
	if len(format) > 0 {
		if t.effort != "" {
			out = append(out, ',')
		}
		out = append(append(out, `"format":{"type":"json_schema","schema":`...), format...)
		out = append(out, '}')
	}
	b.Raw("output_config", append(out, '}'))
}
