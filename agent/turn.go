package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// maxTrims is how often in a row an overflow is answered by a compaction before the run gives up.
const maxTrims = 2

const textFull = "the window was full before the answer was"

// model is one model call with all that follows from it.
func (r *run) model(ctx context.Context) error {
	if _, steps, _ := r.s.spent(r.id); r.a.MaxSteps > 0 && steps > 0 && steps-r.s.Driven >= r.a.MaxSteps {
		return &ending{stop: RunSteps, text: "the step limit of " + strconv.Itoa(r.a.MaxSteps) + " is reached"}
	}
	req, err := r.request(ctx)
	if err != nil {
		return err
	}
	m, withdrawn, err := r.stream(ctx, req)
	r.pending = sum(r.pending, withdrawn)
	if err != nil {
		return r.failed(ctx, err)
	}
	if m.Stop == StopOverflow {
		if len(m.Parts) > 0 {
			if err := r.emit(ctx, &Event{Type: EvRetry, Text: textFull}); err != nil {
				return err
			}
		}
		r.pending = sum(r.pending, m.Usage)
		return r.overflow(ctx, textFull)
	}
	r.trims = 0
	if err := r.storeAnswer(ctx, m); err != nil {
		return err
	}
	calls := r.s.OpenCalls()
	if m.Stop == StopAborted {
		return context.Cause(ctx)
	}
	return r.batch(ctx, calls)
}

func (r *run) request(ctx context.Context) (*Request, error) {
	req, setup, err := r.a.Request(ctx, r.s)
	if err != nil || setup == nil {
		return req, err
	}
	return req, r.emit(ctx, &Event{Type: EvSetup, Setup: setup})
}

// Request is what the model would be asked with the session as it is, and the setup that would be stored before, nil when
// it is as it was. It asks the hooks of BeforeModel and no others, and nothing is stored: it is for a look as well.
func (a *Agent) Request(ctx context.Context, s *Session) (*Request, *Setup, error) {
	req := &Request{
		System: a.System, Messages: slices.Clip(s.Messages), Tools: slices.Clone(a.Tools),
		Effort: a.Effort, MaxOut: a.MaxOut,
	}
	fixed := req.Messages
	for _, h := range a.Hooks {
		if h.BeforeModel == nil {
			continue
		}
		if err := h.BeforeModel(ctx, s, req); err != nil {
			return nil, nil, hookError(h, "BeforeModel", err)
		}
		if len(req.Messages) != len(fixed) || (len(fixed) > 0 && &req.Messages[0] != &fixed[0]) {
			return nil, nil, fmt.Errorf("hook %s changed the request's messages: use Inject, or Compact", h.Name)
		}
	}
	setup, err := a.setup(s.Setup, req)
	return req, setup, err
}

