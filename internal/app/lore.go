package app

import (
	"context"
	"strings"
	"time"

	"react-agent/kit/instruct"
	"react-agent/kit/skill"
	"react-agent/kit/team"
)

// lore is what the files of a place tell agents: skills, standing orders, further agents.
type lore struct {
	skills *skill.Set
	orders *instruct.Set
	types  []team.Type
	read   time.Time
}

// crowded reports whether so many sessions work that nobody sits and watches what the next one knows.
func (p *product) crowded() bool {
	working, _ := p.engine.Load("")
	return working > 8
}

// loreOf reads the files anew for each session that a person opens, so that what was added counts in the next one. A
// sub-agent takes what its family has: a pipeline opens dozens of them, and they are to work by the same texts. Where many
// sessions work at once, those that are opened within a second share what was read.
func (p *product) loreOf(ctx context.Context, w *world, session string) (*lore, error) {
	p.places.Lock()
	l := w.lore
	p.places.Unlock()
	if l != nil && (strings.Contains(session, ".") || time.Since(l.read) < time.Second && p.crowded()) {
		return l, nil
	}
	set, err := p.openSkills(ctx, w)
	if err != nil {
		return nil, err
	}
	l = &lore{skills: set, orders: p.openInstructions(ctx, w), types: p.agentTypes(), read: time.Now()}
	p.places.Lock()
	w.lore = l
	p.places.Unlock()
	return l, nil
}
