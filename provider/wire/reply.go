package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/sse"
)

// A Decoder understands the replies of one wire. It is made for one reply.
type Decoder interface {
	// Event takes one JSON value: an event of the stream, or all of a reply that is none. kind is the event's name, ""
	// where it has none. It tells the [Draft] what the value says; an error ends the reply as a failure.
	Event(v gjson.Result, kind string) error
	// Usage is what was counted so far; nil = nothing. It is asked once, at the end.
	Usage() *agent.Usage
	// Thoughts is what has to go back with the thoughts that end the message without an [agent.Opaque] of their own; nil =
	// nothing. It is asked once, after all text was told apart.
	Thoughts() *agent.Opaque
}

// Read reads the body to the message's end. Its error says that there was none.
func (d *Draft) Read(body io.Reader, by Decoder) error {
	d.by = by
	first, rest, err := sse.Sniff(body)
	if err != nil {
		return cutError{err}
	}
	switch first {
	case '{', '[', '<':
		return d.readWhole(rest)
	}
	return d.readEvents(rest)
}

// readWhole reads a reply that is no stream: one JSON value, or several behind one another.
func (d *Draft) readWhole(body io.Reader) error {
	all, err := io.ReadAll(io.LimitReader(body, sse.MaxEvent))
	text := strings.TrimSpace(strings.TrimPrefix(string(all), "\ufeff"))
	if strings.HasPrefix(text, "<") {
		if err != nil {
			return cutError{err}
		}
		return d.Unusable(text, false, msg.ReplyPage)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	for !d.left {
		var v json.RawMessage
		if e := dec.Decode(&v); e != nil {
			switch {
			case err != nil:
				return d.end(cutError{err})
			case errors.Is(e, io.EOF) || errors.Is(e, io.ErrUnexpectedEOF):
				return d.end(cutError{io.EOF})
			}
			return d.Unusable(text, false, msg.ReplyNoJSON)
		}
		for _, one := range Values(gjson.ParseBytes(v)) {
			if e := d.value(one, ""); e != nil {
				return e
			}
		}
	}
	return nil
}

// Values are the elements of a list, or the value itself.
func Values(v gjson.Result) []gjson.Result {
	if v.IsArray() {
		return v.Array()
	}
	return []gjson.Result{v}
}

// readEvents reads an event stream.
func (d *Draft) readEvents(body io.Reader) error {
	r := sse.NewReader(body)
	some := false
	for !d.left {
		e, err := r.Next()
		if err != nil {
			if !some && errors.Is(err, io.EOF) {
				return d.Unusable("", false, msg.ReplyNoStream)
			}
			return d.end(cutError{err})
		}
		some = true
		done, err := d.data(e)
		if err != nil {
			return err
		}
		if done || d.closed {
			return d.complete()
		}
	}
	return nil
}

// data takes the data of one event. done: it was the mark behind the last one.
func (d *Draft) data(e sse.Event) (done bool, err error) {
	data := bytes.TrimSpace(e.Data)
	if isDone(data) {
		return true, nil
	}
	if string(e.Type) != d.kind { // most events are of one kind
		d.kind = string(e.Type)
	}
	if nested(data) {
		return false, d.Unusable(string(data), false, msg.ReplyDeep)
	}
	if gjson.ValidBytes(data) {
		return false, d.value(gjson.ParseBytes(data), d.kind)
	}
	// Servers that forget the blank line between events make several values of one.
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case isDone(line):
			return true, nil
		case gjson.ValidBytes(line):
			if err := d.value(gjson.ParseBytes(line), d.kind); err != nil {
				return false, err
			}
			continue
		case e.Tail:
			return false, nil // the end of the stream comes next and says how
		}
		return false, d.noJSON(string(line), d.kind)
	}
	return false, nil
}

func isDone(data []byte) bool { return string(data) == "[DONE]" }

// value hands one JSON value to the wire. A bare text where an object should be is a failure in plain words.
func (d *Draft) value(v gjson.Result, kind string) error {
	if v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
		return d.Refuse(v.Raw)
	}
	if err := d.by.Event(v, kind); err != nil {
		return err
	}
	if d.size > MaxReply {
		return d.Unusable("", false, msg.ReplyLong, MaxReply>>20)
	}
	return nil
}

// nested reports whether values of a JSON text are nested deeper than [maxEventDepth].
func nested(data []byte) bool {
	if len(data) <= maxEventDepth {
		return false
	}
	depth, open := 0, false
	for i := 0; i < len(data) && depth <= maxEventDepth; i++ {
		switch c := data[i]; {
		case open && c == '\\':
			i++
		case c == '"':
			open = !open
		case open:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return depth > maxEventDepth
}

// noJSON takes an event that is no JSON: an error in plain words, a heartbeat, or a damaged chunk.
func (d *Draft) noJSON(line, kind string) error {
	if kind == "error" || strings.Contains(strings.ToLower(line), "error") && line[0] != '{' {
		return d.Refuse(line)
	}
	if line[0] == '{' || line[0] == '[' {
		return d.Unusable(line, true, msg.ReplyDamaged)
	}
	return nil
}

// Refuse makes the error of a failure that stands in a good reply; raw is the event, or the object, that tells it.
func (d *Draft) Refuse(raw string) error {
	return Classify(Failure{Provider: d.c.Name(), Status: http.StatusOK, Header: d.header, Body: []byte(raw), InStream: true})
}

// Unusable makes the error of a reply that is no message, of kind invalid_response. Of raw, what came, it quotes the
// beginning.
func (d *Draft) Unusable(raw string, retry bool, why msg.Key, args ...any) error {
	if len(raw) > 200 {
		raw = strings.ToValidUTF8(raw[:200], "") + "…"
	}
	err := msg.Errorf(why, args...)
	if raw != "" {
		err = msg.Errorf(msg.ReplyQuoted, err, raw)
	}
	return &agent.ModelError{Kind: agent.ErrInvalidResponse, Provider: d.c.Name(), Retryable: retry, Err: err}
}

// end ends a body without a mark behind it: good if the finish reason had come.
func (d *Draft) end(err error) error {
	if d.finish == "" && !d.closed {
		return err
	}
	return d.complete()
}

// IsFailure reports whether the value of an error field says anything: null, "", {} and false do not.
func IsFailure(v gjson.Result) bool {
	switch v.Type {
	case gjson.String:
		return v.Str != ""
	case gjson.Number:
		return v.Num != 0
	case gjson.True:
		return true
	case gjson.JSON:
		some := false
		v.ForEach(func(_, f gjson.Result) bool {
			some = some || f.Type != gjson.Null && f.Raw != `""` && f.Raw != "0"
			return !some
		})
		return some
	case gjson.Null, gjson.False:
	}
	return false
}

// FlatFailure recognises an error that stands at the top of an event, without a field named error. It is for events that
// are not of the wire's own kinds.
func FlatFailure(root gjson.Result) bool {
	if !root.IsObject() {
		return false
	}
	has := func(key string) bool { return IsFailure(root.Get(key)) }
	switch {
	case root.Get("object").Str == "error", root.Get("type").Str == "error", has("detail"), has("errors"), has("error_msg"), has("error_code"), has("error_message"), has("errmsg"):
		return true
	case root.Get("success").Type == gjson.False:
		return true
	case root.Get("message").Type == gjson.String || root.Get("msg").Type == gjson.String:
		return has("code") || has("status") || has("type") || has("request_id") || has("status_code")
	}
	return false
}
