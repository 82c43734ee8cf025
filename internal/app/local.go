package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/provider"
	"react-agent/provider/local"
	"react-agent/provider/texttag"
	"react-agent/provider/wire"
)

// opened opens a model. One of a server on this machine is read before its first call: which model, how large its window
// is, what it can. A server here that no preset describes is only asked when something is wrong.
func (p *product) opened(s provider.Spec) (agent.Model, error) {
	if p.toolMode(s.Preset.Name, s.Model) == "tags" && s.Tags == nil {
		s.Tags = p.tags()
	}
	model, err := provider.Open(s)
	base := or(s.BaseURL, s.Preset.BaseURL)
	if err != nil || s.Preset.Local == "" && !local.Loopback(base) {
		return model, err
	}
	client, err := p.localClient(s.Key)
	if err != nil {
		return nil, err
	}
	info := s.Info
	info.Provider, info.Preset, info.Tools = or(s.API, s.Preset.API), s.Preset.Name, true
	return local.New(local.Options{
		Client: client, Base: base, Name: s.Model, Kind: local.Kind(s.Preset.Local), Info: info, Shy: s.Preset.Local == "",
		Msg:  msg.For(p.c.Language),
		Tags: map[string]string{"tags": local.Always, "native": local.Never}[p.toolMode(s.Preset.Name, s.Model)],
		Open: func(base string, m local.Model, tags bool) (agent.Model, error) {
			s := s
			s.Model, s.BaseURL = m.Name, base
			own := p.settings(s.Preset.Name, m.Name) // who it is may only be known now
			s.Extra = p.extra(s.Preset.Name, m.Name)
			s.Info.MaxOutput = or(own.MaxOutput, s.Info.MaxOutput)
			s.Info.Vision = saidOr(own.Vision, m.Vision, s.Info.Vision)
			s.Info.Reasoning = saidOr(own.Reasoning, m.Reasoning, s.Info.Reasoning)
			if tags {
				s.Tags = p.tags()
			}
			return provider.Open(s)
		},
	}), nil
}

// tags is how a model that knows no tools is told of them: as the face wants it, or with examples, for a weak one.
func (p *product) tags() *texttag.Options {
	if p.face.Tags.On {
		return &texttag.Options{Lang: p.face.Tags.Lang}
	}
	return &texttag.Options{Examples: true}
}

// saidOr is what the configuration says, else what the server says, else what was known.
func saidOr(own *bool, server local.Ability, known bool) bool {
	switch {
	case own != nil:
		return *own
	case server == local.Unknown:
		return known
	}
	return server == local.Yes
}

// localClient asks servers of this machine. Its questions are not recorded: they are no calls of a model.
func (p *product) localClient(key string) (local.Client, error) {
	client, err := httpx.NewClient(httpx.Options{})
	if err != nil {
		return local.Client{}, configError{err}
	}
	return local.Client{HTTP: client, Key: key}, nil
}

// hosted is the entry of a local server with the address that its own variable names.
func hosted(v wire.Preset, env []string) wire.Preset {
	if v.HostEnv == "" {
		return v
	}
	if base := local.Host(config.Getenv(env, v.HostEnv), v.BaseURL); base != "" {
		return v.At(base)
	}
	return v
}

// prepare reads a local server before an agent is made that wants to know what its model can.
func prepare(ctx context.Context, m agent.Model) {
	if s, ok := m.(*local.Served); ok {
		s.Prepare(ctx)
	}
}

// answering is the model that a local server has for a session that named none, once it was asked, and its window.
func (p *product) answering(c choice) (name string, window int) {
	o, err := p.openChoice(c)
	if err != nil {
		return "", 0
	}
	if i := o.first.Info(); i.Name != "" {
		return i.Name, i.Context
	}
	return p.host.Msg.Text(msg.LocalNotYet), 0
}

// doctorLimit bounds each question of doctor.
const doctorLimit = 700 * time.Millisecond

