package command

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/mention"
	"react-agent/kit/skill"
)

// Line is what a line of the person means: a command of ours, or a message for the session.
type Line struct {
	// Command is for [Slash]; Message counts when it is empty.
	Command string
	Message agent.Message
	// Calls says that the message calls skills by their names.
	Calls bool
}

// Read decides what a line means, for every front end. Behind a slash at its beginning stands the name of a command of
// ours, or of skills (also as skill:NAME, where one of ours has the same name), in any spelling. A second slash in the
// first word makes it a path, which is text like everything that begins otherwise, and a doubled slash at the beginning
// stands for one. What looks like a command and is none is the person's mistake, an error that names the nearest.
func Read(ctx context.Context, h *Host, session, text string) (Line, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	trimmed := strings.TrimSpace(text)
	rest, slash := strings.CutPrefix(trimmed, "/")
	if !slash {
		return Line{Message: agent.TextMessage(agent.User, text)}, nil
	}
	if literal(rest) {
		return Line{Message: agent.TextMessage(agent.User, rest)}, nil
	}
	name := firstField(rest)
	blank := name != "" && !strings.HasPrefix(rest, name)
	if !blank && builtIn(name) {
		return Line{Command: trimmed}, nil
	}
	if h.Remote != nil && !blank && commandLike(name) { // a skill, perhaps: the server knows
		return Line{Command: trimmed}, nil
	}
	set, err := skillsOf(ctx, h, session)
	if err != nil {
		return Line{}, err
	}
	if blank {
		return behindBlank(set, text, name)
	}
	if set != nil {
		c := set.Called(trimmed, builtIn)
		if c.More != "" {
			return Line{}, usage(msg.SlashTooMany, skill.MaxStack, c.More)
		}
		if len(c.Skills) > 0 {
			return Line{Message: c.Message(text), Calls: true}, nil
		}
	}
	if !commandLike(name) {
		return Line{Message: agent.TextMessage(agent.User, text)}, nil
	}
	return Line{}, unknownLine(h, set, name)
}

// behindBlank is a line with a blank behind its slash: text, unless a command of that name shows that the blank slipped in.
func behindBlank(set *skill.Set, text, name string) (Line, error) {
	known := builtIn(name)
	if set != nil && !known {
		_, known = set.Callable(strings.TrimPrefix(name, skillPrefix))
	}
	if known {
		return Line{}, usage(msg.SlashBlank, "/ "+name, "/"+name)
	}
	return Line{Message: agent.TextMessage(agent.User, text)}, nil
}

// ReadMessage is [Read] for a message that may have attachments behind its text.
func ReadMessage(ctx context.Context, h *Host, session string, m agent.Message) (Line, error) {
	if len(m.Parts) == 0 || m.Parts[0].Kind != agent.Text || m.Parts[0].Opaque != nil {
		return Line{Message: m}, nil
	}
	l, err := Read(ctx, h, session, m.Parts[0].Text)
	if err != nil || l.Command != "" {
		return l, err
	}
	own := m
	own.Parts = append(l.Message.Parts[:1:1], m.Parts[1:]...)
	l.Message = own
	return l, nil
}

// Typed marks that only the first n bytes of a message were typed: behind them no file is looked for that it mentions.
func Typed(m *agent.Message, n int) { mention.Typed(m, n) }

// Commands is what an engine is given to read command lines from elsewhere; there is no conversation to leave there.
func Commands(h func() *Host) engine.Commands {
	return func(ctx context.Context, session, line string) (engine.Reply, error) {
		host := h()
		l, err := Read(ctx, host, session, "/"+strings.TrimPrefix(strings.TrimSpace(line), "/"))
		switch {
		case err != nil:
			return engine.Reply{}, err
		case l.Calls:
			return engine.Reply{Message: &l.Message}, nil
		case l.Command == "":
			return engine.Reply{}, usage(msg.SlashUnknown, firstField(line))
		}
		var out strings.Builder
		o, err := Slash(ctx, host, session, l.Command, &out)
		if err != nil || o.Input == nil {
			return engine.Reply{Text: out.String()}, err
		}
		return engine.Reply{Text: out.String(), Message: o.Input.Message, Queue: o.Input.Queue, Edit: o.Input.Edit}, nil
	}
}

