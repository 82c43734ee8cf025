// Package profile holds the faces of the agent: which tools the model sees, under which names and with which texts,
// the system prompt and the limits. A profile is data (YAML); the kernel and the tools do not know that it exists.
//
// [Profile.Apply] turns our tools into the profile's: it hides, renames, and rewrites argument names in the schema, and
// gives each tool the function that maps the model's arguments back. Every alias is accepted whatever name is shown.
package profile

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/yaml"
)

//go:embed faces/*.yaml
var faces embed.FS

// Profile is one face.
type Profile struct {
	Name string `yaml:"name"`
	// Prompt is the system prompt. It is the same for every request: no clock, and no path but the work directory's, which
	// [Profile.PromptIn] puts in the place of {root}.
	Prompt string `yaml:"prompt"`
	// Only hides the tools that Tools does not name.
	Only bool `yaml:"only"`
	// Tools by our name, or by a pattern such as run_*_pipeline for tools whose names are not known before.
	Tools map[string]Face `yaml:"tools"`
	// Words names the set of texts that the tools' results use; "" = the usual one.
	Words string `yaml:"words"`
	// Skills says how skills are read and shown.
	Skills Skills `yaml:"skills"`
	// Limits that the configuration may override.
	Limits Limits `yaml:"limits"`
	// Compact says how a long history is made to fit, in the words of kit/compact.
	Compact Compact `yaml:"compact"`
	// API is the wire it prefers where nobody names one and the vendor speaks it; "" = the vendor's first.
	API string `yaml:"api"`
	// Tags say how tools are put into the text, where the model does not know them.
	Tags Tags `yaml:"tags"`
	// Mode the profile starts in; "" = ask.
	Mode string `yaml:"mode"`
	// Blocklist refuses the source's list of dangerous words in shell commands.
	Blocklist bool `yaml:"blocklist"`
	// Confine refuses every path outside the work directory, for reading too.
	Confine bool `yaml:"confine"`
	// EditFirst makes edit_file take the first of several places instead of refusing.
	EditFirst bool `yaml:"edit_first"`
	// OwnSteps counts the model calls of sub-agents apart from those of the agent that has called them.
	OwnSteps bool `yaml:"own_steps"`
	// WaitForJobs holds a run's end back as long as commands of the session run in the background.
	WaitForJobs bool `yaml:"wait_for_jobs"`
	// RequestTimeout bounds one model call; 0 = none.
	RequestTimeout time.Duration `yaml:"request_timeout"`
	// Texts are result texts that replace the usual ones, by name: loop (with %d), unknown_tool and invalid_args (with %s).
	Texts map[string]string `yaml:"texts"`
	// Look is how a conversation by lines looks.
	Look Look `yaml:"look"`
}

// Tags say how tools are put into the text. On: also for a model that knows tools, unless the configuration says
// otherwise. Lang is the language in which the model is told of them, "" = English.
type Tags struct {
	On   bool   `yaml:"on"`
	Lang string `yaml:"lang"`
}

// Look are the words of a conversation by lines; an empty one is the usual one.
type Look struct {
	Hello  string `yaml:"hello"`  // stands before the first line: %[1]s the model, %[2]s the tools
	Prompt string `yaml:"prompt"` // stands before what the person types
	Answer string `yaml:"answer"` // stands before what the model answers
	Call   string `yaml:"call"`   // a call that begins: %[1]d the step, %[2]s the tool, %[3]s the arguments as JSON
	Result string `yaml:"result"` // its result: %s the first Cut characters
	Cut    int    `yaml:"cut"`
	Steps  string `yaml:"steps"` // is said when the step limit is reached; it may have %d, the limit
	Leave  bool   `yaml:"leave"` // an empty line, and an interrupt at the prompt, end the conversation
}

// Face is how one tool looks.
type Face struct {
	Show    string            `yaml:"show"`    // name the model sees; "" = ours
	Aliases []string          `yaml:"aliases"` // more names it may be called by
	Args    map[string]string `yaml:"args"`    // our argument name -> the shown one
	Timeout time.Duration     `yaml:"timeout"` // the tool's own default limit; 0 = the tool's
	Doc     string            `yaml:"doc"`     // what the model is told of the tool; "" = as it is
	About   map[string]string `yaml:"about"`   // our argument name -> what the model is told of it
	Hide    []string          `yaml:"hide"`    // arguments that the model is not told of
	// Optional says that the tool may be absent, such as those of skills where there are none.
	Optional bool `yaml:"optional"`
}

