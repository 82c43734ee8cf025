package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
)

// Names of the tools.
const (
	toolList  = "skills_list"
	toolView  = "skill_view"
	toolSkill = "Skill"
)

type listArgs struct{}

type viewArgs struct {
	Name     string `json:"name"`
	FilePath string `json:"file_path,omitempty" doc:"another file of the skill, relative to its folder"`
}

type skillArgs struct {
	Skill string `json:"skill" doc:"name of the skill"`
	Args  string `json:"args,omitempty" doc:"its arguments, as a person would type them"`
}

// Tools gives skills_list, skill_view and Skill, with every alias; nothing when there is nothing to show and the face does
// not insist. They need [Set.Hook].
func (s *Set) Tools() []agent.Tool {
	if !s.o.Texts.Always && !slices.ContainsFunc(s.list, func(k *Skill) bool { return k.ByModel || !k.Command() }) {
		return nil
	}
	list := agent.NewCallTool(toolList, "List the skills: a JSON array of name and description.", agent.Reads,
		func(context.Context, agent.Call, listArgs) (agent.Result, error) {
			return agent.TextResult(s.ListJSON()), nil
		})
	list.Aliases = []string{"list_skills"}
	view := agent.NewCallTool(toolView, "Read a skill's instructions before doing what it is for.", agent.Reads, s.view)
	view.Aliases = []string{"get_skill", "load_skill"}
	// What a skill's commands and sub-agents do is judged where they run ([Options.Run], [Options.Fork]).
	invoke := agent.NewCallTool(toolSkill, "Invoke a skill with arguments. Its instructions follow as a message, or, if the skill says so, "+
		"a sub-agent carries it out and you get the answer.", agent.Reads, s.invoke)
	invoke.Shared = true
	invoke.Resume = s.o.Fork != nil
	return []agent.Tool{list, view, invoke}
}

// reach finds a skill that the model may invoke; known has others that it may read.
func (s *Set) reach(name string, known map[string]bool) (*Skill, bool) {
	k, ok := s.Find(name)
	if !ok || !k.ByModel && !known[k.key] {
		return nil, false
	}
	return k, true
}

// maxNames bounds the names in an answer.
const maxNames = 50

// names lists the first names, and how many there are besides.
func names(list []*Skill) string {
	var out []string
	for _, k := range list[:min(len(list), maxNames)] {
		out = append(out, k.Name)
	}
	if more := len(list) - maxNames; more > 0 {
		out = append(out, fmt.Sprintf("… (+%d)", more))
	}
	return strings.Join(out, ", ")
}

func (s *Set) unknown(name string) agent.Result {
	res := agent.TextResult(fmt.Sprintf(s.o.Texts.Unknown, name, names(s.ForModel())))
	res.Error = !s.o.Texts.Plain
	return res
}

// view is skill_view.
func (s *Set) view(ctx context.Context, c agent.Call, a viewArgs) (agent.Result, error) {
	seen := s.views.get(sessionOf(c.Key))
	k, ok := s.reach(a.Name, seen.known) // a person may have invoked it: then its files are wanted
	if !ok {
		return s.unknown(a.Name), nil
	}
	if a.FilePath != "" {
		return s.file(k, a.FilePath), nil
	}
	body, err := k.text()
	if err != nil {
		return agent.ErrorResult(err.Error()), nil
	}
	r := render{set: s, skill: k, session: sessionOf(c.Key)}
	body = s.cut(r.facts(body), k.File)
	return s.deliver(ctx, c, k, s.wrap(k, body), seen, false), nil
}

// wrap puts the face's words around a skill's text.
func (s *Set) wrap(k *Skill, body string) string {
	out := fmt.Sprintf(s.o.Texts.Body, k.Name, body)
	if s.o.Texts.Files == "" || k.Flat {
		return out
	}
	if files := k.files(); files != "" {
		out += "\n\n" + fmt.Sprintf(s.o.Texts.Files, k.Dir, files)
	}
	return out
}

// cut bounds a text, and says so.
func (s *Set) cut(text, file string) string {
	n := utf8.RuneCountInString(text)
	if n <= s.o.Cut {
		return text
	}
	return string([]rune(text)[:s.o.Cut]) + fmt.Sprintf("\n[cut: these are the first %d of %d characters; the whole text is in %s]", s.o.Cut, n, file)
}

// deliver gives a text to the model, unless it stands in the conversation already, and remembers the skill.
func (s *Set) deliver(_ context.Context, c agent.Call, k *Skill, text string, seen view, inline bool) agent.Result {
	inv := k.invocation(text, placeOf(c.Key))
	if again := s.o.Texts.Again; seen.present[k.key] == inv.Hash && (inline || again != "") {
		if again == "" {
			again = Lean().Again
		}
		res := agent.TextResult(fmt.Sprintf(again, k.Name))
		res.State = inv.state()
		return res
	}
	if !inline {
		res := agent.TextResult(text)
		res.State = inv.state()
		return res
	}
	res := agent.TextResult(fmt.Sprintf(s.o.Texts.Launched, k.Name))
	res.Detail = shown("loaded")
	raw, err := agent.EncodeJSON(text)
	if err != nil { // it is a text
		raw = []byte("null")
	}
	res.State = join(inv.state(), map[string]json.RawMessage{launchKey + c.Key: raw})
	return res
}

// forkOf is what a sub-agent gets to do: the skill with its text.
func forkOf(c agent.Call, k *Skill, text string) Fork {
	raw, err := agent.EncodeJSON(k.key)
	if err != nil { // it is a text
		raw = json.RawMessage("null")
	}
	return Fork{Call: c, Skill: k, Prompt: text, State: join(map[string]json.RawMessage{forkKey: raw}, k.limitState())}
}

// shown is a result's detail for the screen: how a skill was taken in.
func shown(what string) json.RawMessage { return json.RawMessage(`{"skill":"` + what + `"}`) }

// invoke is Skill.
func (s *Set) invoke(ctx context.Context, c agent.Call, a skillArgs) (agent.Result, error) {
	seen := s.views.get(sessionOf(c.Key))
	k, ok := s.reach(a.Skill, nil)
	if !ok {
		return s.unknown(a.Skill), nil
	}
	r := render{set: s, skill: k, session: sessionOf(c.Key), call: c.Key, args: a.Args}
	text, err := r.whole(ctx)
	if err != nil {
		return agent.ErrorResult(err.Error()), nil
	}
	switch within := seen.within == k.key; {
	case k.Fork && s.o.Fork != nil && !within:
		res, err := s.o.Fork(ctx, forkOf(c, k, text))
		if err == nil && !res.Error && res.Detail == nil {
			res.Detail = shown("done")
		}
		return res, err
	case k.Fork && within:
		text += "\n\n[You are the sub-agent of this skill: do the work yourself.]"
	case k.Fork:
		text += "\n\n[This skill asks for a sub-agent. There is none here: do the work yourself.]"
	}
	return s.deliver(ctx, c, k, text, seen, true), nil
}
