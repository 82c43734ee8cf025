package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"react-agent/agent"
)

// MaxStack is how many skills one line may call.
const MaxStack = 6

// Entry says how a skill that a person calls by its name enters the conversation.
type Entry string

// The entries. A skill is Inline unless its pipeline.yaml or its header says `slash_mode: reference` (also below
// metadata): then the model is told to read it with the face's own tool. Commands, skills that the model may not invoke,
// and all skills of a face without that tool are Inline.
const (
	Inline    Entry = "inline"
	Reference Entry = "reference"
)

// Called are the skills that a line calls, and what it gives to each of them.
type Called struct {
	Skills []*Skill
	Args   string
	// More is the word behind the last one when it calls a further skill, which is one too many; "" otherwise.
	More  string
	words int
}

// calledPrefix reaches a skill that something else hides.
const calledPrefix = "skill:"

// Called reads the skills at the beginning of a line: words with a slash in front, at most [MaxStack] of them. Names of
// which hidden is true have to be written as skill:NAME. There are none when the first word calls nothing.
func (s *Set) Called(line string, hidden func(name string) bool) Called {
	var c Called
	rest := strings.TrimSpace(line)
	for {
		word, more := firstWord(rest)
		k, ok := s.calledBy(word, hidden)
		if !ok {
			break
		}
		if !slices.Contains(c.Skills, k) {
			if len(c.Skills) == MaxStack {
				c.More = word
				break
			}
			c.Skills = append(c.Skills, k)
		}
		c.words++
		rest = more
	}
	c.Args = rest
	return c
}

// calledBy is the skill that a word with a slash in front calls.
func (s *Set) calledBy(word string, hidden func(name string) bool) (*Skill, bool) {
	name, slash := strings.CutPrefix(word, "/")
	if !slash || strings.HasPrefix(name, "/") {
		return nil, false
	}
	own, prefixed := strings.CutPrefix(name, calledPrefix)
	if !prefixed && hidden(name) {
		return nil, false
	}
	return s.Callable(own)
}

// firstWord is the first word of a text without blanks at its beginning, and what follows it.
func firstWord(s string) (word, rest string) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// Callable finds a skill or command that a person may call, by any spelling of its name; a command in a folder also
// without the folder's name, if no other is called so.
func (s *Set) Callable(name string) (*Skill, bool) {
	k, ok := s.Find(name)
	if !ok {
		tail := ":" + NormalizeSkillName(strings.TrimSpace(name))
		for _, other := range s.list {
			if !other.Command() || !other.ByUser || !strings.HasSuffix(other.key, tail) {
				continue
			}
			if k != nil {
				return nil, false
			}
			k = other
		}
	}
	return k, k != nil && k.ByUser && s.Needs(k) == ""
}

// Needs names the tool that drives a skill and that the face does not show: there the skill cannot be used. It is "" for all
// others.
func (s *Set) Needs(k *Skill) string {
	if s.o.Needs == nil {
		return ""
	}
	return s.o.Needs(k)
}

// LeftOut finds what was to be a skill or command of this name, by any spelling, and was left out; see [Set.Callable]. The
// last of its diagnostics that is an error, or else the last of all, says why.
func (s *Set) LeftOut(name string) (Finding, Diagnostic, bool) {
	key := NormalizeSkillName(strings.TrimPrefix(strings.TrimSpace(name), "/"))
	for _, same := range []func(own string) bool{
		func(own string) bool { return own == key },
		func(own string) bool { return key != "" && strings.HasSuffix(own, ":"+key) },
	} {
		for _, f := range s.findings {
			if f.Status != Skipped || len(f.Diagnostics) == 0 || !same(NormalizeSkillName(f.Name)) {
				continue
			}
			why := f.Diagnostics[len(f.Diagnostics)-1]
			for _, d := range f.Diagnostics {
				if d.Severity == Error {
					why = d
				}
			}
			return f, why, true
		}
	}
	return Finding{}, Diagnostic{}, false
}

// mark is what a message carries that calls skills; without it a slash is only a character.
type mark struct {
	Skills []string `json:"skills"`
	Words  int      `json:"words"` // at the beginning of the text, which are no arguments
}

