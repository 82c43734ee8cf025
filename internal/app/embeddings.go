package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/memory"
	"react-agent/provider"
	"react-agent/provider/embed"
)

// vectors is the embeddings model of the settings, one for all who ask it. It is opened when it is asked for the first time: a
// key that is missing is no reason not to start. When it has failed that is told once, and it is left alone for a while.
type vectors struct {
	p    *product
	name string
	open func() (*embed.Embedder, error)

	mu    sync.Mutex
	until time.Time
	told  bool
}

// How long an embeddings model may take while somebody waits for an answer, and how long it is left alone when it has failed.
const (
	embedWait = 10 * time.Second
	routeWait = 5 * time.Second
	embedRest = time.Minute
)

// errNoVectors says that there are none just now, which the person knows or need not know.
var errNoVectors = errors.New("the embeddings model is not asked")

// openVectors reads which model makes vectors of what is remembered; nil: n-grams alone, and nothing is sent anywhere.
func (p *product) openVectors() *vectors {
	if p.c.Memory.Embeddings == "" {
		return nil
	}
	v := &vectors{p: p, name: p.c.Memory.Embeddings}
	v.open = sync.OnceValues(v.opened)
	return v
}

// embedder is the model for those who ask for an interface.
func (p *product) embedder() memory.Embedder {
	if p.embeds == nil {
		return nil
	}
	return p.embeds
}

// Model names the vectors.
func (v *vectors) Model() string {
	t, dims, err := v.target()
	if err != nil {
		return v.name
	}
	if dims > 0 {
		return t.Provider + "/" + t.Model + "@" + strconv.Itoa(dims)
	}
	return t.Provider + "/" + t.Model
}

// Embed asks the model, unless the last time it failed is too near. Those who only look are given nothing, for it would have
// to be paid: what they show is what words and n-grams find.
func (v *vectors) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	v.mu.Lock()
	rests := time.Now().Before(v.until)
	v.mu.Unlock()
	if rests || looking(ctx) {
		return nil, errNoVectors
	}
	ours, cancel := context.WithTimeout(ctx, embedWait)
	defer cancel()
	e, err := v.open()
	var out [][]float32
	if err == nil {
		out, err = e.Embed(ours, texts)
	}
	if err == nil || errors.Is(ctx.Err(), context.Canceled) {
		return out, err
	}
	v.mu.Lock()
	again := v.told
	v.told, v.until = true, time.Now().Add(embedRest)
	v.mu.Unlock()
	if !again {
		why := msg.For(v.p.c.Language).Err(err)
		if me, ok := errors.AsType[*agent.ModelError](err); ok {
			why = v.p.failure(me)
		}
		v.p.warn(msg.For(v.p.c.Language).Text(msg.MemoryNoVectors, v.Model(), why))
	}
	return nil, fmt.Errorf("%w: %w", errNoVectors, err)
}

// target is whom the settings name. Address and key are found as for models.
func (v *vectors) target() (t config.Target, dims int, err error) {
	w, dims, err := v.p.c.Embeddings()
	if err != nil {
		return t, 0, err
	}
	if w.API = embed.Chat; v.p.preset(w.Provider).API == embed.Gemini {
		w.API = embed.Gemini
	}
	t, err = v.p.c.Target(w)
	return t, dims, err
}

func (v *vectors) opened() (*embed.Embedder, error) {
	t, dims, err := v.target()
	if err != nil {
		return nil, err
	}
	p := v.p
	client, err := p.client(t)
	if err != nil {
		return nil, err
	}
	s := p.spec(t, client)
	s.Extra = encoded(p.settings(t.Provider, t.Model).Extra) // what is said of the vendor is about conversations
	return provider.Embeddings(s, dims, func(ctx context.Context, m agent.Model) agent.Model {
		session, _ := ctx.Value(onBehalf{}).(string)
		return uncounted{p.meter.In(session, p.meter.Attempt(p.keyed(t, m))), m}
	})
}

func encoded(fields map[string]any) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for key, value := range fields {
		if raw, err := agent.EncodeJSON(value); err == nil { // values come from YAML and always encode
			out[key] = raw
		}
	}
	return out
}

// hurried is an embedder for somebody who waits less long.
type hurried struct{ memory.Embedder }

// Embed asks.
func (h hurried) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ours, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	return h.Embedder.Embed(ours, texts)
}

// onBehalf is the context's key for the session that vectors are made for.
type onBehalf struct{}

// onBehalfOf has what a hook asks for at the start of a turn counted for a session.
func onBehalfOf(session string, h agent.Hook) agent.Hook {
	inject := h.Inject
	if inject == nil {
		return h
	}
	h.Inject = func(ctx context.Context, x *agent.Session, stopping bool) (*agent.Note, error) {
		note, err := inject(context.WithValue(ctx, onBehalf{}, session), x, stopping)
		if note != nil && note.Later != nil {
			later := *note.Later
			run := later.Run
			later.Run = func(ctx context.Context) (*agent.Note, error) {
				return run(context.WithValue(ctx, onBehalf{}, session))
			}
			note.Later = &later
		}
		return note, err
	}
	return h
}

// onBehalfOfCaller has what tools ask for counted for the session that calls them, which stands in the key of a call.
func onBehalfOfCaller(tools []agent.Tool) []agent.Tool {
	for i := range tools {
		run := tools[i].Run
		tools[i].Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
			session, _, _ := strings.Cut(c.Key, "/")
			return run(context.WithValue(ctx, onBehalf{}, session), c)
		}
	}
	return tools
}

// vectorFacts say in doctor whether the embeddings model can be asked.
func (p *product) vectorFacts() []command.Fact {
	v := p.embeds
	if v == nil {
		return nil
	}
	f := command.Fact{Group: "memory", Name: "embeddings", Value: v.Model(), Origin: p.c.Origin("memory.embeddings").In(p.host.Msg)}
	t, _, err := v.target()
	if f.Bad = err != nil; err != nil {
		f.Value = p.host.Msg.Err(err)
	} else {
		f.Value += " " + config.Redacted(t.BaseURL)
	}
	return []command.Fact{f}
}
