package wire

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Draft is the message that one reply becomes. A [Decoder] tells it what arrived; it yields the chunks. It tells thoughts
// and calls apart that were written into the text, joins torn characters, gives calls their names, ids and arguments, and
// decides at the end what the message is. It is used by one goroutine.
type Draft struct {
	c      *Client
	tools  []agent.Tool
	header http.Header
	by     Decoder
	kind   string // of the last event
	yield  func(agent.Chunk, error) bool
	left   bool // the consumer has left; nothing may be yielded any more

	next      int // index of the next part
	textAt    int // index of the text part, -1 = none yet
	thoughtAt int
	textSeen  bool // something visible other than white space
	parts     bool // the wire's messages have parts of their own, so there are no thoughts in the text

	content, reasoning joiner
	tags               Tags
	onSpan             func(Span)
	onText, onThought  func(string)
	textCalls          *TextCalls // nil: no tools were offered
	thoughtCalls       *TextCalls
	raw                strings.Builder // the visible text before calls were looked for
	thoughts           strings.Builder

	calls []*openCall
	last  *openCall
	batch int // counts deltas with calls

	size     int    // bytes of text, thoughts and arguments so far
	finish   string // the finish reason, once it has come
	onFinish func() // told of it
	closed   bool   // the event that ends the reply has come
	refused  bool
	model    string
	named    bool // the model's name was passed on
}

// MaxReply bounds the text, the thoughts and the arguments of one reply together, in bytes. No model says so much; a server
// that has lost its way sends without end.
const MaxReply = 16 << 20

// maxEventDepth bounds how deep an event's values are nested: reading takes stack for each level.
const maxEventDepth = 10_000

// NewDraft makes a draft whose chunks go to yield. tools are those the request offered.
func NewDraft(c *Client, tools []agent.Tool, yield func(agent.Chunk, error) bool) *Draft {
	d := &Draft{c: c, tools: tools, yield: yield, textAt: -1, thoughtAt: -1, onFinish: func() {}}
	d.onSpan, d.onText, d.onThought = d.span, d.emitText, d.emitThought
	d.lookForCalls()
	return d
}

func (d *Draft) lookForCalls() {
	if len(d.tools) > 0 {
		d.textCalls, d.thoughtCalls = NewTextCalls(d.tools), NewThoughtCalls(d.tools)
	}
}

// Model is the name the vendor gives the model that answers.
func (d *Draft) Model(name string) {
	if name != "" {
		d.model = name
	}
}

// Finish takes the finish reason, in the vendor's word; see [EndingOf]. The reply may go on behind it for a little while.
func (d *Draft) Finish(word string) {
	if word != "" {
		d.finish = word
		d.onFinish()
	}
}

// Close says that this event is the reply's last. What follows in the body is not waited for.
func (d *Draft) Close() { d.closed = true }

// Refuses says that the model refused to answer; what it said of it is text.
func (d *Draft) Refuses() { d.refused = true }

// Text takes a piece of visible text, a JSON string, in which thoughts and calls may be written.
func (d *Draft) Text(v gjson.Result) {
	s := d.content.text(v)
	d.Keep(len(s))
	d.contentText(s)
}

// Thought takes a piece of thought, a JSON string, which may end in a call.
func (d *Draft) Thought(v gjson.Result) {
	s := d.reasoning.text(v)
	d.Keep(len(s))
	d.thoughtText(s)
}

// Keep counts bytes that are kept of the reply; see [MaxReply]. Text, thoughts and arguments are counted as they come, what a
// wire keeps besides, such as a signature, it has to tell.
func (d *Draft) Keep(n int) { d.size += n }

// SealedThought takes a piece of thought that has to go back as it is: nothing is looked for in it. [Draft.EndThought]
// ends it.
func (d *Draft) SealedThought(v gjson.Result) {
	if s := d.reasoning.text(v); s != "" {
		d.Keep(len(s))
		d.emitThought(s)
	}
}

// EndThought ends the part of the thoughts, which then goes back with o (nil: nothing), and opens one if there is none and
// o is not nil. The next thought is a new part.
func (d *Draft) EndThought(o *agent.Opaque) {
	d.apart()
	if d.thoughtCalls != nil {
		d.thoughtCalls.Release(d.onThought) // what goes back as it is holds no call
	}
	if s := d.reasoning.flush(); s != "" {
		d.emitThought(s)
	}
	d.seal(&d.thoughtAt, agent.Thinking, o)
}

// EndText ends the part of the text, like [Draft.EndThought].
func (d *Draft) EndText(o *agent.Opaque) {
	d.contentText(d.content.flush())
	d.apart()
	if d.textCalls != nil {
		d.textCalls.Pause(d.onText)
	}
	d.seal(&d.textAt, agent.Text, o)
}

// Blob adds an attachment that the model made, which goes back with o (nil: nothing).
func (d *Draft) Blob(b *agent.Blob, o *agent.Opaque) {
	d.textSeen = true
	d.send(agent.Chunk{Index: d.part(), Part: &agent.Part{Kind: agent.BlobKind, Blob: b, Opaque: o}})
}

