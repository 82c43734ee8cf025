package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxParts bounds the parts of one message; a chunk beyond it is an error, so that a stream cannot make the builder
// allocate without bound.
const MaxParts = 4096

// Builder collects chunks into a message. The result does not depend on how the stream was cut into chunks, and
// building is linear in the message's length. The zero value is ready; it is not safe for concurrent use.
type Builder struct {
	Stop  StopReason // of the last chunk that had one
	Model string     // likewise
	// Withdrawn is what attempts before a Reset have cost.
	Withdrawn *Usage

	parts []*partBuffer // in order of first use
	at    map[int]*partBuffer
	usage *Usage
}

type partBuffer struct {
	index  int
	kind   Kind
	text   []byte // of text and thinking; of a call the arguments
	call   Call
	blob   *Blob
	opaque *Opaque
}

// Add takes one chunk in. It fails on an index out of bounds, a part that changes its kind, and one that is a result.
func (b *Builder) Add(c Chunk) error {
	if c.Reset {
		b.addUsage(c.Usage)
		b.reset()
		return nil
	}
	b.addUsage(c.Usage)
	if c.Stop != "" {
		b.Stop = c.Stop
	}
	if c.Model != "" {
		b.Model = c.Model
	}
	if c.Part == nil {
		return nil
	}
	switch c.Part.Kind {
	case Text, Thinking, BlobKind, CallKind:
	default:
		return fmt.Errorf("part %d has the kind %q, which a model cannot say", c.Index, c.Part.Kind)
	}
	p, err := b.part(c.Index, c.Part.Kind)
	if err != nil {
		return err
	}
	p.add(c.Part)
	return nil
}

// addUsage keeps the last known value of each number: vendors repeat and correct them within one answer.
func (b *Builder) addUsage(u *Usage) {
	if u == nil {
		return
	}
	if b.usage == nil {
		b.usage = &Usage{}
	}
	next := Usage{}
	next.Add(u)
	last(&b.usage.Input, next.Input)
	last(&b.usage.Output, next.Output)
	last(&b.usage.Cached, next.Cached)
	last(&b.usage.CacheWrite, next.CacheWrite)
	last(&b.usage.Reasoning, next.Reasoning)
	last(&b.usage.CostUSD, next.CostUSD)
	b.usage.Estimated = u.Estimated
}

func last[N any](to **N, n *N) {
	if n != nil {
		*to = n
	}
}

func (b *Builder) reset() {
	if b.usage != nil {
		if b.Withdrawn == nil {
			b.Withdrawn = &Usage{}
		}
		b.Withdrawn.Add(b.usage)
	}
	b.parts, b.at, b.usage, b.Stop, b.Model = nil, nil, nil, "", ""
}

func (b *Builder) part(index int, k Kind) (*partBuffer, error) {
	if n := len(b.parts); n > 0 && b.parts[n-1].index == index && b.parts[n-1].kind == k {
		return b.parts[n-1], nil
	}
	if index < 0 || index >= MaxParts {
		return nil, fmt.Errorf("part index %d is out of bounds (0 to %d)", index, MaxParts-1)
	}
	if p, ok := b.at[index]; ok {
		if p.kind != k {
			return nil, fmt.Errorf("part %d changes its kind from %s to %s", index, p.kind, k)
		}
		return p, nil
	}
	p := &partBuffer{index: index, kind: k}
	if b.at == nil {
		b.at = map[int]*partBuffer{}
	}
	b.at[index] = p
	b.parts = append(b.parts, p)
	return p, nil
}

func (p *partBuffer) add(d *Part) {
	if d.Call != nil {
		if d.Call.ID != "" {
			p.call.ID = d.Call.ID
		}
		if d.Call.Name != "" {
			p.call.Name = d.Call.Name
		}
		if len(d.Call.Args) > 0 {
			p.text = append(p.text[:0], d.Call.Args...)
		}
	}
	p.text = append(p.text, d.Text...)
	if d.Blob != nil {
		p.blob = d.Blob
	}
	if d.Opaque != nil {
		p.opaque = d.Opaque
	}
}

// Empty reports whether no part has come in since the start or the last Reset.
func (b *Builder) Empty() bool { return len(b.parts) == 0 }

// Message gives what was collected. Empty text parts are left out, invalid UTF-8 is replaced, and each call has compact
// arguments: {} for none, one JSON string for text that is no JSON.
func (b *Builder) Message() Message {
	m := Message{Role: Assistant, Model: b.Model, Stop: b.Stop, Usage: b.usage}
	for _, p := range b.parts {
		switch p.kind {
		case Text, Thinking:
			if len(p.text) > 0 || p.opaque != nil {
				m.Parts = append(m.Parts, Part{Kind: p.kind, Text: validText(string(p.text)), Opaque: p.opaque})
			}
		case CallKind:
			c := p.call
			c.Args = compactArgs(p.text)
			m.Parts = append(m.Parts, Part{Kind: CallKind, Call: &c, Opaque: p.opaque})
		case BlobKind, ResultOf:
			if p.blob != nil {
				m.Parts = append(m.Parts, Part{Kind: BlobKind, Blob: p.blob, Opaque: p.opaque})
			}
		}
	}
	return m
}

// compactArgs makes arguments one compact JSON value, whatever they were.
func compactArgs(raw []byte) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil || isDeep(out.Bytes()) {
		return quote(string(raw))
	}
	return out.Bytes()
}

// isDeep reports whether JSON is nested more deeply than can be read again inside an event: a decoder takes 10,000 levels in
// all, and those around it count.
func isDeep(raw []byte) bool {
	const most = 9900
	if len(raw) <= 2*most {
		return false
	}
	depth := 0
	for i := 0; i < len(raw) && depth <= most; i++ {
		switch raw[i] {
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return depth > most
}

// quote makes a JSON string of text, without HTML escaping.
func quote(text string) json.RawMessage {
	if isPlain(text) { // most are words, of a schema or a name
		return json.RawMessage(`"` + text + `"`)
	}
	raw, err := EncodeJSON(text)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return raw
}

// isPlain reports whether a text stands for itself in JSON.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
