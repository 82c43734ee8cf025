// Package agenttest has what a test of an agent needs: a model that says what the test wrote down, a journal in memory,
// a compaction that only trims, and helpers that collect events. It has no dependency beyond the kernel, so it serves
// the users of the library as it serves the kernel's own tests.
package agenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"react-agent/agent"
)

// Reply is one scripted answer of a [Model]. Zero fields are left out of the stream.
type Reply struct {
	Thinking string
	Text     string
	Calls    []agent.Call // ID, Name and Args; an empty ID is left to the kernel
	Stop     agent.StopReason
	Usage    *agent.Usage
	// Err ends the stream after what stands above, instead of Stop.
	Err error
	// Chunks replaces all of the above.
	Chunks []agent.Chunk
	// Wait is called before the first chunk; it may block until ctx ends.
	Wait func(ctx context.Context)
}

// Say is a final answer.
func Say(text string) Reply { return Reply{Text: text} }

// CallTool is a reply with one call.
func CallTool(name, args string) Reply {
	return Reply{Calls: []agent.Call{{Name: name, Args: json.RawMessage(args)}}}
}

// CallTools is a reply with several calls: name, arguments, name, arguments …
func CallTools(pairs ...string) Reply {
	var r Reply
	for p := range slices.Chunk(pairs, 2) {
		r.Calls = append(r.Calls, agent.Call{Name: p[0], Args: json.RawMessage(p[1])})
	}
	return r
}

// Fail is a reply that fails with this error.
func Fail(err error) Reply { return Reply{Err: err} }

// Model plays replies in order and keeps every request. It may be used by several runs at once.
type Model struct {
	// Next, when set, makes the reply to the n-th request (from 0); it replaces the script.
	Next func(n int, req *agent.Request) Reply

	mu       sync.Mutex
	script   []Reply
	requests []*agent.Request
	bodies   [][]byte
}

// NewModel makes a model that plays these replies; one request more is an error.
func NewModel(script ...Reply) *Model { return &Model{script: script} }

// Info describes the scripted model.
func (m *Model) Info() agent.ModelInfo {
	return agent.ModelInfo{Provider: "scripted", Preset: "test", Name: "script-1", Tools: true, Vision: true}
}

// Requests gives what was asked so far. The messages are the kernel's own: read only.
func (m *Model) Requests() []*agent.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Bodies gives each request's system prompt, messages and tools as JSON, taken when it was made: for byte comparisons.
func (m *Model) Bodies() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.bodies)
}

// Stream plays the next reply.
func (m *Model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		r, err := m.take(req)
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		if r.Wait != nil {
			r.Wait(ctx)
		}
		for _, c := range r.chunks() {
			if ctx.Err() != nil {
				yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrNetwork, Provider: "scripted", Err: ctx.Err()})
				return
			}
			if !yield(c, nil) {
				return
			}
		}
		if r.Err != nil {
			yield(agent.Chunk{}, r.Err)
		}
	}
}

func (m *Model) take(req *agent.Request) (Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.requests)
	kept := *req
	m.requests = append(m.requests, &kept)
	body, err := Body(req)
	if err != nil {
		return Reply{}, err
	}
	m.bodies = append(m.bodies, body)
	if m.Next != nil {
		return m.Next(n, req), nil
	}
	if n >= len(m.script) {
		return Reply{}, &agent.ModelError{Kind: agent.ErrInternal, Provider: "scripted", Err: fmt.Errorf("request %d is not in the script", n+1)}
	}
	return m.script[n], nil
}

// Body encodes what a request says to the model, one line a message, so that a request that extends another begins with
// the other's bytes.
func Body(req *agent.Request) ([]byte, error) {
	var out bytes.Buffer
	lines := []any{req.System}
	for _, t := range req.Tools {
		lines = append(lines, []any{t.Shown(), t.Doc, t.Schema})
	}
	for _, msg := range req.Messages {
		lines = append(lines, msg)
	}
	for _, v := range lines {
		raw, err := agent.EncodeJSON(v)
		if err != nil {
			return nil, err
		}
		out.Write(raw)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

func (r Reply) chunks() []agent.Chunk {
	if r.Chunks != nil {
		return r.Chunks
	}
	var out []agent.Chunk
	part := func(p agent.Part) {
		out = append(out, agent.Chunk{Index: len(out), Part: &p})
	}
	if r.Thinking != "" {
		part(agent.Part{Kind: agent.Thinking, Text: r.Thinking})
	}
	if r.Text != "" {
		part(agent.TextPart(r.Text))
	}
	for _, c := range r.Calls {
		part(agent.Part{Kind: agent.CallKind, Call: &c})
	}
	if r.Err != nil {
		return out
	}
	stop := r.Stop
	if stop == "" {
		stop = agent.StopEnd
		if len(r.Calls) > 0 {
			stop = agent.StopCalls
		}
	}
	return append(out, agent.Chunk{Stop: stop, Usage: r.Usage})
}

// Collect ranges to the end and gives the events and the error.
func Collect(seq iter.Seq2[agent.Event, error]) ([]agent.Event, error) {
	var out []agent.Event
	for e, err := range seq {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Journal keeps durable events as lines in memory, as a log would.
type Journal struct {
	mu    sync.Mutex
	lines [][]byte
	// Fail, when set, may refuse an event.
	Fail func(e *agent.Event) error
}

// Append is an [agent.Agent] Journal.
func (j *Journal) Append(_ context.Context, e *agent.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Fail != nil {
		if err := j.Fail(e); err != nil {
			return err
		}
	}
	line, err := agent.EncodeJSON(e)
	if err != nil {
		return err
	}
	j.lines = append(j.lines, line)
	return nil
}

// Lines gives what was stored so far.
func (j *Journal) Lines() [][]byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// Load folds the first n stored lines (n < 0: all).
func (j *Journal) Load(id string, n int) (*agent.Session, error) {
	lines := j.Lines()
	if n >= 0 {
		lines = lines[:n]
	}
	return agent.Load(id, func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}, nil)
}

// Trim is a compaction without a model: on overflow, or when asked, it keeps about the last keep messages, never cuts
// between a call and its result, and puts a short note in front.
func Trim(keep int) func(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
	return func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
		if n.Why == agent.Check || len(s.Messages) <= keep {
			return nil, nil
		}
		cut := len(s.Messages) - max(1, keep)
		for cut > 0 && s.Messages[cut].Role == agent.ToolRole {
			cut--
		}
		if cut == 0 {
			return nil, nil
		}
		note := agent.TextMessage(agent.User, "[earlier messages were left out]")
		note.From = "compact"
		return &agent.Trim{Head: []agent.Message{note}, From: s.Messages[cut].Seq}, nil
	}
}
