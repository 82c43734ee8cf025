package texttag

import (
	"crypto/rand"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/provider/wire"
)

// reply makes our message of the inner one, while it comes.
type reply struct {
	m   *model
	req *agent.Request
	out output

	tags    *wire.Tags
	past    bool // a tag has begun: think tags do not count any more
	scan    *scanner
	dialect *wire.TextCalls // calls in the markup of models' own languages
	lead    string          // white space, or the beginning of a prefix that the model repeats; not decided yet
	led     bool            // it is decided

	calls   []found
	inside  bool         // in the final answer: its text counts, what is outside does not
	muted   bool         // what is outside is no answer any more
	behind  string       // the end of what stands behind the calls
	invents bool         // a result stands there that the model has made up: calls behind it rest on nothing
	said    text.Tally   // all that the model said
	finals  int          // that have begun
	usage   *agent.Usage // as the inner model has told it last
	parts   map[int]*part
	left    bool
}

// maxFinals bounds how often a new final answer makes a thought of the one before: each time all is sent again.
const maxFinals = 20

// found is a call in the text.
type found struct {
	name, args, id string
	bad            bool // args is all that was written, and cannot be read
}

func newReply(m *model, req *agent.Request, yield func(agent.Chunk, error) bool) *reply {
	r := &reply{m: m, req: req}
	r.out.yield = yield
	r.begin()
	return r
}

// begin is the start of a message, and of another attempt at it.
func (r *reply) begin() {
	r.tags, r.past = &wire.Tags{}, false
	r.scan = &scanner{emit: r.piece, plain: len(r.req.Tools) == 0}
	r.dialect = nil
	if len(r.req.Tools) > 0 {
		r.dialect = wire.NewTextCalls(r.req.Tools)
	}
	r.lead, r.led = "", false
	r.calls, r.inside, r.muted, r.said, r.usage = nil, false, false, text.Tally{}, nil
	r.finals = 0
	r.behind, r.invents = "", false
	r.parts = map[int]*part{}
	r.out.clear()
}

// chunk takes a chunk of the inner model.
func (r *reply) chunk(c agent.Chunk) {
	r.used(c.Usage)
	if c.Reset {
		usage := r.usage
		r.begin()
		r.send(agent.Chunk{Reset: true, Note: c.Note, Usage: usage})
		return
	}
	if c.Model != "" || c.Note != "" {
		r.out.model = c.Model
		r.send(agent.Chunk{Model: c.Model, Note: c.Note})
	}
	if c.Part == nil || r.left {
		return
	}
	r.said.Add(c.Part.Text)
	if c.Part.Kind == agent.Text { // what belongs to it cannot go back: the text is taken apart
		r.text(c.Part.Text)
	} else {
		r.pass(c)
	}
	r.left = r.out.left
}

// used keeps the last known counts. They are told at the end: what is sent before a withdrawal would count twice.
func (r *reply) used(u *agent.Usage) {
	if u == nil {
		return
	}
	var b agent.Builder
	for _, known := range []*agent.Usage{r.usage, u} {
		_ = b.Add(agent.Chunk{Usage: known}) // without a part it cannot fail
	}
	m := b.Message()
	r.usage = m.Usage
}

func (r *reply) send(c agent.Chunk) {
	r.out.send(c)
	r.left = r.out.left
}

// pass passes on what is no plain text: thoughts, and whatever else the inner model says by itself.
func (r *reply) pass(c agent.Chunk) {
	p := r.parts[c.Index]
	if p == nil {
		p = r.out.part(c.Part.Kind)
		p.theirs = true
		r.parts[c.Index] = p
	}
	r.out.add(p, c.Part)
}

// text takes a piece of the text.
func (r *reply) text(s string) {
	if !r.led {
		s = r.leading(s)
	}
	for s != "" {
		if r.past {
			r.scan.add(s)
			return
		}
		// Piece by piece up to each bracket: once a tag of ours has begun, a think tag behind it is a part of what is said.
		seg := s
		if i := strings.IndexByte(s, '>'); i >= 0 {
			seg = s[:i+1]
		}
		s = s[len(seg):]
		r.tags.Add(seg, r.span)
		if r.scan.opened {
			r.past = true
			r.tags.Flush(r.span)
		}
	}
}

// leading takes the prefix off that a model repeats from the history.
func (r *reply) leading(s string) string {
	if !r.m.o.OneText {
		r.led = true
		return s
	}
	s = r.lead + s
	r.lead = ""
	prefix := strings.TrimSpace(assistantPrefix)
	body := strings.TrimLeft(s, " \t\r\n")
	switch {
	case len(body) < len(prefix) && strings.HasPrefix(prefix, body):
		r.lead = s
		return ""
	case strings.HasPrefix(body, prefix):
		s = strings.TrimLeft(body[len(prefix):], " ")
	}
	r.led = true
	return s
}

