package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/attach"
	"react-agent/kit/mention"
	"react-agent/kit/policy"
	"react-agent/server/native"
)

// native is what the engine's interface over HTTP is made of.
func (p *product) native() native.Options {
	return native.Options{
		Engine: p.engine, Blobs: p.store, Msg: msg.For(p.c.Language), Logger: p.log.logger, Frames: p.engine.Frames, Span: p.engine.Span,
		Prepare: p.handed, Attach: p.uploaded, Files: attach.MaxFiles, Bytes: attach.MaxTotal,
		Delete: func(ctx context.Context, session string) error { return command.Remove(ctx, p.host, session) },
		Fill:   func(ctx context.Context, session string) (any, error) { return p.fill(ctx, session) },
		About:  func(ctx context.Context, session string) (any, error) { return p.about(ctx, session) },
		Board:  func(ctx context.Context) (any, error) { return p.boardNow(ctx) },
	}
}

// handed makes ready what came in over HTTP, as a front end on this machine does.
func (p *product) handed(ctx context.Context, session string, in *engine.Input, typed bool) (done func(), err error) {
	done = func() {}
	if in.Message == nil {
		return done, nil
	}
	if in.Edit != 0 { // it stays a message, and what waits on the tray goes with the next one
		p.texts(ctx, in.Message)
		if err := p.host.Sendable(ctx, session, in.Message); err != nil {
			return done, &command.UsageError{Err: err}
		}
		return done, nil
	}
	if typed {
		l, err := command.ReadMessage(ctx, p.host, session, *in.Message)
		switch {
		case err != nil:
			return done, err
		case l.Command != "":
			in.Command, in.Message = l.Command, nil
			return done, nil
		}
		in.Message = &l.Message
	}
	p.texts(ctx, in.Message)
	m, sent, err := command.Attached(ctx, p.host, session, *in.Message)
	if err != nil {
		return done, err
	}
	in.Message = &m
	return func() { p.host.Tray.Sent(session, sent) }, nil
}

// texts puts uploaded texts into a message as the files stand in it that a person attaches here.
func (p *product) texts(ctx context.Context, m *agent.Message) {
	isText := func(part agent.Part) bool {
		return part.Kind == agent.BlobKind && part.Blob != nil && part.Blob.MIME == textMIME
	}
	if !slices.ContainsFunc(m.Parts, isText) {
		return
	}
	if !mention.Marked(m) { // what is in the files mentions nothing
		command.Typed(m, len(m.Text()))
	}
	var parts []agent.Part
	for _, part := range m.Parts {
		if isText(part) {
			if data, err := p.store.GetBlob(ctx, part.Blob.SHA256); err == nil { // it was there a moment ago
				parts = append(parts, mention.Block(part.Blob.Name, []agent.Part{agent.TextPart(strings.ToValidUTF8(string(data), "\uFFFD"))})...)
				continue
			}
		}
		parts = append(parts, part)
	}
	m.Parts = parts
}

// textMIME is what an uploaded text is until it stands in a message.
const textMIME = "text/plain"

// uploaded says what a file is that came in over HTTP.
func (p *product) uploaded(_ context.Context, name string, data []byte) (agent.Blob, error) {
	item, err := attach.Options{Msg: msg.For(p.c.Language)}.Bytes(cmp.Or(name, p.host.Msg.Text(msg.NativeNoName)), data)
	if err != nil {
		return agent.Blob{}, &command.UsageError{Err: err}
	}
	for _, part := range item.Parts {
		if part.Blob != nil {
			b := *part.Blob
			b.Name = name
			return b, nil
		}
	}
	return agent.Blob{MIME: textMIME, Name: name, Data: data}, nil
}

// facts of a program for those who are elsewhere.
type aboutThis struct {
	Name     string         `json:"name"`
	Version  string         `json:"version"`
	Profile  string         `json:"profile"`
	Language string         `json:"language"`
	WorkDir  string         `json:"workdir"`
	Absent   bool           `json:"absent,omitempty"` // there is no such session yet
	Model    string         `json:"model"`
	Models   []string       `json:"models"`
	Mode     policy.Mode    `json:"mode"`
	Modes    []policy.Mode  `json:"modes"`
	Commands []aboutCommand `json:"commands"`
	Skills   []aboutCommand `json:"skills"`
}

// aboutCommand is what can be typed behind a slash.
type aboutCommand struct {
	Name string `json:"name"`
	Args string `json:"args,omitempty"`
	Help string `json:"help"`
}

// about says what the program is and can do for a session; "" is a new one.
func (p *product) about(ctx context.Context, session string) (aboutThis, error) {
	s, absent := agent.NewSession(session), false
	if session != "" {
		var err error
		if s, err = p.fold(ctx, session); err != nil {
			return aboutThis{}, err
		}
		info, err := p.engine.Info(ctx, session)
		if err != nil {
			return aboutThis{}, err
		}
		absent = info.Seq == 0 && !info.Running && len(info.Queue) == 0
	}
	a := aboutThis{
		Name: "react-agent", Version: p.o.Version, Profile: p.face.Name, Language: string(p.c.Language), WorkDir: p.c.WorkDir,
		Model: p.modelOf(ctx, session), Mode: policy.ModeOf(s, p.mode()), Modes: []policy.Mode{policy.Ask, policy.Auto, policy.ReadOnly, policy.Plan, policy.Yolo},
		Absent: absent, Models: []string{}, Commands: []aboutCommand{}, Skills: []aboutCommand{},
	}
	if list, err := p.modelList(ctx, session); err == nil { // what is wrong with it is met by whoever asks it
		a.Models = modelNames(list)
	}
	for _, c := range command.All() {
		if c.Slash {
			a.Commands = append(a.Commands, aboutCommand{Name: "/" + c.Name, Args: c.Args, Help: p.host.Msg.Text(c.Help)})
		}
	}
	set, err := p.skillsOf(ctx, session)
	if err != nil {
		return a, err
	}
	for _, k := range set.ForUser() {
		a.Skills = append(a.Skills, aboutCommand{Name: "/" + k.Name, Help: k.Description})
	}
	return a, nil
}

// modelNames are the models that /model takes, by their full names.
func modelNames(l command.ModelList) []string {
	names := []string{}
	for _, m := range slices.Concat([]command.Listed{l.Now}, l.Models, l.Vendors) {
		name := m.Model
		if m.Provider != "" && name != "" {
			name = m.Provider + "/" + name
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
