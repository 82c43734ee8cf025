package agent

import (
	"context"
	"encoding/json"
	"strconv"
)

// Effect is the worst a tool can do. Policies and plan mode read it.
type Effect int

// Effects from unknown to worst. The zero value is treated as Executes.
const (
	Unknown Effect = iota
	Reads
	Writes
	Executes
)

// String names the effect.
func (e Effect) String() string {
	return [...]string{"unknown", "reads", "writes", "executes"}[max(0, min(int(e), int(Executes)))]
}

// Tool is something the model may call. It is a value: to rename, wrap or hide one, copy it.
type Tool struct {
	Name   string
	Doc    string
	Schema json.RawMessage // JSON Schema of the arguments as the model writes them, always an object
	Effect Effect
	// Shared says that the tool may run beside its neighbours in a batch (one that only Reads always may).
	Shared bool
	// Alone says that it may not, although it only Reads: the calls before it in a batch have ended when it begins.
	Alone bool
	// Resume says that a started call may be run again with the same Key and finds its own work (sub-agent, pipeline, job).
	Resume bool
	// Run does the work. Its error or panic becomes a failed Result. ctx ends when the run is cancelled.
	Run func(ctx context.Context, c Call) (Result, error)
	// Alias is the name the model sees, if not Name.
	Alias string
	// Aliases are more names it may be called by.
	Aliases []string
	// Rename turns the model's arguments into ours.
	Rename func(args json.RawMessage) (json.RawMessage, error)
	// Check sees the arguments under our names and looks beyond the kernel's own checks (see [CheckArgs]). It reports all
	// faults, with paths.
	Check func(args json.RawMessage) error
}

// Shown is the name the model sees.
func (t Tool) Shown() string {
	if t.Alias != "" {
		return t.Alias
	}
	return t.Name
}

// Progress shows text while a tool runs; it is never stored. ctx is the one the tool was given; elsewhere nothing happens.
func Progress(ctx context.Context, text string) {
	if p, ok := ctx.Value(portKey{}).(port); ok && p.progress != nil {
		p.progress(text)
	}
}

// AskUser asks the person from inside a tool: the loop journals question and answer, the tool waits. q needs Text only;
// Call is filled in, and the call's key is put in front of ID. With nobody to ask, and outside a run, the answer is not
// to allow. After a restart a Resume tool gets the stored answers: to the question with the same ID, or, where it gives
// none, when it asks its questions in the same order. The error says that the run is ending.
func AskUser(ctx context.Context, q Ask) (Answer, error) {
	p, ok := ctx.Value(portKey{}).(port)
	if !ok || p.ask == nil {
		return Answer{}, nil
	}
	if q.ID == "" {
		q.ID = strconv.FormatInt(p.asked.Add(1), 10)
	}
	return p.ask(ctx, q)
}