// literal says that what follows a slash begins with another one and a word: one slash is meant.
func literal(rest string) bool {
	word, doubled := strings.CutPrefix(rest, "/")
	r, _ := utf8.DecodeRuneInString(word)
	return doubled && word != "" && !unicode.IsSpace(r)
}

func firstField(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// commandLike says whether somebody who writes this behind a slash means a command: it begins like a name, and is no path.
func commandLike(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return name == "" || name == "?" || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !strings.ContainsAny(name, "/.")
}

// builtIn says whether a command of ours has this name, in any spelling.
func builtIn(name string) bool {
	_, ok := slashCommand(name)
	return ok
}

func slashCommand(name string) (Command, bool) {
	name = skill.NormalizeSkillName(name)
	for _, c := range All() {
		if c.Slash && c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// IsBeside reports whether a line calls a command of ours that runs beside the conversation.
func IsBeside(line string) bool {
	c, ok := slashCommand(strings.TrimPrefix(firstField(line), "/"))
	words := strings.Fields(line)
	return ok && c.Beside && (len(words) < 2 || !slices.Contains(c.Quick, words[1]))
}

// IsFront reports whether a line calls a command that a conversation runs here, wherever its engine is.
func IsFront(line string) bool {
	c, ok := slashCommand(strings.TrimPrefix(firstField(line), "/"))
	return ok && c.Front
}

// IsProse reports whether a line calls a command of which the printed lines may be broken to fit a screen.
func IsProse(line string) bool {
	c, ok := slashCommand(strings.TrimPrefix(firstField(line), "/"))
	return ok && c.Prose
}

// skillsOf are the skills of a session; nil when the product has none.
func skillsOf(ctx context.Context, h *Host, session string) (*skill.Set, error) {
	if h.Skills == nil {
		return nil, nil //nolint:nilnil // no skills are no error
	}
	return h.Skills(ctx, session)
}

// unknownLine says that a name calls nothing, and what was probably meant.
func unknownLine(h *Host, set *skill.Set, name string) error {
	var names []string
	for _, c := range All() {
		if c.Slash {
			names = append(names, c.Name)
		}
	}
	own := strings.TrimPrefix(name, skillPrefix)
	if set != nil {
		if k, ok := set.Find(own); ok && !k.ByUser {
			return usage(msg.SlashModelOnly, k.Name)
		} else if ok && set.Needs(k) != "" {
			return usage(msg.SlashNoTool, "/"+k.Name, set.Needs(k), h.Profile, profilesWith(set.Needs(k)))
		}
		if f, why, ok := set.LeftOut(own); ok {
			return leftOutLine("/"+own, f, why)
		}
		for _, k := range set.ForUser() {
			names = append(names, k.Name)
		}
	}
	near := config.Nearest(skill.NormalizeSkillName(own), names)
	if near == "" {
		near = onlyBeginning(own, names)
	}
	if near == "" {
		return usage(msg.SlashUnknownText, "/"+name, "//"+name)
	}
	return usage(msg.SlashUnknownNear, "/"+name, "/"+near, "//"+name)
}

// leftOutLine says why something of this name that is there cannot be called.
func leftOutLine(typed string, f skill.Finding, why skill.Diagnostic) error {
	if why.Code == skill.Untrusted {
		return usage(msg.SlashHeld, typed, f.Path, why.Fix)
	}
	return usage(msg.SlashBroken, typed, &why)
}

// onlyBeginning is the one name that begins with what was typed.
func onlyBeginning(typed string, names []string) string {
	found := ""
	typed = skill.NormalizeSkillName(typed)
	for _, n := range names {
		if typed == "" || !strings.HasPrefix(skill.NormalizeSkillName(n), typed) {
			continue
		}
		if found != "" {
			return ""
		}
		found = n
	}
	return found
}
