package native

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/server/refusal"
	"react-agent/store"
)

// Input answers POST /sessions/ID/input: a message, an answer, a cancel or a command, as --input jsonl takes them. A message
// that is a string is what a person has typed: it may call commands and skills.
func (a *API) Input(w http.ResponseWriter, r *http.Request) {
	id, ok := a.session(w, r)
	if !ok {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	receipt, err := a.input(r.Context(), id, body)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	httpx.Answer(w, http.StatusAccepted, receipt)
}

func (a *API) input(ctx context.Context, id string, body []byte) (engine.Receipt, error) {
	g, err := command.ReadInput(body)
	if err != nil {
		return engine.Receipt{}, err
	}
	in := g.Input
	if err := a.counts(ctx, id, in, g.Words); err != nil {
		return engine.Receipt{}, err
	}
	done := func() {}
	if a.o.Prepare != nil {
		if done, err = a.o.Prepare(ctx, id, &in, g.Typed); err != nil {
			return engine.Receipt{}, err
		}
	}
	if in.Command == "" {
		// What is said counts whether or not its sender waits for the receipt; half a hand-over would leave it lying.
		ctx = context.WithoutCancel(ctx)
	}
	receipt, err := a.o.Engine.Submit(ctx, id, in)
	if err != nil {
		if in.Command != "" {
			err = refusal.FailedError{Err: err}
		}
		return receipt, err
	}
	done()
	return receipt, nil
}

// counts sees that what is said can come to something: there is such a session, a question that waits, a file.
func (a *API) counts(ctx context.Context, id string, in engine.Input, words bool) error {
	if (in.Answer != nil && in.Answer.ID != "" || in.Cancel || in.Quiet) && in.Message == nil && in.Command == "" {
		if err := a.begun(ctx, id); err != nil {
			return err
		}
	}
	if in.Answer != nil && in.Answer.ID != "" {
		if err := a.answer(ctx, id, in, words); err != nil {
			return err
		}
	}
	if in.Message != nil {
		return a.attachments(ctx, in.Message)
	}
	return nil
}

// answer sees that a question waits for the answer, and reads one in words as a person's line to it. What was answered with
// the same ID before is no mistake: it counted then.
func (a *API) answer(ctx context.Context, id string, in engine.Input, words bool) error {
	if a.o.Fold == nil {
		return nil
	}
	s, err := a.o.Fold(ctx, id)
	if err != nil {
		return err
	}
	open := openAsks(s)
	if words {
		*in.Answer = command.Worded(open, *in.Answer)
	}
	var ids []string
	for _, q := range open {
		if q.ID == in.Answer.ID {
			return nil
		}
		ids = append(ids, q.ID)
	}
	switch {
	case in.ID != "" && s.Taken("input/"+id, math.MaxInt64, in.ID):
		return nil
	case len(ids) == 0:
		return refusal.LateError{Err: msg.Errorf(msg.AskNone, clip(in.Answer.ID))}
	}
	return refusal.LateError{Err: msg.Errorf(msg.AskOthers, clip(in.Answer.ID), strings.Join(ids, ", "))}
}

// attachments sees that what a message refers to was uploaded, that each is what it is said to be, and that all of them
// together are no more than a message takes: a reference is short, what it stands for is not.
func (a *API) attachments(ctx context.Context, m *agent.Message) error {
	files, bytes := 0, 0
	for i, p := range m.Parts {
		if p.Kind != agent.BlobKind || p.Blob == nil || p.Blob.SHA256 == "" {
			continue
		}
		if files++; a.o.Files > 0 && files > a.o.Files {
			return &command.UsageError{Err: msg.Errorf(msg.AttachMany, a.o.Files)}
		}
		data, err := a.o.Blobs.GetBlob(ctx, p.Blob.SHA256)
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrName) {
			return &command.UsageError{Err: msg.Errorf(msg.NativeNotUploaded, i+1, p.Blob.SHA256)}
		}
		if err != nil {
			return err
		}
		if bytes += len(data); a.o.Bytes > 0 && bytes > a.o.Bytes {
			return &command.UsageError{Err: msg.Errorf(msg.NativeTotal, a.o.Bytes>>20)}
		}
		if a.o.Attach != nil {
			known, err := a.o.Attach(ctx, p.Blob.Name, data)
			if err != nil {
				return &command.UsageError{Err: err}
			}
			p.Blob.MIME = known.MIME
		}
	}
	return nil
}
