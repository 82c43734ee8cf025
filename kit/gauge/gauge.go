package gauge

import (
	"cmp"
	"slices"

	"react-agent/agent"
	"react-agent/internal/text"
)

// Kind says what a piece of the window is.
type Kind string

// The kinds, in the order in which a report lists them.
const (
	System   Kind = "system"   // a part of the system prompt
	Tools    Kind = "tools"    // a tool's name, text and schema
	Summary  Kind = "summary"  // what a compaction has put in the place of older messages
	Person   Kind = "person"   // what the person wrote
	Files    Kind = "files"    // attached, mentioned or read
	Skills   Kind = "skills"   // texts of skills
	Memory   Kind = "memory"   // what was remembered
	Notes    Kind = "notes"    // what other parts of the product told the model
	Answers  Kind = "answers"  // what the model wrote
	Thoughts Kind = "thoughts" // what it thought
	Calls    Kind = "calls"    // its calls, arguments included
	Results  Kind = "results"  // what its calls brought
)

func order() []Kind {
	return []Kind{System, Tools, Summary, Person, Files, Skills, Memory, Notes, Answers, Thoughts, Calls, Results}
}

// What stands around a message or a call, and what a picture of usual size or a page or two of a document takes, in tokens.
const (
	frame = 4
	blob  = 1000
)

// Part is a named text of the system prompt.
type Part struct{ Name, Text string }

// Piece is a part of a message that is to be labelled.
type Piece struct {
	Message *agent.Message
	Part    *agent.Part
	// Call is the call whose result the part is, or which it is; nil when there is none, or it is not in the window.
	Call *agent.Call
}

// Query is what is measured.
type Query struct {
	Request *agent.Request
	// System are the parts that Request.System is joined of; what they do not account for is listed without a name.
	System []Part
	// Label says what a piece is, with a name to group by; "" leaves it to this package: the person's text, answers, thoughts,
	// calls and results by tool, and everything of a message with a From as a note of that name. nil: nothing is labelled.
	Label func(x Piece) (Kind, string)
	// Compacted is the number of the last compaction's event, whose messages are the summary; 0: there was none.
	Compacted int64
	// Changed says that the request differs from the last one in more than what was added to the conversation: what a vendor
	// counted then says nothing about it.
	Changed bool
}