// localFacts are the model servers that run on this machine, and the configured one if it is local.
func (p *product) localFacts(ctx context.Context) (facts []command.Fact) {
	client, err := p.localClient("")
	if err != nil {
		return nil
	}
	client.Limit = doctorLimit
	own := ""
	if preset := p.preset(p.c.Provider); preset.Local != "" || local.Loopback(p.c.APIBase) {
		own = or(p.c.APIBase, preset.BaseURL)
	}
	var more []string
	if own != "" {
		more = append(more, own)
	}
	for _, v := range wire.Presets() {
		if at := hosted(v, p.o.Env).BaseURL; at != v.BaseURL && (own == "" || !local.SameServer(at, own)) {
			more = append(more, at)
		}
	}
	servers := client.Find(ctx, more...)
	for _, s := range servers {
		facts = append(facts, p.serverFact(s))
	}
	if own != "" && (len(servers) == 0 || !local.SameServer(servers[0].Base, own)) {
		facts = append(facts, p.absentFact(ctx, client, own))
	}
	if len(facts) == 0 {
		facts = append(facts, command.Fact{Group: "local models", Name: "servers", Value: p.host.Msg.Text(msg.LocalNone, local.Ports())})
	}
	return facts
}

// absentFact says why the configured server is not in the list.
func (p *product) absentFact(ctx context.Context, client local.Client, base string) command.Fact {
	f := command.Fact{Group: "local models", Name: or(p.c.Provider, "server"), Bad: true}
	client.Key = p.c.APIKey
	s, err := client.Ask(ctx, base)
	if err == nil { // it wants the key
		return p.serverFact(*s)
	}
	f.Value = httpx.Shown(base) + ": " + p.secrets.MaskKnown(err.Error())
	if start := local.Kind(p.preset(p.c.Provider).Local).Start(); start != "" {
		f.Fix = start
	}
	return f
}

func (p *product) serverFact(s local.Server) command.Fact {
	c := p.host.Msg
	value := strings.TrimSpace(httpx.Shown(s.Base) + " " + s.Version)
	f := command.Fact{Group: "local models", Name: or(s.Kind.Title(), c.Text(msg.LocalServer))}
	switch {
	case s.Loading:
		f.Value = value + ": " + c.Text(msg.LocalDoctorLoading)
		return f
	case len(s.Models) == 0:
		f.Value, f.Fix = value+": "+c.Text(msg.LocalDoctorEmpty), s.Kind.Get()
		return f
	}
	var lines []string
	for _, m := range s.Models {
		lines = append(lines, "\n"+modelLine(c, m))
	}
	const most = 12
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("\n… %d", len(lines)-most))
	}
	f.Value = value + strings.Join(lines, "")
	return f
}

// modelLine says of a model what the server says.
func modelLine(c msg.Catalogue, m local.Model) string {
	words := []string{}
	if m.Loaded {
		words = append(words, c.Text(msg.LocalDoctorLoaded))
	}
	switch {
	case m.Context > 0:
		words = append(words, c.Text(msg.LocalDoctorWindow, m.Context))
	case m.Trained > 0:
		words = append(words, c.Text(msg.LocalDoctorTrained, m.Trained))
	}
	for _, a := range []struct {
		can     local.Ability
		yes, no msg.Key
	}{
		{m.Tools, msg.LocalDoctorTools, msg.LocalDoctorNoTools},
		{m.Vision, msg.LocalDoctorVision, ""},
		{m.Reasoning, msg.LocalDoctorThinks, ""},
	} {
		switch {
		case a.can == local.Yes:
			words = append(words, c.Text(a.yes))
		case a.can == local.No && a.no != "":
			words = append(words, c.Text(a.no))
		}
	}
	if m.Embeds {
		words = []string{c.Text(msg.LocalDoctorEmbeds)}
	}
	if len(words) == 0 {
		return m.Name
	}
	return m.Name + ": " + strings.Join(words, ", ")
}
