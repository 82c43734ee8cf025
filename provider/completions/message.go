package completions

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// delta takes one piece of the message, or all of it.
func (d *decoder) delta(v gjson.Result) {
	thought := thoughtsOf{}
	var content, calls, function gjson.Result
	v.ForEach(func(key, f gjson.Result) bool {
		switch key.Str {
		case "content":
			content = f
		case "tool_calls":
			calls = f
		case "function_call":
			function = f
		case "refusal":
			if f.Type == gjson.String && f.Str != "" {
				d.refused = true
				d.contentText(f.Str)
			}
		default:
			thought.take(key.Str, f)
		}
		return true
	})
	d.thought(&thought)
	d.contentValue(content)
	if calls.Type == gjson.JSON || function.IsObject() {
		d.batch++
		for _, c := range values(calls) {
			d.callDelta(c)
		}
		if function.IsObject() && len(values(calls)) == 0 || calls.Type != gjson.JSON {
			d.functionDelta(function)
		}
	}
}

// contentValue takes content in its shapes: a string, a list of parts, one part.
func (d *decoder) contentValue(v gjson.Result) {
	switch {
	case v.Type == gjson.String:
		d.contentText(d.content.text(v))
	case v.IsArray():
		v.ForEach(func(_, part gjson.Result) bool {
			d.contentValue(part)
			return true
		})
	case v.IsObject():
		if t := v.Get("thinking"); t.Exists() {
			d.thinkingParts(t)
			return
		}
		switch v.Get("type").Str {
		case "", "text", "output_text":
			d.contentText(d.content.text(v.Get("text")))
		case "refusal":
			d.refused = true
			d.contentText(v.Get("refusal").String())
		}
	}
}

// thinkingParts takes the thinking of a content part: a string, or parts with text.
func (d *decoder) thinkingParts(v gjson.Result) {
	if v.Type == gjson.String {
		d.thoughtText(d.reasoning.text(v))
		return
	}
	v.ForEach(func(_, part gjson.Result) bool {
		d.thoughtText(d.reasoning.text(part.Get("text")))
		return true
	})
}

// contentText takes visible text in which thoughts and calls may be written.
func (d *decoder) contentText(s string) {
	if s != "" {
		d.tags.Add(s, d.onSpan)
	}
}

// span takes what the tags say.
func (d *decoder) span(s wire.Span) {
	switch s.Kind {
	case wire.SpanThought:
		d.thoughtText(s.Text)
	case wire.SpanText:
		d.raw.WriteString(s.Text)
		d.visible(s.Text)
	case wire.SpanRelabel:
		d.relabel()
	}
}

// visible takes text that is no thought.
func (d *decoder) visible(s string) {
	if d.thoughtCalls != nil && !d.textSeen && strings.TrimSpace(s) != "" {
		d.thoughtCalls.Release(d.onThought) // an answer follows: the thoughts did not end in a call
	}
	if strings.TrimSpace(s) != "" {
		d.textSeen = true
	}
	if d.textCalls == nil {
		d.emitText(s)
		return
	}
	d.textCalls.Add(s, d.onText)
}

func (d *decoder) thoughtText(s string) {
	if s == "" {
		return
	}
	if d.thoughtCalls == nil || d.textSeen || len(d.calls) > 0 {
		d.emitThought(s)
		return
	}
	d.thoughtCalls.Add(s, d.onThought)
}

// relabel makes a thought of all text so far. What was shown is withdrawn and sent again.
func (d *decoder) relabel() {
	text := d.raw.String()
	shown := d.textAt >= 0
	d.raw.Reset()
	d.textSeen = false
	d.textAt = -1
	if d.textCalls != nil {
		d.textCalls = wire.NewTextCalls(d.tools)
	}
	if shown {
		d.send(agent.Chunk{Reset: true})
		d.next, d.named = 0, false
		before := d.thoughts.String()
		d.thoughts.Reset()
		d.thoughtAt = -1
		if before != "" {
			d.emitThought(before)
		}
		for _, c := range d.calls {
			d.again(c)
		}
	}
	d.thoughtText(text)
}

