package completions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/sse"
	"react-agent/provider/wire"
)

// decoder turns the body of one reply into chunks.
type decoder struct {
	m        *model
	tools    []agent.Tool
	header   http.Header
	yield    func(agent.Chunk, error) bool
	left     bool   // the consumer has left; nothing may be yielded any more
	finished func() // told when the finish reason has come

	next      int // index of the next part
	textAt    int // index of the text part, -1 = none yet
	thoughtAt int
	textSeen  bool // something visible other than white space

	content, reasoning joiner
	tags               wire.Tags
	onSpan             func(wire.Span)
	onText, onThought  func(string)
	textCalls          *wire.TextCalls // nil: no tools were offered
	thoughtCalls       *wire.TextCalls
	raw                strings.Builder // the visible text before calls were looked for
	thoughts           strings.Builder

	calls   []*openCall
	last    *openCall
	batch   int // counts deltas with calls
	counts  counts
	keeping keeping

	finish  string // the finish reason, once it has come
	refused bool
	model   string
	named   bool // the model's name was passed on
}

func newDecoder(m *model, req *agent.Request, yield func(agent.Chunk, error) bool) *decoder {
	d := &decoder{m: m, tools: req.Tools, yield: yield, textAt: -1, thoughtAt: -1, finished: func() {}}
	d.counts.thoughtsInTotal = m.Preset.ThoughtsInTotal
	d.onSpan, d.onText, d.onThought = d.span, d.emitText, d.emitThought
	d.lookForCalls()
	return d
}

func (d *decoder) lookForCalls() {
	if len(d.tools) > 0 {
		d.textCalls, d.thoughtCalls = wire.NewTextCalls(d.tools), wire.NewThoughtCalls(d.tools)
	}
}

// read reads the body to the message's end. Its error says that there was none.
func (d *decoder) read(body io.Reader) error {
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
func (d *decoder) readWhole(body io.Reader) error {
	all, err := io.ReadAll(io.LimitReader(body, sse.MaxEvent))
	text := strings.TrimSpace(strings.TrimPrefix(string(all), "\ufeff"))
	if strings.HasPrefix(text, "<") {
		if err != nil {
			return cutError{err}
		}
		return d.unusable(text, "the server sent a web page instead of an answer", false)
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
			return d.unusable(text, "the server sent something that is neither JSON nor an event stream", false)
		}
		for _, one := range values(gjson.ParseBytes(v)) {
			if e := d.event(one, ""); e != nil {
				return e
			}
		}
	}
	return nil
}

// values are the elements of a list, or the value itself.
func values(v gjson.Result) []gjson.Result {
	if v.IsArray() {
		return v.Array()
	}
	return []gjson.Result{v}
}

// readEvents reads an event stream.
func (d *decoder) readEvents(body io.Reader) error {
	r := sse.NewReader(body)
	some := false
	for !d.left {
		e, err := r.Next()
		if err != nil {
			if !some && errors.Is(err, io.EOF) {
				return d.unusable("", "the server sent text that is no event stream", false)
			}
			return d.end(cutError{err})
		}
		some = true
		done, err := d.data(e)
		if err != nil {
			return err
		}
		if done {
			return d.complete()
		}
	}
	return nil
}

// data takes the data of one event. done: it was the mark behind the last one.
func (d *decoder) data(e sse.Event) (done bool, err error) {
	data := bytes.TrimSpace(e.Data)
	if isDone(data) {
		return true, nil
	}
	if gjson.ValidBytes(data) {
		return false, d.event(gjson.ParseBytes(data), string(e.Type))
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
			if err := d.event(gjson.ParseBytes(line), string(e.Type)); err != nil {
				return false, err
			}
			continue
		case e.Tail:
			return false, nil // the end of the stream comes next and says how
		}
		return false, d.noJSON(string(line), string(e.Type))
	}
	return false, nil
}

func isDone(data []byte) bool { return string(data) == "[DONE]" }

