package instruct

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Set are the files of a session. It does not change after Load; its methods may be used from many goroutines.
type Set struct {
	o      Options
	dirs   []string // from the top of the project to the work directory, without links
	system string
	rules  []section // that wait for a file that fits
	found  []Finding
	shown  []Shown
	told   *sync.Map // nested files that were named as skipped
	// Directories, and whether they are ignored.
	ignored *sync.Map
	// What is in the system prompt, by path and by text, with the names.
	seen, texts map[string]string
}

// Load finds and reads the files. What is wrong with one never keeps the others away.
func Load(o Options) *Set {
	o.Max = max(o.Max, 0)
	if o.Max == 0 {
		o.Max = DefaultMax
	}
	s := &Set{o: o, dirs: chain(o.Dir, o.Top), told: &sync.Map{}, ignored: &sync.Map{}}
	user := s.loader(User, resolved(o.Home))
	user.user()
	s.keep(user)
	s.seen, s.texts = user.seen, user.texts
	if len(s.dirs) > 0 && o.Project {
		project := s.loader(Project, s.dirs[0])
		project.seen, project.texts = user.seen, user.texts
		var foreign error
		for i, dir := range s.dirs {
			if i > 0 && foreign == nil {
				foreign = vendored(dir)
			}
			if foreign == nil {
				project.dir(dir)
				continue
			}
			for _, path := range files(dir) { // somebody works among the code of others
				project.skip(Finding{Path: path, Scope: Project}, foreign)
			}
			s.skipped(dir, foreign)
		}
		s.keep(project)
	}
	if s.system != "" {
		s.system = orders(general + s.system)
	}
	return s
}

func (s *Set) loader(scope Scope, within string) *loader {
	return &loader{o: &s.o, scope: scope, within: within, seen: map[string]string{}, texts: map[string]string{}}
}

const general = "Standing orders of the person and of this project, from files. What the person says in the conversation comes first; where files contradict each other, the later one holds.\n"

// orders puts the mark of standing orders around a text, which may hold such marks itself.
func orders(body string) string {
	mark := text.Mark("instructions", body)
	return "<" + mark + ">\n" + body + "</" + mark + ">"
}

// keep adds the sections of a scope to the system prompt, within the bound.
func (s *Set) keep(l *loader) {
	var shown []section
	for _, x := range l.sections {
		if len(x.when) > 0 {
			s.rules = append(s.rules, x)
		} else {
			shown = append(shown, x)
		}
	}
	limits := shares(shown, s.o.Max)
	for i, x := range shown {
		part, used := fit(x, limits[i])
		f := &l.found[x.at]
		if f.Shown = used; used < len(x.text) || x.size > maxRead {
			f.Status, f.Reason = Cut, msg.Errorf(msg.InstructCut, used, x.size)
		}
		s.system += "\n" + part
		s.shown = append(s.shown, Shown{f.Path, part})
	}
	s.found = append(s.found, l.found...)
}

// shares divides room between texts: those that are short are whole, the others get the same.
func shares(list []section, room int) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(list[a].text) - len(list[b].text) })
	limits := make([]int, len(list))
	for n, i := range order {
		limits[i] = min(len(list[i].text), room/(len(order)-n))
		room -= limits[i]
	}
	return limits
}

// fit is a section as it is shown, with at most limit bytes of its text, and how many they are.
func fit(x section, limit int) (shown string, used int) {
	body := shorten(x.text, limit)
	used = len(body)
	if used < len(x.text) || x.size > maxRead {
		body += fmt.Sprintf("\n[cut: the first %d of %d bytes; read the file for the rest]", used, x.size)
	}
	mark := text.Mark("file", body)
	return "<" + mark + " path=" + strconv.Quote(x.name) + ">\n" + strings.TrimLeft(body, "\n") + "\n</" + mark + ">\n", used
}

// System is the section for the system prompt; empty when there is nothing to say.
func (s *Set) System() string { return s.system }

// Shown is a file as it stands in the system prompt.
type Shown struct{ Path, Text string }

// Shown lists the parts of System, one a file. What stands around them is not in it.
func (s *Set) Shown() []Shown { return slices.Clone(s.shown) }

// Findings lists the files that were found, in the order in which they hold, with what became of each.
func (s *Set) Findings() []Finding { return slices.Clone(s.found) }