func (r *reply) span(s wire.Span) {
	switch s.Kind {
	case wire.SpanThought:
		r.out.think(s.Text)
	case wire.SpanText:
		r.scan.add(s.Text)
	case wire.SpanRelabel: // everything so far was a thought
		if r.dialect != nil {
			r.dialect.Finish(true, r.out.say)
			r.dialect = wire.NewTextCalls(r.req.Tools)
		}
		r.out.say(r.scan.pending())
		r.out.relabel()
		r.scan = &scanner{emit: r.piece, plain: r.scan.plain}
	}
}

// piece takes what the scanner has found.
func (r *reply) piece(p piece) {
	switch p.kind {
	case thought:
		r.out.think(p.text)
	case outside:
		r.outside(p.text)
	case callBegins:
		if !r.muted || r.inside {
			r.out.relabel()
		}
		r.muted, r.inside = true, false
	case callBody:
		if !r.invents {
			r.calls = append(r.calls, calls(p.text, r.req.Tools)...)
		}
	case finalBegins:
		if r.finals++; len(r.calls) == 0 && r.finals <= maxFinals {
			r.out.relabel()
		}
		r.muted = true
	case final:
		if len(r.calls) == 0 && !r.scan.calling() {
			r.inside = true
			r.out.say(p.text)
		}
	}
}

// outside takes text that stands in no tag.
func (r *reply) outside(s string) {
	if len(r.calls) > 0 && !r.invents {
		mark := strings.TrimSpace(resultPrefix)
		seen := r.behind + s
		r.invents = strings.Contains(seen, mark)
		r.behind = seen[max(0, len(seen)-len(mark)):]
	}
	switch {
	case r.muted:
	case r.dialect != nil:
		r.dialect.Add(s, r.out.say)
	default:
		r.out.say(s)
	}
}

// fail ends the message with the inner model's error.
func (r *reply) fail(err error) {
	if r.usage != nil {
		r.send(agent.Chunk{Usage: r.usage})
	}
	if !r.out.left {
		r.out.yield(agent.Chunk{}, err)
	}
}

// finish ends the message as the inner model has.
func (r *reply) finish(stop agent.StopReason, inner *agent.Request) {
	cut := stop == agent.StopLength || stop == agent.StopOverflow
	r.flush(cut)
	if r.usage == nil || r.usage.Input == nil && r.usage.Output == nil {
		r.used(r.estimate(inner))
	}
	r.send(agent.Chunk{Usage: r.usage})
	if stop == agent.StopEnd || stop == agent.StopCalls {
		stop = agent.StopEnd
		if len(r.calls) > 0 || r.out.has(agent.CallKind) {
			stop = agent.StopCalls
		} else if !r.out.has(agent.Text) && !r.out.has(agent.BlobKind) {
			r.fault(msg.Errorf(msg.ModelNeither), true)
			return
		}
	}
	list := make([]agent.Call, 0, len(r.calls))
	for _, f := range r.calls {
		list = append(list, f.call(r.req.Tools, cut))
	}
	if allBroken(list, r.req.Tools) && brokenRun(r.req.Messages, r.req.Tools) >= MaxBroken {
		r.fault(errFormat, false)
		return
	}
	for i := range list {
		r.out.add(r.out.part(agent.CallKind), &agent.Part{Kind: agent.CallKind, Call: &list[i]})
	}
	r.send(agent.Chunk{Stop: stop})
}

func (r *reply) fault(err error, retry bool) {
	if r.out.left {
		return
	}
	info := r.m.Info()
	name := info.Preset
	if name == "" {
		name = info.Provider
	}
	r.out.yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrInvalidResponse, Provider: name, Retryable: retry, Err: err})
}

// flush lets out what was held back.
func (r *reply) flush(cut bool) {
	if r.lead != "" {
		lead := r.lead
		r.lead, r.led = "", true
		r.text(lead)
	}
	r.tags.Flush(r.span)
	r.scan.finish(cut)
	if r.dialect == nil || r.muted {
		return
	}
	for _, c := range r.dialect.Finish(cut, r.out.say) {
		r.calls = append(r.calls, found{name: c.Name, args: c.Args, id: c.ID})
	}
	if len(r.calls) > 0 {
		r.out.relabel()
	}
}

// call gives a found call its name, an id and readable arguments; what cannot be read stays as one string.
func (f found) call(tools []agent.Tool, cut bool) agent.Call {
	c := agent.Call{ID: f.id, Name: f.name}
	if c.ID == "" {
		c.ID = "call_" + strings.ToLower(rand.Text())[:20]
	}
	if name, ok := wire.ToolName(f.name, tools); ok {
		c.Name = name
	}
	if args, ok := wire.CleanArgs(f.args, cut); ok && !f.bad && args[0] == '{' {
		c.Args = args
		return c
	}
	c.Args = []byte(quoted(f.args))
	if c.Name == "" {
		c.Name = "tool_call"
	}
	return c
}

// estimate guesses what was used from the texts alone.
func (r *reply) estimate(inner *agent.Request) *agent.Usage {
	in, out := text.Tokens(inner.System), int64(r.said.Tokens())
	for i := range inner.Messages {
		in += text.Tokens(inner.Messages[i].Text())
	}
	return &agent.Usage{Input: new(int64(in)), Output: &out, Estimated: true}
}
