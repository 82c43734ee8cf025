package offline

import (
	"maps"
	"regexp"

	"react-agent/agent"
)

// voice is a sub-agent's rule ready to match.
type voice struct {
	Agent
	system, message *regexp.Regexp
}

// voices compiles; one whose expressions are wrong never speaks.
func voices(agents []Agent) []voice {
	var out []voice
	for _, a := range agents {
		v := voice{Agent: a, system: expression(a.System), message: expression(a.Message)}
		if v.system != nil && v.message != nil && a.System != "" && len(a.Replies) > 0 {
			out = append(out, v)
		}
	}
	return out
}

// asAgent answers for a sub-agent; false: the system prompt is nobody's.
func (m *Model) asAgent(req *agent.Request) (string, bool) {
	task, turns := "", 0
	for _, msg := range req.Messages {
		switch {
		case msg.Role == agent.Assistant:
			turns++
		case msg.Role == agent.User && task == "":
			task = msg.Text()
		}
	}
	for _, v := range m.voices {
		of := v.system.FindStringSubmatchIndex(req.System)
		at := v.message.FindStringSubmatchIndex(task)
		if of == nil || at == nil {
			continue
		}
		values := groups(v.system, req.System, of)
		maps.Copy(values, groups(v.message, task, at))
		return v.Replies[min(turns, len(v.Replies)-1)].with(values), true
	}
	return "", false
}

// with puts values into a reply.
func (r Reply) with(values map[string]string) string {
	s := scope{get: func(name, _ string) (string, bool) { v, ok := values[name]; return v, ok }}
	if r.JSON == "" {
		out, _ := s.fill(r.Text)
		return out
	}
	s.as = func(_, _, v string) string { return inJSON(v) }
	out, _ := s.fill(r.JSON)
	return out
}
