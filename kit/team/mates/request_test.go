package mates

import (
	"fmt"
	"testing"
	"time"

	"react-agent/agent/agenttest"
	"react-agent/store"
)

// Handshakes do not pile up: when a teammate ends, those go that are its own or answered, and an hour old. A broken one is
// told once, and nobody fails by it.
func TestHandshakesGo(t *testing.T) {
	in(t, func(t *testing.T, r *rig) {
		old := time.Now().Add(-2 * time.Hour)
		for id, x := range map[string]request{
			"00000001": {Kind: ShutdownRequest, Session: "s.7", Status: approved, At: old},
			"00000002": {Kind: PlanResponse, Session: "s.1", Status: pending, At: old},
			"00000003": {Kind: PlanResponse, Session: "s.7", Status: pending, At: old}, // of one who lives
			"00000004": {Kind: ShutdownRequest, Session: "s.7", Status: rejected, At: time.Now()},
		} {
			if err := edit(t.Context(), r.mates, requestKey(id), func(now *request) error { *now = x; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.store.Put(t.Context(), store.Doc{Key: requestKey("0000000f"), Data: []byte("{")}); err != nil {
			t.Fatal(err)
		}
		r.say(Lead, spawn("bob"), call(toolStop, args{"teammate": "bob"}), agenttest.Say("started"))
		r.tell("go")
		r.pass(2 * time.Minute)
		var left []string
		for d, err := range r.store.List(t.Context(), "request/") {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, d.Key)
		}
		if len(left) != 4 || left[0] != requestKey("00000003") && left[1] != requestKey("00000003") {
			t.Errorf("%q", left)
		}
		if r.status("bob") != Shutdown || len(r.warns) != 1 {
			t.Errorf("bob is %s; told: %s", r.status("bob"), fmt.Sprint(r.warns))
		}
	})
}
