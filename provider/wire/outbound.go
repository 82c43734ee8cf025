package wire

import (
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
)

// IDRule is a vendor's rule for the ids of calls.
type IDRule int

// The rules. IDAny only asks for ids that are not empty and differ within a message.
const (
	IDAny       IDRule = iota
	IDMistral          // exactly nine letters or digits, distinct in the whole history
	IDAnthropic        // 1 to 64 of letters, digits, _ and -, distinct in the whole history
	IDOpenAI           // at most 64 bytes
	IDFlat             // at most 64 bytes, distinct in the whole history: calls and results stand in one list
)

// OutboundOptions say where a history is going.
type OutboundOptions struct {
	Origin string // of the receiving model; opaque data of other origins stays behind
	IDs    IDRule
	// UserLast keeps what a feature has said in the model's name from being the last word: vendors refuse it, or have the
	// model go on in the middle of it.
	UserLast bool
}

// What a result says when there is nothing else to say.
const (
	noOutput = "(no output)"
	noResult = "[no result: the call was interrupted]"
)

// Outbound makes a history fit to be sent, in fixed passes: origin filter, cleaning of names and arguments, removal of empty
// blocks, pair repair, id map, the user's last word. msgs is not changed. What the first messages become does not depend on those behind them, as long
// as no call waits for its result, so a longer history continues the bytes of a shorter one.
func Outbound(msgs []agent.Message, o OutboundOptions) []agent.Message {
	ids := idMap{rule: o.IDs, used: map[string]bool{}}
	out := make([]agent.Message, 0, len(msgs))
	for i := range msgs {
		m := msgs[i]
		if m.Role == agent.ToolRole {
			continue // its call took it along; without a call it is an orphan
		}
		m.Parts = outboundParts(m.Parts, o.Origin)
		if empty(&m) {
			continue
		}
		calls := m.Calls()
		if m.Role != agent.Assistant || len(calls) == 0 {
			out = append(out, m)
			continue
		}
		sent := ids.message(calls)
		rename(m.Parts, sent)
		out = append(out, m)
		for n, c := range calls {
			out = append(out, result(c, sent[n], following(msgs[i+1:])))
		}
	}
	if o.UserLast {
		out = userLast(out)
	}
	return out
}

// userLast leaves out what a feature has said in the model's name, unless something follows that is not the model's. It says
// nothing but that something was read, and two messages of the assistant in a row are no better than one at the end. What
// the model itself said last stays.
func userLast(msgs []agent.Message) []agent.Message {
	next := agent.Assistant
	for i := len(msgs) - 1; i >= 0; i-- {
		m := &msgs[i]
		if m.Role == agent.Assistant && next == agent.Assistant && !m.Answers() && len(m.Calls()) == 0 {
			msgs = slices.Delete(msgs, i, i+1)
			continue
		}
		next = m.Role
	}
	return msgs
}

// outboundParts filters by origin, cleans names and arguments and drops empty text.
func outboundParts(parts []agent.Part, origin string) []agent.Part {
	out := make([]agent.Part, 0, len(parts))
	for _, p := range parts {
		if p.Opaque != nil && p.Opaque.Origin != origin {
			p.Opaque = nil
		}
		switch p.Kind {
		case agent.Thinking:
			if p.Opaque == nil { // somebody else's thoughts, or half a block
				continue
			}
		case agent.Text:
			if strings.TrimSpace(p.Text) == "" && p.Opaque == nil {
				continue
			}
		case agent.CallKind:
			if p.Call == nil {
				continue
			}
			c := *p.Call
			c.Args = objectOnly(c.Args)
			c.Name = callName(c.Name)
			p.Call = &c
		case agent.BlobKind:
			if p.Blob == nil {
				continue
			}
		case agent.ResultOf: // only in tool messages
			continue
		}
		out = append(out, p)
	}
	return out
}

// objectOnly keeps arguments that are an object. What a model wrote instead is told by the error result; in the history
// it would make servers that parse it refuse every later request.
func objectOnly(args json.RawMessage) json.RawMessage {
	if len(args) > 0 && args[0] == '{' && json.Valid(args) {
		return args
	}
	return json.RawMessage("{}")
}

// callName is a name of the characters that every vendor accepts. A model may call a tool that nobody offered; its result
// says so, but the name would have every later request refused. Names of offered tools are of this form.
func callName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 64)]
}

// empty reports whether a message says nothing: thoughts alone are no answer, except where the vendor wants them back.
func empty(m *agent.Message) bool {
	for _, p := range m.Parts {
		if p.Kind != agent.Thinking || m.Stop == agent.StopPause {
			return false
		}
	}
	return true
}

// following gives what stands behind an assistant message and before the next one: there its results are.
func following(msgs []agent.Message) []agent.Message {
	for i := range msgs {
		if msgs[i].Role == agent.Assistant {
			return msgs[:i]
		}
	}
	return msgs
}

// result finds the one result of a call, or makes one.
func result(c agent.Call, id string, behind []agent.Message) agent.Message {
	r := agent.ErrorResult(noResult)
	for i := range behind {
		if behind[i].Role != agent.ToolRole {
			continue
		}
		if got := behind[i].Result(); got != nil && ((c.Key != "" && got.Key == c.Key) || (c.Key == "" && got.CallID == c.ID)) {
			r = *got
			break
		}
	}
	r.CallID = id
	r.Parts = outboundParts(r.Parts, "")
	if len(r.Parts) == 0 {
		r.Parts = []agent.Part{agent.TextPart(noOutput)}
	}
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}}
}

func rename(parts []agent.Part, ids []string) {
	n := 0
	for i := range parts {
		if parts[i].Kind == agent.CallKind {
			parts[i].Call.ID = ids[n] // outboundParts made the copy
			n++
		}
	}
}

// idMap gives each call an id that the vendor accepts.
type idMap struct {
	rule IDRule
	used map[string]bool // in the whole history, where the rule asks for it
}

func (m *idMap) message(calls []agent.Call) []string {
	here := map[string]bool{}
	out := make([]string, len(calls))
	for i, c := range calls {
		id := c.ID
		for try := 0; !m.fits(id) || here[id] || m.used[id]; try++ {
			id = m.made(c, i, try)
		}
		here[id] = true
		if m.rule == IDMistral || m.rule == IDAnthropic || m.rule == IDFlat {
			m.used[id] = true
		}
		out[i] = id
	}
	return out
}

func (m *idMap) fits(id string) bool {
	switch m.rule {
	case IDMistral:
		return len(id) == 9 && only(id, "")
	case IDAnthropic:
		return id != "" && len(id) <= 64 && only(id, "_-")
	case IDOpenAI, IDFlat:
		return id != "" && len(id) <= 64
	case IDAny:
	}
	return id != ""
}

func only(id, more string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(more, r) {
			return false
		}
	}
	return true
}

// made hashes what tells the call from all others, so that the same call has the same id in every request.
func (m *idMap) made(c agent.Call, place, try int) string {
	sum := sha256.Sum256([]byte(c.Key + "\x00" + c.ID + "\x00" + strconv.Itoa(place) + "\x00" + strconv.Itoa(try)))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	if m.rule == IDMistral {
		return text[:9]
	}
	return "call_" + text[:20]
}
