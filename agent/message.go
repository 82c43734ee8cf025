package agent

import (
	"encoding/json"
	"math"
)

// Role says who speaks in a message.
type Role string

// The four roles. A system message inside the history is rare (a compaction head may use it); the system prompt
// itself is [Request.System].
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

func (r Role) known() bool { return r == System || r == User || r == Assistant || r == ToolRole }

// Kind says which fields of a [Part] count.
type Kind string

// The five kinds of part.
const (
	Text     Kind = "text"     // Part.Text
	Thinking Kind = "thinking" // Part.Text, shown apart from the answer
	BlobKind Kind = "blob"     // Part.Blob
	CallKind Kind = "call"     // Part.Call
	ResultOf Kind = "result"   // Part.Result
)

// A Part is one block of a message. In a [Chunk] the same struct is a delta.
type Part struct {
	Kind Kind `json:"kind"`
	// Text is the text of a text or thinking part. In a chunk of a call it is a piece of the arguments.
	Text string `json:"text,omitempty"`
	Blob *Blob  `json:"blob,omitempty"`
	// Call in a chunk: a non-empty ID, Name or Args replaces what was collected so far; Part.Text is appended to the arguments.
	Call   *Call   `json:"call,omitempty"`
	Result *Result `json:"result,omitempty"`
	Opaque *Opaque `json:"opaque,omitempty"`
}

