package responses

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider/wire"
)

// decoder tells a draft what the values of one reply say.
type decoder struct {
	*wire.Draft
	m      *model
	counts wire.Counts
	items  []item // as they were begun
	cur    int    // the item the last event was about
	said   int    // the item whose text is open, -1 = none
	mused  musing
}

func (m *model) newDecoder(d *wire.Draft) *decoder {
	return &decoder{Draft: d, m: m, said: -1, mused: musing{item: -1}, counts: wire.Counts{ThoughtsInTotal: m.Preset.ThoughtsInTotal}}
}

// Usage is what was counted.
func (d *decoder) Usage() *agent.Usage { return d.counts.Usage() }

// Thoughts is nothing: what goes back is sealed item by item.
func (d *decoder) Thoughts() *agent.Opaque { return nil }

// event is what one value says.
type event struct {
	kind     string
	at       place
	part     int64        // the place within the item; -1 = not said
	delta    gjson.Result // a piece
	whole    gjson.Result // all of it
	item     gjson.Result
	response gjson.Result
	failure  gjson.Result
	api      string // the wire whose format this is, if it is another one
}

// place is how events name an item.
type place struct {
	id      string
	index   int64
	indexed bool
}

// Event takes one JSON value of the reply.
func (d *decoder) Event(root gjson.Result, kind string) error {
	e := event{part: -1}
	root.ForEach(func(key, v gjson.Result) bool {
		e.take(key.Str, v)
		return true
	})
	if e.kind == "" || e.kind == "response" || e.kind == "message" {
		e.kind = kind
	}
	if d.piece(&e) || d.repetition(&e) {
		return nil
	}
	switch e.kind {
	case "response.output_item.added":
		d.begin(d.added(&e), e.item)
	case "response.output_item.done":
		d.done(&e)
	default:
		return d.other(root, &e)
	}
	return nil
}

// take reads one field.
func (e *event) take(key string, v gjson.Result) {
	switch key {
	case "type":
		e.kind = v.Str
	case "item_id":
		e.at.id = v.Str
	case "output_index":
		e.at.index, e.at.indexed = v.Int(), v.Type == gjson.Number
	case "content_index", "summary_index":
		if v.Type == gjson.Number {
			e.part = v.Int()
		}
	case "delta":
		e.delta = v
	case "text", "refusal", "arguments", "input", "part":
		e.whole = v
	case "item":
		e.item = v
	case "response":
		e.response = v
	case "error":
		e.failure = v
	case "choices":
		e.api = "chat"
	case "candidates":
		e.api = "gemini"
	case "stop_reason":
		e.api = "anthropic"
	}
}

