package skill

import (
	"context"
	"encoding/json"

	"react-agent/agent"
)

// Scope says whose skills a root holds. Links of a project's skills must not lead out of the project: it may be anybody's.
type Scope string

// The scopes.
const (
	Project Scope = "project"
	User    Scope = "user"
	System  Scope = "system"
)

// Root is a place where skills are looked for.
type Root struct {
	// Path is absolute: a directory of skills, a skill's own directory, or a Markdown file. One that is not there is skipped.
	Path  string
	Scope Scope
	// Within is the directory that links in a project's root must not leave; empty is Path.
	Within string
	// Installed says that its skills came from elsewhere: their commands are never run.
	Installed bool
	// FromOne says that $1 is the first argument, not $0.
	FromOne bool
	// Commands is the ending of files that are a person's own commands, one each: .md or .toml; see [CommandPlaces]. Empty:
	// the root holds skills.
	Commands string
}

// Command is a command that stands in a skill's text.
type Command struct {
	Skill string // name
	Text  string // for the shell; values come in as variables that it sets first
	Shell string // what the header asks for: empty, bash or powershell
	Dir   string // the skill's directory
	Call  string // key of the tool call; empty when a person invoked the skill
}

// Fork is a skill to be worked on by a sub-agent.
type Fork struct {
	Call   agent.Call // of the Skill tool; its Key is the identity of the work
	Skill  *Skill
	Prompt string // the rendered text: all that the sub-agent knows
	// State has to be in the sub-agent's session from its beginning: by it the sub-agent knows that it is the one.
	State map[string]json.RawMessage
}

// Options say where skills are and what may be done with them. Every field may be left empty.
type Options struct {
	Roots []Root
	// Strict refuses skills whose name is missing or differs from their folder's.
	Strict bool
	// Loose loads skills without a header or a description: the name is the folder's, the description the first paragraph.
	Loose bool
	// Untrusted leaves out what the project brings; it is told as skipped.
	Untrusted bool
	Texts     Texts
	// Budget bounds the index, in bytes; 0 is 16,000.
	Budget int
	// Cut bounds a skill's text and a file in a result, in characters; 0 is 100,000.
	Cut int
	// ProjectDir and Effort fill ${PROJECT_DIR} and ${EFFORT}.
	ProjectDir, Effort string
	// Installed tells whether the skill in a directory (or a flat file) came from elsewhere, beside Root.Installed.
	Installed func(path string) bool
	// Run runs a command of a skill's text and gives its output; the policy has to be asked there. nil: commands stay text.
	Run func(ctx context.Context, c Command) (string, error)
	// File reads a file that the text of a command asks for that the person of this session called, by its path as written
	// there; what may be read is decided there. nil: such places stay text.
	File func(ctx context.Context, s *agent.Session, path string) (string, error)
	// Attach gives the files that the text of a command names with an at-sign, which the person of this session called. nil:
	// the model may read them.
	Attach func(ctx context.Context, s *agent.Session, text string) []agent.Part
	// View is the name of skill_view as the model sees it; empty: the face does not show it.
	View string
	// Pipeline tells of a skill that is driven through phases: the tool that drives it, as the model sees it, and how a
	// person's call of the skill is to enter. nil: there are none.
	Pipeline func(k *Skill) (tool string, entry Entry, ok bool)
	// Needs names the tool that drives a skill when the face does not show it: then the skill is offered to nobody. It is
	// called at any time after [Load]; nil: there are none.
	Needs func(k *Skill) string
	// KnownTool tells whether any face has a tool of this name, by our name for it: rules of `disallowed-tools` about others
	// are noted. nil: nobody knows.
	KnownTool func(name string) bool
	// CheckRule says what is wrong with a rule that has a pattern, such as Bash(rm *). nil: nothing ever is.
	CheckRule func(rule string) error
	// Meets says whether a call is what such a rule means, for sure, or maybe: only running it would tell. nil: such rules
	// take the whole tool away.
	Meets func(rule string, t agent.Tool, c agent.Call) (sure, maybe bool)
	// Fork has a sub-agent do a skill's work; it may be called again with the same Call.Key after a crash. nil: such skills
	// are invoked inline.
	Fork func(ctx context.Context, f Fork) (agent.Result, error)
}

const (
	defaultBudget = 16_000
	defaultCut    = 100_000
)

func (o Options) withDefaults() Options {
	if o.Texts == (Texts{}) {
		o.Texts = Lean()
	}
	if o.Budget <= 0 {
		o.Budget = defaultBudget
	}
	if o.Cut <= 0 {
		o.Cut = defaultCut
	}
	return o
}
