package shellhook

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"react-agent/agent"
)

// about is what commands are told of a call, and the names they may match.
func about(c agent.Call) (names []string, more map[string]any) {
	names = append([]string{c.Name}, aliases(c.Name)...)
	more = map[string]any{"tool_name": c.Name, "tool_input": outward(c.Name, c.Args), "tool_use_id": c.ID}
	if len(names) > 1 {
		more["tool_alias"] = names[1]
	}
	return names, more
}

// beforeTool asks the PreToolUse commands. When they have changed the arguments all hooks are asked again; the commands
// are not, unless somebody else has changed them too.
func (h *Hooks) beforeTool(ctx context.Context, s *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
	h.mu.Lock()
	v, ok := h.judged[c.Key]
	h.mu.Unlock()
	if ok && bytes.Equal(v.args, c.Args) {
		return v.decision, nil
	}
	names, more := about(c)
	a := h.call(ctx, preToolUse, s.ID, names, more)
	if a.ends {
		return agent.Decision{}, h.stopError(a)
	}
	v = verdict{args: c.Args, context: append(v.context, a.context...), decision: decision(a)}
	if a.input != nil && v.decision.Verdict != agent.Deny {
		if args, err := agent.EncodeJSON(inward(c.Name, outward(c.Name, c.Args), a.input)); err == nil {
			v.args = args
		}
	}
	h.mu.Lock()
	h.judged[c.Key] = v
	h.mu.Unlock()
	d := v.decision
	if !bytes.Equal(v.args, c.Args) {
		d.Args = v.args
	}
	return d, nil
}

func decision(a answer) agent.Decision {
	switch {
	case a.blocked:
		return agent.Decision{Verdict: agent.Deny, Reason: says("refused by the hook", a.by, a.reason)}
	case a.permission == "deny":
		return agent.Decision{Verdict: agent.Deny, Reason: says("refused by the hook", a.permits, a.why)}
	case a.permission == "ask":
		return agent.Decision{Verdict: agent.AskFirst, Reason: says("asked by the hook", a.permits, a.why)}
	}
	return agent.Decision{}
}

// says is the reason for the model and the person: what happens, because of which hook, and what it says.
func says(what, hook, why string) string {
	if why = strings.TrimSpace(why); why != "" {
		why = ": " + why
	}
	return what + " " + hook + why
}

func (h *Hooks) afterTool(ctx context.Context, s *agent.Session, c agent.Call, r *agent.Result) error {
	h.mu.Lock()
	said := h.judged[c.Key].context
	delete(h.judged, c.Key)
	h.mu.Unlock()
	r.Parts = slices.Clone(r.Parts)
	if !s.Started[c.Key] { // turned down: nothing was used
		tell(r, said...)
		return nil
	}
	names, more := about(c)
	event := postToolUse
	if r.Error {
		event = postToolUseFailure
		more["error"] = r.Text()
	}
	more["tool_response"] = map[string]any{"content": r.Text(), "is_error": r.Error}
	a := h.call(ctx, event, s.ID, names, more)
	if a.output != nil {
		r.Parts = []agent.Part{agent.TextPart(h.mask(plainText(a.output)))}
	}
	if a.blocked {
		said = append(said, orElse(a.reason, "blocked by the "+event+" hook "+a.by))
	}
	tell(r, append(said, a.context...)...)
	if a.ends {
		return h.stopError(a)
	}
	return nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// tell adds to a result what the model has to know.
func tell(r *agent.Result, lines ...string) {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			r.Parts = append(r.Parts, agent.TextPart("\n[hook] "+line))
		}
	}
}

// Asker puts PermissionRequest and Notification commands before a person who is asked; next may be nil: nobody is there.
func (h *Hooks) Asker(next func(ctx context.Context, q agent.Ask) (agent.Answer, error)) func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
	return func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
		session := ""
		if q.Call != nil {
			session = q.Call.Key[:max(0, strings.LastIndexByte(q.Call.Key, '/'))]
		}
		if q.Call != nil && q.Kind == agent.Approval {
			names, more := about(*q.Call)
			a := h.call(ctx, permissionRequest, session, names, more)
			switch {
			case a.blocked:
				return agent.Answer{Text: says("refused by the hook", a.by, a.reason)}, nil
			case a.permission == "deny":
				return agent.Answer{Text: says("refused by the hook", a.permits, a.why)}, nil
			case a.permission == "allow":
				return agent.Answer{Allow: true, Text: a.why}, nil
			}
		}
		if next == nil {
			return agent.Answer{Text: agent.Nobody}, nil
		}
		h.Notify(ctx, session, q.Text, "permission_prompt")
		return next(ctx, q)
	}
}
