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

// both is what now and later have to say, of which each may be nil.
func both(now, later *agent.Note) *agent.Note {
	if now == nil || later == nil {
		return cmp.Or(now, later)
	}
	last := now
	for last.Next != nil {
		last = last.Next
	}
	last.Later = later.Later
	return now
}

// launches are the texts of skills that the Skill tool has invoked inline, in the order of the calls: a note for each, so
// that a crash between two of them loses none.
func launches(s *agent.Session) (first *agent.Note) {
	var keys []string
	for key := range s.State {
		if strings.HasPrefix(key, launchKey) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		x, y := placeOf(a), placeOf(b)
		return cmp.Or(cmp.Compare(x.seq, y.seq), cmp.Compare(x.nth, y.nth))
	})
	end := &first
	for _, key := range keys {
		note := &agent.Note{State: map[string]json.RawMessage{key: json.RawMessage("null")}}
		*end, end = note, &note.Next
		var text string
		if json.Unmarshal(s.State[key], &text) != nil || text == "" {
			continue
		}
		m := agent.TextMessage(agent.User, text)
		m.From = Name
		note.Messages = []agent.Message{m}
	}
	return first
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
