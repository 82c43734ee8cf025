// Package weigh says how many tokens of a model's window things take. There is one such measure in the product: when a
// history is compacted, what /context shows and what a call is booked with are the same numbers.
//
// What nobody has counted is an estimate (package internal/text). What a vendor has counted counts: see [Count].
package weigh

import (
	"slices"

	"react-agent/agent"
	"react-agent/internal/text"
)

// What stands around a message, a call or a tool, and what a picture of usual size or a page or two of a document takes.
const (
	Frame = 4
	Blob  = 1000
)

// Part is what a part of a message takes; 0 for a mark that no model is sent.
func Part(p *agent.Part) int {
	n := text.Tokens(p.Text)
	if p.Call != nil {
		n += Frame + text.Tokens(p.Call.Name) + text.Tokens(string(p.Call.Args))
	}
	if p.Blob != nil {
		n += Blob
	}
	if p.Result != nil {
		for i := range p.Result.Parts {
			n += Part(&p.Result.Parts[i])
		}
	}
	return n
}

// Message is what a message takes; 0 for one that has nothing for the model.
func Message(m *agent.Message) int {
	n, some := Frame, false
	for i := range m.Parts {
		own := Part(&m.Parts[i])
		n, some = n+own, some || own > 0 || m.Parts[i].Result != nil
	}
	if !some {
		return 0
	}
	return n
}

// Messages is what messages take together.
func Messages(list []agent.Message) (n int) {
	for i := range list {
		n += Message(&list[i])
	}
	return n
}

// Tool is what a tool takes: its name, text and schema in the frame that most wires use. A schema that is no JSON, which no
// request can hold, counts as it is.
func Tool(t *agent.Tool) (bytes, tokens int) {
	raw, err := agent.EncodeJSON(map[string]any{"type": "function", "function": map[string]any{
		"name": t.Shown(), "description": t.Doc, "parameters": t.Schema,
	}})
	if err != nil {
		raw = []byte(t.Shown() + t.Doc + string(t.Schema))
	}
	return len(raw), text.Tokens(string(raw))
}

// Fixed is what a request has beside its messages: system prompt, tools, and the form of its answer.
func Fixed(req *agent.Request) int {
	n := text.Tokens(req.System) + text.Tokens(string(req.Schema))
	for i := range req.Tools {
		_, tokens := Tool(&req.Tools[i])
		n += tokens
	}
	return n
}

// Request is an estimate of all of a request.
func Request(req *agent.Request) int { return Fixed(req) + Messages(req.Messages) }

// Count is what a vendor has counted of a request: everything before the message At was Input tokens, and that message, the
// answer, is Said. What stands behind it nobody has counted. An Input of 0 says that there is no count.
type Count struct{ At, Input, Said int }

// Counted finds the last count that holds for a request. None does from before the compaction with this number (0: there was
// none); and one that is smaller than any vocabulary would have it was not made of this request, and ends the search.
func Counted(req *agent.Request, compacted int64) (c Count) {
	for i, m := range slices.Backward(req.Messages) {
		if compacted > 0 && m.Seq <= compacted {
			return c
		}
		u := m.Usage
		if m.Role != agent.Assistant || u == nil || u.Input == nil || u.Estimated || *u.Input <= 0 {
			continue
		}
		if int(*u.Input) < least(req, i) {
			return c
		}
		return Count{At: i, Input: int(*u.Input), Said: said(&m)}
	}
	return c
}

// said is what an answer adds to the next request: what was thought goes back with few vendors.
func said(m *agent.Message) int {
	u := m.Usage
	if u.Output == nil {
		return Message(m)
	}
	n := int(*u.Output)
	if u.Reasoning != nil {
		n -= int(*u.Reasoning)
	}
	return max(n, 0)
}

// least is what a request with its first n messages has at the very least: no vocabulary has a token for more than eight
// bytes of what people and tools write. Results that were cleared since only make it less.
func least(req *agent.Request, n int) int {
	bytes := len(req.System)
	for i := range req.Messages[:n] {
		bytes += partsBytes(req.Messages[i].Parts)
	}
	return bytes / 8
}

func partsBytes(parts []agent.Part) (sum int) {
	for i := range parts {
		p := &parts[i]
		if p.Kind != agent.Thinking {
			sum += len(p.Text)
		}
		if p.Call != nil {
			sum += len(p.Call.Args)
		}
		if p.Result != nil {
			sum += partsBytes(p.Result.Parts)
		}
	}
	return sum
}

// Window is how large a request is: what was counted with an estimate of what came since, or an estimate of everything.
// Changed says that its system prompt, its tools or its model are others than in the last one, of which a count says nothing.
func Window(req *agent.Request, compacted int64, changed bool) int {
	if !changed {
		if c := Counted(req, compacted); c.Input > 0 {
			return c.Input + c.Said + Messages(req.Messages[c.At+1:])
		}
	}
	return Request(req)
}

// Within reports whether [Window] is at most limit, and reads the tools and texts only where their lengths do not say so.
func Within(req *agent.Request, compacted int64, changed bool, limit int) bool {
	counted := !changed && Counted(req, compacted).Input > 0
	return !counted && most(req) <= limit || Window(req, compacted, changed) <= limit
}

// most is what a request takes at the very most: no token is less than a byte, and JSON makes six of one at the most.
func most(req *agent.Request) int {
	const escaped, separator, around = 6, 2, 80
	n := len(req.System) + len(req.Schema)
	for i := range req.Tools {
		t := &req.Tools[i]
		n += around + escaped*(len(t.Shown())+len(t.Doc)) + separator*len(t.Schema)
	}
	for i := range req.Messages {
		n += Frame + mostOf(req.Messages[i].Parts)
	}
	return n
}

func mostOf(parts []agent.Part) (n int) {
	for i := range parts {
		p := &parts[i]
		n += len(p.Text)
		if p.Call != nil {
			n += Frame + len(p.Call.Name) + len(p.Call.Args)
		}
		if p.Blob != nil {
			n += Blob
		}
		if p.Result != nil {
			n += mostOf(p.Result.Parts)
		}
	}
	return n
}
