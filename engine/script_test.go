package engine_test

import (
	"testing"

	"react-agent/agent"
	"react-agent/engine/enginetest"
)

// The script runs against any Engine: here the one in process.
func TestScript(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		g := newGate()
		s := newSetup(t, st, enginetest.Replies()...)
		s.tools = []agent.Tool{g.Tool("work")}
		s.hooks = []agent.Hook{askBefore("work")}
		enginetest.Script(t, s.eng, g)
		stored(t, st, "s1")
	})
}
