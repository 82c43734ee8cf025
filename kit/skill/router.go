package skill

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

// Router picks one skill, or none, before the model answers: by vectors, or by one model call with the catalogue and what the
// person said. The picked skill's text then enters as if it had been invoked. The loop goes on as always, so what takes
// several skills is not lost.
type Router struct {
	// Vectors find the skill by likeness; the first that does not fail decides, and Ask is not called. None: Ask decides.
	Vectors []*Vectors
	// Ask puts one request to a model. The usage may come with an error.
	Ask func(ctx context.Context, req *agent.Request) (agent.Message, *agent.Usage, error)
	// May says why this skill must not be brought in; the model may then ask for it as for any. nil: all may.
	May func(ctx context.Context, x *agent.Session, name string) error
	// Notice hears why nothing was picked when all ways have failed; the turn goes on without. Other hears why the next of
	// several Vectors was taken. nil: nobody does.
	Notice, Other func(err error)
}

// The bounds of what the router is given, in characters: a skill's description, and of what was said.
const (
	routeTitle = 250
	routeSaid  = 4000
	routeLast  = 600
)

// routedKey holds the number of the last message for which a skill was looked for.
const routedKey = Name + "/routed"

// Router is a hook that looks for a skill once for each time the person speaks without calling one. What its model calls use
// is counted in the run.
func (s *Set) Router(r Router) agent.Hook {
	return agent.Hook{
		Name: Name + "-router",
		Inject: func(_ context.Context, x *agent.Session, _ bool) (*agent.Note, error) {
			said := s.unrouted(x)
			if said == nil || len(s.routable()) == 0 {
				return nil, nil
			}
			c := agent.Call{Key: x.ID + "/" + strconv.FormatInt(said.Seq, 10) + ".route", Name: routedKey}
			return &agent.Note{Later: &agent.Later{Call: c, Run: func(ctx context.Context) (*agent.Note, error) {
				return s.route(ctx, x, said, r)
			}}}, nil
		},
	}
}

// routable are the skills to pick from. A command is the person's own word.
func (s *Set) routable() []*Skill {
	return slices.DeleteFunc(s.ForModel(), (*Skill).Command)
}

// unrouted is the last thing the person said, if the model has not answered it, no skill was looked for yet, and it calls
// none itself.
func (s *Set) unrouted(x *agent.Session) *agent.Message {
	var done int64
	_ = json.Unmarshal(x.State[routedKey], &done) // nothing yet: 0
	for _, m := range slices.Backward(x.Messages) {
		if m.Answers() || m.Seq <= done {
			return nil
		}
		if m.Role == agent.User && m.From == "" {
			if _, _, calls := markOf(&m); calls || strings.TrimSpace(m.Text()) == "" {
				return nil
			}
			return &m
		}
	}
	return nil
}

func (s *Set) route(ctx context.Context, x *agent.Session, said *agent.Message, r Router) (*agent.Note, error) {
	note := &agent.Note{State: map[string]json.RawMessage{routedKey: json.RawMessage(strconv.FormatInt(said.Seq, 10))}}
	k, err := s.pick(ctx, x, said, r, note)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if k != nil && (r.May == nil || r.May(ctx, x, k.Name) == nil) {
		err = s.bring(ctx, x, k, said.Text(), note)
	}
	if err != nil && r.Notice != nil {
		r.Notice(err)
	}
	return note, nil
}

// pick finds the skill, nil for none.
func (s *Set) pick(ctx context.Context, x *agent.Session, said *agent.Message, r Router, note *agent.Note) (*Skill, error) {
	if len(r.Vectors) > 0 {
		return s.nearest(ctx, said.Text(), r)
	}
	answer, usage, err := r.Ask(ctx, s.question(x, said))
	if note.Usage = usage; err != nil {
		return nil, err
	}
	return s.picked(answer.Text()), nil
}

// nearest asks one way after the other, until one has not failed.
func (s *Set) nearest(ctx context.Context, said string, r Router) (*Skill, error) {
	skills := s.routable()
	for _, v := range r.Vectors[:len(r.Vectors)-1] {
		k, err := v.pick(ctx, said, skills)
		if err == nil || ctx.Err() != nil {
			return k, err
		}
		if r.Other != nil {
			r.Other(err)
		}
	}
	return r.Vectors[len(r.Vectors)-1].pick(ctx, said, skills)
}

// question is what the router's model is asked.
func (s *Set) question(x *agent.Session, said *agent.Message) *agent.Request {
	var b strings.Builder
	b.WriteString("Skills:\n")
	for _, k := range s.routable() {
		fmt.Fprintf(&b, "- %s: %s\n", k.Name, text.Head(k.Title(), routeTitle))
	}
	if last := lastAnswer(x); last != "" {
		b.WriteString("\nThe assistant's last answer, for what the person may refer to:\n" + text.Cut(last, routeLast, "") + "\n")
	}
	b.WriteString("\nThe person now says:\n" + text.Cut(said.Text(), routeSaid, "") + "\n")
	return &agent.Request{
		System: "You choose whether one of the skills below is meant for what the person says. Answer with one JSON object and " +
			`nothing else: {"skill": "NAME"} with a name from the list, or {"skill": null} if none fits or if you are not sure. ` +
			"Never answer the person.",
		Messages: []agent.Message{agent.TextMessage(agent.User, b.String())},
	}
}

func lastAnswer(x *agent.Session) string {
	for _, m := range slices.Backward(x.Messages) {
		if t := m.Text(); m.Role == agent.Assistant && t != "" {
			return t
		}
	}
	return ""
}

// picked reads the answer: JSON anywhere in it, or nothing but a name. What names no skill that can be picked is none.
func (s *Set) picked(answer string) *Skill {
	name := strings.TrimSpace(answer)
	for i := range name {
		if name[i] != '{' {
			continue
		}
		var o map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(name[i:])).Decode(&o) != nil {
			continue
		}
		name = ""
		for _, key := range []string{"skill", "name"} {
			var v string
			if json.Unmarshal(o[key], &v) == nil {
				name = cmp.Or(name, v)
			}
		}
		break
	}
	k, ok := s.Find(strings.Trim(name, "`\"'*. \t\r\n"))
	if !ok || !k.ByModel || k.Command() || s.Needs(k) != "" {
		return nil
	}
	return k
}

// bring adds what the picked skill says to the note.
func (s *Set) bring(ctx context.Context, x *agent.Session, k *Skill, said string, note *agent.Note) error {
	tool, _ := s.entry(k)
	if k.Fork && s.o.Fork != nil {
		note.Messages = noteOf(fmt.Sprintf(saysFits, k.Name) + "It is worked on by a sub-agent: invoke it.").Messages
		return nil
	}
	r := render{set: s, skill: k, session: x.ID, args: said}
	body, err := r.whole(ctx)
	if err != nil {
		return err
	}
	inv := k.invocation(body, spot{seq: x.Seq + 1})
	for _, old := range Invoked(x) {
		if old.Hash == inv.Hash && NormalizeSkillName(old.Name) == k.key && old.present(x) {
			body = fmt.Sprintf(Lean().Again, k.Name)
		}
	}
	note.Messages = noteOf(fmt.Sprintf(saysFits, k.Name)+"These are its instructions:", body, contract(tool, said)).Messages
	note.State = join(note.State, inv.state())
	return nil
}
