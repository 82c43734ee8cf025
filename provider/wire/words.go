package wire

import (
	"strings"

	"react-agent/agent"
)

// SchemaInWords is the request with the schema of its answer told in the system prompt, for a model that takes none: a copy, or
// the request itself if it has no schema. The same schema makes the same words.
func SchemaInWords(req *agent.Request) *agent.Request {
	if len(req.Schema) == 0 {
		return req
	}
	out := *req
	out.System = strings.TrimSpace(req.System + "\n\nYour final answer is nothing but JSON of this schema: " + string(Compact(req.Schema)))
	out.Schema = nil
	return &out
}
