package skill

import (
	"io/fs"
	"strings"
)

// Header is what a skill's YAML header says. Booleans, lists and numbers are read as leniently as the common clients do;
// fields that nobody knows are in Fields.
type Header struct {
	Description string // without control characters; may have several lines
	WhenToUse   string
	// ArgumentHint is shown behind the name; Arguments are names for the positions.
	ArgumentHint string
	Arguments    []string
	// AllowedTools are approved for the invoking turn, DisallowedTools hidden in it; patterns as written.
	AllowedTools, DisallowedTools []string
	Model, Effort                 string
	// Fork has a sub-agent of type Agent do the work, if Background without waiting.
	Fork       bool
	Agent      string
	Background bool
	Paths      []string // globs of the files that the skill is for
	Shell      string   // of its commands
	License    string
	Compat     string
	Metadata   map[string]string // scalar values only
	// Fields are all top-level fields as text: a list is joined with commas, a map is left empty.
	Fields map[string]string
}

// Skill is a loaded skill. It does not change.
type Skill struct {
	Header
	// Name is as written, without control characters; it is never a path.
	Name string
	// File is the absolute path of the Markdown file, Dir of the skill's directory; Dir of a flat file is where it lies.
	File, Dir string
	Flat      bool
	Root      Root
	// ByModel and ByUser say who may invoke it.
	ByModel, ByUser bool
	// Installed says that it came from elsewhere: its commands are never run.
	Installed bool

	key    string
	info   fs.FileInfo
	loose  bool
	strict bool
	notes  []Diagnostic
}

// Title is the description with what says when to use it, on one line.
func (s *Skill) Title() string {
	parts := []string{s.Description, s.WhenToUse}
	if len(s.Paths) > 0 {
		parts = append(parts, "(for files: "+strings.Join(s.Paths, ", ")+")")
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// Set are the skills of a session.
type Set struct {
	o        Options
	list     []*Skill // by key
	byKey    map[string]*Skill
	findings []Finding
	met      []met
	views    views
}

// All lists the skills by name.
func (s *Set) All() []*Skill { return append([]*Skill(nil), s.list...) }

// Find looks a skill up by any spelling of its name, also with a slash in front.
func (s *Set) Find(name string) (*Skill, bool) {
	k, ok := s.byKey[NormalizeSkillName(strings.TrimPrefix(strings.TrimSpace(name), "/"))]
	return k, ok
}

// ForModel lists the skills that the model may invoke, ForUser those of the slash menu, both by name, without those that
// cannot be used here; see [Set.Needs].
func (s *Set) ForModel() []*Skill {
	return s.filter(func(k *Skill) bool { return k.ByModel && s.Needs(k) == "" })
}

// ForUser is described at [Set.ForModel].
func (s *Set) ForUser() []*Skill {
	return s.filter(func(k *Skill) bool { return k.ByUser && s.Needs(k) == "" })
}

func (s *Set) filter(want func(*Skill) bool) []*Skill {
	var out []*Skill
	for _, k := range s.list {
		if want(k) {
			out = append(out, k)
		}
	}
	return out
}

// Doctor lists everything that was found, in the order of the roots and, within one, of the search.
func (s *Set) Doctor() []Finding { return append([]Finding(nil), s.findings...) }

// Diagnostics are those of all findings.
func (s *Set) Diagnostics() []Diagnostic {
	var out []Diagnostic
	for _, f := range s.findings {
		out = append(out, f.Diagnostics...)
	}
	return out
}
