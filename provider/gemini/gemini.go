// Package gemini is the wire of Gemini's generateContent, as the Gemini API and Vertex AI speak it: it encodes a request,
// sends it, and decodes the reply, stream or not, into chunks.
//
// # Sending
//
// A conversation is a list of contents that speak in turn: user, model. What stands beside one another for the same role
// is one content, and so are all results of a message, with nothing before them. A history that begins or ends with the
// model gets a word of the user.
//
// Signatures of thoughts, ids of calls and parts this wire does not know go back with the very part they came with, and
// to nobody but the model that gave them. Models from Gemini 3 on refuse a call without a signature; one that has none,
// because another model made it, gets the documented stand-in.
//
// Schemas are JSON Schema, less what the API has no word for. [agent.Request.Effort] is a level (minimal, low, medium,
// high), none, or a number of tokens; it becomes a level or a budget, as the model's generation has it.
// [agent.Request.Extra] and [wire.Config.Extra] are merged into the body, generationConfig key by key.
//
// # Receiving
//
// Only a finish reason ends a reply well. Text, thoughts and calls come in parts; a part with a signature stays a part of
// its own. A call has no id unless the vendor gives one. Counts are totals so far, not increments.
//
// The model never retries; wrap it for that.
package gemini

import (
	"context"
	"iter"
	"strings"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// New makes a model. It may be used by many runs at once. It does not connect.
func New(c wire.Config) agent.Model { return &model{wire.NewClient("gemini", c)} }

type model struct{ *wire.Client }

// Stream sends the request and yields the reply's chunks.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	post := wire.Post{Path: m.path(), Query: "alt=sse", KeyHeader: "x-goog-api-key", Body: m.encode(req)}
	return m.Exchange(ctx, post, req.Tools, func(d *wire.Draft) wire.Decoder { return m.newDecoder(d) })
}

// path is the operation's, behind a base with or without the version. Names such as tunedModels/x say themselves where
// they are.
func (m *model) path() string {
	path := m.Model + ":streamGenerateContent"
	if !strings.Contains(path, "/") {
		path = "models/" + path
	}
	if wire.HasVersion(m.BaseURL) || strings.HasSuffix(m.BaseURL, path) {
		return "/" + path
	}
	return "/v1beta/" + path
}
