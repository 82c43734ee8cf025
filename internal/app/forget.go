package app

import (
	"maps"
	"strings"
)

// forget drops what is remembered of a session and its children when they are removed.
func (p *product) forget(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	gone := func(id string) bool { return id == session || strings.HasPrefix(id, session+".") }
	maps.DeleteFunc(p.choices, func(id string, _ choice) bool { return gone(id) })
	maps.DeleteFunc(p.applied, func(id string, _ bool) bool { return gone(id) })
}
