package gauge

import (
	"cmp"
	"slices"

	"react-agent/agent"
	"react-agent/internal/text"
	"react-agent/internal/weigh"
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

// Measure says what fills the window that a request needs. The items add up to what [weigh.Window] says of it.
func Measure(q Query) Report {
	m := measure{q: q, calls: map[string]*agent.Call{}, seen: map[key]int{}}
	if !q.Changed {
		m.count = weigh.Counted(q.Request, q.Compacted)
	}
	m.at = counted
	m.system()
	if n := len(q.Request.Schema); n > 0 {
		m.add(System, "", n, text.Tokens(string(q.Request.Schema)))
	}
	for i := range q.Request.Tools {
		size, tokens := weigh.Tool(&q.Request.Tools[i])
		m.add(Tools, q.Request.Tools[i].Shown(), size, tokens)
	}
	for i := range q.Request.Messages {
		switch {
		case m.count.Input == 0:
		case i == m.count.At:
			m.at = answered
		case i > m.count.At:
			m.at = since
		}
		m.message(&q.Request.Messages[i])
	}
	return m.report()
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

type key struct {
	kind Kind
	name string
}

// Of a request of which a vendor has counted a part, what stood in that part, its answer, and what came since. Without a
// count all of it is of the first kind.
const (
	counted = iota
	answered
	since
	stages
)

// measure is a report in the making.
type measure struct {
	q     Query
	count weigh.Count
	at    int // the stage of what comes next
	items []Item
	parts [][stages]int // of each item, its tokens by stage, as they are estimated
	seen  map[key]int
	calls map[string]*agent.Call
}

func (m *measure) add(kind Kind, name string, bytes, tokens int) {
	at, ok := m.seen[key{kind, name}]
	if !ok {
		at = len(m.items)
		m.seen[key{kind, name}] = at
		m.items, m.parts = append(m.items, Item{Kind: kind, Name: name}), append(m.parts, [stages]int{})
	}
	m.items[at].Count++
	m.items[at].Bytes += bytes
	m.parts[at][m.at] += tokens
}

// system lists the parts of the system prompt.
func (m *measure) system() {
	left := len(m.q.Request.System)
	tokens := text.Tokens(m.q.Request.System)
	for _, p := range m.q.System {
		if p.Text == "" || len(p.Text) > left {
			continue
		}
		n := min(text.Tokens(p.Text), tokens)
		m.add(System, p.Name, len(p.Text), n)
		left, tokens = left-len(p.Text), tokens-n
	}
	switch {
	case left > 2*len(m.q.System) || len(m.items) == 0 && left > 0:
		m.add(System, "", left, tokens)
	case len(m.items) > 0: // it is what joins them
		m.parts[0][counted] += tokens
	}
}

func (m *measure) message(x *agent.Message) {
	extra := weigh.Frame
	for i := range x.Parts {
		p := &x.Parts[i]
		var call *agent.Call
		bytes, tokens := size(p), weigh.Part(p)
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
		extra = 0
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

// size is how many bytes a part has.
func size(p *agent.Part) int {
	bytes := len(p.Text)
	if c := p.Call; c != nil {
		bytes += len(c.Name) + len(c.Args)
	}
	if p.Blob != nil {
		bytes += len(p.Blob.Data)
	}
	if p.Result != nil {
		for i := range p.Result.Parts {
			bytes += size(&p.Result.Parts[i])
		}
	}
	return bytes
}

// report corrects the estimates by what the vendor has counted, and puts the items in order.
func (m *measure) report() Report {
	r := Report{Reported: m.count.Input}
	if m.count.Input > 0 {
		m.scale(counted, m.count.Input, System)
		m.scale(answered, m.count.Said, Answers)
	}
	for i, by := range m.parts {
		m.items[i].Tokens = by[counted] + by[answered] + by[since]
		r.Tokens += m.items[i].Tokens
	}
	r.Items = m.items
	rank := map[Kind]int{}
	for i, k := range order() {
		rank[k] = i
	}
	slices.SortStableFunc(r.Items, func(a, b Item) int { return cmp.Or(rank[a.Kind]-rank[b.Kind], b.Tokens-a.Tokens) })
	return r
}

// scale makes what belongs to a stage add up to what was counted. Where nothing is known that does, it is of the kind
// otherwise.
func (m *measure) scale(stage, counted int, otherwise Kind) {
	estimated := 0
	for _, by := range m.parts {
		estimated += by[stage]
	}
	if estimated <= 0 {
		if m.at = stage; counted > 0 {
			m.add(otherwise, "", 0, counted-estimated)
		}
		return
	}
	sum, done := 0, 0
	for i := range m.parts {
		sum += m.parts[i][stage]
		upTo := int(int64(sum) * int64(counted) / int64(estimated))
		m.parts[i][stage], done = upTo-done, upTo
	}
}
