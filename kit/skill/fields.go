package skill

import (
	"slices"
	"strings"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// maxDescription is the longest description that travels, in characters.
const maxDescription = 1024

// filler fills a skill from its header and notes what is odd.
type filler struct {
	f fields
	s *Skill
}

func (x *filler) note(code Code, sev Severity, line int, reason, fix error) {
	x.s.notes = append(x.s.notes, Diagnostic{Code: code, Severity: sev, File: x.s.File, Line: line, Reason: reason, Fix: fix})
}

// fill reads all fields. folder is the name of the skill's folder, or of its file without the ending.
func (s *Skill) fill(f fields, folder string) {
	x := filler{f: f, s: s}
	if s.Command() { // the file gives the name
		s.Name, s.key = folder, NormalizeSkillName(folder)
	} else {
		x.name(folder)
	}
	x.description()
	s.WhenToUse = x.text("when-to-use")
	s.ArgumentHint = cleanName(x.text("argument-hint"))
	s.Arguments = x.words("arguments", false)
	s.AllowedTools, s.DisallowedTools = x.words("allowed-tools", true), x.words("disallowed-tools", true)
	s.Paths = x.words("paths", true)
	s.Model, s.Effort = x.override("model"), x.override("effort")
	s.Agent = x.text("agent")
	s.Background = x.flag("background", false)
	s.License, s.Compat = x.text("license"), x.text("compatibility")
	s.Shell = x.oneOf("shell", "bash", "powershell")
	s.Fork = x.oneOf("context", "fork", "inline") == "fork" || s.Command() && x.flag("subtask", false)
	s.ByModel = !x.flag("disable-model-invocation", s.Command())
	s.ByUser = x.flag("user-invocable", true)
	if v, _ := f.get("metadata"); v.kind == mapping {
		s.Metadata = v.pairs
	}
	if v, line := f.get("hooks"); v.kind != null {
		x.note(FieldInvalid, Warn, line, msg.Errorf(msg.SkillHooks), msg.Errorf(msg.SkillFixHooks))
	}
	s.Fields = make(map[string]string, len(f.list))
	for _, e := range f.list {
		s.Fields[clean(e.key)] = e.val.flat()
	}
}

// flat is the value as one text.
func (v value) flat() string {
	if v.kind == list {
		return clean(strings.Join(v.list, ", "))
	}
	return clean(v.text)
}

func (x *filler) text(key string) string {
	v, _ := x.f.get(key)
	return strings.TrimSpace(v.flat())
}

// override is a field of which some words mean that nothing is to change.
func (x *filler) override(key string) string {
	if t := x.text(key); !strings.EqualFold(t, "inherit") && !strings.EqualFold(t, "default") {
		return t
	}
	return ""
}

// name finds the skill's name: that of the header, or of the folder if the header has none or one that is a path.
func (x *filler) name(folder string) {
	s := x.s
	v, line := x.f.get("name")
	s.Name = cleanName(v.text)
	sev := Warn
	if s.strict {
		sev = Error
	}
	switch {
	case s.Name == "":
		s.Name = folder
		if !s.loose {
			x.note(NameMissing, sev, line, msg.Errorf(msg.SkillNameMissing, folder), msg.Errorf(msg.SkillFixName, folder))
		}
	case pathLike(s.Name):
		x.note(NameInvalid, sev, line, msg.Errorf(msg.SkillNamePath, s.Name, folder), msg.Errorf(msg.SkillFixName, folder))
		s.Name = folder
	case NormalizeSkillName(s.Name) != NormalizeSkillName(folder):
		x.note(NameDirMismatch, sev, line, msg.Errorf(msg.SkillNameMismatch, s.Name, folder), msg.Errorf(msg.SkillFixRename))
	}
	n := utf8.RuneCountInString(s.Name)
	if n > maxName {
		x.note(NameTooLong, Warn, line, msg.Errorf(msg.SkillNameTooLong, n, maxName), msg.Errorf(msg.SkillFixShorten))
	}
	if n > nameLimit {
		s.Name = folder
	}
	s.key = NormalizeSkillName(s.Name)
	if !validName(s.Name) {
		x.note(NameInvalid, Warn, line, msg.Errorf(msg.SkillNameInvalid, s.Name), msg.Errorf(msg.SkillFixName, proper(s.Name)))
	}
}

// proper makes a name of one that is not.
func proper(name string) string {
	name = strings.Map(func(r rune) rune {
		if validName(string(r)) || r == '-' {
			return r
		}
		return '-'
	}, NormalizeSkillName(name))
	if name = strings.Trim(NormalizeSkillName(name), "-"); name == "" {
		return "my-skill"
	}
	return name
}

func (x *filler) description() {
	v, line := x.f.get("description")
	x.s.Description = strings.TrimSpace(v.flat())
	switch n := utf8.RuneCountInString(x.s.Description); {
	case n == 0 && !x.s.loose:
		x.note(DescriptionMissing, Error, max(line, 1), msg.Errorf(msg.SkillNoDescription), msg.Errorf(msg.SkillFixDescription))
	case n > maxDescription:
		x.note(DescriptionTooLong, Warn, line, msg.Errorf(msg.SkillLongDescr, n, maxDescription), msg.Errorf(msg.SkillFixShorten))
	}
}

// flag reads a boolean in any of its spellings.
func (x *filler) flag(key string, def bool) bool {
	v, line := x.f.get(key)
	switch t := strings.ToLower(strings.TrimSpace(v.text)); t {
	case "true", "yes", "on", "1", "y":
		return true
	case "false", "no", "off", "0", "n":
		return false
	default:
		if v.kind != null {
			x.note(FieldInvalid, Warn, line, msg.Errorf(msg.SkillField, key, v.flat()), msg.Errorf(msg.SkillFixField, "true, false"))
		}
	}
	return def
}

// oneOf reads a field that has few words; another one counts as none.
func (x *filler) oneOf(key string, words ...string) string {
	v, line := x.f.get(key)
	t := strings.ToLower(strings.TrimSpace(v.text))
	if slices.Contains(words, t) {
		return t
	}
	if v.kind != null {
		x.note(FieldInvalid, Warn, line, msg.Errorf(msg.SkillField, key, v.flat()), msg.Errorf(msg.SkillFixField, strings.Join(words, ", ")))
	}
	return ""
}

// words reads a list: of YAML, or one text with blanks or, if commas, commas between the words. Blanks within brackets do
// not divide.
func (x *filler) words(key string, commas bool) []string {
	v, _ := x.f.get(key)
	if v.kind == list {
		out := make([]string, 0, len(v.list))
		for _, w := range v.list {
			if w = cleanName(w); w != "" {
				out = append(out, w)
			}
		}
		return out
	}
	depth := 0
	return strings.FieldsFunc(cleanName(v.text), func(r rune) bool {
		switch r {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		case ' ':
			return depth == 0
		case ',':
			return commas && depth == 0
		}
		return false
	})
}

// refused says whether an error keeps the skill out.
func (s *Skill) refused() bool {
	return slices.ContainsFunc(s.notes, func(d Diagnostic) bool { return d.Severity == Error })
}
