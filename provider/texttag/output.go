package texttag

import (
	"strings"

	"react-agent/agent"
)

// output is the message that is being sent. It can send all of it once more, when something turns out to be no answer.
type output struct {
	yield func(agent.Chunk, error) bool
	left  bool   // the consumer has gone
	model string // as the vendor reports it
	parts []*part
	space string // white space of the answer that no text has followed yet
}

// part is a part of the message so far.
type part struct {
	at     int
	kind   agent.Kind
	theirs bool // the inner model's own: nothing is added to it
	deltas []delta
}

// delta is a piece of a part as it was sent; the texts of neighbours are joined.
type delta struct {
	piece agent.Part
	text  []byte
}

// plain reports whether there is nothing but text in a piece.
func plain(p *agent.Part) bool { return p.Call == nil && p.Blob == nil && p.Opaque == nil }

func (o *output) clear() { o.parts, o.space = nil, "" }

func (o *output) send(c agent.Chunk) {
	if !o.left {
		o.left = !o.yield(c, nil)
	}
}

// part begins a part.
func (o *output) part(kind agent.Kind) *part {
	p := &part{at: len(o.parts), kind: kind}
	o.parts = append(o.parts, p)
	return p
}

// add sends a piece of a part.
func (o *output) add(p *part, d *agent.Part) {
	piece := *d
	piece.Kind = p.kind
	if n := len(p.deltas); n == 0 || !plain(&piece) || !plain(&p.deltas[n-1].piece) {
		p.deltas = append(p.deltas, delta{piece: piece})
	}
	at := &p.deltas[len(p.deltas)-1]
	at.text = append(at.text, piece.Text...)
	o.send(agent.Chunk{Index: p.at, Part: &piece})
}

// last is the last part if it is of this kind, or a new one.
func (o *output) last(kind agent.Kind) *part {
	if n := len(o.parts); n > 0 && o.parts[n-1].kind == kind && !o.parts[n-1].theirs {
		return o.parts[n-1]
	}
	return o.part(kind)
}

// say adds to the answer. White space at its ends is left out.
func (o *output) say(text string) {
	if text = o.space + text; text == "" {
		return
	}
	o.space = ""
	if !o.has(agent.Text) {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	body := strings.TrimRight(text, " \t\r\n")
	o.space = text[len(body):]
	if body != "" {
		o.add(o.last(agent.Text), &agent.Part{Text: body})
	}
}

// think adds to the thoughts.
func (o *output) think(text string) {
	if text != "" {
		o.add(o.last(agent.Thinking), &agent.Part{Text: text})
	}
}

// has reports whether there is something of this kind.
func (o *output) has(kind agent.Kind) bool {
	for _, p := range o.parts {
		if p.kind == kind {
			return true
		}
	}
	return false
}

// relabel makes thoughts of the answer so far. What was shown is withdrawn and sent again.
func (o *output) relabel() {
	o.space = ""
	if !o.has(agent.Text) {
		return
	}
	old := o.parts
	o.parts = nil
	o.send(agent.Chunk{Reset: true})
	if o.model != "" {
		o.send(agent.Chunk{Model: o.model})
	}
	for _, p := range old {
		kind := p.kind
		if kind == agent.Text {
			kind = agent.Thinking
		}
		p.kind, p.at = kind, len(o.parts)
		o.parts = append(o.parts, p)
		for _, d := range p.deltas {
			d.piece.Kind, d.piece.Text = kind, string(d.text)
			o.send(agent.Chunk{Index: p.at, Part: &d.piece})
		}
	}
}
