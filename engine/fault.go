package engine

import "fmt"

// Fault is what can be wrong with an input: English, with the verbs of fmt for [InputError.Args]. A front end that speaks
// another language has its own words for each.
type Fault string

// The faults of inputs.
const (
	FaultCount      Fault = "set exactly one of message, answer, cancel, quiet and command (there are %d)"
	FaultEdit       Fault = "edit %d: use the position of a queued message"
	FaultID         Fault = "the id is too long (%d, at most 200 bytes)"
	FaultAnswer     Fault = "the answer needs the id of the question"
	FaultRole       Fault = "a message to a session has role user, not %q"
	FaultEmpty      Fault = "the message has no parts"
	FaultPart       Fault = "part %d is no text and no blob, but %q"
	FaultNoCommands Fault = "this engine knows no commands"
)

// InputError says what is wrong with an input. It is [ErrInput].
type InputError struct {
	Fault Fault
	Args  []any
}

func (f Fault) error(args ...any) error { return &InputError{Fault: f, Args: args} }

// Error says it in English.
func (e *InputError) Error() string {
	return ErrInput.Error() + ": " + fmt.Sprintf(string(e.Fault), e.Args...)
}

// Is reports whether the target is [ErrInput].
func (*InputError) Is(target error) bool { return target == ErrInput }
