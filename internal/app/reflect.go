package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/reflect"
)

// book has the proposals of the project.
func (p *product) book() *reflect.Book {
	sum := sha256.Sum256([]byte(p.content.root))
	return reflect.NewBook(p.store, "reflect/"+hex.EncodeToString(sum[:4]))
}

// learnt is the section that the person has approved for this profile. Where it cannot be read the agent works without, and
// the person is told. A sub-agent was told what to do.
func (p *product) learnt(ctx context.Context, k *cast) string {
	if k.child != nil {
		return ""
	}
	x, err := p.book().Holds(ctx, p.face.Name)
	if err != nil {
		p.warn(msg.For(p.c.Language).Text(msg.ReflectNotRead, err))
		return ""
	}
	return reflect.Section(x)
}

// desk is where the agent of a session reflects.
func (p *product) desk(_ context.Context, session string) *reflect.Desk {
	return &reflect.Desk{
		Book: p.book(), Face: p.face.Name, Prompt: p.face.Prompt, Mask: p.secrets.Mask, Lang: string(p.c.Language),
		Changed: func() { p.engine.Refresh(session) },
		Ask: func(ctx context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
			spec := engine.Spec{Session: session}
			model, err := p.modelFor(ctx, spec)
			if err != nil {
				return agent.Message{}, nil, err
			}
			k, err := p.cast(ctx, model, spec)
			if err != nil {
				return agent.Message{}, nil, err
			}
			return askOnce(ctx, k.asked, req)
		},
	}
}

// reflectFacts are what doctor says of it: that the prompt is not only the profile's.
func (p *product) reflectFacts(ctx context.Context) []command.Fact {
	c := p.host.Msg
	x, err := p.book().Holds(ctx, p.face.Name)
	switch {
	case err != nil:
		return []command.Fact{{Group: "reflect", Name: p.face.Name, Value: c.Err(err), Bad: true}}
	case x.N == 0:
		return nil
	}
	f := command.Fact{Group: "reflect", Name: p.face.Name, Value: c.Text(msg.ReflectFact, x.N, len(x.Text)), Origin: "/reflect show " + itoa(x.N)}
	if x.Prompt != reflect.Hash(p.face.Prompt) {
		f.Fix = c.Text(msg.ReflectOldPrompt)
	}
	return []command.Fact{f}
}
