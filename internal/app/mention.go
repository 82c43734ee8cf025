package app

import (
	"context"
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
	read := fileReader(env)
	o := p.mentionOptions(w)
	o.Read = func(ctx context.Context, s *agent.Session, f mention.File) ([]agent.Part, error) {
		if err := w.mayRead(ctx, s, f.Path); err != nil {
			return nil, err
		}
		args := map[string]any{"path": f.Path}
		switch {
		case f.Dir:
			args["dir"] = true
		case f.From > 0:
			args["offset"] = f.From
			if f.To > 0 {
				args["limit"] = f.To - f.From + 1
			}
		}
		return read(ctx, args)
	}
	return mention.New(o)
}

// mentionOptions say where the files are that are mentioned in a world.
func (p *product) mentionOptions(w *world) mention.Options {
	return mention.Options{Dir: w.root, Home: config.Getenv(p.o.Env, "HOME"), Tell: p.warn, Lang: string(p.c.Language)}
}
