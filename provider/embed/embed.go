// Package embed asks embeddings models for vectors of texts: over POST /embeddings as OpenAI has it, which nearly every
// vendor and local server (Ollama, llama.cpp, LM Studio, vLLM) offers, and over Gemini's batchEmbedContents.
//
//	e, err := embed.New(embed.Options{Config: wire.Config{BaseURL: base, Key: key, Model: "text-embedding-3-small", Preset: preset}})
//	vectors, err := e.Embed(ctx, []string{"a text", "another"})
//
// It asks once: whoever calls knows better whether to wait. A batch that is refused for its size is halved. Failures are
// [agent.ModelError], as those of models are.
package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider/wire"
)

// The wires, by the name of the api of the models beside them.
const (
	Chat   = "chat"   // /embeddings
	Gemini = "gemini" // batchEmbedContents
)

// Options say which model makes the vectors. Config must name an address and a model.
type Options struct {
	API    string // [Chat] or [Gemini]; "" = Chat
	Config wire.Config
	// Dims asks for vectors of that length, where the model can make shorter ones; 0 = its own.
	Dims int
	// Batch bounds the texts of one request; 0 = 32.
	Batch int
	// Timeout bounds one call of Embed; 0 = 20 s.
	Timeout time.Duration
	// Around is put around each request, which looks like a call of a model that answers with nothing but its usage, for
	// whoever counts such calls. nil = nothing.
	Around func(ctx context.Context, m agent.Model) agent.Model
}

// The bounds of what is sent and read.
const (
	defaultBatch   = 32
	defaultTimeout = 20 * time.Second
	maxText        = 8000 // characters of one text
	shortest       = 200  // characters below which a text is not cut
	maxBatchText   = 200_000
	maxDims        = 8192
	perVector      = 32 * maxDims // bytes
)

// Embedder is one model at one place. It may be used by many at once and does not connect before it is asked.
type Embedder struct {
	o      Options
	client *wire.Client
	wire   format

	mu    sync.Mutex
	dims  int // of the vectors so far
	batch int // texts that one request may have
}

// New makes an embedder; what it lacks is an error that says so.
func New(o Options) (*Embedder, error) {
	w, ok := formats()[o.API]
	switch {
	case !ok:
		return nil, fmt.Errorf("embeddings: api %q has none; there are %s and %s", o.API, Chat, Gemini)
	case o.Config.Model == "":
		return nil, errors.New("embeddings: no model is named")
	case o.Config.BaseURL == "":
		return nil, fmt.Errorf("embeddings: provider %q needs a base URL (api_base)", o.Config.Preset.Name)
	case o.Dims < 0 || o.Dims > maxDims:
		return nil, fmt.Errorf("embeddings: dimensions must be from 1 to %d, not %d", maxDims, o.Dims)
	}
	o.Config.Preset.Path = ""                                      // of another operation
	o.Config.Model = strings.TrimPrefix(o.Config.Model, "models/") // as Gemini writes them
	o.Config.BaseURL = bare(o.Config.BaseURL)
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	return &Embedder{o: o, client: wire.NewClient(w.name, o.Config), wire: w, batch: o.Batch}, nil
}

// bare takes the path of another operation from an address that somebody gave as a whole.
func bare(base string) string {
	for _, path := range []string{"/chat/completions", "/responses", "/messages"} {
		if at, ok := strings.CutSuffix(strings.TrimRight(base, "/"), path); ok {
			return at
		}
	}
	return base
}

// Model names what the vectors are made by: VENDOR/MODEL, and @N if they were asked to be of that length.
func (e *Embedder) Model() string {
	name := e.client.Name() + "/" + e.o.Config.Model
	if e.o.Dims > 0 {
		name += "@" + strconv.Itoa(e.o.Dims)
	}
	return name
}

