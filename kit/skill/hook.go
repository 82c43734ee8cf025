package skill

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"react-agent/agent"
)

// Hook brings the texts of invoked skills into the conversation, tells the tools what stands there already, and makes
// `disallowed-tools` and `effort` of a header hold in its turn. It keeps nothing that is not in the session's State.
func (s *Set) Hook() agent.Hook {
	return agent.Hook{
		Name: Name,
		OnSession: func(_ context.Context, x *agent.Session, start bool) {
			if !start {
				s.views.drop(x.ID)
			}
		},
		Inject: func(_ context.Context, x *agent.Session, _ bool) (*agent.Note, error) {
			return turned(x, both(launches(x), s.called(x))), nil
		},
		BeforeModel: s.beforeModel,
		BeforeTool: func(_ context.Context, x *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
			if t.Name == toolView || t.Name == toolSkill {
				s.views.look(x)
			}
			return s.judge(x, t, c), nil
		},
	}
}

// both is one note of two, of which each may be nil.
func both(now, later *agent.Note) *agent.Note {
	if now != nil && later != nil {
		now.Later = later.Later
	}
	return cmp.Or(now, later)
}

// launches are the texts of skills that the Skill tool has invoked inline, in the order of the calls.
func launches(s *agent.Session) *agent.Note {
	var keys []string
	for key := range s.State {
		if strings.HasPrefix(key, launchKey) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := placeOf(a), placeOf(b)
		if x.seq != y.seq {
			return int(max(-1, min(1, x.seq-y.seq)))
		}
		return x.nth - y.nth
	})
	note := &agent.Note{State: map[string]json.RawMessage{}}
	for _, key := range keys {
		note.State[key] = json.RawMessage("null")
		var text string
		if json.Unmarshal(s.State[key], &text) != nil || text == "" {
			continue
		}
		m := agent.TextMessage(agent.User, text)
		m.From = Name
		note.Messages = append(note.Messages, m)
	}
	return note
}

// beforeModel shows the model only the tools that no skill takes away, and sets the effort of the last invoked that has one.
func (s *Set) beforeModel(_ context.Context, x *agent.Session, req *agent.Request) error {
	if list := limits(x); len(list) > 0 {
		req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t agent.Tool) bool { return s.withheld(list, &t) != nil })
	}
	for _, v := range Active(x) { // the last invoked comes first
		if v.Effort != "" {
			req.Effort = v.Effort
			break
		}
	}
	return nil
}

// join puts State together.
func join(states ...map[string]json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, s := range states {
		maps.Copy(out, s)
	}
	return out
}
