package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"react-agent/agent"
	"react-agent/store"
)

// Spec is what the engine tells the [Factory] about the session it opens.
type Spec struct {
	Session string
	// State is the session's, as it is when the factory is asked; read only. It is not nil, even if there is nothing in it.
	State map[string]json.RawMessage
	// Ask puts a question to whoever follows the session, and waits for an [Input] with the answer. The factory gives it
	// to [agent.Agent.Ask] when there is somebody to ask, and leaves that field nil when there is nobody: the engine
	// does not touch it.
	Ask func(ctx context.Context, q agent.Ask) (agent.Answer, error)
	// Answered is the answer to a question that was handed in already; false: there is none yet. For a factory that has
	// nobody to ask.
	Answered func(id string) (agent.Answer, bool)
	// Waiting reports whether a message is waiting to be taken in. The engine sets [agent.Agent.Waiting] itself; this one
	// is for tools and sub-agents that want to know.
	Waiting func() bool
	// Idle is told with 1 that the run only waits for other sessions, and with -1 that it goes on: [Local.Close] does not
	// wait for the next durable event of a run that cannot have one.
	Idle func(n int)
}

// Factory makes the agent of a session. It is called when the session is opened, and again after [Local.Refresh]. The
// engine works on a copy in which it sets Journal and Waiting and puts a hook of its own first. An error stands in the
// log as the end of the run, kind config.
type Factory func(ctx context.Context, s Spec) (*agent.Agent, error)

// Commands answers a command line such as "/compact keep the plan". What needs the session goes through [Local.Do].
type Commands func(ctx context.Context, session, line string) (Reply, error)

// Reply is what a command line came to: an answer for the person, or a message that is said to the session in the line's
// place, with all else that the input asks for. Queue and Edit are those of an [Input] in the line's place.
type Reply struct {
	Text    string
	Message *agent.Message
	Queue   bool
	Edit    int64
}

// says reports whether the line stands for an input.
func (r *Reply) says() bool { return r.Message != nil || r.Edit != 0 }

// Config is what an engine is made of. Log, KV, Blobs and Factory are required.
type Config struct {
	Log      store.Log
	KV       store.KV
	Blobs    store.Blobs
	Factory  Factory
	Commands Commands // nil: commands are refused
	// Receive may change what was said before it is stored, and must not change what the input's pointers lead to. It is
	// called by many goroutines. nil: everything is stored as it was said.
	Receive func(in *Input)
	Logger  *slog.Logger // nil: silent
	// Process names this process in leases, unique among all that share the store; "" takes a random name.
	Process string
	// Beat is the time between two signs of life, 0 = 2 s. An owner without one for Dead, 0 = 10 s, has lost its sessions.
	Beat, Dead time.Duration
	// Poll is the longest time between two looks at what other processes may have appended, 0 = 250 ms; it is longer where
	// more than 250 sessions are followed. What this process does is seen at once.
	Poll time.Duration
	// Timeout bounds a run, questions included; it then ends with stop timeout. 0 = none.
	Timeout time.Duration
	// Backlog is how many events a follower may be late before it loses live ones, 0 = 512: ten seconds of a fast model.
	Backlog int
	// Keep is how many idle sessions stay open, 0 = 64.
	Keep int
	// NoSync leaves out waiting for the disk where an effect follows: a crash of the machine, not of the process, may then
	// lose the last events.
	NoSync bool
	// Texts are what the engine says to the person.
	Texts Texts
}

// Texts are what the engine says to the person; empty ones are English.
type Texts struct {
	TailRepaired string // a torn tail of the log was cut off
	BodyLost     string // the session goes on without what the store has lost of it, which is named behind it
	DiskFull     string // the run stopped because nothing can be stored
	StoreFailed  string // the same for another fault of the store
	LeaseLost    string // another process has taken the session over
	Fault        string // the run stopped because of a fault in the program
}