// noJSON takes an event that is no JSON: an error in plain words, a heartbeat, or a damaged chunk.
func (d *decoder) noJSON(line, kind string) error {
	if kind == "error" || strings.Contains(strings.ToLower(line), "error") && line[0] != '{' {
		return d.refuse(line)
	}
	if line[0] == '{' || line[0] == '[' {
		return d.unusable(line, "an event of the stream is damaged", true)
	}
	return nil
}

// event takes one JSON value of the reply.
func (d *decoder) event(root gjson.Result, kind string) error {
	if root.Type == gjson.String && strings.TrimSpace(root.Str) != "" {
		return d.refuse(root.Raw)
	}
	var failed gjson.Result
	root.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "choices":
			failed = d.choices(v, failed)
		case "usage":
			d.counts.take(v)
		case "x_groq":
			d.counts.take(v.Get("usage"))
			if e := v.Get("error"); isFailure(e) {
				failed = v
			}
		case "timings":
			d.counts.takeTimings(v)
		case "model":
			if v.Str != "" {
				d.model = v.Str
			}
		case "error", "base_resp":
			if topFailure(key.Str, v) {
				failed = root
			}
		}
		return true
	})
	switch {
	case failed.Exists():
		return d.refuse(failed.Raw)
	case kind == "error", !root.Get("choices").IsArray() && flatFailure(root):
		return d.refuse(root.Raw)
	}
	return nil
}

// choices takes the choices and gives the last error in them, else the one that is known.
func (d *decoder) choices(list, failed gjson.Result) gjson.Result {
	list.ForEach(func(_, choice gjson.Result) bool {
		if e := d.choice(choice); e.Exists() {
			failed = e
		}
		return true
	})
	return failed
}

// topFailure reports whether a field at the top of an event says that the call failed.
func topFailure(key string, v gjson.Result) bool {
	if key == "base_resp" {
		return v.Get("status_code").Int() != 0
	}
	return isFailure(v)
}

// isFailure reports whether the value of an error field says anything: null, "", {} and false do not.
func isFailure(v gjson.Result) bool {
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

// flatFailure recognises an error that stands at the top of an event, without a field named error.
func flatFailure(root gjson.Result) bool {
	if !root.IsObject() {
		return false
	}
	has := func(key string) bool { return isFailure(root.Get(key)) }
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

// choice takes one choice and gives the error in it, if any.
func (d *decoder) choice(c gjson.Result) (failed gjson.Result) {
	if i := c.Get("index"); i.Type == gjson.Number && i.Num > 0 {
		return failed // only one answer was asked for
	}
	var message gjson.Result
	delta := false
	c.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "delta":
			if v.IsObject() {
				delta = true
				d.delta(v)
			}
		case "message":
			message = v
		case "text":
			d.contentText(d.content.text(v))
		case "finish_reason":
			if s := v.String(); v.Type != gjson.Null && s != "" {
				d.finish = s
				d.finished()
			}
		case "usage":
			d.counts.take(v)
		case "error":
			if isFailure(v) {
				failed = c
			}
		}
		return true
	})
	if message.IsObject() && !delta {
		d.delta(message)
	}
	return failed
}

// refuse makes the error of a failure that stands in a good reply.
func (d *decoder) refuse(raw string) error {
	return wire.Classify(wire.Failure{Provider: d.m.name(), Status: http.StatusOK, Header: d.header, Body: []byte(raw), InStream: true})
}

// unusable makes the error of a reply that is no message.
func (d *decoder) unusable(raw, why string, retry bool) error {
	if len(raw) > 200 {
		raw = strings.ToValidUTF8(raw[:200], "") + "…"
	}
	err := errors.New(why)
	if raw != "" {
		err = fmt.Errorf("%s: %q", why, raw)
	}
	return &agent.ModelError{Kind: agent.ErrInvalidResponse, Provider: d.m.name(), Retryable: retry, Err: err}
}

// end ends a body without [DONE]: good if the finish reason had come.
func (d *decoder) end(err error) error {
	if d.finish == "" {
		return err
	}
	return d.complete()
}
