package instruct

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

const (
	dueKey  = Name + "/due/"  // found, not in the conversation yet
	seenKey = Name + "/seen/" // in the conversation
)

// maxNested bounds the texts of nested files in a session's State: what is more is only named.
const maxNested = 128 << 10

// nested is what State holds of a directory, or of a rule.
type nested struct {
	Below string `json:"below"` // directory, or patterns, that it is for
	Text  string `json:"text"`  // as it enters the conversation; empty: only its files are named
	Files string `json:"files"` // their names
	Seq   int64  `json:"seq"`
}

// Hook puts nested files into the conversation. It keeps nothing that is not in the session's State.
func (s *Set) Hook() agent.Hook {
	return agent.Hook{
		Name: Name,
		AfterTool: func(ctx context.Context, x *agent.Session, c agent.Call, r *agent.Result) error {
			s.after(ctx, x, c, r)
			return nil
		},
		Inject: func(_ context.Context, x *agent.Session, stopping bool) (*agent.Note, error) {
			if stopping { // a run does not go on for this; it stays due
				return nil, nil
			}
			return inject(x), nil
		},
	}
}

// after looks at what a call has read or changed.
func (s *Set) after(ctx context.Context, x *agent.Session, c agent.Call, r *agent.Result) {
	if s.o.Touched == nil || len(s.dirs) == 0 || r.Error {
		return
	}
	for _, file := range s.o.Touched(c) {
		if !inside(file, s.dirs[0]) {
			continue
		}
		var foreign error
		for _, dir := range s.between(file) {
			if foreign == nil {
				foreign = s.foreign(ctx, dir)
			}
			if foreign != nil { // and so is everything below
				s.skipped(dir, foreign)
				continue
			}
			s.note(x, r, dir, func(l *loader) { l.dir(dir) })
		}
		name, err := filepath.Rel(s.dirs[0], file)
		for _, rule := range s.rules {
			if err == nil && fits(rule.when, filepath.ToSlash(name)) {
				s.note(x, r, rule.path, func(l *loader) { l.sections = []section{rule} })
			}
		}
	}
}

// between lists the directories down to a file that are not on the way to the work directory, the upper ones first.
func (s *Set) between(file string) (dirs []string) {
	for dir := filepath.Dir(file); inside(dir, s.dirs[0]) && !slices.Contains(s.dirs, dir) && len(dirs) < maxChain; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

// note marks what is in a place as due, unless the session knows it.
func (s *Set) note(x *agent.Session, r *agent.Result, place string, load func(l *loader)) {
	key := shown(&s.o, place)
	if x.State[seenKey+key] != nil || x.State[dueKey+key] != nil || r.State[dueKey+key] != nil {
		return
	}
	if !s.o.Project {
		s.skipped(place, nil)
		return
	}
	l := s.loader(Project, s.dirs[0])
	l.seen, l.texts = maps.Clone(s.seen), maps.Clone(s.texts)
	load(l)
	if len(l.sections) == 0 {
		return
	}
	n := nested{Below: text.Name(key), Seq: x.Seq}
	var names []string
	var b strings.Builder
	limits := shares(l.sections, s.o.Max)
	for i, sec := range l.sections {
		switch when := strings.Join(sec.when, ", "); {
		case when == "":
		case sec.path == place:
			n.Below = when
		default: // a rule of the nested directory itself
			b.WriteString("\nOnly for " + when + ":")
		}
		part, _ := fit(sec, limits[i])
		b.WriteString("\n" + part)
		names = append(names, text.Name(sec.name))
	}
	n.Files = strings.Join(names, ", ")
	if n.Text = b.String(); kept(x)+len(n.Text) > maxNested {
		n.Text = ""
	}
	raw, err := agent.EncodeJSON(n)
	if err != nil { // it is texts and numbers
		return
	}
	if r.State == nil {
		r.State = map[string]json.RawMessage{}
	}
	r.State[dueKey+key] = raw
}

// kept is how much of nested files a session remembers.
func kept(x *agent.Session) (n int) {
	for key, raw := range x.State {
		if strings.HasPrefix(key, Name+"/") {
			n += len(raw)
		}
	}
	return n
}

// list gives what State holds under a prefix, the first found first.
func list(x *agent.Session, prefix string) (keys []string, all map[string]nested) {
	all = map[string]nested{}
	for key, raw := range x.State {
		var n nested
		if rest, ok := strings.CutPrefix(key, prefix); ok && json.Unmarshal(raw, &n) == nil {
			keys, all[rest] = append(keys, rest), n
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := all[a].Seq - all[b].Seq; d != 0 {
			return int(max(-1, min(1, d)))
		}
		return strings.Compare(a, b)
	})
	return keys, all
}

// inject brings what is due into the conversation.
func inject(x *agent.Session) *agent.Note {
	keys, due := list(x, dueKey)
	if len(keys) == 0 {
		return nil
	}
	note := &agent.Note{State: map[string]json.RawMessage{}}
	var b strings.Builder
	for _, key := range keys {
		b.WriteString(said(due[key]))
		note.State[seenKey+key], note.State[dueKey+key] = x.State[dueKey+key], json.RawMessage("null")
	}
	m := agent.TextMessage(agent.User, orders(b.String()))
	m.From = Name
	note.Messages = []agent.Message{m}
	return note
}

// said is a nested place as the model reads of it.
func said(n nested) string {
	if n.Text == "" {
		return fmt.Sprintf("For the work in %s there are more standing orders; read them first: %s\n", n.Below, n.Files)
	}
	return fmt.Sprintf("For the work in %s these hold as well, and before the general ones:\n%s", n.Below, n.Text)
}

// Reattach is the text about nested files that belongs into the conversation after a compaction; empty if there is none.
// The last found ones go in whole, 64 KiB together; of the others the names are told.
func Reattach(x *agent.Session) string {
	keys, seen := list(x, seenKey)
	if len(keys) == 0 {
		return ""
	}
	left := maxNested / 2
	var parts []string
	for _, key := range slices.Backward(keys) {
		n := seen[key]
		if len(n.Text) > left {
			n.Text = ""
		}
		left -= len(n.Text)
		parts = append(parts, said(n))
	}
	slices.Reverse(parts)
	return orders(strings.Join(parts, ""))
}

// Forget is the State that an event has to carry so that a session knows of no nested file any more, as after /clear.
func Forget(x *agent.Session) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	for key := range x.State {
		if strings.HasPrefix(key, Name+"/") {
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[key] = json.RawMessage("null")
		}
	}
	return out
}
