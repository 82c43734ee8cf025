package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"react-agent/agent"
)

// answer is what a reply came to, in the words of the cases.
type answer struct {
	text   string
	calls  []string // name(arguments)
	finish string
	usage  map[string]int64 // input, output, cached, reasoning; what is unknown is absent
}

// fields gives everything that is compared, as text.
func (a answer) fields() map[string]string {
	f := map[string]string{"text": strings.TrimSpace(a.text), "calls": strings.Join(a.calls, " "), "finish": a.finish}
	for _, key := range []string{"input", "output", "cached", "reasoning"} {
		if n := a.usage[key]; n != 0 { // the libraries have no word for unknown but 0
			f[key] = fmt.Sprint(n)
		}
	}
	return f
}

// expected is the same of what a case says must come out; fields it is silent about are absent.
func (c *wireCase) expected() map[string]string {
	f := map[string]string{}
	if c.Expect.Text != nil {
		f["text"] = strings.TrimSpace(*c.Expect.Text)
	}
	if c.Expect.Finish != nil {
		f["finish"] = *c.Expect.Finish
	}
	if c.Expect.Calls != nil {
		var calls []string
		for _, e := range *c.Expect.Calls {
			if e.Invalid {
				calls = append(calls, e.Name+"(?)")
				continue
			}
			calls = append(calls, called(e.Name, string(unfold(e.Arguments))))
		}
		f["calls"] = strings.Join(calls, " ")
	}
	for key, n := range c.Expect.Usage {
		if key != "cache_write" {
			f[key] = ""
			if n != nil && *n != 0 {
				f[key] = fmt.Sprint(*n)
			}
		}
	}
	return f
}

// unfold writes out the long strings that a case has as {"repeat","times"}.
func unfold(raw json.RawMessage) json.RawMessage {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return raw
	}
	for key, v := range args {
		if o, ok := v.(map[string]any); ok {
			text, isText := o["repeat"].(string)
			times, isNumber := o["times"].(float64)
			if isText && isNumber {
				args[key] = strings.Repeat(text, int(times))
			}
		}
	}
	out, err := json.Marshal(args)
	if err != nil {
		return raw
	}
	return out
}

// called writes a call; arguments that are an object are written the same whatever their spelling.
func called(name, args string) string {
	var v any
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	if json.Unmarshal([]byte(args), &v) != nil {
		return name + "(?)"
	}
	if _, ok := v.(map[string]any); !ok {
		return name + "(?)"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return name + "(?)"
	}
	return name + "(" + strings.TrimSpace(b.String()) + ")"
}

// ours reads a reply with this program's wire.
func ours(t *testing.T, c *wireCase) (answer, error) {
	t.Helper()
	s := &server{status: c.HTTP.Status, body: c.body()}
	var b agent.Builder
	req := &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "Go on.")}, Tools: tools(c.Client.Tools)}
	for chunk, err := range open(c.API, c.Vendor, "m", s).Stream(t.Context(), req) {
		if err != nil {
			return answer{}, err
		}
		if err := b.Add(chunk); err != nil {
			return answer{}, err
		}
	}
	msg := b.Message()
	a := answer{text: msg.Text(), finish: finishWord(msg.Stop), usage: map[string]int64{}}
	for _, call := range msg.Calls() {
		a.calls = append(a.calls, called(call.Name, string(call.Args)))
	}
	if u := msg.Usage; u != nil {
		for key, n := range map[string]*int64{"input": u.Input, "output": u.Output, "cached": u.Cached, "reasoning": u.Reasoning} {
			if n != nil {
				a.usage[key] = *n
			}
		}
	}
	return a, nil
}

func finishWord(stop agent.StopReason) string {
	switch stop {
	case agent.StopEnd:
		return "stop"
	case agent.StopCalls:
		return "tool_calls"
	case agent.StopLength, agent.StopOverflow:
		return "length"
	case agent.StopRefused:
		return "content_filter"
	case agent.StopPause, agent.StopAborted:
	}
	return string(stop)
}
