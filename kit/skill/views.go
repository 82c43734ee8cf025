package skill

import (
	"encoding/json"
	"sync"

	"react-agent/agent"
)

// view is what the tools know of a session: they run beside the loop, which owns the session.
type view struct {
	known   map[string]bool   // by the skill's key: it was invoked at some time
	present map[string]string // hash of its text, if that stands in the conversation
	within  string            // key of the skill whose sub-agent this is
}

// views has the view of each open session.
type views struct {
	mu sync.Mutex
	of map[string]view
}

func (v *views) look(s *agent.Session) {
	now := view{known: map[string]bool{}, present: map[string]string{}}
	for _, i := range Invoked(s) {
		key := NormalizeSkillName(i.Name)
		now.known[key] = true
		if i.present(s) {
			now.present[key] = i.Hash
		}
	}
	_ = json.Unmarshal(s.State[forkKey], &now.within) // nobody's: empty
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[string]view{}
	}
	v.of[s.ID] = now
}

func (v *views) get(session string) view {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of[session]
}

func (v *views) drop(session string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.of, session)
}
