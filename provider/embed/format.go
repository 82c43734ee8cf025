package embed

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"iter"
	"math"
	"strconv"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/provider/wire"
)

// format is how a wire spells the request and the reply.
type format struct {
	name string
	post func(e *Embedder, texts []string) wire.Post
	read func(e *Embedder, reply gjson.Result, texts int) ([][]float32, error)
}

func formats() map[string]format {
	chat := format{"chat", postChat, readChat}
	return map[string]format{"": chat, Chat: chat, Gemini: {"gemini", postGemini, readGemini}}
}

func postChat(e *Embedder, texts []string) wire.Post {
	b := wire.NewBody(e.o.Config.Extra)
	b.Text("model", e.o.Config.Model)
	if e.o.Dims > 0 {
		b.Raw("dimensions", strconv.AppendInt(nil, int64(e.o.Dims), 10))
	}
	return wire.Post{Path: "/embeddings", Body: b.End("input", func(out []byte) []byte {
		out = append(out, '[')
		for i, s := range texts {
			if i > 0 {
				out = append(out, ',')
			}
			out = wire.AppendString(out, s)
		}
		return append(out, ']')
	})}
}

// readChat puts the vectors in the order of the texts, whatever the order of the reply.
func readChat(e *Embedder, reply gjson.Result, texts int) ([][]float32, error) {
	out := make([][]float32, texts)
	var failed error
	n := 0
	reply.Get("data").ForEach(func(_, one gjson.Result) bool {
		at := n
		if index := one.Get("index"); index.Type == gjson.Number {
			at = int(index.Num)
		}
		n++
		if n > texts || at < 0 || at >= texts || out[at] != nil {
			failed = e.odd(msg.EmbedTwice, n, texts)
			return false
		}
		out[at], failed = e.numbers(one.Get("embedding"))
		return failed == nil
	})
	if failed == nil && n < texts {
		failed = e.odd(msg.EmbedCount, n, texts)
	}
	return out, failed
}

func postGemini(e *Embedder, texts []string) wire.Post {
	model := wire.AppendString(nil, "models/"+e.o.Config.Model)
	b := wire.NewBody(e.o.Config.Extra)
	return wire.Post{Path: "/models/" + e.o.Config.Model + ":batchEmbedContents", KeyHeader: "x-goog-api-key", Body: b.End("requests", func(out []byte) []byte {
		out = append(out, '[')
		for i, s := range texts {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, `{"model":`...), model...)
			out = append(wire.AppendString(append(out, `,"content":{"parts":[{"text":`...), s), `}]}`...)
			if e.o.Dims > 0 {
				out = strconv.AppendInt(append(out, `,"outputDimensionality":`...), int64(e.o.Dims), 10)
			}
			out = append(out, '}')
		}
		return append(out, ']')
	})}
}

func readGemini(e *Embedder, reply gjson.Result, texts int) (out [][]float32, failed error) {
	reply.Get("embeddings").ForEach(func(_, one gjson.Result) bool {
		if len(out) == texts {
			failed = e.odd(msg.EmbedMore, texts)
			return false
		}
		var v []float32
		v, failed = e.numbers(one.Get("values"))
		out = append(out, v)
		return failed == nil
	})
	return out, failed
}

// numbers reads a vector: a list of numbers, or base64 of little-endian floats.
func (e *Embedder) numbers(v gjson.Result) (out []float32, failed error) {
	add := func(f float64) bool {
		if math.IsNaN(f) || math.Abs(f) > math.MaxFloat32 || len(out) == maxDims {
			failed = e.odd(msg.EmbedNumbers, maxDims)
			return false
		}
		out = append(out, float32(f))
		return true
	}
	if v.Type == gjson.String {
		raw, err := base64.StdEncoding.DecodeString(v.Str)
		if err != nil || len(raw)%4 != 0 {
			return nil, e.odd(msg.EmbedNone, text.Head(v.Str, 40))
		}
		for ; len(raw) >= 4 && add(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))); raw = raw[4:] {
		}
		return out, failed
	}
	if !v.IsArray() {
		return nil, e.odd(msg.EmbedNone, text.Head(v.Raw, 40))
	}
	v.ForEach(func(_, x gjson.Result) bool {
		if x.Type != gjson.Number {
			failed = e.odd(msg.EmbedHolds, text.Head(x.Raw, 40))
			return false
		}
		return add(x.Num)
	})
	return out, failed
}

// request is one request as a model's call: its answer is nothing but what it has used.
type request struct {
	e       *Embedder
	texts   []string
	vectors [][]float32
}

// Info names vendor and model.
func (r *request) Info() agent.ModelInfo { return r.e.client.Info() }

// asModel is what a call of a model would look like that reads these texts.
func (r *request) asModel() *agent.Request {
	var parts []agent.Part
	for _, s := range r.texts {
		parts = append(parts, agent.Part{Kind: agent.Text, Text: s})
	}
	return &agent.Request{Messages: []agent.Message{{Role: agent.User, Parts: parts}}}
}

// Stream asks, and keeps the vectors.
func (r *request) Stream(ctx context.Context, _ *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		e := r.e
		page, err := e.client.Fetch(ctx, e.wire.post(e, r.texts), int64(1<<20+perVector*len(r.texts)))
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		reply := gjson.ParseBytes(page)
		switch {
		case !gjson.ValidBytes(page) || !reply.IsObject():
			err = e.odd(msg.EmbedNoObject, text.Head(string(page), 80))
		case wire.IsFailure(reply.Get("error")):
			err = wire.Classify(wire.Failure{Provider: e.client.Name(), Status: 200, Body: page})
		default:
			r.vectors, err = e.wire.read(e, reply, len(r.texts))
		}
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		yield(agent.Chunk{Usage: used(reply), Stop: agent.StopEnd, Model: reply.Get("model").String()}, nil)
	}
}

// used is what the reply says of tokens; what it does not say is left to an estimate. There is no output.
func used(reply gjson.Result) *agent.Usage {
	u, none := &agent.Usage{}, int64(0)
	u.Output = &none
	for _, path := range [...]string{"usage.prompt_tokens", "usage.total_tokens", "usageMetadata.promptTokenCount"} {
		if n := reply.Get(path); n.Type == gjson.Number && n.Num >= 0 {
			tokens := n.Int()
			u.Input = &tokens
			break
		}
	}
	return u
}
