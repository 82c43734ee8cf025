package agent

import (
	"bytes"
	"encoding/json"
	"time"
)

// EventType names what an event is about.
type EventType string

// Durable events are counted and stored.
const (
	EvMessage EventType = "message"
	EvCall    EventType = "call" // written immediately before the tool starts, never earlier
	EvAsk     EventType = "ask"
	EvAnswer  EventType = "answer"
	EvCompact EventType = "compact"
	EvVoid    EventType = "void"
	EvSetup   EventType = "setup"
	EvState   EventType = "state"
	EvEnd     EventType = "end"
)

// Live events are shown and forgotten.
const (
	EvStep     EventType = "step"     // a model call begins; Text is "model" or "compact"
	EvChunk    EventType = "chunk"    // a delta
	EvProgress EventType = "progress" // a running tool says something
	EvNotice   EventType = "notice"   // the run says something
	EvRetry    EventType = "retry"    // withdraws all chunks since the last durable event
)

// Durable reports whether events of this type are counted and stored.
func (t EventType) Durable() bool {
	switch t {
	case EvMessage, EvCall, EvAsk, EvAnswer, EvCompact, EvVoid, EvSetup, EvState, EvEnd:
		return true
	case EvStep, EvChunk, EvProgress, EvNotice, EvRetry:
		return false
	}
	return false
}

// RunStop says why a run ended.
type RunStop string

// The reasons a run ends. Front ends map them to exit codes.
const (
	RunEnd       RunStop = "end"
	RunLoop      RunStop = "loop"
	RunSteps     RunStop = "steps"
	RunBudget    RunStop = "budget"
	RunDenied    RunStop = "denied"
	RunOverflow  RunStop = "overflow"
	RunTimeout   RunStop = "timeout"
	RunCancelled RunStop = "cancelled"
	RunLength    RunStop = "length"
	RunRefused   RunStop = "refused"
	RunError     RunStop = "error"
)

// Event is everything a front end can learn. The kernel yields it, the log stores it, streams send it.
type Event struct {
	// Seq counts durable events from 1; a live event repeats the last one. Seq and Type come first in JSON.
	Seq  int64     `json:"seq"`
	Type EventType `json:"type"`
	// N counts live events since the last durable one.
	N int64 `json:"n,omitempty"`
	// Time is UTC without a monotonic part.
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Agent   string    `json:"agent,omitempty"` // a path such as "main" or "main/explore-1"
	Run     string    `json:"run,omitempty"`   // the Seq of the run's first event
	Message *Message  `json:"message,omitempty"`
	Chunk   *Chunk    `json:"chunk,omitempty"`
	Call    *Call     `json:"call,omitempty"` // our name and arguments
	Ask     *Ask      `json:"ask,omitempty"`
	Answer  *Answer   `json:"answer,omitempty"` // with the Ask it answers
	Trim    *Trim     `json:"trim,omitempty"`
	Void    *Range    `json:"void,omitempty"`
	Setup   *Setup    `json:"setup,omitempty"`
	// Took lists the input records this event has used up.
	Took []Took `json:"took,omitempty"`
	// State is per feature; the last value wins, null deletes.
	State map[string]json.RawMessage `json:"state,omitempty"`
	// Carry stands in compact events: the rest of what the fold knows, so that loading can start there.
	Carry *Carry `json:"carry,omitempty"`
	// Usage: totals of the run on end; cost of withdrawn attempts, or what was spent elsewhere, on message and state; the
	// run so far on compact. Steps likewise.
	Usage *Usage  `json:"usage,omitempty"`
	Steps int     `json:"steps,omitempty"`
	Stop  RunStop `json:"stop,omitempty"`
	Error *Error  `json:"error,omitempty"`
	Text  string  `json:"text,omitempty"`
}

// Took is one used-up record of an input log. Through says that everything up to Pos is used up.
type Took struct {
	Log     string `json:"log"`
	Pos     int64  `json:"pos"`
	ID      string `json:"id,omitempty"`
	Through bool   `json:"through,omitempty"`
}

// Range is a closed range of durable events. Voided events no longer count; a void can be voided (redo).
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Trim is a compaction as a delta, never copies of messages that stay.
type Trim struct {
	// Head is the summary, the identity, what is carried word for word; it stands before what stays, in the place of an
	// earlier head. Without one an earlier head stays.
	Head []Message `json:"head,omitempty"`
	// From: messages with Seq >= From stay; 0 without a head takes none out, and needs no other compaction to count. It must
	// not separate a call from its result.
	From int64 `json:"from"`
	// Clear replaces the parts of the results with these Seq by a text.
	Clear  map[int64]string `json:"clear,omitempty"`
	Before int              `json:"before,omitempty"` // tokens
	After  int              `json:"after,omitempty"`  // tokens
	Usage  *Usage           `json:"usage,omitempty"`  // what making it cost
}

// Setup says with what a model is called: its name, effort, and the SHA-256 of system prompt and tools. It is logged when
// it differs from the last. Blobs has the bytes behind the hashes, for the journal.
type Setup struct {
	Model  string            `json:"model,omitempty"`
	Effort string            `json:"effort,omitempty"`
	System string            `json:"system,omitempty"`
	Tools  string            `json:"tools,omitempty"`
	Blobs  map[string][]byte `json:"-"`
}

// Carry repeats in a compact event what no other field of it says.
type Carry struct {
	Total   *Usage            `json:"total,omitempty"`
	Asks    map[string]Ask    `json:"asks,omitempty"`
	Answers map[string]Answer `json:"answers,omitempty"`
	Refused bool              `json:"refused,omitempty"`
	Driven  int               `json:"driven,omitempty"`
}

// Ask is a question to the person.
type Ask struct {
	ID      string   `json:"id"`
	Call    *Call    `json:"call,omitempty"` // the call that waits for it
	Text    string   `json:"text"`
	Choices []string `json:"choices,omitempty"`
	Rules   []string `json:"rules,omitempty"` // what "always" would add
	Kind    AskKind  `json:"kind,omitempty"`
}

// AskKind says what an answer to an Ask is.
type AskKind string

// The kinds of questions.
const (
	// Approval wants a yes or a no; words are a no with a reason. Where nobody is there, the run ends as denied.
	Approval AskKind = ""
	// Question wants words, or one of the Choices. Nothing is refused when nobody is there to answer: its answer then is
	// not to allow, with the text [Nobody].
	Question AskKind = "question"
	// Selection wants one of the Choices and nothing else; otherwise it is like Question.
	Selection AskKind = "selection"
)

// Answer answers the Ask with the same ID.
type Answer struct {
	ID     string `json:"id"`
	Allow  bool   `json:"allow"`
	Always bool   `json:"always,omitempty"`
	Text   string `json:"text,omitempty"`
}

// Error is a failure in an event: a [ModelError] as data, or a fault of ours (kinds config and internal).
type Error struct {
	Kind        ErrorKind `json:"kind"`
	Message     string    `json:"message"`
	Provider    string    `json:"provider,omitempty"`
	Status      int       `json:"status,omitempty"`
	Retryable   bool      `json:"retryable"`
	RetryAfterS float64   `json:"retry_after_s,omitempty"`
}

// EncodeJSON encodes v without HTML escaping and without a trailing newline, raw JSON compacted: the one form in which
// events are stored, sent and compared. (The standard encoding would change arguments on their way through the log.)
func EncodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
