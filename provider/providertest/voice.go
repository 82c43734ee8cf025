package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// voice says the parts of a reply in the way of a wire.
type voice interface {
	text(piece string, first bool)
	thought(piece string, first bool)
	call(id, tool string, pieces []string)
	nothing()
	finish(reason string, calls bool, usage *[3]int)
}

// voiceFor is the voice of a path.
func (p *player) voiceFor(path string) voice {
	switch {
	case strings.HasSuffix(path, responsesPath):
		return &responsesVoice{player: p}
	case strings.HasSuffix(path, messagesPath):
		return &messagesVoice{player: p}
	case strings.HasSuffix(path, geminiPath):
		return &geminiVoice{player: p}
	}
	return &chatVoice{player: p}
}

type object = map[string]any

// data sends one event without a name.
func (p *player) data(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of plain values always encode
	}
	_, _ = fmt.Fprintf(p.w, "data: %s\n\n", raw)
	p.flush()
}

// named sends one event with its type as its name.
func (p *player) named(kind string, fields object) {
	fields["type"] = kind
	_, _ = fmt.Fprintf(p.w, "event: %s\n", kind)
	p.data(fields)
}

// mark is opaque data, which must come back to who wrote it and to nobody else.
func (p *player) mark(wire string) string { return fmt.Sprintf("mark-%s-%d", wire, p.n) }

// chatVoice is Chat Completions.
type chatVoice struct {
	*player
	calls int
}

func (c *chatVoice) text(piece string, _ bool)    { c.delta(object{"content": piece}) }
func (c *chatVoice) thought(piece string, _ bool) { c.delta(object{"reasoning_content": piece}) }
func (c *chatVoice) nothing()                     { c.delta(object{"role": "assistant"}) }

func (c *chatVoice) call(id, tool string, pieces []string) {
	c.delta(object{"tool_calls": []any{object{
		"index": c.calls, "id": id, "type": "function", "function": object{"name": tool, "arguments": ""},
	}}})
	for _, piece := range pieces {
		c.delta(object{"tool_calls": []any{object{"index": c.calls, "function": object{"arguments": piece}}}})
	}
	c.calls++
}

func (c *chatVoice) finish(reason string, calls bool, u *[3]int) {
	if reason == "" {
		reason = or(calls, "tool_calls", "stop")
	}
	c.chunk(object{"choices": []any{object{"index": 0, "delta": object{}, "finish_reason": reason}}})
	if u != nil {
		c.chunk(object{"choices": []any{}, "usage": object{
			"prompt_tokens": u[0], "completion_tokens": u[1], "total_tokens": u[0] + u[1],
			"prompt_tokens_details": object{"cached_tokens": u[2]},
		}})
	}
	_, _ = io.WriteString(c.w, "data: [DONE]\n\n")
	c.flush()
}

func (c *chatVoice) delta(delta object) {
	c.chunk(object{"choices": []any{object{"index": 0, "delta": delta, "finish_reason": nil}}})
}

func (c *chatVoice) chunk(o object) {
	o["id"], o["object"], o["model"] = fmt.Sprintf("chatcmpl-%d", c.n), "chat.completion.chunk", "test-model"
	c.data(o)
}

