package team

import (
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/toolname"
)

// Type is a kind of child: what it is told and what it gets.
type Type struct {
	Name        string
	Description string // for the model, when it is to be used
	System      string
	// Tools are names of tools; those that the parent does not have are left out. All gives every tool of the parent but
	// those that start sub-agents. Without takes tools away again. ReadOnly takes away whatever does more than read.
	Tools    []string
	All      bool
	Without  []string
	ReadOnly bool
	// Model and Effort are empty for those of the parent, Steps is 0 for the usual limit.
	Model, Effort string
	Steps         int
	// Background says that such children run in the background unless the call says otherwise.
	Background bool
	// File is where it was read; empty for the usual types.
	File string
}

// Names of the usual types.
const (
	Explore = "Explore"
	General = "general-purpose"
)

// usual are the types that are always there.
func usual() []Type {
	return []Type{
		{Name: Explore, Tools: []string{"bash", "read_file"}},
		{Name: General, Tools: []string{"bash", "read_file", "write_file", "edit_file"}},
	}
}

// types are those of a seat: the usual ones, then those from files. One from a file may stand in for a usual one.
func (s *Seat) types() []Type {
	own := func(name string) int {
		return slices.IndexFunc(s.Types, func(x Type) bool { return strings.EqualFold(x.Name, name) })
	}
	list := usual()
	for i := range list {
		if at := own(list[i].Name); at >= 0 {
			list[i] = s.Types[at]
		}
	}
	for _, x := range s.Types {
		if !slices.ContainsFunc(usual(), func(u Type) bool { return strings.EqualFold(u.Name, x.Name) }) {
			list = append(list, x)
		}
	}
	return list
}

// standsFor gives our usual type that does what one of another agent does; empty: there is none.
func standsFor(name string) string {
	switch strings.ToLower(name) {
	case "plan": // of Claude Code and opencode
		return Explore
	case "build", "general": // of opencode
		return General
	}
	return ""
}

// kind gives a type by its name, or the usual one that a name of another agent stands for.
func (s *Seat) kind(name string) (Type, error) {
	all := s.types()
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(all, func(x Type) bool { return same(x.Name, name) }); i >= 0 {
			return all[i], nil
		}
	}
	if ours := standsFor(name); ours != "" {
		return s.kind(ours)
	}
	names := make([]string, len(all))
	for i, x := range all {
		names[i] = x.Name
	}
	return Type{}, fmt.Errorf("unknown agent type %q; the types are: %s", name, strings.Join(names, ", "))
}

// settleType puts a type that is there in the place of one that nobody knows, if the task allows it, and says so.
func (s *Seat) settleType(task *Task) (note string) {
	if !task.AnyType || task.Type == "" {
		return ""
	}
	if _, err := s.kind(task.Type); err != nil {
		note, task.Type = fmt.Sprintf(textOtherType, task.Type, General), General
	}
	return note
}

// textOtherType is told with what the child came to.
const textOtherType = "There is no agent type %q here; the agent was of the type %s."

// complete fills in what the type says and the task does not.
func (s *Seat) complete(task *Task) error {
	if task.Type == "" {
		if task.Name == "" {
			task.Name = "agent"
		}
		if task.All && task.Tools == nil {
			task.Tools = s.granted(&Type{All: true})
		}
		return nil
	}
	x, err := s.kind(task.Type)
	if err != nil {
		return err
	}
	task.Type = x.Name
	if task.Tools == nil {
		task.Tools = s.granted(&x)
	}
	for _, f := range []struct {
		to   *string
		from string
	}{{&task.Name, x.Name}, {&task.System, x.System}, {&task.Model, x.Model}, {&task.Effort, x.Effort}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	if task.Steps == 0 {
		task.Steps = x.Steps
	}
	return nil
}

// granted are our names of the tools that a child of a type gets from this seat.
func (s *Seat) granted(x *Type) []string {
	has := func(names []string, t agent.Tool) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			found, ok := pick(s.Tools, n)
			return ok && found.Name == t.Name
		})
	}
	taken := func(t agent.Tool) bool { // a name takes away all that it may stand for
		return slices.ContainsFunc(x.Without, func(n string) bool {
			return toolname.Means(toolname.All(n), append([]string{t.Name, t.Alias}, t.Aliases...)...)
		})
	}
	names := []string{}
	for _, t := range s.Tools {
		switch {
		case !has(x.Tools, t) && (!x.All || starts(t.Name)):
		case has(x.Without, t), taken(t), x.ReadOnly && t.Effect != agent.Reads:
		default:
			names = append(names, t.Name)
		}
	}
	return names
}
