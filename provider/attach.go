package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/internal/media"
)

// AttachmentNote words what the person is told when a vendor has refused attachments and the request was sent again:
// smaller names those that are sent smaller from now on, out those that are left out. err is the refusal.
type AttachmentNote func(smaller, out []string, err *agent.ModelError) string

// Attachments gives a model the attachments of a history as it can take them, so that none of them ends a session.
//
// What the model is not known to read (see [agent.ModelInfo.Takes]), and what is lost, is text in the request; the wire
// below spells only what is left.
//
// When a vendor refuses a request for the sake of an attachment, the request is sent again: with a smaller picture, then
// with a line of text in the place of the picture. Which one it is the vendor may say; else it is looked for, among those
// first that it has not taken before, the newest message first. What came of it holds for all later requests of this
// model, as long as the process lives; after that it costs another refusal. The person is told once. When leaving them all
// out does not help, they were not at fault: the vendor's last error stands, and nothing is remembered.
//
// Of more than fit into one request the newest are sent. That is held against none of them: what is remembered is how many
// fit, and how many bytes when the request was too large.
//
// note nil is English. The model may be used by many runs at once.
func Attachments(m agent.Model, note AttachmentNote) agent.Model {
	if note == nil {
		note = englishAttachmentNote
	}
	return &attachments{Model: m, note: note, known: map[string]fate{}, small: map[string]func() *agent.Blob{}, most: map[string]int{}}
}

func englishAttachmentNote(smaller, out []string, err *agent.ModelError) string {
	var parts []string
	if len(smaller) > 0 {
		parts = append(parts, strings.Join(smaller, ", ")+": sent smaller from now on")
	}
	if len(out) > 0 {
		parts = append(parts, strings.Join(out, ", ")+": left out from now on")
	}
	return fmt.Sprintf("%s; %s", strings.Join(parts, "; "), err.Error())
}

// fate is what becomes of an attachment.
type fate int

const (
	untried fate = iota
	taken
	smaller
	leftOut
	surplus // left out because there are too many others; nothing is wrong with it
)

// Bounds of what is remembered of attachments; what is forgotten costs another refusal, or is made again as it was.
const (
	maxKnown = 4096
	maxSmall = 64 // of up to half a megabyte each
)

type attachments struct {
	agent.Model
	note AttachmentNote

	mu    sync.Mutex
	known map[string]fate               // by hash of the bytes; only what a finished request has shown
	small map[string]func() *agent.Blob // smaller pictures, made once by who asks first; nil: there is none
	most  map[string]int                // how many a request may have, by the kind that the vendor spoke of
	bulk  int                           // how many bytes of them a request had that was not too large; 0 = not known
}

// Stream sends the request until no attachment stands in its way.
func (a *attachments) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	p := a.plan(req)
	if p == nil {
		return a.Model.Stream(ctx, req)
	}
	return func(yield func(agent.Chunk, error) bool) {
		const rounds = 12
		var why *agent.ModelError
		for round := 1; ; round++ {
			err, left := a.attempt(ctx, req, p, why, yield)
			if left {
				return
			}
			if err == nil {
				a.learn(p)
				return
			}
			if round == rounds || ctx.Err() != nil || !p.next(err) {
				yield(agent.Chunk{}, err)
				return
			}
			why = err
		}
	}
}

// attempt sends the request as planned. Before the first chunk of one that is sent again, the person is told why.
func (a *attachments) attempt(
	ctx context.Context, req *agent.Request, p *plan, why *agent.ModelError, yield func(agent.Chunk, error) bool,
) (*agent.ModelError, bool) {
	again := *req
	again.Messages = p.messages()
	told := why == nil
	tell := func(c agent.Chunk, cerr error) bool {
		if !told {
			told = true
			small, out := p.changed()
			if !yield(agent.Chunk{Reset: true, Note: a.note(small, out, why)}, nil) {
				return false
			}
		}
		return yield(c, cerr)
	}
	return forward(a.Model.Stream(ctx, &again), tell)
}

// as is the part that stands for an attachment; nil: itself.
func (a *attachments) as(it *item) *agent.Part {
	switch it.fate {
	case smaller:
		if b := a.shrunk(it); b != nil {
			return &agent.Part{Kind: agent.BlobKind, Blob: b}
		}
	case surplus:
		return without(it.blob, "one request cannot have all attachments, newer ones are sent")
	case leftOut:
		return without(it.blob, "the model's vendor has refused it")
	case untried, taken:
	}
	return nil
}

// without is the text in the place of an attachment that is not sent.
func without(b *agent.Blob, why string) *agent.Part {
	part := agent.TextPart("[" + nameOf(b) + " (" + b.MIME + ") is left out: " + why + "]")
	return &part
}

// shrunk is a smaller form of a picture; nil when there is none. It is made once, while other calls go on.
func (a *attachments) shrunk(it *item) *agent.Blob {
	a.mu.Lock()
	made, known := a.small[it.id]
	if !known {
		blob := it.blob
		made = sync.OnceValue(func() *agent.Blob { return shrink(blob) })
		bound(a.small, maxSmall)
		a.small[it.id] = made
	}
	a.mu.Unlock()
	it.small = made()
	return it.small
}

func shrink(blob *agent.Blob) *agent.Blob {
	const edge, size = 768, 500_000 // half of what models look at, far below all limits
	p, err := media.Fit(blob.Data, media.Limits{Edge: edge, Bytes: min(size, len(blob.Data)-1)})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(p.Data)
	return &agent.Blob{MIME: p.MIME, Name: blob.Name, Data: p.Data, SHA256: hex.EncodeToString(sum[:])}
}

// bound makes room for one more.
func bound[V any](m map[string]V, most int) {
	for id := range m {
		if len(m) < most {
			return
		}
		delete(m, id)
	}
}

// learn remembers what a request that was taken has shown.
func (a *attachments) learn(p *plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, it := range p.items {
		if it.fate == surplus {
			continue
		}
		if it.fate == untried {
			it.fate = taken
		}
		if _, known := a.known[it.id]; !known {
			bound(a.known, maxKnown)
		}
		a.known[it.id] = it.fate
	}
	for kind, n := range p.most {
		if old, known := a.most[kind]; !known || n < old {
			a.most[kind] = n
		}
	}
	if n := p.weight(); p.bulk && n > 0 && (a.bulk == 0 || n < a.bulk) {
		a.bulk = n
	}
}