func or(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// responsesVoice is the Responses API. Its items close when the next one begins.
type responsesVoice struct {
	*player
	items []object
	whole string
	kind  string // of the open item
}

func (r *responsesVoice) text(piece string, first bool) {
	if first {
		r.open("message", object{"role": "assistant", "content": []any{}})
	}
	r.whole += piece
	r.named("response.output_text.delta", object{"item_id": r.id(), "output_index": r.at(), "content_index": 0, "delta": piece})
}

func (r *responsesVoice) thought(piece string, first bool) {
	if first {
		r.open("reasoning", object{"summary": []any{}})
	}
	r.whole += piece
	r.named("response.reasoning_summary_text.delta", object{"item_id": r.id(), "output_index": r.at(), "summary_index": 0, "delta": piece})
}

func (r *responsesVoice) call(id, tool string, pieces []string) {
	r.open("function_call", object{"call_id": id, "name": tool, "arguments": ""})
	for _, piece := range pieces {
		r.whole += piece
		r.named("response.function_call_arguments.delta", object{"item_id": r.id(), "output_index": r.at(), "delta": piece})
	}
}

func (r *responsesVoice) nothing() { r.begin() }

func (r *responsesVoice) begin() {
	if r.items == nil {
		r.items = []object{}
		r.named("response.created", object{"response": object{"id": fmt.Sprintf("resp_%d", r.n), "model": r.model, "status": "in_progress", "output": []any{}}})
	}
}

func (r *responsesVoice) id() string { return fmt.Sprintf("item_%d_%d", r.n, r.at()) }
func (r *responsesVoice) at() int    { return len(r.items) - 1 }

func (r *responsesVoice) open(kind string, item object) {
	r.begin()
	r.close()
	r.items = append(r.items, item)
	item["type"], item["id"], r.kind, r.whole = kind, r.id(), kind, ""
	r.named("response.output_item.added", object{"output_index": r.at(), "item": item})
}

func (r *responsesVoice) close() {
	if r.kind == "" {
		return
	}
	item := r.items[r.at()]
	switch r.kind {
	case "message":
		item["content"] = []any{object{"type": "output_text", "text": r.whole}}
	case "reasoning":
		item["summary"], item["encrypted_content"] = []any{object{"type": "summary_text", "text": r.whole}}, r.mark("responses")
	case "function_call":
		item["arguments"] = r.whole
	}
	r.named("response.output_item.done", object{"output_index": r.at(), "item": item})
	r.kind = ""
}

func (r *responsesVoice) finish(reason string, _ bool, u *[3]int) {
	r.begin()
	r.close()
	resp := object{"id": fmt.Sprintf("resp_%d", r.n), "model": r.model, "status": "completed", "output": r.items}
	if u != nil {
		resp["usage"] = object{"input_tokens": u[0], "input_tokens_details": object{"cached_tokens": u[2]}, "output_tokens": u[1], "total_tokens": u[0] + u[1]}
	}
	kind := "response.completed"
	if reason == "length" {
		kind = "response.incomplete"
		resp["status"], resp["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	r.named(kind, object{"response": resp})
}

// messagesVoice is the Messages API.
type messagesVoice struct {
	*player
	begun  bool
	blocks int
	kind   string // of the open block
}

func (m *messagesVoice) text(piece string, first bool) {
	if first {
		m.open("text", object{"type": "text", "text": ""})
	}
	m.delta(object{"type": "text_delta", "text": piece})
}

func (m *messagesVoice) thought(piece string, first bool) {
	if first {
		m.open("thinking", object{"type": "thinking", "thinking": "", "signature": ""})
	}
	m.delta(object{"type": "thinking_delta", "thinking": piece})
}

func (m *messagesVoice) call(id, tool string, pieces []string) {
	m.open("tool_use", object{"type": "tool_use", "id": id, "name": tool, "input": object{}})
	for _, piece := range pieces {
		m.delta(object{"type": "input_json_delta", "partial_json": piece})
	}
}

func (m *messagesVoice) nothing() { m.begin() }

func (m *messagesVoice) begin() {
	if m.begun {
		return
	}
	m.begun = true
	usage := object{}
	if u := m.reply.Usage; u != nil {
		usage = object{"input_tokens": u[0] - u[2], "cache_read_input_tokens": u[2], "output_tokens": 1}
	}
	m.named("message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%d", m.n), "type": "message", "role": "assistant", "model": m.model, "content": []any{}, "stop_reason": nil, "usage": usage,
	}})
}

func (m *messagesVoice) open(kind string, block object) {
	m.begin()
	m.close()
	m.kind = kind
	m.named("content_block_start", object{"index": m.blocks, "content_block": block})
}

func (m *messagesVoice) delta(d object) {
	m.named("content_block_delta", object{"index": m.blocks, "delta": d})
}

func (m *messagesVoice) close() {
	if m.kind == "" {
		return
	}
	if m.kind == "thinking" {
		m.delta(object{"type": "signature_delta", "signature": m.mark("anthropic")})
	}
	m.named("content_block_stop", object{"index": m.blocks})
	m.kind = ""
	m.blocks++
}

func (m *messagesVoice) finish(reason string, calls bool, u *[3]int) {
	m.begin()
	m.close()
	switch reason {
	case "":
		reason = or(calls, "tool_use", "end_turn")
	case "length":
		reason = "max_tokens"
	}
	usage := object{}
	if u != nil {
		usage["output_tokens"] = u[1]
	}
	m.named("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": usage})
	m.named("message_stop", object{})
}

// geminiVoice is generateContent.
type geminiVoice struct{ *player }

func (g *geminiVoice) text(piece string, _ bool) { g.parts(object{"text": piece}) }

func (g *geminiVoice) thought(piece string, _ bool) { g.parts(object{"text": piece, "thought": true}) }

func (g *geminiVoice) call(_, tool string, pieces []string) {
	args := json.RawMessage(strings.Join(pieces, ""))
	if !json.Valid(args) { // this wire has values, no text
		args = json.RawMessage(`{}`)
	}
	g.parts(object{"functionCall": object{"name": tool, "args": args}, "thoughtSignature": g.mark("gemini")})
}

func (g *geminiVoice) nothing() { g.data(object{"modelVersion": g.model}) }

func (g *geminiVoice) parts(parts ...object) {
	g.data(object{"candidates": []any{object{"content": object{"role": "model", "parts": parts}, "index": 0}}, "modelVersion": g.model})
}

func (g *geminiVoice) finish(reason string, _ bool, u *[3]int) {
	switch reason {
	case "":
		reason = "STOP"
	case "length":
		reason = "MAX_TOKENS"
	}
	last := object{
		"candidates":   []any{object{"content": object{"role": "model", "parts": []any{object{"text": ""}}}, "finishReason": reason, "index": 0}},
		"modelVersion": g.model,
	}
	if u != nil {
		last["usageMetadata"] = object{"promptTokenCount": u[0], "candidatesTokenCount": u[1], "cachedContentTokenCount": u[2], "totalTokenCount": u[0] + u[1]}
	}
	g.data(last)
}