// piece takes an event that brings a piece of something. False: it is none.
func (d *decoder) piece(e *event) bool {
	switch e.kind {
	case "response.output_text.delta", "response.text.delta":
		d.text(d.find(e.at, message), e.part, e.delta)
	case "response.refusal.delta":
		d.Refuses()
		d.text(d.find(e.at, message), e.part, e.delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_summary.delta":
		d.thought(d.find(e.at, reasoning), fromSummary, e.part, e.delta)
	case "response.reasoning_text.delta", "response.reasoning.delta":
		d.thought(d.find(e.at, reasoning), fromText, e.part, e.delta)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		d.args(d.find(e.at, call), e.delta, false)
	default:
		return false
	}
	return true
}

// repetition takes an event that brings all of what came in pieces before. False: it is none.
func (d *decoder) repetition(e *event) bool {
	switch e.kind {
	case "response.output_text.done", "response.text.done":
		d.textOnce(d.find(e.at, message), e.part, e.whole)
	case "response.refusal.done":
		d.Refuses()
		d.textOnce(d.find(e.at, message), e.part, e.whole)
	case "response.reasoning_summary_text.done", "response.reasoning_summary.done":
		d.thoughtOnce(d.find(e.at, reasoning), fromSummary, e.part, e.whole)
	case "response.reasoning_text.done", "response.reasoning.done":
		d.thoughtOnce(d.find(e.at, reasoning), fromText, e.part, e.whole)
	case "response.content_part.done":
		if k := kindOf(e.whole.Get("type").Str); k != unknown {
			d.contentPart(d.find(e.at, k), e.part, e.whole)
		}
	case "response.reasoning_summary_part.done":
		d.thoughtOnce(d.find(e.at, reasoning), fromSummary, e.part, e.whole.Get("text"))
	case "response.function_call_arguments.done", "response.custom_tool_call_input.done":
		d.args(d.find(e.at, call), e.whole, true)
	default:
		return false
	}
	return true
}

// other takes the events that are about the whole reply, and those that are none of the wire's.
func (d *decoder) other(root gjson.Result, e *event) error {
	response := e.response
	if !response.IsObject() && (root.Get("object").Str == "response" || root.Get("output").IsArray()) {
		response = root
	}
	switch {
	case e.kind == "error" || e.kind == "response.error":
		return d.Refuse(root.Raw)
	case wire.IsFailure(e.failure) && !response.IsObject():
		return d.Refuse(root.Raw)
	case wire.IsFailure(e.failure): // alone: what else stands in a response is no word of a failure
		return d.Refuse(`{"error":` + e.failure.Raw + `}`)
	case !response.IsObject():
		return d.foreign(root, e)
	}
	d.Model(response.Get("model").Str)
	d.counts.Take(response.Get("usage"))
	switch e.kind {
	case "response.completed", "response.done", "response.incomplete", "response.failed", "response.cancelled", "response.canceled":
		return d.final(response, strings.TrimPrefix(e.kind, "response."))
	}
	if response.Raw == root.Raw {
		return d.final(response, "")
	}
	return nil
}

// foreign takes what has neither an item nor a response in it.
func (d *decoder) foreign(root gjson.Result, e *event) error {
	if e.kind == "message_start" {
		e.api = "anthropic"
	}
	switch {
	case e.api != "":
		return d.Unusable(root.Raw, false, msg.ReplyOtherWire, e.api)
	case !strings.HasPrefix(e.kind, "response.") && wire.FlatFailure(root):
		return d.Refuse(root.Raw)
	}
	return nil
}

// final takes the reply as a whole: it stands in the last event of a stream, and is all of a reply that is none. word is
// what the event says of it, "" if nothing.
func (d *decoder) final(response gjson.Result, word string) error {
	status := response.Get("status").Str
	if word == "" || word == "done" {
		word = status
	}
	failure := response.Get("error")
	switch {
	case wire.IsFailure(failure): // alone: what else stands in a response is no word of a failure
		return d.Refuse(`{"error":` + failure.Raw + `}`)
	case word == "queued" || word == "in_progress":
		return d.Unusable(response.Raw, true, msg.ReplyNotYet, word)
	case word == "failed" || word == "cancelled" || word == "canceled" || status == "failed":
		d.Finish("failed")
		d.Close()
		return nil
	}
	d.output(response)
	if word == "incomplete" || status == "incomplete" {
		word = d.reason(response)
	}
	if word == "" {
		word = "completed"
	}
	d.Finish(word)
	d.Close()
	return nil
}

// reason is why a reply is incomplete, in a word that has a meaning; a new one is taken for a limit.
func (d *decoder) reason(response gjson.Result) string {
	word := response.Get("incomplete_details.reason").Str
	if end := wire.EndingOf(word); word == "" || end.Odd || end.Stop == agent.StopEnd {
		if word != "" {
			d.m.Logger.Warn("unknown reason of an incomplete reply, taken as its limit", "reason", word)
		}
		return "incomplete"
	}
	return word
}

// output takes the items of a whole reply, as far as they are new.
func (d *decoder) output(response gjson.Result) {
	nth := map[kind]int{}
	some := false
	response.Get("output").ForEach(func(_, v gjson.Result) bool {
		k := kindOf(v.Get("type").Str)
		if k == unknown {
			return true
		}
		some = true
		i := d.repeated(v, k, nth[k])
		nth[k]++
		d.complete(i, v)
		return true
	})
	if v := response.Get("output_text"); !some && d.said < 0 && v.Type == gjson.String {
		d.Text(v)
	}
}

// opaque is data that goes back to this model.
func (d *decoder) opaque(data json.RawMessage) *agent.Opaque {
	return &agent.Opaque{Origin: d.m.Info().Origin(), Data: data}
}
