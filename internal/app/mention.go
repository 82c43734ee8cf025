package app

import (
	"context"
	"errors"
	"strings"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/kit/mention"
	"react-agent/tool"
)

// mentionCut is how much of a mentioned file is attached, in characters: the rest is read when it is needed.
const mentionCut = 20_000

// mentions attach the files that the person names with an at-sign, read by the tools themselves. What a sub-agent is told
// was written by a model, so there nothing is looked for.
func (p *product) mentions(w *world, env tool.Env, session string) agent.Hook {
	if strings.Contains(session, ".") || p.o.Demo {
		return mention.New(mention.Options{})
	}
	env.Cut = mentionCut
	read, list := tool.ReadFile(env), tool.ListDir(env)
	return mention.New(mention.Options{
		Dir: w.root, Home: config.Getenv(p.o.Env, "HOME"), Tell: p.warn, Lang: string(p.c.Language),
		Read: func(ctx context.Context, s *agent.Session, f mention.File) ([]agent.Part, error) {
			if err := w.mayRead(ctx, s, f.Path); err != nil {
				return nil, err
			}
			t, args := read, map[string]any{"path": f.Path}
			switch {
			case f.Dir:
				t = list
			case f.From > 0:
				args["offset"] = f.From
				if f.To > 0 {
					args["limit"] = f.To - f.From + 1
				}
			}
			raw, err := agent.EncodeJSON(args)
			if err != nil {
				return nil, err
			}
			r, err := t.Run(ctx, agent.Call{Name: t.Name, Args: raw})
			if err == nil && r.Error {
				err = errors.New(strings.TrimPrefix(r.Text(), "Error: "))
			}
			return r.Parts, err
		},
	})
}
