package app

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/kit/gauge"
	"react-agent/kit/memory"
	"react-agent/kit/skill"
)

// prompt is what the system prompt of an agent is made of, in its order.
func (p *product) prompt(k *cast) []gauge.Part {
	return []gauge.Part{
		{Name: p.face.Name, Text: p.face.PromptIn(k.w.root)},
		{Name: "reflect", Text: k.learnt},
		{Name: "skills", Text: k.skills.Index()},
		{Name: "instructions", Text: k.orders.System()},
	}
}

// joined puts the parts together that are not empty.
func joined(parts []gauge.Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return system(texts...)
}

// fill says what fills the window of a session's model now. Nothing is asked and nothing is stored; without a model the
// rest is known all the same.
func (p *product) fill(ctx context.Context, session string) (command.Fill, error) {
	s := agent.NewSession(session)
	if session != "" {
		var err error
		if s, err = p.fold(ctx, session); err != nil {
			return command.Fill{}, err
		}
	}
	spec := engine.Spec{Session: session, State: s.State}
	model, err := p.modelFor(ctx, spec)
	asked := agent.Model(model)
	if err != nil {
		asked = noModel{err}
	}
	k, err := p.cast(ctx, asked, spec)
	if err != nil {
		return command.Fill{}, err
	}
	a, err := p.assemble(k)
	if err != nil {
		return command.Fill{}, err
	}
	r, err := p.measure(ctx, k, a, s)
	if err != nil {
		return command.Fill{}, err
	}
	settings := p.compactSettings()
	info := asked.Info()
	return command.Fill{
		Report: r, Model: info.Name, Window: info.Context, Manual: settings.Manual,
		CompactAt: p.compactOf(a).Threshold(),
	}, nil
}

// measure says what fills the window of an agent with a session as it is.
func (p *product) measure(ctx context.Context, k *cast, a *agent.Agent, s *agent.Session) (gauge.Report, error) {
	req, changed, err := requestOf(a)(ctx, s)
	if err != nil {
		return gauge.Report{}, err
	}
	var parts []gauge.Part
	for _, part := range p.prompt(k) {
		if part.Name != "instructions" {
			parts = append(parts, part)
		}
	}
	for _, f := range k.orders.Shown() {
		parts = append(parts, gauge.Part{Name: relative(k.w.root, f.Path), Text: f.Text})
	}
	if k.child != nil {
		parts[0] = gauge.Part{Name: k.child.Path, Text: k.child.System}
	}
	return gauge.Measure(gauge.Query{
		Request: req, System: parts, Compacted: s.Compacted(), Changed: changed,
		Label: func(x gauge.Piece) (gauge.Kind, string) { return label(k.w, req.Tools, x) },
	}), nil
}

// label says what parts of messages are that features have brought.
func label(w *world, tools []agent.Tool, x gauge.Piece) (gauge.Kind, string) {
	switch x.Message.From {
	case skill.Name:
		_, name, _ := skill.Entered(x.Message)
		return gauge.Skills, name
	case memory.Name:
		return gauge.Memory, ""
	}
	if x.Message.Role == agent.User && x.Message.From == "" {
		if name, ok := attachedAs(x.Part); ok {
			return gauge.Files, name
		}
	}
	if x.Part.Kind != agent.ResultOf || x.Call == nil {
		return "", ""
	}
	switch name := ourName(tools, x.Call.Name); name {
	case "read_file":
		if files := w.worked(tools, *x.Call); len(files) > 0 {
			return gauge.Files, files[0].Path
		}
	case "skill_view", "Skill", "skills_list":
		var args struct{ Name, Skill string }
		_ = json.Unmarshal(x.Call.Args, &args) // then it has no name
		return gauge.Skills, or(args.Skill, args.Name)
	}
	return "", ""
}

// ourName is the name of a tool that the model calls by another one.
func ourName(tools []agent.Tool, shown string) string {
	for i := range tools {
		if tools[i].Shown() == shown {
			return tools[i].Name
		}
	}
	return shown
}

// attachedAs reads the path of a file whose text stands in a message of the person.
func attachedAs(p *agent.Part) (path string, ok bool) {
	rest, ok := strings.CutPrefix(p.Text, "\n<attached")
	if p.Kind != agent.Text || !ok {
		return "", false
	}
	mark, rest, ok := strings.Cut(rest, " path=")
	if !ok || strings.Trim(mark, "-0123456789") != "" {
		return "", false
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", false
	}
	path, err = strconv.Unquote(quoted)
	return path, err == nil
}
