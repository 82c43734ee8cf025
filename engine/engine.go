// Package engine runs sessions: it takes input, owns the lease, journals, and fans events out to those who follow.
//
// A session is two logs. input/ID has what was said to it, by anybody, in any process; session/ID has the durable events,
// written by one owner at a time. [Local.Submit] appends to the first and sees that there is an owner: the document
// lease/ID says who, and owner/PROCESS is that process' sign of life. The owner's worker loads the session, asks the
// [Factory] for an agent, takes the input in log order, and leaves when there is nothing left to do.
//
//   - A message goes into the running turn at the next boundary, or begins a turn; with Queue it begins a turn of its own
//     when the running one has ended. The event that uses an input up names it in Took, so nothing is taken twice over
//     any crash.
//   - A cancel ends the run and takes with it what was said before it and not taken in yet; the end event names it all. One
//     that names a message takes nothing else.
//   - The first answer to a question counts.
//   - What a crash has left open goes on with [Local.Resume] or with the next input. An owner that gives no sign of life
//     is replaced; should it wake, it finds its lease gone or its append refused, and stores nothing more.
//   - Every durable event is in the log before it is shown. A follower that is late goes back to the log for those, and
//     loses live ones only.
//
// When nothing can be stored (a full disk) there can be no end event: the run stops, a notice with an Error says why, and
// the session goes on with the next input once there is room.
package engine

import (
	"context"
	"iter"
	"time"

	"react-agent/agent"
)

// Engine is what every front end talks to, in process ([Local]) or over HTTP (client.Client).
type Engine interface {
	// Submit puts input into the session's input log and sees that somebody works on it. Receipt.Text is a command's answer.
	Submit(ctx context.Context, session string, in Input) (Receipt, error)
	// Follow yields the stored events behind after, then, with live, what comes until ctx ends. A slow reader loses only
	// live events.
	Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error]
	// Info tells where a session stands. An unknown session is one without events.
	Info(ctx context.Context, session string) (SessionInfo, error)
	// List yields sessions, newest first, older than before ("" = all).
	List(ctx context.Context, before string) iter.Seq2[SessionInfo, error]
	// Delete ends a session's run and removes its logs.
	Delete(ctx context.Context, session string) error
}

// Input is one thing said to a session. Exactly one of Message, Answer, Cancel, Command, Quiet is set.
type Input struct {
	ID      string         `json:"id,omitempty"` // the same ID twice counts once
	Message *agent.Message `json:"message,omitempty"`
	Answer  *agent.Answer  `json:"answer,omitempty"`
	Cancel  bool           `json:"cancel,omitempty"`
	Queue   bool           `json:"queue,omitempty"` // wait for the end of the run instead of steering it
	Quiet   bool           `json:"quiet,omitempty"` // only look: something may be waiting
	// Edit replaces the queued message at this position; an empty message removes it. With Cancel it takes back this message
	// alone: one that waits is removed, of one that is in the run the run ends, and what else waits stays; of one whose run is
	// over, or has survived a crash, nothing happens.
	Edit    int64  `json:"edit,omitempty"`
	Command string `json:"command,omitempty"`
}

// Receipt says where the input stands.
type Receipt struct {
	Pos  int64  `json:"pos"`
	Text string `json:"text,omitempty"`
	// Edit is the position of the message that it has changed or removed.
	Edit int64 `json:"edit,omitempty"`
	// Again says that the input with this ID was there already, at Pos: nothing was added.
	Again bool `json:"again,omitempty"`
}

// SessionInfo describes a session.
type SessionInfo struct {
	ID      string      `json:"id"`
	Title   string      `json:"title,omitempty"` // the first line of the first message; of a sub-agent its name before that
	Seq     int64       `json:"seq"`
	Running bool        `json:"running"`
	Updated time.Time   `json:"updated"`
	Queue   []Queued    `json:"queue,omitempty"`
	Usage   agent.Usage `json:"usage"`
}

// Queued is a message that was not taken in yet.
type Queued struct {
	Pos     int64         `json:"pos"`
	Message agent.Message `json:"message"`
	Queue   bool          `json:"queue,omitempty"`
}
