package agent

import (
	"context"
	"encoding/json"
)

// Hook is a feature: optional functions at fixed points of the loop, called on the loop's goroutine in the order of
// [Agent.Hooks]. Any error but a [*StopError] ends the run with an internal error.
type Hook struct {
	Name string
	// OnSession is called by the engine before the first run of a session that it has opened (start), and when it lets go of
	// one of which the hook has heard. A look at a session, and what is done between runs, is no reason to call it.
	OnSession func(ctx context.Context, s *Session, start bool)
	// OnInput sees, and may change, every message whose From is empty before it is stored.
	OnInput func(ctx context.Context, s *Session, m *Message) error
	// Inject adds messages or state before a model call; stopping says that the run ends unless a message comes. Where a
	// hook before has brought one it does not.
	Inject func(ctx context.Context, s *Session, stopping bool) (*Note, error)
	// BeforeModel may change the request, but not its Messages.
	BeforeModel func(ctx context.Context, s *Session, req *Request) error
	// BeforeTool judges a checked call, under our names.
	BeforeTool func(ctx context.Context, s *Session, t Tool, c Call) (Decision, error)
	// AfterTool sees, and may change, the result of every call that ran or was turned down.
	AfterTool func(ctx context.Context, s *Session, c Call, r *Result) error
	// OnEvent observes every event after it was stored and folded.
	OnEvent func(ctx context.Context, e Event)
}

// Note is input: messages with what belongs to them. Took, State, Usage and Steps go with the first message's event;
// without messages a state event carries them. Usage and Steps are what was spent elsewhere for this run.
type Note struct {
	Messages []Message
	Took     []Took
	State    map[string]json.RawMessage
	Usage    *Usage
	Steps    int
	// Later, in what Inject gives, is done after the rest was stored.
	Later *Later
	// Next, in what Inject gives, comes after all that. What must not be half stored when a crash comes between, such as
	// messages of which each has used up a record of its own, are notes behind one another.
	Next *Note
}

// Later is what a hook has to do that takes long or has questions. It runs beside the loop, which waits: [Progress] and
// [AskUser] work in it as in a tool whose call this is. The note that comes of it, nil is none, is stored like any other.
// Until then nothing has happened: after a crash Inject is asked again, and questions that were answered under the same
// Call.Key are not put again.
type Later struct {
	Call Call
	Run  func(ctx context.Context) (*Note, error)
}

// Say makes a note of one user message.
func Say(text string) Note { return Note{Messages: []Message{TextMessage(User, text)}} }

// Verdict is a hook's opinion on a call.
type Verdict int

// Verdicts from weakest to strongest: hooks only tighten.
const (
	Pass Verdict = iota
	AskFirst
	Answered // Decision.Result is the answer, the tool does not run
	Deny
)

// Decision is what a BeforeTool hook says. All hooks are asked; the strongest verdict wins, of equal ones the first. If
// one rewrites Args, all are asked again (three times at most).
type Decision struct {
	Verdict Verdict
	Reason  string          // for Deny and AskFirst: the question or the reason, with the rule
	Rules   []string        // for AskFirst: what "always" would add
	Args    json.RawMessage // non-nil: run with these instead
	Result  *Result         // for Answered
}

// StopError ends a run in order, when a hook returns it or when it is the cause of the run's context: open calls are
// answered, then comes end with this Stop.
type StopError struct {
	Stop RunStop
	Text string
	// Cause is the error that the end event names; nil = the end is no failure, or Text says enough.
	Cause *Error
}

// Error gives the text, or the stop when there is none.
func (e *StopError) Error() string {
	if e.Text != "" {
		return e.Text
	}
	return "stopped: " + string(e.Stop)
}