// send yields a chunk, with the model's name on the first.
func (d *decoder) send(c agent.Chunk) {
	if d.left {
		return
	}
	if !d.named && d.model != "" && !c.Reset {
		c.Model, d.named = d.model, true
	}
	d.left = !d.yield(c, nil)
}

func (d *decoder) emitText(s string) {
	if d.textAt < 0 {
		d.textAt = d.part()
	}
	d.send(agent.Chunk{Index: d.textAt, Part: &agent.Part{Kind: agent.Text, Text: s}})
}

func (d *decoder) emitThought(s string) {
	if d.thoughtAt < 0 {
		d.thoughtAt = d.part()
	}
	d.thoughts.WriteString(s)
	d.send(agent.Chunk{Index: d.thoughtAt, Part: &agent.Part{Kind: agent.Thinking, Text: s}})
}

// part gives the index of a new part.
func (d *decoder) part() int {
	d.next++
	return d.next - 1
}

// flush lets out what was held back for the sake of recognising it, and gives the calls that were written as text.
func (d *decoder) flush(cut bool) (fromText, fromThoughts []wire.TextCall) {
	d.contentText(d.content.flush())
	d.thoughtText(d.reasoning.flush())
	d.tags.Flush(d.onSpan)
	if d.textCalls == nil {
		return nil, nil
	}
	fromText = d.textCalls.Finish(cut, d.onText)
	if len(d.calls) > 0 || d.textSeen {
		d.thoughtCalls.Release(d.onThought)
	}
	return fromText, d.thoughtCalls.Finish(cut, d.onThought)
}

// complete ends the message at its terminal signal.
func (d *decoder) complete() error {
	end := endingOf(d.finish)
	if end.fail != "" {
		return &agent.ModelError{Kind: end.fail, Provider: d.m.name(), Retryable: true, Err: fmt.Errorf("the server ended the reply with finish reason %q", d.finish)}
	}
	cut := end.stop == agent.StopLength || end.stop == agent.StopOverflow
	d.finishCalls(cut)
	stop := d.stop(end.stop, cut)
	if end.odd {
		d.m.Logger.Warn("unknown finish reason, taken as a normal end", "reason", d.finish)
	}
	if (stop == agent.StopEnd || stop == agent.StopCalls) && len(d.calls) == 0 && !d.textSeen {
		return d.unusable("", "the reply has neither a text nor a call", true)
	}
	if opaque := d.opaque(); opaque != nil {
		if d.thoughtAt < 0 {
			d.thoughtAt = d.part()
		}
		d.send(agent.Chunk{Index: d.thoughtAt, Part: &agent.Part{Kind: agent.Thinking, Opaque: opaque}})
	}
	d.send(agent.Chunk{Usage: d.counts.usage(), Stop: stop})
	d.left = true
	return nil
}

// finishCalls gives all calls their final form. Those that were written as text count if no others came.
func (d *decoder) finishCalls(cut bool) {
	fromText, fromThoughts := d.flush(cut)
	d.dropPhantoms()
	switch {
	case len(d.calls) == 0 && len(fromText) > 0:
		d.addText(fromText)
	case len(d.calls) == 0:
		d.addText(fromThoughts)
	case len(fromText) > 0:
		d.m.Logger.Warn("the model wrote calls as text beside structured ones; only those count", "calls", len(fromText))
	}
	for _, c := range d.calls {
		d.settle(c, cut)
	}
}

// stop is why the message ended. Whether there are calls decides, not what the server calls it.
func (d *decoder) stop(said agent.StopReason, cut bool) agent.StopReason {
	switch {
	case d.refused && !cut:
		return agent.StopRefused
	case said == agent.StopEnd && len(d.calls) > 0:
		return agent.StopCalls
	case said == agent.StopCalls && len(d.calls) == 0:
		return agent.StopEnd
	}
	return said
}

// fail ends the message with an error. What had arrived is let out first: it may be shown, and its tokens count.
func (d *decoder) fail(err *agent.ModelError) {
	d.flush(true)
	if u := d.counts.usage(); u != nil {
		d.send(agent.Chunk{Usage: u})
	}
	if !d.left {
		d.left = true
		d.yield(agent.Chunk{}, err)
	}
}
