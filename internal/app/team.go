package app

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/policy"
	"react-agent/kit/skill"
	"react-agent/kit/task"
	"react-agent/kit/team"
	"react-agent/kit/todo"
	"react-agent/tool"
)

// openTeam makes the one team of all sessions.
func (p *product) openTeam() {
	p.team = team.New(team.Options{
		Sessions: sessions{p.engine}, KV: p.store, Inherit: []string{policy.StateKey, modelKey}, Endow: skill.Limits,
		Closing: func(cause error) bool { return errors.Is(cause, engine.ErrClosed) },
		Notify:  p.wakeParent, Lang: string(p.c.Language),
		Texts: team.Named(p.face.Name), OwnSteps: p.face.OwnSteps,
	})
}

// sessions is the engine as a team knows it.
type sessions struct{ *engine.Local }

// Submit implements [team.Sessions].
func (s sessions) Submit(ctx context.Context, session string, in team.Input) error {
	_, err := s.Local.Submit(ctx, session, engine.Input{ID: in.ID, Message: in.Message, Answer: in.Answer, Cancel: in.Cancel, Quiet: in.Quiet})
	return err
}

// Follow implements [team.Sessions].
func (s sessions) Follow(ctx context.Context, session string, after int64, live bool) iter.Seq2[agent.Event, error] {
	return s.Local.Follow(ctx, session, after, live)
}

// Status implements [team.Sessions].
func (s sessions) Status(ctx context.Context, session string) (team.Status, error) {
	i, err := s.Info(ctx, session)
	return team.Status{Seq: i.Seq, Running: i.Running, Usage: i.Usage}, err
}

// wakeParent tells an idle session of a background sub-agent that has ended, and lets the model go on with it. One that
// runs is told by itself.
func (p *product) wakeParent(session string) {
	p.wakeWith(session, func(ctx context.Context, s *agent.Session) ([]*agent.Event, error) {
		e, err := p.team.Pull(ctx, s)
		if e == nil || err != nil {
			return nil, err
		}
		return []*agent.Event{e}, nil
	})
}

// parentCall is the call that has started a sub-agent's session.
func (p *product) parentCall(session string) string {
	key, err := p.team.CallOf(p.ctx, session)
	if err != nil { // then it counts where its parent was
		return ""
	}
	return key
}

// seat is an agent's place in the team.
func (p *product) seat(s engine.Spec, child *team.Spec, env tool.Env, types []team.Type) *team.Seat {
	steps := p.maxSteps()
	if child != nil {
		steps = child.Steps
	}
	return p.team.Seat(&team.Seat{
		Session: s.Session, MaxSteps: steps, Types: types, Files: files{env},
		Waiting: s.Waiting, Idle: s.Idle, Attended: p.o.Attended,
	})
}

func (p *product) maxSteps() int { return or(p.c.MaxSteps, p.face.Limits.Steps) }

// Grace of a run and of each level below it: a cancel is to reach the children before the run goes on without them.
const graceStep = time.Second

// maxDepth is the depth of a team as it is set here.
const maxDepth = 2

// asChild makes an agent what its parent wants it to be. nil: it is nobody's child. Standing orders hold for agents of a
// type; one that was given a prompt of its own has nothing else.
func (p *product) asChild(a *agent.Agent, spec *team.Spec, s engine.Spec, orders string) error {
	a.Grace = time.Duration(1+max(0, maxDepth-strings.Count(s.Session, "."))) * graceStep
	if spec == nil {
		return nil
	}
	a.Name, a.System, a.MaxSteps, a.Effort = spec.Path, spec.System, spec.Steps, or(spec.Effort, a.Effort)
	if spec.Type != "" || spec.Mate != "" {
		a.System = system(spec.System, orders)
	}
	a.Ask = p.team.Asker(s.Session, p.o.Attended, s.Ask)
	if spec.Background {
		a.Ask = nil
	}
	if spec.Model == "" {
		return nil
	}
	model, err := p.modelNamed(spec.Model)
	if err != nil {
		return err
	}
	if model == nil {
		return nil
	}
	own := p.said(model.Info())
	a.Effort, a.MaxOut = or(spec.Effort, own.Effort), own.MaxOutput
	a.Model = p.secrets.Model(p.worded(p.meter.In(s.Session, model)))
	a.Hooks = slices.DeleteFunc(a.Hooks, func(h agent.Hook) bool { return h.Name == modelKey }) // it has one of its own
	return nil
}

// modelNamed opens a model that the configuration knows, by its name or as VENDOR/MODEL, once for all who use it; nil: it
// knows none, and the usual one is used.
func (p *product) modelNamed(name string) (agent.Model, error) {
	if !p.knowsModel(name) {
		return nil, nil
	}
	t, err := p.namedTarget(name)
	if err != nil {
		return nil, configError{err}
	}
	o, err := p.openChoice(choice{t.Provider, t.API, t.Model})
	return o.first, err
}

