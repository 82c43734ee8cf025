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
	info, ok := a.session(w, r, true)
	if !ok {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	receipt, err := a.input(r.Context(), info.ID, body)
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

// counts sees that what is said can come to something: there is such a session, a question that waits, a file. What says
// several things at once is left to the engine, which refuses it.
func (a *API) counts(ctx context.Context, id string, in engine.Input, words bool) error {
	answers := in.Answer != nil && in.Answer.ID != "" && !in.Cancel && !in.Quiet
	switch {
	case in.Message != nil:
		return a.attachments(ctx, in.Message)
	case in.Command != "", !answers && !in.Cancel && !in.Quiet:
		return nil
	}
	if _, err := a.begun(ctx, id); err != nil || !answers {
		return err
	}
	return a.answer(ctx, id, in, words)
}

// answer sees that a question waits for the answer, and reads one in words as a person's line to it. What was answered with
// the same ID before is no mistake: it counted then.
func (a *API) answer(ctx context.Context, id string, in engine.Input, words bool) error {
	s, _, err := a.stored(ctx, id)
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
// together are no more than a message takes: a reference is short, what it stands for is not. One upload after the other is
// loaded, once however often it is referred to.
func (a *API) attachments(ctx context.Context, m *agent.Message) error {
	files, bytes := 0, 0
	named := map[string][]*agent.Blob{}
	for _, p := range m.Parts {
		if sha := upload(p); sha != "" {
			files++
			named[sha] = append(named[sha], p.Blob)
		}
	}
	if a.o.Files > 0 && files > a.o.Files {
		return &command.UsageError{Err: msg.Errorf(msg.AttachMany, a.o.Files)}
	}
	for i, p := range m.Parts {
		sha := upload(p)
		same, first := named[sha]
		if !first {
			continue
		}
		delete(named, sha)
		data, err := a.o.Blobs.GetBlob(ctx, sha)
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrName) {
			return &command.UsageError{Err: msg.Errorf(msg.NativeNotUploaded, i+1, sha)}
		}
		if err != nil {
			return err
		}
		if bytes += len(data) * len(same); a.o.Bytes > 0 && bytes > a.o.Bytes {
			return &command.UsageError{Err: msg.Errorf(msg.NativeTotal, a.o.Bytes>>20)}
		}
		if err := a.known(ctx, same, data); err != nil {
			return err
		}
	}
	return nil
}

// upload is the hash of what a part refers to, "" if it refers to none.
func upload(p agent.Part) string {
	if p.Kind != agent.BlobKind || p.Blob == nil {
		return ""
	}
	return p.Blob.SHA256
}

// known says of each reference to an upload what the upload is, under the name it has there.
func (a *API) known(ctx context.Context, same []*agent.Blob, data []byte) error {
	if a.o.Attach == nil {
		return nil
	}
	for _, b := range same {
		is, err := a.o.Attach(ctx, b.Name, data)
		if err != nil {
			return &command.UsageError{Err: err}
		}
		b.MIME = is.MIME
	}
	return nil
}
