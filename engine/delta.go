package engine

import (
	"strconv"
	"time"
	"unicode/utf8"

	"react-agent/agent"
)

// delta is a live event that is a piece of text and nothing else, in one small piece of memory: a stream of text has fifty a
// second, in each of a thousand sessions, and where they wait in queues they are most of what there is to collect.
type delta struct {
	body                frameBody
	seq, n              int64
	time                time.Time
	session, agent, run string
	index               int
	kind                agent.Kind
	text                string
}

// liveFrame copies a live event, as the model may use its memory again while this waits in queues.
func liveFrame(e *agent.Event) Frame {
	if isDelta(e) {
		d := deltaOf(e)
		d.body.delta = &d
		return Frame{Seq: e.Seq, Type: e.Type, n: e.N, body: &d.body}
	}
	own := *e
	if e.Chunk != nil {
		chunk := *e.Chunk
		own.Chunk = &chunk
		if chunk.Part != nil {
			part := *chunk.Part
			chunk.Part = &part
			if part.Call != nil {
				call := *part.Call
				call.Args = append([]byte(nil), call.Args...)
				part.Call = &call
			}
		}
	}
	return eventFrame(&own, nil)
}

func deltaOf(e *agent.Event) delta {
	return delta{
		seq: e.Seq, n: e.N, time: e.Time, session: e.Session, agent: e.Agent, run: e.Run,
		index: e.Chunk.Index, kind: e.Chunk.Part.Kind, text: e.Chunk.Part.Text,
	}
}

// event is what the delta was made of.
func (d *delta) event() agent.Event {
	return agent.Event{
		Seq: d.seq, Type: agent.EvChunk, N: d.n, Time: d.time, Session: d.session, Agent: d.agent, Run: d.run,
		Chunk: &agent.Chunk{Index: d.index, Part: &agent.Part{Kind: d.kind, Text: d.text}},
	}
}

// encode is [agent.EncodeJSON] for an event. A delta is written directly: most are such, and reflection would cost more
// than all else that is done to them here.
func encode(e *agent.Event) ([]byte, error) {
	if !isDelta(e) {
		return agent.EncodeJSON(e)
	}
	d := deltaOf(e)
	return d.line(), nil
}

func (d *delta) line() []byte {
	b := make([]byte, 0, 160+len(d.text)+len(d.session)+len(d.agent))
	b = append(number(b, `{"seq":`, d.seq), `,"type":"chunk"`...)
	if d.n != 0 {
		b = number(b, `,"n":`, d.n)
	}
	b = append(d.time.AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano), '"')
	b = word(b, `,"session":`, d.session)
	b = word(b, `,"agent":`, d.agent)
	b = word(b, `,"run":`, d.run)
	b = number(b, `,"chunk":{"index":`, int64(d.index))
	b = word(b, `,"part":{"kind":`, string(d.kind))
	b = word(b, `,"text":`, d.text)
	return append(b, "}}}"...)
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