// Message is the line as a message to a session: it stays as it was typed, and [Set.Hook] puts behind it what the model
// has to know.
func (c Called) Message(line string) agent.Message {
	m := mark{Words: c.words}
	for _, k := range c.Skills {
		m.Skills = append(m.Skills, k.Name)
	}
	msg := agent.TextMessage(agent.User, line)
	if raw, err := agent.EncodeJSON(m); err == nil { // it is names and a number
		msg.Parts[0].Opaque = &agent.Opaque{Origin: Name, Data: raw}
	}
	return msg
}

// markOf reads the mark of a person's message.
func markOf(m *agent.Message) (k mark, args string, ok bool) {
	if m.Role != agent.User || m.From != "" || len(m.Parts) == 0 {
		return k, "", false
	}
	o := m.Parts[0].Opaque
	if o == nil || o.Origin != Name || json.Unmarshal(o.Data, &k) != nil || len(k.Skills) == 0 || len(k.Skills) > MaxStack {
		return k, "", false
	}
	args = strings.TrimSpace(m.Parts[0].Text)
	for range k.Words {
		_, args = firstWord(args)
	}
	return k, args, true
}

// calledKey holds the number of the last message whose skills have entered.
const calledKey = Name + "/called"

// called brings in the skills that the person has called since the model last spoke. Their commands and sub-agents may take
// long and have questions.
func (s *Set) called(x *agent.Session) *agent.Note {
	var done int64
	_ = json.Unmarshal(x.State[calledKey], &done) // nothing yet: 0
	var calls []*agent.Message
	for _, m := range slices.Backward(x.Messages) {
		if m.Answers() || m.Seq <= done {
			break
		}
		if _, _, ok := markOf(&m); ok {
			calls = append(calls, &m)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	slices.Reverse(calls)
	return &agent.Note{Later: &agent.Later{
		Call: callOf(x, calls[0], 0),
		Run:  func(ctx context.Context) (*agent.Note, error) { return s.enterAll(ctx, x, calls) },
	}}
}

// callOf is the identity of the work on the n-th skill that a message calls.
func callOf(x *agent.Session, m *agent.Message, n int) agent.Call {
	return agent.Call{Key: x.ID + "/" + strconv.FormatInt(m.Seq, 10) + "." + strconv.Itoa(n), Name: toolSkill}
}

// enterAll is what all called skills bring in.
func (s *Set) enterAll(ctx context.Context, x *agent.Session, calls []*agent.Message) (*agent.Note, error) {
	last := strconv.FormatInt(calls[len(calls)-1].Seq, 10)
	note := &agent.Note{State: map[string]json.RawMessage{calledKey: json.RawMessage(last)}}
	for _, m := range calls {
		k, args, _ := markOf(m)
		for i, name := range k.Skills {
			now := *x // with what was brought in before: its limits hold for what comes behind it
			now.State = join(x.State, note.State)
			one := s.enter(ctx, &now, name, args, callOf(x, m, i))
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			note.Messages = append(note.Messages, one.Messages...)
			note.State = join(note.State, one.State)
			note.Steps += one.Steps
			if one.Usage != nil {
				if note.Usage == nil {
					note.Usage = &agent.Usage{}
				}
				note.Usage.Add(one.Usage)
			}
		}
	}
	return note, nil
}

// enter is what one called skill brings in.
func (s *Set) enter(ctx context.Context, x *agent.Session, name, args string, c agent.Call) agent.Note {
	k, ok := s.Find(name)
	if !ok {
		return noteOf(fmt.Sprintf(saysGone, name) + s.menu())
	}
	tool, entry := s.entry(k)
	if entry == Reference {
		return noteOf(reference(s.o.View, k.Name, args), contract(tool, args))
	}
	if k.Fork && s.o.Fork != nil {
		return s.fork(ctx, x, k, args, c)
	}
	text, note, err := s.render(ctx, x, k, args, placeOf(c.Key).nth)
	if err != nil {
		return noteOf(fmt.Sprintf(saysUnread, k.Name) + err.Error())
	}
	what := fmt.Sprintf(saysText, k.Name)
	if k.Command() {
		what = fmt.Sprintf(saysCommand, k.Name)
	}
	n := noteOf(what, text, contract(tool, args))
	n.Messages[0].Parts = append(n.Messages[0].Parts, s.attached(ctx, x, k)...)
	n.State = note.State
	return n
}

// attached are the files that a command names. Only what its author has written is looked at: what comes from arguments
// and from other commands may be anybody's.
func (s *Set) attached(ctx context.Context, x *agent.Session, k *Skill) []agent.Part {
	if s.o.Attach == nil || k.Root.Commands != markdown {
		return nil
	}
	body, err := k.Body()
	if err != nil { // it was read a moment ago
		return nil
	}
	return s.o.Attach(ctx, x, body)
}

// entry says how a skill enters, and which tool drives it.
func (s *Set) entry(k *Skill) (tool string, entry Entry) {
	entry = Entry(k.slashMode())
	if s.o.Pipeline != nil {
		if t, e, ok := s.o.Pipeline(k); ok {
			tool = t
			if e != "" {
				entry = e
			}
		}
	}
	if entry != Reference || s.o.View == "" || !k.ByModel || k.Command() {
		return tool, Inline
	}
	return tool, Reference
}

// slashMode is what the header says of the entry.
func (s *Skill) slashMode() string {
	for _, fields := range []map[string]string{s.Fields, s.Metadata} {
		for key, val := range fields {
			if NormalizeSkillName(key) == "slash-mode" {
				return strings.ToLower(strings.TrimSpace(val))
			}
		}
	}
	return ""
}

// reference tells the model to fetch a skill.
func reference(view, name, args string) string {
	text := fmt.Sprintf(saysName, name) + fmt.Sprintf("%s (name %q) before anything else, then carry out what it says, in full and in its "+
		"order.", view, name)
	if args != "" {
		text += "\nIts arguments: " + args
	}
	return text
}

// contract holds while a skill is driven through its phases.
func contract(tool, args string) string {
	if tool == "" {
		return ""
	}
	query := "take its query from what the person has said so far."
	if args != "" {
		query = "its query is: " + args
	}
	return "This skill runs in phases, and the tool " + tool + " drives it through all of them. Call it at once; " + query + `
Until the last phase has ended:
- Ask the person nothing, neither before you start nor in between, and do not wait for a confirmation.
- A vague direction is no reason to ask: making something of it is what this skill is for.
- Where the skill wants facts that nobody gave, infer them from the request, take the likeliest, and go on.
Afterwards tell what came out and what you assumed; if a question is left, that is the time for it.`
}

// fork has a sub-agent do the work.
func (s *Set) fork(ctx context.Context, x *agent.Session, k *Skill, args string, c agent.Call) agent.Note {
	r := render{set: s, skill: k, session: x.ID, args: args, live: x}
	text, err := r.whole(ctx)
	if err != nil {
		return noteOf(fmt.Sprintf(saysUnread, k.Name) + err.Error())
	}
	if c.Args, err = agent.EncodeJSON(skillArgs{Skill: k.Name, Args: args}); err != nil { // it is two texts
		c.Args = nil
	}
	f := forkOf(c, k, text)
	f.State = join(Limits(x), f.State)
	res, err := s.o.Fork(ctx, f)
	if err != nil {
		res = agent.ErrorResult(err.Error())
	}
	what := saysAnswer
	if res.Error {
		what = saysFault
	}
	n := noteOf(fmt.Sprintf(what, k.Name), res.Text())
	n.State, n.Usage, n.Steps = res.State, res.Usage, res.Steps
	return n
}

// noteOf is a note with one message; each text is a paragraph, empty ones are left out.
func noteOf(texts ...string) agent.Note {
	m := agent.Message{Role: agent.User, From: Name}
	for _, t := range texts {
		if t != "" {
			m.Parts = append(m.Parts, agent.TextPart(t))
		}
	}
	return agent.Note{Messages: []agent.Message{m}}
}
