package skill

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// Command says whether this is a command of a person's own, from a file of [CommandPlaces]: called by name, and nothing
// that the model finds by itself unless its header has `disable-model-invocation: false`.
func (s *Skill) Command() bool { return s.Root.Commands != "" }

// ranked orders roots: skills win over commands of the same name, but those that came with the program lose to both.
func ranked(list []Root) []Root {
	rank := func(r Root) int {
		switch {
		case r.Commands != "":
			return 1
		case r.Scope == System:
			return 2
		}
		return 0
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Root) int { return rank(a) - rank(b) })
	return list
}

// commands takes the commands of a directory, level levels below the root, and those further down. space is what the
// folders above put in front of their names.
func (w *walker) commands(ctx context.Context, path, space string, level int) {
	if ctx.Err() != nil || !w.another() {
		return
	}
	entries, cut, err := entriesOf(path)
	if err != nil {
		w.unreadable(path, err)
		return
	}
	if cut {
		w.bad(path, TooMany, Warn, msg.Errorf(msg.SkillTooManyEntries, maxEntries), msg.Errorf(msg.SkillFixMove))
	}
	w.chain = append(w.chain, path)
	for _, e := range entries {
		w.commandOrFolder(ctx, filepath.Join(path, e.Name()), space, level, e)
	}
	w.chain = w.chain[:len(w.chain)-1]
}

func (w *walker) commandOrFolder(ctx context.Context, path, space string, level int, e fs.DirEntry) {
	name := e.Name()
	if strings.HasPrefix(name, ".") {
		return
	}
	if strings.EqualFold(filepath.Ext(name), w.root.Commands) && !e.IsDir() {
		if notes(name) {
			return
		}
		if info, err := e.Info(); err == nil {
			w.take(candidate{file: path, folder: space + stem(name), flat: true, root: w.root}, info)
		}
		return
	}
	link := e.Type()&fs.ModeSymlink != 0
	if !e.IsDir() && !link || ignored(name) || level >= maxLevels || link && !w.follow(path) {
		return
	}
	w.commands(ctx, path, space+name+":", level+1)
}

// understandCommand reads a command's file, or the beginning of it. Nothing has to be in its header.
func (s *Set) understandCommand(k *Skill, c *candidate, data []byte) {
	k.loose = true
	text, repaired, binary := decode(data)
	note := func(code Code, sev Severity, line int, reason, fix error) {
		k.notes = append(k.notes, Diagnostic{Code: code, Severity: sev, File: c.file, Line: line, Reason: reason, Fix: fix})
	}
	if binary {
		note(NotUTF8, Error, 1, msg.Errorf(msg.SkillUTF16), msg.Errorf(msg.SkillFixUTF8))
		return
	}
	if repaired {
		note(NotUTF8, Warn, 0, msg.Errorf(msg.SkillNotUTF8), msg.Errorf(msg.SkillFixUTF8))
	}
	name := cleanName(c.folder)
	if k.Root.Commands == toml {
		t, err := readTOML(text)
		switch {
		case err != nil:
			note(TOMLInvalid, Error, err.line, msg.Errorf(msg.CommandTOML, err.why), msg.Errorf(msg.CommandFixTOML))
		case strings.TrimSpace(t.prompt) == "":
			note(FieldInvalid, Error, 1, msg.Errorf(msg.CommandNoPrompt), msg.Errorf(msg.CommandFixPrompt))
		}
		k.fill(fields{}, name)
		k.Description = strings.TrimSpace(clean(t.description))
		text = t.prompt
	} else {
		p := parse(c.file, text)
		for _, d := range p.notes {
			switch d.Code { //nolint:exhaustive // the others are as they are for skills
			case NoFrontmatter:
				continue
			case UnclosedFrontmatter: // a line of dashes is also a rule in Markdown
				d.Severity = Warn
			}
			k.notes = append(k.notes, d)
		}
		k.fill(p.fields, name)
		s.checkLimits(k, p.fields)
		text = bodyOf(text)
	}
	if k.Description == "" {
		k.Description = firstParagraph(text)
	}
}

// braces fills the places of a command that was written for Gemini: {{args}}, !{command}, @{file}.
func (r *render) braces(ctx context.Context, body string) string {
	var b strings.Builder
	for body != "" {
		i := strings.IndexAny(body, "{!@")
		if i < 0 {
			break
		}
		b.WriteString(body[:i])
		body = body[i:]
		out, n := r.brace(ctx, body)
		if n == 0 {
			out, n = body[:1], 1
		}
		b.WriteString(out)
		body = body[n:]
	}
	return b.String() + body
}

const argsPlace = "{{args}}"

// brace gives what stands for the place at the beginning of s, and the place's length; 0: there is none.
func (r *render) brace(ctx context.Context, s string) (string, int) {
	switch {
	case strings.HasPrefix(s, argsPlace):
		r.used = true
		return r.args, len(argsPlace)
	case strings.HasPrefix(s, "!{") || strings.HasPrefix(s, "@{"):
		n := closing(s[1:])
		inner := ""
		if n > 0 {
			inner = strings.TrimSpace(s[2:n])
		}
		if inner == "" {
			return "", 0
		}
		p := piece{text: s[:n+1], command: inner}
		if s[0] == '!' {
			return r.command(ctx, p), n + 1
		}
		return r.file(ctx, p), n + 1
	}
	return "", 0
}

// closing is where the brace at the beginning of s is closed, 0 if nowhere.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// file is the text of a file that a command's text asks for.
func (r *render) file(ctx context.Context, p piece) string {
	if r.set.o.File == nil || r.live == nil {
		return p.text
	}
	text, err := r.set.o.File(ctx, r.live, p.command)
	if err != nil {
		return "[" + p.command + " cannot be read: " + err.Error() + "]"
	}
	return strings.TrimRight(text, "\n")
}

// bracedShell puts the arguments into a command as one word, whatever quotes stand around their place.
func (r *render) bracedShell(command string) string {
	var b strings.Builder
	var q quoting
	for i := 0; i < len(command); {
		if strings.HasPrefix(command[i:], argsPlace) {
			r.used = true
			val := r.vars.add(r.args, q)
			if q.in == 0 {
				val = `"` + val + `"`
			}
			b.WriteString(val)
			i += len(argsPlace)
			continue
		}
		q.see(command[i])
		b.WriteByte(command[i])
		i++
	}
	return b.String()
}
