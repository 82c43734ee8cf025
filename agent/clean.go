package agent

import (
	"encoding/json"
	"maps"
	"slices"
)

// cleanEvent replaces invalid UTF-8 in a durable event's texts before anything else sees it: JSON would do it on the way
// to the log, and the session in memory must equal the one that is loaded. Parts are copied, never changed in place.
func cleanEvent(e *Event) {
	e.Text = validText(e.Text)
	if len(e.State) > 0 {
		state := make(map[string]json.RawMessage, len(e.State))
		for k, v := range e.State {
			state[validText(k)] = cleanRaw(v)
		}
		e.State = state
	}
	if e.Message != nil {
		m := cleanMessage(*e.Message)
		e.Message = &m
	}
	if e.Call != nil {
		c := cleanCall(*e.Call)
		e.Call = &c
	}
	if e.Trim != nil {
		t := *e.Trim
		t.Head = make([]Message, len(e.Trim.Head))
		for i, m := range e.Trim.Head {
			t.Head[i] = cleanMessage(m)
		}
		t.Clear = maps.Clone(t.Clear)
		for seq, text := range t.Clear {
			t.Clear[seq] = validText(text)
		}
		e.Trim = &t
	}
	if e.Ask != nil {
		q := *e.Ask
		q.Text, q.Choices, q.Rules = validText(q.Text), validTexts(q.Choices), validTexts(q.Rules)
		if q.Call != nil {
			c := cleanCall(*q.Call)
			q.Call = &c
		}
		e.Ask = &q
	}
	if e.Answer != nil {
		a := *e.Answer
		a.Text = validText(a.Text)
		e.Answer = &a
	}
	if e.Error != nil {
		x := *e.Error
		x.Message = validText(x.Message)
		e.Error = &x
	}
}

func cleanMessage(m Message) Message {
	m.From, m.Model, m.Parts = validText(m.From), validText(m.Model), cleanParts(m.Parts)
	return m
}

func cleanCall(c Call) Call {
	c.ID, c.Name, c.Args = validText(c.ID), validText(c.Name), compactArgs(c.Args)
	return c
}

func validTexts(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = validText(out[i])
	}
	return out
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
			c := cleanCall(*p.Call)
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
			o.Origin, o.Data = validText(o.Origin), compactArgs(o.Data)
			p.Opaque = &o
		}
		if p.Blob != nil { // a copy also because the journal fills in where the data went
			b := *p.Blob
			b.MIME, b.Name, b.URI = validText(b.MIME), validText(b.Name), validText(b.URI)
			p.Blob = &b
		}
		out[i] = p
	}
	return out
}
