package team

import (
	"encoding/json"
	"errors"
	"time"

	"react-agent/agent"
)

// Task is work for a child.
type Task struct {
	// Key is the identity of the work: the key of the tool call that asks for it, with something behind it where one call
	// has several children ("s/12.1/step-3"). The same Key again finds the same child, whatever the other fields say.
	Key string
	// Parent is the session whose child it is.
	Parent string
	// Name is what the child is called in its path and in lists, without the number that follows: "explore". Empty is the
	// type's name.
	Name string
	// Title says in a line what it is about, for lists. Empty is the beginning of Text.
	Title string
	// Type is an agent type ("Explore", "general-purpose", or one from a file). It gives system prompt, tools, model and
	// steps where the fields below are empty. Empty: only the fields below count.
	Type string
	// AnyType has the usual general type do the work where nobody knows the Type; the result says so.
	AnyType bool
	// System is the child's system prompt, Text its only message.
	System, Text string
	// Tools are the names of the tools it gets, as the parent knows them. nil: those of the Type, without one none.
	Tools []string
	// All gives it, where Tools is nil and Type is empty, every tool of its parent but those that start children.
	All bool
	// Model and Effort are those of the parent where they are empty.
	Model, Effort string
	// Steps bounds its model calls; 0 is the type's, else [Options.Steps].
	Steps int
	// Timeout bounds its time; 0 = the parent's alone.
	Timeout time.Duration
	// Output is a file, relative to the work directory, into which the reply is written. Empty: none.
	Output string
	// Tokens says that the child's words are shown as progress, line by line.
	Tokens bool
	// Driver says that a program starts it, and no model: only the depth is counted.
	Driver bool
	// State is what its session has from its beginning, beside what it takes over from its parent.
	State map[string]json.RawMessage
	// Background says that nobody waits for it: Run returns as soon as it is written down.
	Background bool
	// Mate is the name of a teammate, see [Team.Enlist]; Role what it is there for.
	Mate, Role string
}

// State is how a child stands.
type State string

// The states; all but the first two are final.
const (
	Waiting   State = "waiting" // for its turn
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	TimedOut  State = "timed_out"
	Orphaned  State = "orphaned" // nobody waits for it any more
)

// Final reports whether nothing more will come of a child.
func (s State) Final() bool { return s != Waiting && s != Running && s != "" }

// Reply is what a child came to.
type Reply struct {
	Session string // of the child
	Path    string // "main/explore-1"
	State   State
	// Text are its last words, without thinking; also of a child that failed, as far as there are any.
	Text string
	// Reason says why it is not done, for the model and the person; empty when it is.
	Reason string
	// Written is how many bytes were written to Task.Output.
	Written int
	Usage   agent.Usage
	Steps   int

	texts Texts
	apart bool   // its steps are no matter of its parent's
	note  string // about how it was started, for whoever reads the result
}

// ErrRefused is wrapped by errors about a child that may not be started: the text tells the model why.
var ErrRefused = errors.New("refused")
