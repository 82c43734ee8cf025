package command

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// talk follows the messages of a program's output. All programs that print several things say of what kind each is; whose
// words are whose shows in a role or in the kind.
type talk struct {
	text     []byte // of the last message of the assistant
	begins   int    // how often the text has begun anew
	thoughts strings.Builder
	model    string
	stop     string // why the model stopped, in the vendor's word
	partial  bool   // text is made of pieces, and nothing has said that they are all

	result  gjson.Result // the last item that says how it all ended
	errors  []string     // what was reported on the way
	usage   gjson.Result // counts that came with a message; those of the result are better
	items   int          // that were understood
	message string       // id of the last whole message
}

// take takes one item.
func (t *talk) take(v gjson.Result) {
	if p := v.Get("parent_tool_use_id"); p.Type == gjson.String && p.Str != "" {
		return // somebody else's, within
	}
	switch kind := v.Get("type").Str; kind {
	case "result":
		t.result = v
		t.items++
	case "stream_event":
		t.event(v.Get("event"))
		t.items++
	case "system", "init":
		t.named(v.Get("model"))
		t.items++
	case "error":
		t.reported(v)
	case "assistant", "message", "agent_message", "assistant_message", "text", "item.completed":
		t.said(kind, v)
	case "turn.completed":
		t.usage = v.Get("usage")
		t.items++
	case "turn.failed":
		t.result = v
		t.items++
	}
}

func (t *talk) begin() {
	t.text = nil
	t.begins++
}

func (t *talk) named(v gjson.Result) {
	if v.Type == gjson.String && v.Str != "" {
		t.model = v.Str
	}
}

// reported takes an error that is told on the way. A warning is none.
func (t *talk) reported(v gjson.Result) {
	if s := v.Get("severity").Str; s == "warning" || s == "info" {
		return
	}
	if text := failureText(v); text != "" {
		t.errors = append(t.errors, text)
	}
	t.items++
}

// event takes a raw event of the vendor's stream.
func (t *talk) event(v gjson.Result) {
	switch v.Get("type").Str {
	case "message_start":
		t.begin()
		t.partial, t.message = true, v.Get("message.id").Str
		t.named(v.Get("message.model"))
		t.count(v.Get("message.usage"))
	case "content_block_delta":
		d := v.Get("delta")
		switch d.Get("type").Str {
		case "text_delta":
			t.text, t.partial = append(t.text, d.Get("text").Str...), true
		case "thinking_delta":
			t.thoughts.WriteString(d.Get("thinking").Str)
		}
	case "message_delta":
		if s := v.Get("delta.stop_reason").Str; s != "" {
			t.stop = s
		}
		t.count(v.Get("usage"))
	case "message_stop":
		t.partial = false
	}
}

func (t *talk) count(v gjson.Result) {
	if v.IsObject() {
		t.usage = v
	}
}

// said takes a message, or a piece of one.
func (t *talk) said(kind string, v gjson.Result) {
	inner, ours := spoken(kind, v)
	t.items++
	if !ours {
		return
	}
	t.named(inner.Get("model"))
	t.count(inner.Get("usage"))
	if s := inner.Get("stop_reason").Str; s != "" {
		t.stop = s
	}
	text := textOf(inner)
	if v.Get("delta").Bool() {
		t.text, t.partial = append(t.text, text...), true
		return
	}
	t.thoughtsOf(inner)
	if text == "" {
		return
	}
	id := inner.Get("id").Str
	switch {
	case id != "" && id == t.message && bytes.HasSuffix(t.text, []byte(text)): // its pieces have come already
	case id != "" && id == t.message: // one block of a message for each item
		t.text = append(t.text, text...)
	default:
		t.begin()
		t.text = append(t.text, text...)
	}
	t.message, t.partial = id, false
}

// spoken finds the message in an item, and says whether it is the assistant's.
func spoken(kind string, v gjson.Result) (m gjson.Result, ours bool) {
	m = v
	for _, at := range []string{"message", "item", "part"} {
		if inner := v.Get(at); inner.IsObject() {
			m = inner
			break
		}
	}
	switch m.Get("role").Str {
	case "assistant", "model":
		return m, true
	case "":
		if kind == "item.completed" { // a message among commands and thoughts
			return m, strings.HasSuffix(m.Get("type").Str, "message")
		}
		return m, true
	}
	return m, false // the prompt, repeated
}

// thoughtsOf takes the thoughts of a whole message, unless they have come in pieces.
func (t *talk) thoughtsOf(m gjson.Result) {
	m.Get("content").ForEach(func(_, part gjson.Result) bool {
		if s := part.Get("thinking").Str; part.Get("type").Str == "thinking" && !strings.HasSuffix(t.thoughts.String(), s) {
			t.thoughts.WriteString(s)
		}
		return true
	})
}

// textKeys are the fields that hold an answer, the surest first.
func textKeys() []string { return []string{"result", "response", "content", "text", "message"} }

// textOf is the text that an object holds: the first of the fields that has one.
func textOf(v gjson.Result) string {
	for _, key := range textKeys() {
		if s := textIn(v.Get(key)); s != "" {
			return s
		}
	}
	return textIn(v.Get("choices.0.message"))
}

// textIn is the text of a value: a string, a list of parts, or a message within.
func textIn(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return v.Str
	case v.IsArray():
		var b strings.Builder
		v.ForEach(func(_, part gjson.Result) bool {
			switch kind := part.Get("type").Str; {
			case part.Type == gjson.String:
				b.WriteString(part.Str)
			case kind == "" || kind == "text" || kind == "output_text":
				b.WriteString(part.Get("text").Str)
			}
			return true
		})
		return b.String()
	case v.IsObject():
		for _, key := range []string{"content", "text"} {
			if s := textIn(v.Get(key)); s != "" {
				return s
			}
		}
	}
	return ""
}
