package agent

import (
	"context"
	"iter"
	"time"
)

// Agent is configuration; it holds no conversation and may serve many sessions at once.
type Agent struct {
	Name   string // path of the agent in events; "" is "main"
	System string
	Model  Model
	Tools  []Tool
	Hooks  []Hook
	// Ask puts a question to the person and waits; nil: nobody to ask.
	Ask func(ctx context.Context, q Ask) (Answer, error)
	// Compact makes the history smaller. It is asked before each model call, on overflow, and by CompactNow. A nil Trim
	// means that there is nothing to do.
	Compact func(ctx context.Context, s *Session, n Need) (*Trim, error)
	// Journal stores a durable event; it may first move data to blobs and add Took to answer and end. nil: memory only.
	Journal func(ctx context.Context, e *Event) error
	// Waiting is asked before each tool start; true: the rest of the batch is answered "skipped: the person spoke".
	Waiting  func() bool
	MaxSteps int // model calls per run; 0 = no limit
	Parallel int // tools that run beside each other; 0 = 1
	// Grace is how long a cancelled tool may take to return before the run goes on without it; 0 = 1 s.
	Grace time.Duration
	// Effort and MaxOut go into each Request.
	Effort string
	MaxOut int
}

// Need says why a compaction is asked for.
type Need struct {
	Why   Why
	Focus string // what the person wants kept, for Asked
}

// Why is the reason of a compaction.
type Why string

// The three reasons.
const (
	Check    Why = "check"    // before a model call: compact only if the window is nearly full
	Overflow Why = "overflow" // the model refused the request as too long
	Asked    Why = "asked"    // the person or the model asked for it
)

// Run goes on with the session: it finishes what is open, adds the input, and loops until the model answers. It is
// single use; breaking out cancels and waits (Grace). The error comes once, last, and only when the journal failed or
// use was wrong; every other end is an end event.
func (a *Agent) Run(ctx context.Context, s *Session, in ...Note) iter.Seq2[Event, error] {
	panic("wip")
}

// Append stores and folds one event between runs (mode, undo, rewind).
func (a *Agent) Append(ctx context.Context, s *Session, e *Event) error { panic("wip") }

// CompactNow compacts between runs. Without anything to do it yields a notice.
func (a *Agent) CompactNow(ctx context.Context, s *Session, focus string) iter.Seq2[Event, error] {
	panic("wip")
}

// Progress shows text while a tool runs; it is never stored. ctx is the one the tool was given.
func Progress(ctx context.Context, text string) { panic("wip") }

// AskUser asks the person from inside a tool: the loop journals, the tool waits.
func AskUser(ctx context.Context, q Ask) (Answer, error) { panic("wip") }

// NewTool makes a tool whose schema is read from In (a struct) and whose arguments are decoded into it.
func NewTool[In any](name, doc string, e Effect, fn func(context.Context, In) (Result, error)) Tool {
	panic("wip")
}

// EncodeJSON encodes v without HTML escaping, without a trailing newline, raw JSON compacted: the one form in which
// events are stored, sent and compared.
func EncodeJSON(v any) ([]byte, error) { panic("wip") }

// MaxParts bounds the parts of one message; a chunk beyond it is an invalid response.
const MaxParts = 4096

// Builder collects chunks into a message. The result does not depend on how the stream was cut.
type Builder struct{}

// Add takes one chunk in.
func (b *Builder) Add(c Chunk) error { panic("wip") }

// Message gives what was collected; call it once, at the end. Calls have compact arguments.
func (b *Builder) Message() Message { panic("wip") }
