package team

import (
	"encoding/json"

	"react-agent/agent"
)

// others are the names that other agents have for the arguments of task; skills and models that come from there use them.
func others() map[string]string {
	return map[string]string{"subagent_type": "agent_type", "description": "title", "run_in_background": "background"}
}

// ownNames gives the arguments of task our names. One that stands there under our own name stays as it is.
func ownNames(args json.RawMessage) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(args, &m); err != nil {
		return args, nil //nolint:nilerr // what is broken is left to the check
	}
	changed := false
	for theirs, ours := range others() {
		value, ok := m[theirs]
		if !ok {
			continue
		}
		if _, own := m[ours]; !own {
			m[ours] = value
		}
		delete(m, theirs)
		changed = true
	}
	if !changed {
		return args, nil
	}
	return agent.EncodeJSON(m)
}

// titleOf is what a call says in a few words of its task; empty: nothing, or nothing that is a text.
func titleOf(args json.RawMessage) string {
	var a struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	return a.Title
}