// setup describes the request's fixed part, or nil when it is as before.
func (a *Agent) setup(old Setup, req *Request) (*Setup, error) {
	type shown struct {
		Name   string `json:"name"`
		Doc    string `json:"doc"`
		Schema any    `json:"schema"`
	}
	tools := make([]shown, len(req.Tools))
	for i, t := range req.Tools {
		tools[i] = shown{Name: t.Shown(), Doc: t.Doc}
		if len(t.Schema) > 0 {
			tools[i].Schema = t.Schema
		}
	}
	raw, err := EncodeJSON(tools)
	if err != nil {
		return nil, fmt.Errorf("a tool's schema is no JSON: %w", err)
	}
	info := a.Model.Info()
	next := Setup{Model: info.Origin(), Effort: req.Effort, System: hash([]byte(req.System)), Tools: hash(raw)}
	if old.Model == next.Model && old.Effort == next.Effort && old.System == next.System && old.Tools == next.Tools {
		return nil, nil
	}
	next.Blobs = map[string][]byte{next.System: []byte(req.System), next.Tools: raw}
	return &next, nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// stream collects one message and shows it as it comes. withdrawn is what attempts that count for nothing have cost.
func (r *run) stream(ctx context.Context, req *Request) (m Message, withdrawn *Usage, err error) {
	if err := r.emit(ctx, &Event{Type: EvStep, Text: "model"}); err != nil {
		return m, nil, err
	}
	var b Builder
	for c, cerr := range r.a.Model.Stream(ctx, req) {
		if err = cerr; err != nil {
			break
		}
		if err = r.chunk(ctx, &b, c); err != nil || r.quiet {
			break
		}
	}
	m = b.Message()
	if r.fatal != nil {
		return m, b.Withdrawn, r.fatal
	}
	complete := err == nil && m.Stop != ""
	if !complete && (ctx.Err() != nil || r.quiet) {
		if m = aborted(m); len(m.Parts) == 0 && !b.Empty() { // nothing to store of what was shown
			return m, b.Withdrawn, r.emit(ctx, &Event{Type: EvRetry, Text: context.Cause(ctx).Error()})
		}
		return m, b.Withdrawn, nil
	}
	if err = r.verdict(m, err); err == nil {
		return m, b.Withdrawn, nil
	}
	if !b.Empty() {
		err = errors.Join(err, r.emit(ctx, &Event{Type: EvRetry, Text: err.Error()}))
	}
	return m, sum(b.Withdrawn, m.Usage), err
}

// verdict finds what a stream that ended without an error may still lack.
func (r *run) verdict(m Message, err error) error {
	bad := func(kind ErrorKind, text string) error {
		return &ModelError{Kind: kind, Provider: r.a.Model.Info().Provider, Retryable: kind == ErrTruncated, Err: errors.New(text)}
	}
	switch {
	case err != nil:
		return err
	case m.Stop == "":
		return bad(ErrTruncated, "the stream ended before the message did")
	case len(m.Parts) == 0 && (m.Stop == StopEnd || m.Stop == StopCalls):
		return bad(ErrInvalidResponse, "the model answered nothing")
	}
	return nil
}

func sum(a, b *Usage) *Usage {
	u := &Usage{}
	u.Add(a)
	u.Add(b)
	if u.IsZero() {
		return nil
	}
	return u
}

// chunk takes one chunk in and shows it.
func (r *run) chunk(ctx context.Context, b *Builder, c Chunk) error {
	if err := b.Add(c); err != nil {
		return &ModelError{Kind: ErrInvalidResponse, Provider: r.a.Model.Info().Provider, Err: err}
	}
	switch {
	case c.Reset:
		return r.emit(ctx, &Event{Type: EvRetry, Text: c.Note})
	case c.Note != "":
		if err := r.notice(ctx, c.Note); err != nil {
			return err
		}
	}
	if c.Part == nil {
		return nil
	}
	r.said = Event{Type: EvChunk, Chunk: &Chunk{Index: c.Index, Part: c.Part}}
	return r.emit(ctx, &r.said)
}

// aborted keeps what a cancelled message said so far, without its calls.
func aborted(m Message) Message {
	parts := m.Parts[:0]
	for _, p := range m.Parts {
		if (p.Kind == Text || p.Kind == Thinking) && p.Text != "" {
			p.Opaque = nil // half a vendor's block cannot go back
			parts = append(parts, p)
		}
	}
	m.Parts, m.Stop = parts, StopAborted
	return m
}

// storeAnswer stores the message with a key, and an id where the vendor gave none, for each call. An aborted message
// with nothing in it is not stored.
func (r *run) storeAnswer(ctx context.Context, m Message) error {
	if m.Stop == StopAborted && len(m.Parts) == 0 {
		r.pending = sum(r.pending, m.Usage)
		return nil
	}
	seq := strconv.FormatInt(r.s.Seq+1, 10)
	n := 0
	for i := range m.Parts {
		if m.Parts[i].Kind != CallKind {
			continue
		}
		n++
		c := *m.Parts[i].Call
		c.Key = r.s.ID + "/" + seq + "." + strconv.Itoa(n)
		if c.ID == "" {
			c.ID = "call_" + seq + "_" + strconv.Itoa(n)
		}
		m.Parts[i].Call = &c
	}
	if m.Model == "" {
		m.Model = r.a.Model.Info().Name
	}
	e := Event{Type: EvMessage, Message: &m, Usage: r.pending}
	if err := r.emit(ctx, &e); err != nil {
		return err
	}
	r.pending = nil
	return nil
}

// failed decides what a model's error means for the run.
func (r *run) failed(ctx context.Context, err error) error {
	if r.fatal != nil {
		return r.fatal
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if stop, ok := errors.AsType[*StopError](err); ok { // somebody around the model wants an end in order
		return stop
	}
	var me *ModelError
	if !errors.As(err, &me) {
		me = &ModelError{Kind: ErrInternal, Provider: r.a.Model.Info().Provider, Err: err}
	}
	if me.Kind == ErrContextLength {
		return r.overflow(ctx, me.Error())
	}
	return &ending{stop: RunError, text: me.Error(), err: errorOf(me)}
}

func errorOf(me *ModelError) *Error {
	return &Error{
		Kind: me.Kind, Message: me.Error(), Provider: me.Provider, Status: me.Status,
		Retryable: me.Retryable, RetryAfterS: me.RetryAfter.Seconds(),
	}
}

// overflow compacts; the next round asks again. Twice at most, then Compact may say why that did not help, and the run ends.
func (r *run) overflow(ctx context.Context, text string) error {
	end := &ending{stop: RunOverflow, text: text, err: &Error{Kind: ErrContextLength, Message: text}}
	need := Need{Why: Overflow, Tries: r.trims, Said: text}
	r.trims++
	done, err := r.compact(ctx, need)
	if err != nil {
		return err
	}
	if !done {
		return end
	}
	return nil
}
