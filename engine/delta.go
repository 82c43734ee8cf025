package engine

import (
	"strconv"
	"time"
	"unicode/utf8"

	"react-agent/agent"
)

// delta is a live event with everything it points to, in one piece: a stream of text has fifty a second, in each of a
// thousand sessions.
type delta struct {
	body  frameBody
	event agent.Event
	chunk agent.Chunk
	part  agent.Part
}

// liveFrame copies a live event, as the model may use its memory again while this waits in queues.
func liveFrame(e *agent.Event) Frame {
	d := &delta{event: *e}
	d.body.event = &d.event
	if e.Chunk != nil {
		d.chunk = *e.Chunk
		d.event.Chunk = &d.chunk
		if e.Chunk.Part != nil {
			d.part = *e.Chunk.Part
			d.chunk.Part = &d.part
			if call := d.part.Call; call != nil {
				own := *call
				own.Args = append([]byte(nil), call.Args...)
				d.part.Call = &own
			}
		}
	}
	return Frame{Seq: e.Seq, Type: e.Type, n: e.N, body: &d.body}
}

// encode is [agent.EncodeJSON] for an event. One that brings a piece of text and nothing else is written directly: most
// are such, and reflection would cost more than all else that is done to them here.
func encode(e *agent.Event) ([]byte, error) {
	if !isDelta(e) {
		return agent.EncodeJSON(e)
	}
	p := e.Chunk.Part
	b := make([]byte, 0, 192+len(p.Text)+len(e.Session)+len(e.Agent))
	b = append(number(b, `{"seq":`, e.Seq), `,"type":"chunk"`...)
	if e.N != 0 {
		b = number(b, `,"n":`, e.N)
	}
	b = append(e.Time.AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano), '"')
	b = word(b, `,"session":`, e.Session)
	b = word(b, `,"agent":`, e.Agent)
	b = word(b, `,"run":`, e.Run)
	b = number(b, `,"chunk":{"index":`, int64(e.Chunk.Index))
	b = word(b, `,"part":{"kind":`, string(p.Kind))
	b = word(b, `,"text":`, p.Text)
	return append(b, "}}}"...), nil
}

// isDelta reports whether an event is a piece of text, plainly written, and nothing else.
func isDelta(e *agent.Event) bool {
	return e.Type == agent.EvChunk && e.Chunk != nil && e.Chunk.Part != nil && isText(e.Chunk.Part) &&
		e.Time.Location() == time.UTC && e.Time.Year() <= 9999 && !saysMore(e)
}

func isText(p *agent.Part) bool {
	return (p.Kind == agent.Text || p.Kind == agent.Thinking) && p.Blob == nil && p.Call == nil && p.Result == nil && p.Opaque == nil
}

// saysMore reports whether anything is set that no chunk has.
func saysMore(e *agent.Event) bool {
	content := e.Message != nil || e.Call != nil || e.Ask != nil || e.Answer != nil || e.Trim != nil || e.Void != nil || e.Setup != nil
	return content || len(e.Took) > 0 || len(e.State) > 0 || e.Carry != nil || e.Usage != nil || e.Steps != 0 || e.Stop != "" ||
		e.Error != nil || e.Text != ""
}

func number(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

// word adds a string, unless it is empty.
func word(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return quote(append(b, name...), s)
}

// quote adds a JSON string in the form of [agent.EncodeJSON].
func quote(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		size := 1
		esc := ""
		switch {
		case c == '"' || c == '\\' || c < ' ':
			esc = escape(c)
		case c >= utf8.RuneSelf:
			var r rune
			switch r, size = utf8.DecodeRuneInString(s[i:]); {
			case r == utf8.RuneError && size == 1:
				esc = `\ufffd`
			case r == '\u2028':
				esc = `\u2028`
			case r == '\u2029':
				esc = `\u2029`
			}
		}
		if esc != "" {
			b = append(append(b, s[done:i]...), esc...)
			done = i + size
		}
		i += size
	}
	return append(append(b, s[done:]...), '"')
}

// escape says how a byte stands in a JSON string that cannot stand for itself.
func escape(c byte) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	}
	const hex = "0123456789abcdef"
	return `\u00` + hex[c>>4:c>>4+1] + hex[c&15:c&15+1]
}
