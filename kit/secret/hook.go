package secret

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"react-agent/agent"
)

// Name is the hook's name.
const Name = "secret"

// Hook masks what goes to the model, and keeps placeholders out of commands:
//
//   - results of tools are masked, their details for the screen too; it should be the last hook, so that it sees what
//     others added;
//   - known values are masked in what the person says, and in the system prompt. Shapes are not: the person may want to
//     talk about one;
//   - a call that has a known value among its arguments is refused, and so is one with a placeholder, if the tool does
//     more than read or write: the placeholder would be used as if it were the value.
func (k *Keeper) Hook() agent.Hook {
	return agent.Hook{
		Name: Name,
		OnInput: func(_ context.Context, _ *agent.Session, m *agent.Message) error {
			maskParts(m.Parts, k.MaskKnown)
			return nil
		},
		BeforeModel: func(_ context.Context, _ *agent.Session, req *agent.Request) error {
			req.System = k.MaskKnown(req.System)
			return nil
		},
		BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
			return k.judge(t, c), nil
		},
		AfterTool: func(_ context.Context, _ *agent.Session, _ agent.Call, r *agent.Result) error {
			r.Parts = append([]agent.Part(nil), r.Parts...) // a tool may have kept its own
			maskParts(r.Parts, k.Mask)
			r.Detail = k.maskJSON(r.Detail)
			return nil
		},
	}
}

func maskParts(parts []agent.Part, mask func(string) string) {
	for i := range parts {
		if parts[i].Kind == agent.Text || parts[i].Kind == agent.Thinking {
			parts[i].Text = mask(parts[i].Text)
		}
	}
}

// judge refuses calls in which a value or its placeholder would be used.
func (k *Keeper) judge(t agent.Tool, c agent.Call) agent.Decision {
	var reason string
	walk(c.Args, func(s string) string {
		if masked := k.MaskKnown(s); masked != s && reason == "" {
			reason = "refused: the arguments hold a secret of this agent (" + first(masked) + "), which no tool may use"
		}
		if p := first(s); p != "" && reason == "" && t.Effect != agent.Reads && t.Effect != agent.Writes {
			reason = fmt.Sprintf("refused: %s stands for a secret that you cannot see, and would be used as it is written here. "+
				"Have the command read the value itself from the file or the variable where it is, without printing it", p)
		}
		return s
	})
	if reason == "" {
		return agent.Decision{}
	}
	return agent.Decision{Verdict: agent.Deny, Reason: reason}
}

// first is the first placeholder of a text, or "".
func first(text string) string {
	if marks := placeholders(text); len(marks) > 0 {
		return text[marks[0].from:marks[0].to]
	}
	return ""
}

// maskJSON masks the strings of a JSON value. What is no JSON is masked as text.
func (k *Keeper) maskJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	changed := false
	v, ok := walk(raw, func(s string) string {
		masked := k.Mask(s)
		changed = changed || masked != s
		return masked
	})
	if !ok {
		return json.RawMessage(k.Mask(string(raw)))
	}
	if !changed {
		return raw
	}
	out, err := agent.EncodeJSON(v)
	if err != nil { // cannot be: it was JSON
		return nil
	}
	return out
}

// walk goes over all strings of a JSON value, names of fields too, and gives the value with what f made of them.
func walk(raw json.RawMessage, f func(string) string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, false
	}
	return walkValue(v, f), true
}

func walkValue(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = walkValue(v[i], f)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[f(name)] = walkValue(value, f)
		}
		return out
	}
	return v
}
