package agent

import (
	"encoding/json"
	"maps"
)

// cleanEvent replaces invalid UTF-8 in a durable event's texts before anything else sees it: JSON would do it on the way
// to the log, and the session in memory must equal the one that is loaded. Parts are copied, never changed in place.
func cleanEvent(e *Event) {
	e.Text = validText(e.Text)
	if len(e.State) > 0 {
		e.State = maps.Clone(e.State)
		for k, v := range e.State {
			e.State[k] = cleanRaw(v)
		}
	}
	if e.Message != nil {
		m := *e.Message
		m.Parts = cleanParts(m.Parts)
		e.Message = &m
	}
	if e.Trim != nil {
		t := *e.Trim
		t.Head = make([]Message, len(e.Trim.Head))
		for i, m := range e.Trim.Head {
			m.Parts = cleanParts(m.Parts)
			t.Head[i] = m
		}
		t.Clear = maps.Clone(t.Clear)
		for seq, text := range t.Clear {
			t.Clear[seq] = validText(text)
		}
		e.Trim = &t
	}
	if e.Ask != nil {
		q := *e.Ask
		q.Text = validText(q.Text)
		e.Ask = &q
	}
	if e.Answer != nil {
		a := *e.Answer
		a.Text = validText(a.Text)
		e.Answer = &a
	}
}

// cleanRaw makes raw JSON compact, as the log will have it; what is no JSON becomes a string.
func cleanRaw(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return compactArgs(raw)
}

func cleanParts(parts []Part) []Part {
	if len(parts) == 0 {
		return nil
	}
	out := make([]Part, len(parts))
	for i, p := range parts {
		p.Text = validText(p.Text)
		if p.Call != nil {
			c := *p.Call
			c.ID, c.Name, c.Args = validText(c.ID), validText(c.Name), compactArgs(c.Args)
			p.Call = &c
		}
		if p.Result != nil {
			r := *p.Result
			r.CallID, r.Parts = validText(r.CallID), cleanParts(r.Parts)
			r.Detail = cleanRaw(r.Detail)
			p.Result = &r
		}
		if p.Opaque != nil {
			o := *p.Opaque
			o.Data = cleanRaw(o.Data)
			p.Opaque = &o
		}
		out[i] = p
	}
	return out
}
