package chat

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/internal/sse"
)

// call is what the model has asked for, in its own words.
type call struct {
	agent.Call
	told   bool
	result *string // what is refused has its result before others run: it waits for those before it
}

// take turns an event into frames.
func (t *turn) take(f *engine.Frame) error {
	if f.Type.Durable() {
		t.seq = f.Seq
	}
	if !t.wants(f.Type) {
		return nil
	}
	e, err := f.Event()
	if err != nil {
		return err
	}
	if !t.begun && e.Type != agent.EvNotice {
		t.begun = t.took(&e)
		if !t.begun || e.Type == agent.EvMessage { // the person's own words are no frame
			return nil
		}
	}
	if e.Type.Durable() {
		t.durable(&e)
	} else {
		t.live(&e)
	}
	return nil
}

// took reports whether an event has taken the message in.
func (t *turn) took(e *agent.Event) bool {
	return slices.ContainsFunc(e.Took, func(x agent.Took) bool { return x.Pos == t.pos && x.Log == "input/"+t.session })
}

// wants reports whether an event has to be looked at: most are deltas that nobody has asked for.
func (t *turn) wants(typ agent.EventType) bool {
	switch typ {
	case agent.EvMessage, agent.EvEnd, agent.EvNotice:
		return true
	case agent.EvCall, agent.EvAsk, agent.EvCompact, agent.EvStep:
		return t.begun
	case agent.EvChunk, agent.EvRetry:
		return t.begun && t.stream
	case agent.EvAnswer, agent.EvVoid, agent.EvSetup, agent.EvState, agent.EvProgress:
	}
	return false
}

// live shows what happens and is not stored.
func (t *turn) live(e *agent.Event) {
	switch {
	case e.Type == agent.EvStep:
		t.step(e.Text)
	case e.Type == agent.EvChunk && e.Chunk != nil && e.Chunk.Part != nil && e.Chunk.Part.Kind == agent.Text && e.Chunk.Part.Text != "":
		if !t.thought { // the beginning of the call was missed
			t.step("model")
		}
		t.pieces = true
		t.send("delta", map[string]string{"text": e.Chunk.Part.Text})
	case e.Type == agent.EvRetry && t.pieces:
		t.pieces = false
		t.send("retry", struct {
			Text string `json:"text,omitempty"`
		}{e.Text})
	case e.Type == agent.EvNotice && e.Error != nil: // nothing can be stored: there will be no end
		t.fail(e.Text)
	case e.Type == agent.EvNotice && t.begun:
		t.send("notice", map[string]string{"text": e.Text})
	}
}

// durable shows what has happened.
func (t *turn) durable(e *agent.Event) {
	switch {
	case e.Type == agent.EvCompact:
		if e.Trim != nil && (len(e.Trim.Head) > 0 || e.Trim.From > 0) { // clearing old results is silent
			t.step("compact")
		}
		t.thought, t.packed = false, false
	case e.Type == agent.EvMessage:
		t.message(e.Message)
	case e.Type == agent.EvCall && t.find(e.Call.Key) >= 0:
		t.call(t.calls[t.find(e.Call.Key)])
	case e.Type == agent.EvAsk:
		t.send("ask", struct {
			ID      string   `json:"id"`
			Text    string   `json:"text"`
			Choices []string `json:"choices"`
		}{e.Ask.ID, e.Ask.Text, append([]string{}, e.Ask.Choices...)})
	case e.Type == agent.EvEnd:
		t.end(e)
	}
}

// step says once that a model call or a compaction begins.
func (t *turn) step(what string) {
	switch {
	case what == "compact" && t.packed, what != "compact" && t.thought: // the engine shows it again to who comes late
		return
	}
	t.pieces = false
	if what == "compact" {
		t.thought, t.packed = false, true
		t.send("thinking", map[string]string{"step": "auto-compact"})
		return
	}
	t.thought, t.packed = true, false
	t.send("thinking", map[string]string{"step": "calling LLM"})
}

