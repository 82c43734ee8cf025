package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/compact"
	"react-agent/kit/cost"
	"react-agent/kit/gauge"
	"react-agent/kit/instruct"
	"react-agent/kit/plan"
	"react-agent/kit/shellhook"
	"react-agent/kit/skill"
	"react-agent/kit/team"
	"react-agent/kit/todo"
	"react-agent/tool"
)

// compacting lets an agent that is otherwise complete make its history fit the window.
func (p *product) compacting(a *agent.Agent, k *cast, hooks *shellhook.Hooks) {
	c := compact.New(compact.Options{
		Settings: p.compactSettings(),
		Agent:    a,
		Request:  requestOf(a),
		Ask: func(ctx context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
			return askOnce(ctx, a.Model, req)
		},
		Orders: []string{team.FromAgent},
		Carry: []compact.Section{
			{Name: "plan", Text: plan.Carry},
			{Name: "list of todos", Text: todo.Carry},
			{Name: "skills", Text: skill.Reattach},
			{Name: "standing orders", Text: instruct.Reattach},
		},
		Files: func(c agent.Call) []compact.File { return k.w.worked(a.Tools, c) },
		Transcript: func(ctx context.Context, session string, messages []agent.Message) (string, error) {
			return p.transcripts(k.w).Keep(ctx, session, messages)
		},
		Before: func(ctx context.Context, s *agent.Session, why agent.Why, focus string) error {
			if looking(ctx) {
				return nil
			}
			return hooks.PreCompact(ctx, s, trigger(why), focus)
		},
		After: func(ctx context.Context, session string, why agent.Why, summary string) {
			hooks.PostCompact(ctx, session, trigger(why), summary)
		},
		Fills: func(ctx context.Context, s *agent.Session) []compact.Size { return p.fills(ctx, k, a, s) },
		Lang:  string(p.c.Language),
	})
	a.Compact = c.Trim
	a.Hooks = append(a.Hooks, c.Hook())
}

// fills names what fills the window of an agent: parts of the system prompt and of the conversation one by one, the tools
// together.
func (p *product) fills(ctx context.Context, k *cast, a *agent.Agent, s *agent.Session) []compact.Size {
	r, err := p.measure(ctx, k, a, s)
	if err != nil { // then the run has other words for it
		return nil
	}
	c := msg.For(p.c.Language)
	tools := func(it gauge.Item) bool { return it.Kind == gauge.Tools }
	list := slices.DeleteFunc(slices.Clone(r.Items), tools)
	list = append(list, slices.DeleteFunc(r.Kinds(), func(it gauge.Item) bool { return !tools(it) })...)
	var sizes []compact.Size
	for _, it := range list {
		sizes = append(sizes, compact.Size{Name: command.FillName(c, it), Tokens: it.Tokens})
	}
	return sizes
}

// requestOf gives what an agent would be asked next, for a measure: nobody notices, and what was spent does not matter. Changed
// says that another model, system prompt or other tools are meant than the last time; effort takes no room.
func requestOf(a *agent.Agent) func(ctx context.Context, s *agent.Session) (req *agent.Request, changed bool, err error) {
	return func(ctx context.Context, s *agent.Session) (*agent.Request, bool, error) {
		own := *a
		own.Hooks = slices.DeleteFunc(unseen(a.Hooks), func(h agent.Hook) bool { return h.Name == cost.Name })
		req, next, err := own.Request(ctx, s)
		was := s.Setup
		return req, next != nil && (next.Model != was.Model || next.System != was.System || next.Tools != was.Tools), err
	}
}

// trigger is what hooks are told of a compaction.
func trigger(why agent.Why) string {
	if why == agent.Asked {
		return "manual"
	}
	return "auto"
}

// compactSettings are the face's, changed by what the configuration says.
func (p *product) compactSettings() compact.Settings {
	own, face := p.c.Compact, p.face.Compact
	s := compact.Settings{
		Manual: own.Enabled != nil && !*own.Enabled, At: or(own.At, face.At), Share: own.Share, Keep: own.Keep,
		Micro: face.Micro, Results: own.Results, Cleared: own.Cleared, KeepReads: own.KeepReads != nil && *own.KeepReads, Plain: face.Plain,
	}
	if own.Share > 0 && own.At == 0 { // who names a share does not mean the face's number
		s.At = 0
	}
	set(&s.Micro, own.Micro)
	return s
}

// transcripts are where the agent of a place can read what has left its history: in the work directory, as the source
// systems had it, or where its long outputs are, which the sandbox shows.
func (p *product) transcripts(w *world) compact.Transcripts {
	if p.face.Compact.Plain {
		return compact.Transcripts{Root: w.root, Dir: ".transcripts", Relative: true, Mask: p.secrets.Mask}
	}
	return p.ownTranscripts()
}

func (p *product) ownTranscripts() compact.Transcripts {
	return compact.Transcripts{Root: p.outputs(), Dir: "transcripts", Apart: true, Mask: p.secrets.Mask}
}

// worked lists the files that a call, in the model's own words, has read or changed.
func (w *world) worked(tools []agent.Tool, c agent.Call) (files []compact.File) {
	i := slices.IndexFunc(tools, func(t agent.Tool) bool {
		return t.Shown() == c.Name || t.Name == c.Name || slices.Contains(t.Aliases, c.Name)
	})
	if i < 0 {
		return nil
	}
	c.Name = tools[i].Name
	if rename := tools[i].Rename; rename != nil {
		args, err := rename(c.Args)
		if err != nil {
			return nil
		}
		c.Args = args
	}
	if !slices.Contains([]string{"read_file", "write_file", "edit_file", "multi_edit", "apply_patch"}, c.Name) || !json.Valid(c.Args) {
		return nil
	}
	list, _ := tool.Paths(w.env, agent.Tool{Name: c.Name}, c)
	for _, f := range list {
		path := f.Given
		if rel, err := filepath.Rel(w.root, f.Real); err == nil && f.Inside {
			path = filepath.ToSlash(rel)
		}
		files = append(files, compact.File{Path: path, Wrote: f.Writes})
	}
	return files
}

// compactOf measures and judges an agent's history, and changes nothing.
func (p *product) compactOf(a *agent.Agent) *compact.Compact {
	return compact.New(compact.Options{Settings: p.compactSettings(), Agent: a, Request: requestOf(a), Lang: string(p.c.Language)})
}

// compactFacts are what doctor says of it.
func (p *product) compactFacts(ctx context.Context) []command.Fact {
	c := p.host.Msg
	f := command.Fact{Group: "compact", Name: "limit"}
	a, err := p.forSession(ctx, "")
	if err != nil {
		return nil
	}
	s := p.compactSettings()
	limit, window := p.compactOf(a).Threshold(), a.Model.Info().Context
	f.Value = c.Text(msg.CompactFact, limit, window)
	if window == 0 {
		f.Value = c.Text(msg.CompactFactUnknown, limit)
	}
	if s.Manual {
		f.Value = c.Text(msg.CompactFactOff)
	}
	f.Origin = strings.TrimSpace(fmt.Sprintf("profile %s", p.face.Name))
	if p.c.IsSet("compact") {
		f.Origin = "compact"
	}
	return []command.Fact{f}
}