// Skills says how a face takes skills, in the words of kit/skill. Texts names its set of texts, "" = the usual one. The
// configuration may override Strict.
type Skills struct {
	Texts  string `yaml:"texts"`
	Strict bool   `yaml:"strict"`
	Loose  bool   `yaml:"loose"`
	// Shipped adds the skills that come with the program.
	Shipped bool `yaml:"shipped"`
}

// Compact says how a face makes a long history fit. The configuration may override At and Micro. Plain is the form of the
// source systems: two messages, and a transcript in the work directory.
type Compact struct {
	At    int  `yaml:"at"`
	Micro bool `yaml:"micro"`
	Plain bool `yaml:"plain"`
}

// Limits of a run. Repeat is how many equal steps in a row end it; 0 = the guard's own way. Unguarded: nothing but Steps
// ends one that goes round in circles. Output bounds one answer of the model, in tokens; 0 = as the model has it.
type Limits struct {
	Steps     int  `yaml:"steps"`
	Repeat    int  `yaml:"repeat"`
	Unguarded bool `yaml:"unguarded"`
	Parallel  int  `yaml:"parallel"`
	Output    int  `yaml:"output"`
}

// Default is the profile that is used when none is named.
const Default = "lean"

// Names lists the built-in profiles, the default first.
func Names() []string { return []string{Default, "classic", "mini", "skills", "server", "full"} }

// Load gives a built-in profile ("" = [Default]); an unknown name is an error that lists the known ones.
func Load(name string) (Profile, error) {
	if name == "" {
		name = Default
	}
	if !slices.Contains(Names(), name) {
		return Profile{}, fmt.Errorf("profile %q is unknown; there are %s", name, strings.Join(Names(), ", "))
	}
	file := "faces/" + name + ".yaml"
	raw, err := faces.ReadFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("profile %q: %w", name, err)
	}
	return Parse(file, raw)
}

// Parse reads a profile from YAML; file is named in errors. Unknown keys are errors.
func Parse(file string, data []byte) (Profile, error) {
	var p Profile
	if err := yaml.Decode(file, data, &p); err != nil {
		return p, err
	}
	p.Prompt = strings.TrimSpace(p.Prompt)
	if p.Name == "" {
		return p, fmt.Errorf("%s: name is missing", file)
	}
	return p, nil
}

// PromptIn is the system prompt of an agent that works in a directory.
func (p Profile) PromptIn(root string) string { return strings.ReplaceAll(p.Prompt, "{root}", root) }

// Apply gives the tools the profile's names. A profile that names an unknown tool or argument, or the same name twice,
// is an error that says which. The given tools are not changed.
func (p Profile) Apply(tools []agent.Tool) ([]agent.Tool, error) {
	known := map[string]bool{}
	var out []agent.Tool
	for _, t := range tools {
		key, face := p.face(t.Name)
		known[key] = true
		if p.Only && key == "" {
			continue
		}
		shown, err := face.apply(t)
		if err != nil {
			return nil, fmt.Errorf("profile %s, tool %s: %w", p.Name, t.Name, err)
		}
		out = append(out, shown)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		if !known[name] && !p.Tools[name].Optional {
			return nil, fmt.Errorf("profile %s: tool %s is unknown", p.Name, name)
		}
	}
	taken := map[string]string{}
	for _, t := range out {
		for _, n := range append([]string{t.Shown(), t.Name}, t.Aliases...) {
			if other, ok := taken[n]; ok && other != t.Name {
				return nil, fmt.Errorf("profile %s: the name %s stands for both %s and %s", p.Name, n, other, t.Name)
			}
			taken[n] = t.Name
		}
	}
	return out, nil
}

// face finds how a tool looks, and under which key that stands; "" = nowhere.
func (p Profile) face(name string) (key string, f Face) {
	if f, ok := p.Tools[name]; ok {
		return name, f
	}
	var patterns []string
	for k := range p.Tools {
		if strings.ContainsAny(k, `*?[\`) { // a name has matched already
			patterns = append(patterns, k)
		}
	}
	slices.Sort(patterns)
	for _, pattern := range patterns {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return pattern, p.Tools[pattern]
		}
	}
	return "", Face{}
}

// Shown is the name under which the model sees one of our tools, "" if the profile hides it.
func (p Profile) Shown(name string) string {
	key, f := p.face(name)
	switch {
	case p.Only && key == "":
		return ""
	case f.Show != "":
		return f.Show
	}
	return name
}

func (f Face) apply(t agent.Tool) (agent.Tool, error) {
	if f.Show != "" && f.Show != t.Name {
		t.Alias = f.Show
	}
	t.Aliases = append(slices.Clone(t.Aliases), f.Aliases...)
	t, err := f.reword(t)
	if err != nil {
		return t, err
	}
	if len(f.Args) == 0 {
		return t, nil
	}
	return renameArgs(t, f.Args)
}