// Item is one line of a report: all pieces with the same kind and name.
type Item struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name,omitempty"`
	Count  int    `json:"count"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// Report says what fills a window. Its items are ordered by kind, in each the largest first.
type Report struct {
	Items []Item `json:"items"`
	// Tokens is the sum of the items.
	Tokens int `json:"tokens"`
	// Reported is how many of them the vendor has counted itself, in the request of the last answer; 0: all is estimated.
	Reported int `json:"reported,omitempty"`
}

// Measure says what fills the window that a request needs.
func Measure(q Query) Report {
	m := measure{q: q, calls: map[string]*agent.Call{}, seen: map[key]int{}}
	m.system()
	for i := range q.Request.Tools {
		size, tokens := Tool(&q.Request.Tools[i])
		m.add(Tools, q.Request.Tools[i].Shown(), size, tokens)
	}
	last, reported := m.reported()
	for i := range q.Request.Messages {
		m.late = i >= last
		m.message(&q.Request.Messages[i])
	}
	return m.report(reported)
}

// Tool is what a tool takes: its name, text and schema in the frame that most wires use. A schema that is no JSON, which no
// request can hold, counts as it is.
func Tool(t *agent.Tool) (bytes, tokens int) {
	raw, err := agent.EncodeJSON(map[string]any{"type": "function", "function": map[string]any{
		"name": t.Shown(), "description": t.Doc, "parameters": t.Schema,
	}})
	if err != nil {
		raw = []byte(t.Shown() + t.Doc + string(t.Schema))
	}
	return len(raw), text.Tokens(string(raw))
}

// Kinds adds a report's items up by kind, in their order.
func (r *Report) Kinds() []Item {
	var list []Item
	for _, k := range order() {
		sum := Item{Kind: k}
		for _, it := range r.Items {
			if it.Kind == k {
				sum.Count, sum.Bytes, sum.Tokens = sum.Count+it.Count, sum.Bytes+it.Bytes, sum.Tokens+it.Tokens
			}
		}
		if sum.Count > 0 {
			list = append(list, sum)
		}
	}
	return list
}

// Top gives the n largest items.
func (r *Report) Top(n int) []Item {
	list := slices.Clone(r.Items)
	slices.SortStableFunc(list, func(a, b Item) int { return b.Tokens - a.Tokens })
	return list[:min(n, len(list))]
}

type key struct {
	kind Kind
	name string
}

// measure is a report in the making.
type measure struct {
	q     Query
	items []Item
	early []int // of each item, what the vendor has counted, estimated
	seen  map[key]int
	calls map[string]*agent.Call
	late  bool // what comes was not counted by the vendor yet
	text  int  // bytes of what was, attachments aside
}

func (m *measure) add(kind Kind, name string, bytes, tokens int) {
	at, ok := m.seen[key{kind, name}]
	if !ok {
		at = len(m.items)
		m.seen[key{kind, name}] = at
		m.items, m.early = append(m.items, Item{Kind: kind, Name: name}), append(m.early, 0)
	}
	it := &m.items[at]
	it.Count, it.Bytes, it.Tokens = it.Count+1, it.Bytes+bytes, it.Tokens+tokens
	if !m.late {
		m.early[at] += tokens
		m.text += bytes
	}
}

// system lists the parts of the system prompt.
func (m *measure) system() {
	left := len(m.q.Request.System)
	tokens := text.Tokens(m.q.Request.System)
	for _, p := range m.q.System {
		n := text.Tokens(p.Text)
		if p.Text == "" || len(p.Text) > left {
			continue
		}
		m.add(System, p.Name, len(p.Text), n)
		left, tokens = left-len(p.Text), tokens-n
	}
	if left > 2*len(m.q.System) || len(m.q.System) == 0 && left > 0 { // else it is what joins them
		m.add(System, "", left, max(tokens, 0))
	}
}

// reported finds the last answer whose request the vendor has counted: what stands before it is in that number.
func (m *measure) reported() (before, tokens int) {
	if m.q.Changed {
		return 0, 0
	}
	for i, x := range slices.Backward(m.q.Request.Messages) {
		if x.Seq <= m.q.Compacted && m.q.Compacted > 0 {
			break
		}
		if u := x.Usage; x.Role == agent.Assistant && u != nil && u.Input != nil && !u.Estimated && *u.Input > 0 {
			return i, int(*u.Input)
		}
	}
	return 0, 0
}

func (m *measure) message(x *agent.Message) {
	extra := frame
	for i := range x.Parts {
		p := &x.Parts[i]
		var call *agent.Call
		bytes, tokens := size(p)
		switch {
		case p.Kind == agent.CallKind && p.Call != nil:
			call = p.Call
			m.calls[call.Key] = call
		case p.Kind == agent.ResultOf && p.Result != nil:
			call = m.calls[p.Result.Key]
		case tokens == 0: // a mark that no model is sent
			continue
		}
		kind, name := m.label(x, p, call)
		m.add(kind, name, bytes, tokens+extra)
		if extra = 0; !m.late {
			m.text -= attached(p)
		}
	}
}

// label says what a part of a message is.
func (m *measure) label(x *agent.Message, p *agent.Part, call *agent.Call) (Kind, string) {
	if m.q.Compacted > 0 && x.Seq == m.q.Compacted {
		return Summary, ""
	}
	if m.q.Label != nil {
		if kind, name := m.q.Label(Piece{x, p, call}); kind != "" {
			return kind, name
		}
	}
	switch {
	case p.Kind == agent.ResultOf && call != nil:
		return Results, call.Name
	case p.Kind == agent.ResultOf:
		return Results, ""
	case p.Kind == agent.CallKind && call != nil:
		return Calls, call.Name
	case p.Kind == agent.Thinking:
		return Thoughts, ""
	case x.Role == agent.Assistant:
		return Answers, ""
	case x.From != "":
		return Notes, x.From
	case p.Kind == agent.BlobKind && p.Blob != nil:
		return Files, cmp.Or(p.Blob.Name, p.Blob.MIME)
	}
	return Person, ""
}

// size is what a part takes.
func size(p *agent.Part) (bytes, tokens int) {
	bytes, tokens = len(p.Text), text.Tokens(p.Text)
	if c := p.Call; c != nil {
		bytes, tokens = bytes+len(c.Name)+len(c.Args), tokens+frame+text.Tokens(c.Name)+text.Tokens(string(c.Args))
	}
	if p.Blob != nil {
		bytes, tokens = bytes+len(p.Blob.Data), tokens+blob
	}
	if p.Result != nil {
		for i := range p.Result.Parts {
			b, t := size(&p.Result.Parts[i])
			bytes, tokens = bytes+b, tokens+t
		}
	}
	return bytes, tokens
}

// attached are the bytes of a part that are no text.
func attached(p *agent.Part) (bytes int) {
	if p.Blob != nil {
		bytes = len(p.Blob.Data)
	}
	if p.Result != nil {
		for i := range p.Result.Parts {
			bytes += attached(&p.Result.Parts[i])
		}
	}
	return bytes
}

// most is how many bytes of what people and tools write a token can have: no vocabulary has more. A vendor that counts less
// than that has not counted this request.
const most = 8

// report corrects the estimates by what the vendor has counted, and puts the items in order.
func (m *measure) report(reported int) Report {
	r := Report{Items: m.items}
	estimated := 0
	for _, n := range m.early {
		estimated += n
	}
	if reported > 0 && estimated > 0 && reported >= m.text/most {
		r.Reported = reported
		m.scale(reported, estimated)
	}
	for _, it := range r.Items {
		r.Tokens += it.Tokens
	}
	rank := map[Kind]int{}
	for i, k := range order() {
		rank[k] = i
	}
	slices.SortStableFunc(r.Items, func(a, b Item) int { return cmp.Or(rank[a.Kind]-rank[b.Kind], b.Tokens-a.Tokens) })
	return r
}

// scale makes what was counted add up to exactly that, and what came since grow alike.
func (m *measure) scale(reported, estimated int) {
	sum, done := 0, 0
	for i, n := range m.early {
		since := m.items[i].Tokens - n
		sum += n
		upTo := int(int64(sum) * int64(reported) / int64(estimated))
		m.items[i].Tokens = upTo - done + int(int64(since)*int64(reported)/int64(estimated))
		done = upTo
	}
}
