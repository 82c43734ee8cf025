package rewind

import (
	"errors"

	"react-agent/agent"
)

// ErrNoRedo says that there is nothing to redo.
var ErrNoRedo = errors.New("rewind: there is nothing to redo")

// ErrStale says that files or chat have changed since the plan was made.
var ErrStale = errors.New("rewind: something changed since this was planned; look at the plan again")

// ErrRange says that a session has no such event to go back to.
var ErrRange = errors.New("rewind: no such event")

// Turn is a message of the person and what came of it.
type Turn struct {
	Seq   int64    `json:"seq"` // number of the message's event
	Text  string   `json:"text"`
	Files []string `json:"files,omitempty"` // what its calls changed, by name
	// Gone says that checkpoints of it were dropped: only the chat can be brought back in full.
	Gone bool `json:"gone,omitempty"`
}

// Action is what happens to one file.
type Action string

// What can happen to a file.
const (
	Restore Action = "restore" // it gets other bytes, another mode, or becomes something else
	Create  Action = "create"  // it is not there and comes back
	Remove  Action = "remove"  // it is there and goes
)

// File is one line of a plan.
type File struct {
	Path   string `json:"path"` // relative to the work directory, with slashes; absolute outside
	Action Action `json:"action"`
	// Kind is "file", "dir" or "link": what will be there, or with Remove what is there now.
	Kind string `json:"kind"`
	Size int64  `json:"size"` // bytes of what will be there, or with Remove of what is there now
	// Conflict is why this is not done unless forced; empty: it will be done.
	Conflict string `json:"conflict,omitempty"`
	// Lost is why this cannot be done at all.
	Lost string `json:"lost,omitempty"`
}

// Plan is a preview.
type Plan struct {
	Session string       `json:"session"`
	Redo    bool         `json:"redo,omitempty"`
	Void    *agent.Range `json:"void"` // of the chat
	Files   []File       `json:"files"`
	// Others are files that only others changed since; they are left alone.
	Others []string `json:"others,omitempty"`
	// Gone says that checkpoints of this range were dropped, so that not all files can come back. Perform wants force then.
	Gone bool `json:"gone,omitempty"`
}

// Conflicts counts the files that will be left alone unless forced.
func (p *Plan) Conflicts() int {
	n := 0
	for _, f := range p.Files {
		if f.Conflict != "" {
			n++
		}
	}
	return n
}

// Result says what was done.
type Result struct {
	Done []File `json:"done"`
	// Left are files that were not touched, with the reason in Conflict or Lost.
	Left []File `json:"left,omitempty"`
	// Event is the number of the void event.
	Event int64 `json:"event"`
}