// message shows an answer of the model, or a result. What was injected is for the model.
func (t *turn) message(m *agent.Message) {
	switch {
	case m.Role == agent.Assistant && m.From == "":
		if !t.thought { // the event was live and was lost
			t.step("model")
		}
		t.thought, t.pieces = false, false
		calls := m.Calls()
		for _, c := range calls {
			t.calls = append(t.calls, &call{Call: c})
		}
		for _, p := range m.Parts {
			if len(calls) == 0 && p.Kind == agent.Text && p.Text != "" {
				t.send("message", map[string]string{"content": p.Text})
			}
		}
	case m.Role == agent.ToolRole:
		if res := m.Result(); res != nil {
			t.result(res)
		}
	}
}

// result shows what a call has come to, as a pair with the call. That of one which never ran waits for those before it.
func (t *turn) result(res *agent.Result) {
	i := t.find(res.Key)
	if i < 0 {
		return
	}
	said := cut(res.Text())
	t.calls[i].result = &said
	if t.calls[i].told {
		t.pair(i)
	}
	for len(t.calls) > 0 && t.calls[0].result != nil {
		t.pair(0)
	}
}

// find is the place of a call in the order, -1 for none.
func (t *turn) find(key string) int {
	return slices.IndexFunc(t.calls, func(c *call) bool { return c.Key == key && c.result == nil })
}

// pair shows a call that has its result.
func (t *turn) pair(i int) {
	c := t.calls[i]
	t.calls = slices.Delete(t.calls, i, i+1)
	t.call(c)
	t.send("tool_result", struct {
		Name   string `json:"name"`
		Result string `json:"result"`
	}{c.Name, *c.result})
}

func hasResult(c *call) bool { return c.result != nil }

// call says that a tool runs.
func (t *turn) call(c *call) {
	if c.told {
		return
	}
	c.told = true
	args := c.Args
	if len(args) == 0 {
		args = []byte("{}")
	}
	t.send("tool_call", struct {
		Name string `json:"name"`
		Args any    `json:"args"`
	}{c.Name, args})
}

// shown is how many characters of a result a client sees.
const shown = 2000

func cut(s string) string {
	n := 0
	for i := range s {
		if n == shown {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

// end closes the turn.
func (t *turn) end(e *agent.Event) {
	for i := slices.IndexFunc(t.calls, hasResult); i >= 0; i = slices.IndexFunc(t.calls, hasResult) {
		t.pair(i)
	}
	if e.Error != nil && e.Error.Kind != agent.ErrConfig && e.Error.Kind != agent.ErrInternal { // a model call has failed
		t.step("model")
	}
	switch {
	case e.Stop == agent.RunEnd:
		t.finish()
	case e.Stop == agent.RunSteps:
		limit := t.o.Limit
		if limit == 0 {
			limit = e.Steps
		}
		t.fail(worded(t.o.Rounds, limit))
	case e.Error != nil && e.Error.Status >= http.StatusBadRequest:
		said := e.Error.Message
		if _, words, ok := strings.Cut(said, fmt.Sprintf("(HTTP %d): ", e.Error.Status)); ok {
			said = words
		}
		t.fail(fmt.Sprintf("API returned %d: %s", e.Error.Status, said))
	case e.Error != nil:
		t.fail(e.Error.Message)
	case e.Text != "":
		t.fail(e.Text)
	case e.Stop == agent.RunCancelled:
		t.fail(t.o.Msg.Text(msg.ChatCancelled))
	default:
		t.fail(string(e.Stop))
	}
}

// worded puts a number into a text that may have a place for it.
func worded(text string, n int) string {
	return strings.Replace(text, "%d", fmt.Sprint(n), 1)
}

// fail ends the stream with what went wrong.
func (t *turn) fail(why string) {
	t.send("error", map[string]string{"error": why})
	t.finish()
}

func (t *turn) finish() {
	t.send("done", struct{}{})
	t.done = true
}

// send puts a frame behind those that wait.
func (t *turn) send(typ string, data any) {
	line, err := agent.EncodeJSON(struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{typ, data})
	if err != nil { // it is made of texts
		return
	}
	t.w.Add(sse.Event{Type: []byte(typ), Data: line})
}
