package app

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/media"
	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
	"react-agent/kit/attach"
	"react-agent/kit/mention"
	"react-agent/provider"
	"react-agent/provider/wire"
	"react-agent/tool"
)

// attach reads a file that the person wants to go with a message. The rules that hold for a mention hold here.
func (p *product) attach(ctx context.Context, session, path string) (attach.Item, error) {
	w, err := p.world(ctx, session)
	if err != nil {
		return attach.Item{}, err
	}
	s := agent.NewSession(session)
	read := fileReader(w.env)
	return attach.Options{
		Dir: w.root, Home: config.Getenv(p.o.Env, "HOME"), Msg: msg.For(p.c.Language),
		May: func(ctx context.Context, path string) error { return w.mayRead(ctx, s, path) },
		Text: func(ctx context.Context, full string) ([]agent.Part, error) {
			parts, err := read(ctx, map[string]any{"path": full})
			if err != nil {
				return nil, err
			}
			return mention.Block(path, parts), nil
		},
	}.Load(ctx, path)
}

// fileReader reads files as the tool does, as much of each as is attached.
func fileReader(env tool.Env) func(ctx context.Context, args map[string]any) ([]agent.Part, error) {
	env.Cut = mentionCut
	read, list := tool.ReadFile(env), tool.ListDir(env)
	return func(ctx context.Context, args map[string]any) ([]agent.Part, error) {
		t := read
		if args["dir"] != nil {
			t, args = list, map[string]any{"path": args["path"]}
		}
		raw, err := agent.EncodeJSON(args)
		if err != nil {
			return nil, err
		}
		r, err := ordinary.Within(ctx, func() (agent.Result, error) { return t.Run(ctx, agent.Call{Name: t.Name, Args: raw}) })
		if err == nil && r.Error {
			err = errors.New(strings.TrimPrefix(r.Text(), "Error: "))
		}
		return r.Parts, err
	}
}

// sendable looks, before a message is handed in, whether the session's model takes what goes with it: attachments, and
// pictures and PDFs that it mentions.
func (p *product) sendable(ctx context.Context, session string, m *agent.Message) error {
	attached := slices.ContainsFunc(m.Parts, func(part agent.Part) bool { return part.Kind == agent.BlobKind })
	w, err := p.world(ctx, session)
	if err != nil {
		return err
	}
	var mentioned []mention.File
	if !p.o.Demo { // the table of rules is shown none
		mentioned = mention.Find(p.mentionOptions(w), m)
	}
	if !attached && len(mentioned) == 0 {
		return nil
	}
	model, err := p.modelFor(ctx, engine.Spec{Session: session})
	if err != nil {
		return nil //nolint:nilerr // the run tells it
	}
	prepare(ctx, model.current().first)
	info := model.Info()
	others := func(mime string) []string { return p.takers(info.Preset, mime) }
	if err := attach.Check(m, info, others); err != nil {
		return err
	}
	for _, f := range mentioned {
		full := f.Path
		if !filepath.IsAbs(full) {
			full = filepath.Join(w.root, full)
		}
		if f.Dir {
			continue
		}
		if err := attach.CheckFile(ctx, full, f.Path, info, others); err != nil {
			return err
		}
	}
	return nil
}

// takers are models of which it is known that they take such attachments: those of the configuration, then the vendor's.
func (p *product) takers(vendor, mime string) (names []string) {
	for name, m := range p.c.Models {
		i := agent.ModelInfo{}
		set(&i.Vision, m.Vision)
		set(&i.Files, m.Files)
		set(&i.Audio, m.Audio)
		if i.Takes(mime) && !p.inProgram(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	preset := p.preset(vendor)
	if mime == media.PDF && !preset.ReadsFiles() || strings.HasPrefix(mime, "audio/") && !preset.Hears() {
		return names
	}
	known, err := p.meter.Prices().Of(vendor)
	if err != nil {
		return names
	}
	if m, ok := p.listed(vendor, preset.DefaultModel); ok && m.Vision {
		names = append(names, preset.DefaultModel)
	}
	for _, m := range slices.Backward(known) { // later ones are newer, mostly
		if m.Vision && !slices.Contains(names, m.ID) {
			names = append(names, m.ID)
		}
	}
	return names
}

// inProgram reports whether a name of the configuration stands for a model in a program: no attachment gets there.
func (p *product) inProgram(name string) bool {
	if vendor, _, ok := strings.Cut(name, "/"); ok && p.preset(vendor).API == commandAPI {
		return true
	}
	names := slices.Collect(maps.Keys(p.c.Presets))
	for _, known := range wire.Presets() {
		names = append(names, known.Name)
	}
	return slices.ContainsFunc(names, func(vendor string) bool {
		preset := p.preset(vendor)
		return preset.API == commandAPI && preset.DefaultModel == name
	})
}

// refused words that a vendor has refused attachments.
func (p *product) refused() provider.AttachmentNote {
	c := msg.For(p.c.Language)
	return func(smaller, out []string, err *agent.ModelError) string {
		var lines []string
		for _, s := range []struct {
			names []string
			how   msg.Key
		}{{smaller, msg.AttachSmaller}, {out, msg.AttachLeftOut}} {
			if len(s.names) > 0 {
				lines = append(lines, c.Text(s.how, strings.Join(s.names, ", "), p.secrets.MaskKnown(err.Error())))
			}
		}
		return strings.Join(lines, "; ")
	}
}
