// Package profile holds the faces of the agent: which tools the model sees, under which names and with which texts,
// the system prompt and the limits. A profile is data (YAML); the kernel and the tools do not know that it exists.
//
// [Profile.Apply] turns our tools into the profile's: it hides, renames, and rewrites argument names in the schema, and
// gives each tool the function that maps the model's arguments back. Every alias is accepted whatever name is shown.
package profile

import (
	"time"

	"react-agent/agent"
)

// Profile is one face.
type Profile struct {
	Name string
	// Prompt is the system prompt. It is the same for every request: no clock, no paths.
	Prompt string
	// Only hides the tools that Tools does not name.
	Only  bool
	Tools map[string]Face // by our name of the tool
	// Limits that the configuration may override.
	Limits Limits
	// Mode the profile starts in; "" = ask.
	Mode string
	// Blocklist refuses the source's list of dangerous words in shell commands.
	Blocklist bool
	// RequestTimeout bounds one model call; 0 = none.
	RequestTimeout time.Duration
	// Texts are result texts that replace the language's usual ones, by name.
	Texts map[string]string
}

// Face is how one tool looks.
type Face struct {
	Show    string            // name the model sees; "" = ours
	Aliases []string          // more names it may be called by
	Args    map[string]string // our argument name -> the shown one
	Timeout time.Duration     // the tool's own default limit; 0 = the tool's
	Texts   string            // name of the tool's set of texts; "" = the usual one
}

// Limits of a run. Repeat is how many equal steps in a row end it; 0 = the guard's own way.
type Limits struct{ Steps, Repeat, Parallel int }

// Load gives a built-in profile; an unknown name is an error that lists the known and the nearest.
func Load(name string) (Profile, error) { panic("wip") }

// Names lists the built-in profiles, the default first.
func Names() []string { return []string{"lean", "classic"} }

// Parse reads a profile from YAML; file is named in errors.
func Parse(file string, data []byte) (Profile, error) { panic("wip") }

// Apply gives the tools the profile's names. A profile that names an unknown tool or argument, or the same name twice,
// is an error that says which.
func (p Profile) Apply(tools []agent.Tool) ([]agent.Tool, error) { panic("wip") }