// knowsModel reports whether a name in an agent's file is one of ours. Those of other programs ("sonnet") are not.
func (p *product) knowsModel(name string) bool {
	if p.c.API == "offline" {
		return false
	}
	_, listed := p.c.Models[name]
	w, err := p.c.Choose(name, p.c.Provider, p.knows)
	return listed || err == nil && (w.Model != name || p.knows(w.Provider, w.Model))
}

// files reads and writes for the runner as read_file and write_file do.
type files struct{ env tool.Env }

// inputCut bounds an input file, in characters.
const inputCut = 400_000

// Read implements [team.Files].
func (f files) Read(ctx context.Context, path string) (string, error) {
	env := f.env
	env.Cut, env.Vision, env.Files = inputCut, false, false
	return said(ctx, tool.ReadFile(env), map[string]string{"path": path})
}

// Write implements [team.Files].
func (f files) Write(ctx context.Context, path, content string) error {
	_, err := said(ctx, tool.WriteFile(f.env), map[string]string{"path": path, "content": content})
	return err
}

// said runs a tool for the program's own purposes.
func said(ctx context.Context, t agent.Tool, args map[string]string) (string, error) {
	raw, err := agent.EncodeJSON(args)
	if err != nil {
		return "", err
	}
	res, err := t.Run(ctx, agent.Call{Name: t.Name, Args: raw})
	if err == nil && res.Error {
		err = errors.New(res.Text())
	}
	return res.Text(), err
}

// toolPaths are the files that a call touches itself; what a sub-agent does is judged call by call.
func (w *world) toolPaths(t agent.Tool, c agent.Call) (list []tool.Path, ok bool) {
	reads, writes, ok := team.Paths(t, c)
	if !ok {
		return tool.Paths(w.env, t, c)
	}
	add := func(name, path string) {
		raw, err := agent.EncodeJSON(map[string]string{"path": path})
		if err != nil || path == "" {
			return
		}
		found, there := tool.Paths(w.env, agent.Tool{Name: name}, agent.Call{Name: name, Args: raw})
		list, ok = append(list, found...), ok && there
	}
	for _, path := range reads {
		add("read_file", path)
	}
	add("write_file", writes)
	return list, ok
}

// loadAgents reads the agents from files that may be used where a session works: the project's once it is trusted.
func (p *product) loadAgents() team.Agents {
	var places []team.Place
	if p.content.Trusted() {
		for _, dir := range slices.Backward(p.projectDirs()) { // the nearest wins
			if dir != p.home() {
				places = append(places, team.ProjectPlaces(dir, p.content.root)...)
			}
		}
	}
	settings := ""
	if dirs, err := config.FindDirs(p.o.Env); err == nil {
		settings = filepath.Dir(dirs.Config)
	}
	return team.LoadAgents(append(places, team.UserPlaces(p.home(), settings)...), knownTool)
}

// knownTool reports whether any face has a tool of this name.
func knownTool(name string) bool {
	if strings.HasPrefix(name, "mcp__") {
		return true
	}
	if rest, ok := strings.CutPrefix(name, "run_"); ok && strings.HasSuffix(rest, "_pipeline") {
		return true
	}
	names := []string{"task", "spawn_subagent", "background_run", "check_background", "job", "skills_list", "skill_view", "Skill", todo.ToolName}
	names = append(append(names, task.Writers()...), task.ToolGet, task.ToolList)
	for _, t := range tool.All(tool.Env{}) {
		names = append(append(names, t.Name), t.Aliases...)
	}
	return slices.Contains(names, name)
}

// agentTypes are the agents from files; at the first look the person hears which ones were left out.
func (p *product) agentTypes() []team.Type {
	set := p.loadAgents()
	p.places.Lock()
	first := !p.toldAgents
	p.toldAgents = true
	p.places.Unlock()
	types := p.ownTypes(set.Types)
	if !first || !p.o.Works {
		return types
	}
	c, n := msg.For(p.c.Language), 0
	for _, f := range set.Findings {
		if !f.Skipped {
			continue
		}
		if n++; n <= maxSkipped {
			p.warn(c.Text(msg.AgentSkipped, place(f), c.Err(f.Reason)))
		}
	}
	if n > maxSkipped {
		p.warn(c.Text(msg.AgentSkippedMore, n-maxSkipped))
	}
	return types
}

func place(f team.Finding) string {
	if f.Line == 0 {
		return f.File
	}
	return f.File + ":" + itoa(f.Line)
}

// agentFacts are what doctor says of agents from files.
func (p *product) agentFacts() (facts []command.Fact) {
	c := p.host.Msg
	set := p.loadAgents()
	for _, f := range set.Findings {
		fact := command.Fact{Group: "agents", Name: or(f.Name, filepath.Base(f.File)), Value: "ok", Origin: place(f), Bad: f.Skipped}
		if f.Reason != nil {
			fact.Value = c.Err(f.Reason)
		}
		if f.Fix != nil {
			fact.Fix = c.Err(f.Fix)
		}
		facts = append(facts, fact)
	}
	for _, x := range set.Types {
		if x.Model != "" && !p.knowsModel(x.Model) {
			facts = append(facts, command.Fact{Group: "agents", Name: x.Name, Value: c.Text(msg.AgentModel, x.Model), Origin: x.File})
		}
	}
	return facts
}
