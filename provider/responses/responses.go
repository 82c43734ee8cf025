// Package responses is the wire of the Responses API: it encodes a request, sends it, and decodes the reply, stream or not,
// into chunks.
//
// # Sending
//
// The history is a flat list of items. Every call stands before its output, under an id that no other call of the history
// has, and every reasoning item before an item that follows from it. Nothing is kept on the server (store is false), so a
// reasoning item goes back with its encrypted content, as it came, to the model that wrote it; one without is left out,
// and no other item is sent with the id the server gave it. The body is written by hand, key by key, so that equal
// histories give equal bytes and a longer history continues the bytes of the shorter one; prompt_cache_key is the same for
// all requests of a conversation. [agent.Request.Extra] and [wire.Config.Extra] are merged into the body as they are;
// the fields of reasoning and text each for itself.
//
// Some things are sent without anybody having said so: the wish for encrypted reasoning, reasoning of earlier turns, the
// wish for summaries, the cache key, and what the model said as a list of parts. Not every model and server takes them. When
// one is refused by name, the model does without it from then on, and the error says that another attempt may succeed.
// Reasoning that is refused is left out of that conversation alone, known by its first piece of reasoning.
//
// # Receiving
//
// Only response.completed, response.incomplete and [DONE] end a message well. Servers repeat what they have streamed, in
// .done events and in the last one; it counts where no piece of it has come before. Items are told apart by id and by
// output_index, whichever the server keeps stable. Vendors differ by the data of their [wire.Preset] alone.
//
// The model never retries; wrap it for that.
package responses

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// New makes a model. It may be used by many runs at once. It does not connect.
func New(c wire.Config) agent.Model { return &model{Client: wire.NewClient("responses", c)} }

type model struct {
	*wire.Client
	refused atomic.Uint32 // what the server does not take, of the bits below

	mu     sync.Mutex
	broken map[[sha256.Size]byte]bool // conversations whose reasoning it does not take
}

// What a request may do without.
const (
	encrypted  = 1 << iota // asking for encrypted reasoning
	replay                 // reasoning of earlier turns
	summary                // summaries of reasoning
	cacheRoute             // prompt_cache_key
	lists                  // lists of parts for what the model said; a plain text does as well
)

// refusals are the words by which servers refuse one of them.
func refusals() []struct {
	bit   uint32
	words []string
} {
	return []struct {
		bit   uint32
		words []string
	}{
		{replay, []string{"could not be verified", "could not be decrypted", "invalid_encrypted_content", "item with id 'rs_", "of type 'reasoning' was provided without"}},
		{encrypted, []string{"encrypted content is not supported", "encrypted_content", "'include'", `"include"`, "`include`"}},
		{summary, []string{"reasoning summar", "reasoning.summary"}},
		{cacheRoute, []string{"prompt_cache_key"}},
		{lists, []string{"output_text", "responseoutputmessage", "input should be a valid string"}},
	}
}

// Stream sends the request and yields the reply's chunks.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		id := reasoned(req)
		without := m.refused.Load() | m.unreplayed(id)
		post := wire.Post{Path: m.Preset.PathOf("/responses", m.Model), Body: m.encode(req, without)}
		for c, err := range m.Exchange(ctx, post, req.Tools, func(d *wire.Draft) wire.Decoder { return m.newDecoder(d) }) {
			if err != nil {
				err = m.learn(err, without, id)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// learn looks whether the server has refused something that the request can do without. The error then says that another
// attempt may succeed.
func (m *model) learn(err error, without uint32, id [sha256.Size]byte) error {
	e, ok := errors.AsType[*agent.ModelError](err)
	if !ok || e.Retryable || e.Err == nil {
		return err
	}
	switch e.Status {
	case http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity:
	default:
		return err
	}
	text := strings.ToLower(e.Err.Error())
	for _, r := range refusals() {
		if without&r.bit != 0 || !slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(text, w) }) {
			continue
		}
		if r.bit == replay {
			m.unreplay(id)
		} else {
			m.refused.Or(r.bit)
		}
		m.Logger.Warn("the server refuses a part of the request; it is left out from now on", "error", err)
		again := *e
		again.Retryable, again.RetryAfter = true, time.Millisecond
		return &again
	}
	return err
}

// reasoned is a hash of the first reasoning of a conversation.
func reasoned(req *agent.Request) [sha256.Size]byte {
	for i := range req.Messages {
		for _, p := range req.Messages[i].Parts {
			if p.Kind == agent.Thinking && p.Opaque != nil {
				return sha256.Sum256(p.Opaque.Data)
			}
		}
	}
	return [sha256.Size]byte{}
}

// unreplayed is replay for a conversation whose reasoning the server has refused, else 0.
func (m *model) unreplayed(id [sha256.Size]byte) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken[id] {
		return replay
	}
	return 0
}

// unreplay leaves reasoning out of a conversation from now on.
func (m *model) unreplay(id [sha256.Size]byte) {
	const most = 1024 // conversations; then all are forgotten, which costs another refusal
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken == nil || len(m.broken) >= most {
		m.broken = map[[sha256.Size]byte]bool{}
	}
	m.broken[id] = true
}