// Embed gives one vector for each text, all of one length. Texts beyond 8,000 characters, or beyond what
// the model says it reads, are cut; an empty one is sent as a space, which vendors take.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.o.Timeout, fmt.Errorf("no answer within %v: %w", e.o.Timeout, context.DeadlineExceeded))
	defer cancel()
	rest := make([]string, len(texts))
	for i, s := range texts {
		rest[i] = fit(s)
	}
	out := make([][]float32, 0, len(texts))
	most := e.most(0)
	for len(rest) > 0 {
		n := fits(rest, most)
		vectors, err := e.ask(ctx, rest[:n])
		if n > 1 && tooMany(err) {
			most = n / 2
			continue
		}
		if half := []rune(rest[0]); n == 1 && len(half) > shortest && tooLong(err) {
			rest[0] = string(half[:len(half)/2])
			continue
		}
		if err != nil {
			return nil, err
		}
		out, rest = append(out, vectors...), rest[n:]
	}
	e.most(most) // only now it is sure that it was for its size that a batch was refused
	return out, nil
}

// most is how many texts one request may have, once it has been found out that it may have no more than that; 0 = nothing new.
func (e *Embedder) most(found int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if found > 0 {
		e.batch = min(e.batch, found)
	}
	return e.batch
}

// fit cuts a text, and makes of nothing something that vendors take.
func fit(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) > maxText {
		s = string([]rune(s)[:maxText])
	}
	if s == "" {
		return " "
	}
	return s
}

// fits counts the texts that go into the next request.
func fits(texts []string, most int) (n int) {
	size := 0
	for n < len(texts) && n < most && (n == 0 || size+len(texts[n]) <= maxBatchText) {
		size += len(texts[n])
		n++
	}
	return n
}

// tooMany reports whether a request may have been refused for its size. Vendors have no common word for that.
func tooMany(err error) bool {
	me, ok := errors.AsType[*agent.ModelError](err)
	return ok && (me.Kind == agent.ErrBadRequest && me.Status != 404 || me.Kind == agent.ErrContextLength)
}

// tooLong reports whether a text is beyond what the model reads at once.
func tooLong(err error) bool {
	me, ok := errors.AsType[*agent.ModelError](err)
	return ok && me.Kind == agent.ErrContextLength
}

// ask makes one request.
func (e *Embedder) ask(ctx context.Context, texts []string) ([][]float32, error) {
	r := &request{e: e, texts: texts}
	var m agent.Model = r
	if e.o.Around != nil {
		m = e.o.Around(ctx, m)
	}
	for _, err := range m.Stream(ctx, r.asModel()) {
		if err != nil {
			return nil, err
		}
	}
	if err := e.check(r.vectors, len(texts)); err != nil {
		return nil, err
	}
	return r.vectors, nil
}

// check holds a reply to what was asked: as many vectors as texts, all of the length that this model has.
func (e *Embedder) check(vectors [][]float32, texts int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(vectors) != texts {
		return e.odd(msg.EmbedCount, len(vectors), texts)
	}
	want := e.dims
	if want == 0 {
		if want = e.o.Dims; want == 0 && texts > 0 {
			want = len(vectors[0])
		}
	}
	for _, v := range vectors {
		switch {
		case len(v) == 0 || len(v) > maxDims:
			return e.odd(msg.EmbedLength, len(v))
		case len(v) != want && want == e.o.Dims:
			return e.odd(msg.EmbedAsked, want, len(v))
		case len(v) != want:
			return e.odd(msg.EmbedLengths, want, len(v))
		case !slices.ContainsFunc(v, func(f float32) bool { return f != 0 }):
			return e.odd(msg.EmbedZeros)
		}
	}
	e.dims = want
	return nil
}

// odd is a reply that is not what was asked for.
func (e *Embedder) odd(key msg.Key, args ...any) error {
	return &agent.ModelError{Kind: agent.ErrInvalidResponse, Provider: e.client.Name(), Err: msg.Errorf(key, args...)}
}