func (d *Draft) seal(at *int, k agent.Kind, o *agent.Opaque) {
	if o != nil {
		if *at < 0 {
			*at = d.part()
		}
		d.send(agent.Chunk{Index: *at, Part: &agent.Part{Kind: k, Opaque: o}})
	}
	*at = -1
}

// apart says that parts come as the wire tells them apart.
func (d *Draft) apart() {
	if !d.parts {
		d.tags.Flush(d.onSpan)
		d.parts = true
	}
}

// HasThoughts reports whether there are thoughts that no [Draft.EndThought] has ended.
func (d *Draft) HasThoughts() bool { return d.thoughtAt >= 0 }

// Tags are what stood around thoughts that were written into the text.
func (d *Draft) Tags() (before, after string) { return d.tags.Before, d.tags.After }

// contentText takes visible text in which thoughts and calls may be written.
func (d *Draft) contentText(s string) {
	switch {
	case s == "":
	case d.parts:
		d.visible(s)
	default:
		d.tags.Add(s, d.onSpan)
	}
}

// span takes what the tags say.
func (d *Draft) span(s Span) {
	switch s.Kind {
	case SpanThought:
		d.thoughtText(s.Text)
	case SpanText:
		d.raw.WriteString(s.Text)
		d.visible(s.Text)
	case SpanRelabel:
		d.relabel()
	}
}

// visible takes text that is no thought.
func (d *Draft) visible(s string) {
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

func (d *Draft) thoughtText(s string) {
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
func (d *Draft) relabel() {
	text := d.raw.String()
	shown := d.textAt >= 0
	d.raw.Reset()
	d.textSeen = false
	d.textAt = -1
	if d.textCalls != nil {
		d.textCalls = NewTextCalls(d.tools)
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
func (d *Draft) send(c agent.Chunk) {
	if d.left {
		return
	}
	if !d.named && d.model != "" && !c.Reset {
		c.Model, d.named = d.model, true
	}
	d.left = !d.yield(c, nil)
}

func (d *Draft) emitText(s string) {
	if d.textAt < 0 {
		d.textAt = d.part()
	}
	d.send(agent.Chunk{Index: d.textAt, Part: &agent.Part{Kind: agent.Text, Text: s}})
}

func (d *Draft) emitThought(s string) {
	if d.thoughtAt < 0 {
		d.thoughtAt = d.part()
	}
	if !d.parts {
		d.thoughts.WriteString(s)
	}
	d.send(agent.Chunk{Index: d.thoughtAt, Part: &agent.Part{Kind: agent.Thinking, Text: s}})
}

// part gives the index of a new part.
func (d *Draft) part() int {
	d.next++
	return d.next - 1
}

// flush lets out what was held back for the sake of recognising it, and gives the calls that were written as text.
func (d *Draft) flush(cut bool) (fromText, fromThoughts []TextCall) {
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
func (d *Draft) complete() error {
	end := EndingOf(d.finish)
	if end.Fail != "" {
		return &agent.ModelError{Kind: end.Fail, Provider: d.c.Name(), Retryable: true, Err: msg.Errorf(msg.ModelFinish, d.finish)}
	}
	cut := end.Stop == agent.StopLength || end.Stop == agent.StopOverflow
	d.finishCalls(cut)
	stop := d.stop(end.Stop, cut)
	if end.Odd {
		d.c.Logger.Warn("unknown finish reason, taken as a normal end", "reason", d.finish)
	}
	if (stop == agent.StopEnd || stop == agent.StopCalls) && len(d.calls) == 0 && !d.textSeen {
		return d.Unusable("", true, msg.ModelNeither)
	}
	if opaque := d.by.Thoughts(); opaque != nil {
		d.seal(&d.thoughtAt, agent.Thinking, opaque)
	}
	d.send(agent.Chunk{Usage: d.by.Usage(), Stop: stop})
	d.left = true
	return nil
}

// finishCalls gives all calls their final form. Those that were written as text count if no others came.
func (d *Draft) finishCalls(cut bool) {
	fromText, fromThoughts := d.flush(cut)
	d.dropPhantoms()
	switch {
	case len(d.calls) == 0 && len(fromText) > 0:
		d.addText(fromText)
	case len(d.calls) == 0:
		d.addText(fromThoughts)
	case len(fromText) > 0:
		d.c.Logger.Warn("the model wrote calls as text beside structured ones; only those count", "calls", len(fromText))
	}
	for _, c := range d.calls {
		d.settle(c, cut)
	}
}

// stop is why the message ended. Whether there are calls decides, not what the server calls it.
func (d *Draft) stop(said agent.StopReason, cut bool) agent.StopReason {
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
func (d *Draft) fail(err *agent.ModelError) {
	d.flush(true)
	if d.by != nil {
		if u := d.by.Usage(); u != nil {
			d.send(agent.Chunk{Usage: u})
		}
	}
	if !d.left {
		d.left = true
		d.yield(agent.Chunk{}, err)
	}
}
