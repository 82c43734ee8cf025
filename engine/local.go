package engine

import (
	"context"
	"iter"

	"react-agent/agent"
)

// Local is the engine in process. It is safe for concurrent use, and any number of them, in any number of processes, may
// share one store.
type Local struct{}

// New makes an engine. It starts nothing until there is work; see [Local.Resume] for what a crash has left.
func New(c Config) (*Local, error) { panic("wip") }

// Close lets running sessions reach their next durable event, stops them, and waits for everything the engine has
// started, at most until ctx ends. What was stopped goes on with [Local.Resume] or the next input.
func (l *Local) Close(ctx context.Context) error { panic("wip") }

// Submit implements [Engine].
func (l *Local) Submit(ctx context.Context, session string, in Input) (Receipt, error) {
	panic("wip")
}

// Follow implements [Engine]. The events share memory with the run: read only.
func (l *Local) Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error] {
	panic("wip")
}

// Frames is Follow for those who send the events on: encoded once for all, large bodies as references.
func (l *Local) Frames(ctx context.Context, session string, after int64, live bool) iter.Seq2[Frame, error] {
	panic("wip")
}

// Info implements [Engine].
func (l *Local) Info(ctx context.Context, session string) (SessionInfo, error) { panic("wip") }

// List implements [Engine]. Usage and Queue are left to Info; children are listed too.
func (l *Local) List(ctx context.Context, before string) iter.Seq2[SessionInfo, error] { panic("wip") }

// Delete implements [Engine]: the run, the logs, and those of its children.
func (l *Local) Delete(ctx context.Context, session string) error { panic("wip") }

// Resume sees that somebody works on a session that a crash has left open. Without work it does nothing.
func (l *Local) Resume(ctx context.Context, session string) error { panic("wip") }

// Do runs fn on a session between runs, under its lease: for undo, mode, compaction. It waits until the session is idle,
// in this process or another. Events that fn has from elsewhere ([agent.Agent.CompactNow]) are shown with emit; those of
// [agent.Agent.Append] are shown by themselves.
func (l *Local) Do(ctx context.Context, session string, fn func(ctx context.Context, a *agent.Agent, s *agent.Session, emit func(agent.Event)) error) error {
	panic("wip")
}

// Refresh makes the next run of an open session ask the [Factory] again.
func (l *Local) Refresh(session string) { panic("wip") }

// PutBlob implements [store.Blobs].
func (l *Local) PutBlob(ctx context.Context, data []byte) (string, error) { panic("wip") }

// GetBlob implements [store.Blobs].
func (l *Local) GetBlob(ctx context.Context, sha string) ([]byte, error) { panic("wip") }

// Line is the event as one line of JSON, the same bytes as in the log.
func (f Frame) Line() ([]byte, error) { panic("wip") }

// Decode reads one line of a stream or log; blob brings back the bodies that stand elsewhere.
func Decode(line []byte, blob func(sha string) ([]byte, error)) (agent.Event, error) { panic("wip") }

// NewID makes the id of a session: ids are ordered by time.
func NewID() string { panic("wip") }
