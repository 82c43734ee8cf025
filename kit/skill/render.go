package skill

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
)

// render turns a skill's text into what the model gets.
type render struct {
	set     *Set
	skill   *Skill
	session string
	call    string         // key
	args    string         // as typed
	live    *agent.Session // of the person who called it; nil: the model did

	words []string
	used  bool // an argument was put in
	last  int  // the highest position in the text, for roots that count from one; it takes the rest
	told  bool // a command stayed text
	vars  variables
}

// whole renders everything: facts, arguments, commands.
func (r *render) whole(ctx context.Context) (string, error) {
	body, err := r.skill.text()
	if err != nil {
		return "", err
	}
	r.words = Words(r.args)
	r.last = -1
	if r.skill.Root.FromOne {
		r.last = highest(body)
	}
	var out string
	if r.skill.Root.Commands == toml {
		out = r.braces(ctx, body)
	} else {
		out = r.pieces(ctx, body)
	}
	if !r.used && strings.TrimSpace(r.args) != "" {
		out += "\n\nARGUMENTS: " + r.args
	}
	if r.told {
		out += "\n\n[Commands marked with ! in this text were not run.]"
	}
	return r.set.wrap(r.skill, r.set.cut(out, r.skill.File)), nil
}

// pieces goes over a text once: commands apart, everything else with its places filled. Nothing that was put in is looked
// at again.
func (r *render) pieces(ctx context.Context, body string) string {
	var b strings.Builder
	for _, p := range findCommands(body) {
		if p.command == "" {
			b.WriteString(r.fill(p.text, plainText))
			continue
		}
		b.WriteString(r.command(ctx, p))
	}
	return b.String()
}

const refused = "[shell command execution disabled by policy]"

func (r *render) command(ctx context.Context, p piece) string {
	if r.skill.Installed {
		return refused
	}
	if r.set.o.Run == nil {
		r.told = true
		return p.text
	}
	r.vars = variables{power: r.skill.Shell == "powershell"}
	var text string
	if r.skill.Root.Commands == toml {
		text = r.bracedShell(p.command)
	} else {
		text = r.fill(p.command, shellText)
	}
	c := Command{Skill: r.skill.Name, Text: r.vars.set.String() + text, Shell: r.skill.Shell, Dir: r.skill.Dir, Call: r.call}
	out, err := r.set.o.Run(ctx, c)
	out = strings.TrimRight(out, "\n")
	if err != nil {
		if out != "" {
			out += "\n"
		}
		out += "[command failed: " + err.Error() + "]"
	}
	return out
}

// facts fills only what does not depend on arguments.
func (r *render) facts(body string) string { return r.fill(body, factsOnly) }

// mode is how values enter a text.
type mode int

const (
	plainText mode = iota
	shellText      // as variables of a shell
	factsOnly      // no arguments
)

// fill puts values in their places. A backslash before a place keeps it as it is, and goes away.
func (r *render) fill(s string, m mode) string {
	if !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	var q quoting
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == '$' {
			if _, n, _ := r.place(s[i+1:], m); n > 0 && m != shellText {
				b.WriteString(s[i+1 : i+1+n])
				i += 1 + n
				continue
			}
		}
		if s[i] == '$' && (m != shellText || !q.bare) {
			if val, n, ok := r.place(s[i:], m); ok {
				r.used = r.used || s[i+1] != '{'
				if m == shellText {
					val = r.vars.add(val, q)
				}
				b.WriteString(val)
				i += n
				continue
			}
		}
		q.see(s[i])
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// place reads the place at the beginning of s and gives its value and length. Length 0: it is none; false: it has no
// value.
func (r *render) place(s string, m mode) (string, int, bool) {
	if strings.HasPrefix(s, "${") {
		end := strings.IndexByte(s, '}')
		if end < 0 || end > 64 {
			return "", 0, false
		}
		val, known := r.fact(s[2:end])
		if !known {
			return "", 0, false
		}
		return val, end + 1, val != ""
	}
	if m == factsOnly {
		return "", 0, false
	}
	val, n, ok := r.argument(s[1:])
	if n == 0 {
		return "", 0, false
	}
	return val, n + 1, ok
}

// fact is what is known without arguments; false: there is no fact of that name.
func (r *render) fact(name string) (string, bool) {
	switch strings.TrimPrefix(name, "CLAUDE_") {
	case "SKILL_DIR":
		return r.skill.Dir, true
	case "PROJECT_DIR":
		return r.set.o.ProjectDir, true
	case "SESSION_ID":
		return r.session, true
	case "EFFORT":
		return r.set.o.Effort, true
	}
	return "", false
}

const argumentsWord = "ARGUMENTS"

// argument reads what stands behind a dollar sign: ARGUMENTS, ARGUMENTS[N], N, or a name of the header.
func (r *render) argument(s string) (string, int, bool) {
	if n := digits(s); n > 0 {
		if n < len(s) && wordChar(s[n]) {
			return "", 0, false
		}
		val, ok := r.word(s[:n])
		return val, n, ok
	}
	n := 0
	for n < len(s) && (wordChar(s[n]) || s[n] == '-' && r.named(s, n)) {
		n++
	}
	if s[:n] == argumentsWord {
		return r.arguments(s[n:])
	}
	switch i := slices.Index(r.skill.Arguments, s[:n]); {
	case i < 0:
		return "", 0, false
	case i >= len(r.words):
		return "", n, false
	default:
		return r.words[i], n, true
	}
}

// arguments reads what stands behind the word ARGUMENTS: a position in brackets, or nothing.
func (r *render) arguments(s string) (string, int, bool) {
	if strings.HasPrefix(s, "[") {
		if d := digits(s[1:]); d > 0 && strings.HasPrefix(s[1+d:], "]") {
			val, ok := r.word(s[1 : 1+d])
			return val, len(argumentsWord) + d + 2, ok
		}
	}
	return r.args, len(argumentsWord), r.args != ""
}

// named says whether a hyphen at n belongs to a name of the header.
func (r *render) named(s string, n int) bool {
	return slices.ContainsFunc(r.skill.Arguments, func(a string) bool { return len(a) > n+1 && strings.HasPrefix(s, a) })
}

// word is the argument at a position as the text counts.
func (r *render) word(digits string) (string, bool) {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return "", false
	}
	at := n
	if r.skill.Root.FromOne {
		at--
	}
	if at < 0 || at >= len(r.words) {
		return "", false
	}
	if n == r.last {
		return strings.Join(r.words[at:], " "), true
	}
	return r.words[at], true
}

// highest is the highest position in a text, -1 if there is none.
func highest(s string) int {
	most := -1
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			return most
		}
		s = s[i+1:]
		if n := digits(s); n > 0 {
			if v, err := strconv.Atoi(s[:n]); err == nil {
				most = max(most, v)
			}
		}
	}
}

// digits counts those at the beginning of s; more than three are no position.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n > 3 {
		return 0
	}
	return n
}

func wordChar(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
