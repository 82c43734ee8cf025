package team

import (
	"context"
	"iter"

	"react-agent/agent"
)

// Sessions runs the sessions that children are: the engine, as far as a team needs it.
type Sessions interface {
	// Submit hands something to a session and sees that somebody works on it. The same Input.ID twice counts once.
	Submit(ctx context.Context, session string, in Input) error
	// Follow yields the stored events behind after, then, with live, what comes until ctx ends.
	Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error]
	// Status tells where a session stands. An unknown one has no events.
	Status(ctx context.Context, session string) (Status, error)
	// Resume sees that somebody works on a session that a crash has left open.
	Resume(ctx context.Context, session string) error
}

// Input is one thing said to a child: exactly one of Message, Answer, Cancel, Quiet is set.
type Input struct {
	ID      string
	Message *agent.Message
	Answer  *agent.Answer
	Cancel  bool
	Quiet   bool // only look: a message may wait for the model
}

// Status is where a session stands.
type Status struct {
	Seq     int64
	Running bool
	Usage   agent.Usage // of the whole session
}

// begun reports whether anything was said to it.
func (s Status) begun() bool { return s.Seq > 0 || s.Running }

// Files reads and writes for the runner, as the tools of the same work directory do: with their rules about secrets and
// about what lies outside.
type Files interface {
	// Read gives the text of a file.
	Read(ctx context.Context, path string) (string, error)
	// Write writes a whole file; directories are made.
	Write(ctx context.Context, path, content string) error
}
