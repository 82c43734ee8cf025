package compact

import (
	"context"

	"react-agent/agent"
)

// Name is the From of the messages that stand for the older part of a history, and the beginning of this package's keys
// in a session's State.
const Name = "compact"

// Options of [New].
type Options struct {
	Settings

	// Agent is whose history is made smaller. Its System, Tools, MaxOut and what its Model says of itself are read whenever
	// they are needed, so it may be completed after [New].
	Agent *agent.Agent
	// Request is what the model would be asked next, with nobody noticing, and whether its fixed part is another one than in
	// the last request. It is asked before every call. nil: what Agent says, without its hooks.
	Request func(ctx context.Context, s *agent.Session) (req *agent.Request, changed bool, err error)
	// Ask makes one call of the session's model, metered like any other; the usage is known even when it fails. nil: no
	// summary is made.
	Ask func(ctx context.Context, req *agent.Request) (agent.Message, *agent.Usage, error)
	// Orders are the From of messages that count like the person's own: those of an agent to its sub-agent.
	Orders []string
	// Carry is what other features want to be carried word for word, the most important first.
	Carry []Section
	// Files says which files a call, in the model's own words, has read or written; nil: nothing is known about files.
	Files func(c agent.Call) []File
	// Transcript keeps the messages that leave the history and gives the path under which the agent can read them; nil:
	// nothing is kept beside the log.
	Transcript func(ctx context.Context, session string, messages []agent.Message) (path string, err error)
	// Fills says what fills the window of the session's next request, for the person, when nothing more can be taken out.
	// nil: only the whole of it is told.
	Fills func(ctx context.Context, s *agent.Session) []Size
	// Before is asked before a compaction; an error refuses it. nil: nobody is asked.
	Before func(ctx context.Context, s *agent.Session, why agent.Why, focus string) error
	// After is told of each compaction that was stored, with its summary. nil: nobody is told.
	After func(ctx context.Context, session string, why agent.Why, summary string)
	// Lang is the language of what the person reads, "zh" or "en"; empty is English.
	Lang string
}

// Settings are what a profile or the configuration decides. Zero values are the usual ones.
type Settings struct {
	// Manual: nothing happens by itself before a call. A request that was refused as too long is still made smaller.
	Manual bool
	// At is the size of a request, in tokens, over which it is made smaller; 0: Share of the window decides, and
	// [DefaultAt] where the window is unknown. It never exceeds what the window leaves.
	At int
	// Share of the window, without the room for an answer, that a request may fill; 0 is 0.9.
	Share float64
	// Keep is how many tokens of the newest messages stay as they are; 0 is a fifth of the threshold, 20,000 at
	// most, and nothing with Plain.
	Keep int
	// Micro clears old results before each call.
	Micro bool
	// Results is how many of the last results are never cleared; 0 is 3.
	Results int
	// Cleared is what stands for a cleared result; a %s in it is the tool's name. "" is "[cleared]".
	Cleared string
	// KeepReads leaves the results of read_file alone.
	KeepReads bool
	// Plain gives the older part the form of two messages, a summary and the model's word that it has understood, with the
	// words of the source systems.
	Plain bool
}

// DefaultAt is the threshold where the window of a model is unknown, in tokens.
const DefaultAt = 100_000

// Section is a text that is carried over compactions word for word.
type Section struct {
	// Name is what the section is called where sizes are told, in English.
	Name string
	// Text gives it as it belongs into the conversation; "" is nothing. What exceeds its budget is cut at its end.
	Text func(s *agent.Session) string
}

// File is a file that a call has touched. Path is as the agent would write it.
type File struct {
	Path  string `json:"path"`
	Wrote bool   `json:"wrote,omitempty"`
}
