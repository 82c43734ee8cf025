package app

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/kit/memory"
)

// openMemory says where memories are; no file is touched. nil: they are switched off.
func (p *product) openMemory() *memory.Store {
	if on := p.c.Memory.Enabled; on != nil && !*on {
		return nil
	}
	o := memory.Options{
		Project: filepath.Join(p.dir, "memory.db"), Embedder: p.embedder(), Mask: p.secrets.Mask, Budget: p.c.Memory.Tokens, NoSync: p.noSync(),
		Lang: p.c.Language, Notice: func(err error) { p.warn(msg.For(p.c.Language).Err(err)) },
	}
	if user, err := p.c.UserState(); err == nil { // without a home there is none
		o.User = filepath.Join(user, "memory.db")
	}
	return memory.New(o)
}

// remembering adds the tools of the memory: in a face that shows all tools unless the configuration takes them away, in
// others when it asks for them.
func (p *product) remembering(tools []agent.Tool) []agent.Tool {
	want := !p.face.Only
	if p.c.Memory.Tools != nil {
		want = *p.c.Memory.Tools
	}
	if p.memory == nil || !want {
		return tools
	}
	return append(slices.Clip(tools), onBehalfOfCaller(p.memory.Tools())...)
}

// recalling brings memories in at the start of a turn. A sub-agent was told what to do.
func (p *product) recalling(k *cast) agent.Hook {
	if p.memory == nil || k.child != nil {
		return agent.Hook{}
	}
	h := p.memory.Hook()
	used := h.OnEvent
	h.OnEvent = func(ctx context.Context, e agent.Event) {
		if e.Type == agent.EvMessage && !looking(ctx) { // no look at every piece of text
			used(ctx, e)
		}
	}
	return onBehalfOf(k.Session, h)
}

// memoryFacts are what doctor says of the files.
func (p *product) memoryFacts(ctx context.Context) (facts []command.Fact) {
	c := p.host.Msg
	if p.memory == nil {
		return []command.Fact{{Group: "memory", Name: "memory", Value: c.Text(msg.MemoryOff), Origin: p.c.Origin("memory.enabled").In(c)}}
	}
	for _, st := range p.memory.Status(ctx) {
		f := command.Fact{Group: "memory", Name: string(st.Scope), Value: c.Text(msg.DoctorNotYet), Origin: st.Path}
		switch {
		case st.Err != nil:
			f.Value, f.Bad = c.Err(st.Err), true
		case st.Exists:
			var models []string
			for _, m := range slices.Sorted(maps.Keys(st.Models)) {
				models = append(models, fmt.Sprintf("%s: %d", m, st.Models[m]))
			}
			f.Value = c.Text(msg.MemoryStatus, st.Count, (st.Size+1023)>>10, strings.Join(models, ", "))
		}
		facts = append(facts, f)
	}
	return append(facts, p.vectorFacts()...)
}
