// Package anthropic is the wire of the Messages API: it encodes a request, sends it, and decodes the reply, stream or not,
// into chunks. Its servers are Anthropic's own, those of clouds that serve its models without signed requests, and the
// many that speak the protocol for other models.
//
// # Sending
//
// The system prompt stands apart, neighbours of one role are one message, and the results of a step come first in the
// message behind their calls. What the model said goes back block by block in the order it came: thoughts with their
// signatures, redacted thoughts, blocks of the server's own tools and citations, each only to the model that wrote it.
//
// Cache marks stand on the last tool, on the system prompt, and on the ends of the last two messages of the user: there the
// request before this one ended, so that it is found however many blocks a step has added. Marks are no part of what is
// cached; without them a longer history continues the bytes of a shorter one.
//
// An effort is asked for the way the model's generation wants it: by name, with the model deciding how long it thinks, or
// as a budget of tokens for those before. A schema is the format of the answer where the model knows formats, else a tool
// that has to be called, whose arguments become the answer. max_tokens is required; without one in the request it is as
// much as most answers need and the model has. [agent.Request.Extra] and [wire.Config.Extra] win over all of it.
//
// # Receiving
//
// Blocks are told apart by their index, as the protocol has it. A message ends with its stop reason or message_stop, never
// with the end of the body. Kinds of block that are not known are kept and sent back; kinds of event that are not known
// are passed over, unless they say that the call failed. Input includes what was read from the cache and written to it,
// which the protocol counts apart.
//
// The model never retries; wrap it for that.
package anthropic

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// version is the protocol's.
const version = "2023-06-01"

// New makes a model. It may be used by many runs at once. It does not connect.
func New(c wire.Config) agent.Model {
	m := &model{Client: wire.NewClient("anthropic", c)}
	m.can = abilitiesOf(m.Model)
	m.path = path(m.BaseURL)
	return m
}

type model struct {
	*wire.Client
	can  abilities
	path string
}

// Stream sends the request and yields the reply's chunks.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	post := wire.Post{
		Path: m.path, Body: m.encode(req), KeyHeader: "x-api-key", Header: http.Header{"Anthropic-Version": {version}},
	}
	answer := m.answerTool(req)
	return m.Exchange(ctx, post, req.Tools, func(d *wire.Draft) wire.Decoder { return m.newDecoder(d, answer) })
}

// path is the operation's, behind a base with or without the version.
func path(base string) string {
	if wire.HasVersion(base) || strings.HasSuffix(strings.TrimRight(base, "/"), "/messages") {
		return "/messages"
	}
	return "/v1/messages"
}
