package app

import (
	"errors"
	"maps"
	"strings"
)

// forget drops what is kept of a session and its children beside their logs when they are removed: what is in memory, what runs in their world,
// and the files in which the agent could read what had left its history. Those in a work directory are the person's.
func (p *product) forget(session string) error {
	gone := familyOf(session)
	p.unlearn(gone)
	return errors.Join(p.ownTranscripts().Drop(gone), p.giveUp(p.ctx, session), p.mates.Forget(p.ctx, session), p.peers.Forget(p.ctx, session))
}

// familyOf knows a session and its children.
func familyOf(session string) func(id string) bool {
	return func(id string) bool { return id == session || strings.HasPrefix(id, session+".") }
}

// unlearn drops what is in memory of sessions that are gone.
func (p *product) unlearn(gone func(id string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.choices, func(id string, _ choice) bool { return gone(id) })
	maps.DeleteFunc(p.applied, func(id string, _ bool) bool { return gone(id) })
}