// Blob is an attachment: an image, a document. Data is never in the log; the journal moves it to a blob store and
// fills SHA256 (lower-case hex).
type Blob struct {
	MIME   string `json:"mime"`
	Name   string `json:"name,omitempty"`
	URI    string `json:"uri,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Data   []byte `json:"-"`
}

// Opaque is a vendor's own data that belongs to a part: a signature, an encrypted thought. It goes back unchanged to
// the origin that wrote it and to no other. Origin is wire/preset/model, or the name of a feature that marks a message for
// itself; no vendor is sent such a mark.
type Opaque struct {
	Origin string          `json:"origin"`
	Data   json.RawMessage `json:"data"`
}

// Call is one tool call.
type Call struct {
	// ID and Name are as the model wrote them (in hooks, tools and call events Name is ours).
	ID string `json:"id,omitempty"`
	// Key is "<session>/<seq>.<n>", given by the kernel and the same after a restart: the identity of the call, of its
	// child's log, its checkpoint, its job. A tool uses it to be idempotent.
	Key  string `json:"key,omitempty"`
	Name string `json:"name,omitempty"`
	// Args is one compact JSON value. Text that is no JSON is kept as one JSON string.
	Args json.RawMessage `json:"args,omitempty"`
}

// Result is what a tool call came to.
type Result struct {
	CallID string `json:"call_id,omitempty"`
	Key    string `json:"key,omitempty"`
	// Parts go to the model.
	Parts []Part `json:"parts,omitempty"`
	// Error tells the model that the call failed; the run goes on.
	Error bool `json:"error,omitempty"`
	// Detail goes to the screen only: a diff, a table.
	Detail json.RawMessage `json:"detail,omitempty"`
	// EndTurn ends the run after this batch, without another model call.
	EndTurn bool `json:"end_turn,omitempty"`
	// Usage was spent inside the tool (sub-agents, pipelines); the loop adds it to the run.
	Usage *Usage `json:"usage,omitempty"`
	// Steps are the model calls made inside; they count as steps of the run. Driven says that a program made them and not a
	// model: they stand in the total, and no limit of steps is measured by them.
	Steps  int  `json:"steps,omitempty"`
	Driven bool `json:"driven,omitempty"`
	// State is moved to the event that carries the result, see [Event.State].
	State map[string]json.RawMessage `json:"-"`
}

// StopReason says why a model stopped its message.
type StopReason string

// The closed set of reasons; wires map every vendor's words to these.
const (
	StopEnd      StopReason = "end"
	StopCalls    StopReason = "calls"
	StopLength   StopReason = "length"
	StopOverflow StopReason = "overflow" // the window was full before the answer was
	StopRefused  StopReason = "refused"
	StopPause    StopReason = "pause"   // send again, adding nothing
	StopAborted  StopReason = "aborted" // cancelled in mid-message
)

// Message is one entry of the conversation.
type Message struct {
	Role Role `json:"role"`
	// From names the agent, teammate, job or feature ("memory") that wrote it; empty is the person.
	From string `json:"from,omitempty"`
	// Parts in order. A tool message holds exactly one result part.
	Parts []Part     `json:"parts,omitempty"`
	Model string     `json:"model,omitempty"`
	Stop  StopReason `json:"stop,omitempty"`
	Usage *Usage     `json:"usage,omitempty"`
	// Seq is the number of the event that brought the message, set by the fold; messages of a [Trim] head have the
	// compact event's.
	Seq int64 `json:"-"`
}

// Usage counts tokens and money. nil is unknown, 0 is a value. Input includes Cached, Output includes Reasoning.
type Usage struct {
	Input      *int64   `json:"input,omitempty"`
	Output     *int64   `json:"output,omitempty"`
	Cached     *int64   `json:"cached,omitempty"`
	CacheWrite *int64   `json:"cache_write,omitempty"`
	Reasoning  *int64   `json:"reasoning,omitempty"`
	CostUSD    *float64 `json:"cost_usd,omitempty"`
	// HourWrite is what of CacheWrite the vendor keeps for an hour, at a higher price. A wire says it to whoever knows prices;
	// it is not added up and not stored.
	HourWrite *int64 `json:"-"`
	Estimated bool   `json:"estimated,omitempty"`
}

// Add adds v to u field by field. A field stays unknown only while it is unknown on both sides.
func (u *Usage) Add(v *Usage) {
	if v == nil {
		return
	}
	add(&u.Input, v.Input)
	add(&u.Output, v.Output)
	add(&u.Cached, v.Cached)
	add(&u.CacheWrite, v.CacheWrite)
	add(&u.Reasoning, v.Reasoning)
	if add(&u.CostUSD, v.CostUSD); u.CostUSD != nil { // sums of such amounts are to look like amounts
		*u.CostUSD = math.Round(*u.CostUSD*1e10) / 1e10
	}
	u.Estimated = u.Estimated || v.Estimated
}

// add makes a fresh number, so that two Usage values never share one.
func add[N int64 | float64](to **N, n *N) {
	if n == nil {
		return
	}
	sum := *n
	if *to != nil {
		sum += **to
	}
	*to = &sum
}

// IsZero reports whether nothing is known.
func (u *Usage) IsZero() bool { return u == nil || *u == Usage{} }

// TextPart makes a text part.
func TextPart(text string) Part { return Part{Kind: Text, Text: text} }

// TextMessage makes a message with one text part.
func TextMessage(role Role, text string) Message {
	return Message{Role: role, Parts: []Part{TextPart(text)}}
}

// TextResult makes a successful result with one text part.
func TextResult(text string) Result { return Result{Parts: []Part{TextPart(text)}} }

// ErrorResult makes a failed result with one text part: a mistake the model can read and mend.
func ErrorResult(text string) Result { return Result{Parts: []Part{TextPart(text)}, Error: true} }

// Answers reports whether the model has said it. A message of the assistant with a From was written by a feature, which
// acknowledges in the model's name what it has added: it is no answer, and the model has still to be asked.
func (m *Message) Answers() bool { return m.Role == Assistant && m.From == "" }

// Text is the visible text of the message: its text parts joined.
func (m *Message) Text() string { return joinText(m.Parts, Text) }

// Thinking is the message's thoughts, joined.
func (m *Message) Thinking() string { return joinText(m.Parts, Thinking) }

// Text is the result's text parts joined.
func (r *Result) Text() string { return joinText(r.Parts, Text) }

func joinText(parts []Part, k Kind) string {
	var out []byte
	n := 0
	last := ""
	for _, p := range parts {
		if p.Kind != k || p.Text == "" {
			continue
		}
		n++
		last = p.Text
		if n > 1 {
			out = append(out, p.Text...)
		} else {
			out = append(make([]byte, 0, len(p.Text)), p.Text...)
		}
	}
	if n == 1 {
		return last
	}
	return string(out)
}

// Calls lists the message's calls in order.
func (m *Message) Calls() []Call {
	var calls []Call
	for _, p := range m.Parts {
		if p.Kind == CallKind && p.Call != nil {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

// Result is the result a tool message holds, or nil.
func (m *Message) Result() *Result {
	for _, p := range m.Parts {
		if p.Kind == ResultOf && p.Result != nil {
			return p.Result
		}
	}
	return nil
}
