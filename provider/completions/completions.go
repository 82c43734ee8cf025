// Package completions is the wire of Chat Completions, the protocol most vendors speak: it encodes a request, sends it,
// and decodes the reply, stream or not, into chunks.
//
// # Sending
//
// The body is written by hand, key by key, so that equal histories give equal bytes and a longer history continues the
// bytes of the shorter one: prompt caches live on that. Thoughts and other opaque data go back only to the model that
// wrote them, in the field its preset names. [agent.Request.Extra] and [wire.Config.Extra] are merged into the body as they
// are.
//
// # Receiving
//
// The decoder trusts nothing but a terminal signal: a finish reason of the known set, or [DONE]. Without one the reply
// was cut, which is an error, whatever had arrived. Errors inside a good reply are found in bodies and events; calls are
// told apart by id, index and order; their arguments, names and ids are cleaned only where that loses nothing; thoughts
// are recognised in all vendors' fields and as <think> tags, calls also when they were written as text. Vendors differ
// by the data of their [wire.Preset] alone.
//
// The model never retries; wrap it for that.
package completions

import (
	"context"
	"iter"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// New makes a model. It may be used by many runs at once. It does not connect.
func New(c wire.Config) agent.Model { return &model{wire.NewClient("chat", c)} }

type model struct{ *wire.Client }

// Stream sends the request and yields the reply's chunks.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	post := wire.Post{Path: "/chat/completions", Body: m.encode(req)}
	return m.Exchange(ctx, post, req.Tools, func(d *wire.Draft) wire.Decoder { return m.newDecoder(d) })
}
