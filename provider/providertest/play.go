package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// player streams one reply.
type player struct {
	s     *Server
	w     http.ResponseWriter
	ctx   context.Context //nolint:containedctx // of this one request
	reply Reply
	n     int // number of the reply, from 1

	raw   bool // a raw stream says everything itself
	calls int
}

func (p *player) play() {
	maps.Copy(p.w.Header(), p.reply.Header)
	p.w.Header().Set("Content-Type", "text/event-stream")
	p.w.WriteHeader(http.StatusOK)
	p.flush()
	for _, part := range p.reply.Parts {
		if !p.part(part) {
			return
		}
	}
	if !p.raw {
		p.finish()
	}
}

// part plays one part; false ends the reply.
func (p *player) part(part Part) bool {
	switch part.Verb {
	case Say:
		p.text("content", p.fill(part.Text))
	case Think:
		p.text("reasoning_content", p.fill(part.Text))
	case Call:
		p.call(part.Tool, p.fill(part.Text))
	case Raw, Cut:
		p.raw = true
		_, _ = io.WriteString(p.w, part.Text)
		p.flush()
		if part.Verb == Cut {
			panic(http.ErrAbortHandler)
		}
	case Break:
		panic(http.ErrAbortHandler)
	case Wait, Hang:
		return p.hold(part)
	case Nothing:
		p.delta(map[string]any{"role": "assistant"})
	}
	return true
}

// hold waits as the part says; false means that the client is gone.
func (p *player) hold(part Part) bool {
	p.count(1)
	defer p.count(-1)
	ok := func() bool { return false }
	if part.Verb == Wait {
		ok = func() bool { return part.N > 0 && len(p.s.requests) >= part.N || p.take(part) }
	}
	return p.s.until(p.ctx, ok) == nil
}

// take uses up one release; the caller holds the lock.
func (p *player) take(part Part) bool {
	if part.N > 0 || p.s.released == 0 {
		return false
	}
	p.s.released--
	return true
}

func (p *player) count(d int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.holding += d
	p.s.wake()
}

func (p *player) fill(text string) string { return strings.ReplaceAll(text, "{n}", strconv.Itoa(p.n)) }

// text sends a text in pieces of three characters, at most a hundred of them: long texts in longer pieces.
func (p *player) text(field, text string) {
	runes := []rune(text)
	size := max(3, len(runes)/100)
	for len(runes) > 0 {
		n := min(size, len(runes))
		p.delta(map[string]any{field: string(runes[:n])})
		runes = runes[n:]
	}
}

// call sends the head of a call and its arguments in two pieces.
func (p *player) call(tool, args string) {
	i := p.calls
	p.calls++
	id := fmt.Sprintf("call_%d_%d", p.n, i+1)
	p.delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": i, "id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": ""},
	}}})
	runes := []rune(args)
	half := len(runes) / 2
	for _, piece := range []string{string(runes[:half]), string(runes[half:])} {
		p.delta(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "function": map[string]any{"arguments": piece},
		}}})
	}
}

func (p *player) finish() {
	reason := p.reply.Finish
	switch {
	case reason != "":
	case p.calls > 0:
		reason = "tool_calls"
	default:
		reason = "stop"
	}
	p.chunk(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}})
	if u := p.reply.Usage; u != nil {
		p.chunk(map[string]any{"choices": []any{}, "usage": map[string]any{
			"prompt_tokens": u[0], "completion_tokens": u[1], "total_tokens": u[0] + u[1],
			"prompt_tokens_details": map[string]any{"cached_tokens": u[2]},
		}})
	}
	_, _ = io.WriteString(p.w, "data: [DONE]\n\n")
	p.flush()
}

func (p *player) delta(delta map[string]any) {
	p.chunk(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}})
}

func (p *player) chunk(c map[string]any) {
	c["id"], c["object"], c["model"] = fmt.Sprintf("chatcmpl-%d", p.n), "chat.completion.chunk", "test-model"
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // maps of plain values always encode
	}
	_, _ = fmt.Fprintf(p.w, "data: %s\n\n", data)
	p.flush()
}

func (p *player) flush() { _ = http.NewResponseController(p.w).Flush() }
