package instruct

import (
	"context"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Name is the hook's name, the From of its messages, and the beginning of its keys in a session's State.
const Name = "instructions"

// DefaultMax is the bound of [Options.Max] when it is 0.
const DefaultMax = 32 << 10

// Options say where files are and what may be done with them. Every field may be left empty.
type Options struct {
	// Dir is the work directory, absolute; empty: there is no project. Top is the top of the project; empty or not above
	// Dir: Dir itself.
	Dir, Top string
	// Home is the person's home directory: for ~, and for the files that other agents keep there. Config is this program's
	// directory for settings; its AGENTS.md is the person's. Empty: there is none.
	Home, Config string
	// Project says that the project's texts may be used.
	Project bool
	// Max bounds what the files of the project take together, in bytes; likewise the person's. 0 is DefaultMax.
	Max int
	// Touched lists the files, absolute and without links, that a call has read or changed. nil: nothing nested is found.
	Touched func(c agent.Call) []string
	// Skipped is told once of each file that is not used: because Project is false, then why is nil, or because it is in the
	// project's folder without being its own.
	Skipped func(path string, why error)
	// Ignored says that the project's version control leaves a directory out: so its files are not the project's own. nil: none
	// is.
	Ignored func(ctx context.Context, dir string) bool
	// Refuse says why a file must not be read, or nil; it is asked about every file, with its path without links.
	Refuse func(path string) error
	// Mask takes out of a text what the model must not see. nil: nothing.
	Mask func(text string) string
}

// Scope says whose file it is.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Status says what became of a file.
type Status string

// The states. Same is a file whose text is there already, under another name.
const (
	Taken   Status = "taken"
	Cut     Status = "cut"
	Same    Status = "same"
	Skipped Status = "skipped"
)

// Finding is a file, and what became of it.
type Finding struct {
	Path   string // as it was found; absolute
	Scope  Scope
	Status Status
	Bytes  int64 // of the file
	Shown  int   // bytes of it that are used
	// Reason has a text in both languages; nil when the file is taken.
	Reason error
	// From and Line say where an import stands; empty and 0 for a file of its own right.
	From string
	Line int
	// When is what a file of .claude/rules is for; empty: for everything.
	When []string
}

// In is the reason in the catalogue's language, empty when there is none.
func (f *Finding) In(c msg.Catalogue) string {
	if f.Reason == nil {
		return ""
	}
	return c.Err(f.Reason)
}
