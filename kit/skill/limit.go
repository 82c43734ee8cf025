package skill

import (
	"encoding/json"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/toolname"
)

// Keys of the limits that a session has from its beginning: those of its parent when it was started, and those of the skill
// that it works on. They hold as long as the session is there.
const (
	limitsKey = Name + "/limits"
	ownLimits = Name + "/fork-limits"
)

// limit is what a skill takes away.
type limit struct {
	Skill string   `json:"skill"`
	Rules []string `json:"rules"` // names of tools, or patterns of their calls
	// Lasting says that it does not end when the person speaks.
	Lasting bool `json:"-"`
}

// limits are those that hold in a session now.
func limits(x *agent.Session) []limit {
	var out []limit
	for _, v := range Active(x) {
		if len(v.Disallowed) > 0 {
			out = append(out, limit{Skill: v.Name, Rules: v.Disallowed})
		}
	}
	for _, key := range []string{ownLimits, limitsKey} {
		var list []limit
		if json.Unmarshal(x.State[key], &list) != nil { // there are none
			continue
		}
		for _, l := range list {
			l.Lasting = true
			out = append(out, l)
		}
	}
	return out
}

// Limits is the State by which a sub-agent has from its beginning what skills take away in its parent's session now; nil:
// nothing is taken away.
func Limits(parent *agent.Session) map[string]json.RawMessage {
	return stateOf(limitsKey, limits(parent))
}

func stateOf(key string, list []limit) map[string]json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	raw, err := agent.EncodeJSON(list)
	if err != nil { // it is texts
		return nil
	}
	return map[string]json.RawMessage{key: raw}
}

// limitState is what the sub-agent of a skill has: the skill's own limits.
func (k *Skill) limitState() map[string]json.RawMessage {
	if len(k.DisallowedTools) == 0 {
		return nil
	}
	return stateOf(ownLimits, []limit{{Skill: k.Name, Rules: k.DisallowedTools}})
}

// takesAway reports whether a rule takes a whole tool away, whatever a call of it says.
func (s *Set) takesAway(rule string, t *agent.Tool) bool {
	name, pattern, ok := strings.Cut(rule, "(")
	if ok && s.o.Meets != nil && strings.Trim(pattern, " )") != "*" {
		return false
	}
	return means(strings.TrimSpace(name), t)
}

// means compares the name in a rule with those of a tool, in any case.
func means(name string, t *agent.Tool) bool {
	small := func(list []string) []string {
		out := make([]string, len(list))
		for i, n := range list {
			out[i] = strings.ToLower(n)
		}
		return out
	}
	return toolname.Means(small(toolname.All(name)), small(append([]string{t.Name, t.Alias}, t.Aliases...))...)
}

// withheld names the first limit that takes a whole tool away, nil if there is none.
func (s *Set) withheld(list []limit, t *agent.Tool) *limit {
	for i := range list {
		if slices.ContainsFunc(list[i].Rules, func(rule string) bool { return s.takesAway(rule, t) }) {
			return &list[i]
		}
	}
	return nil
}

// judge refuses a call that a skill takes away, and asks about one of which only running it would tell.
func (s *Set) judge(x *agent.Session, t agent.Tool, c agent.Call) agent.Decision {
	list := limits(x)
	if l := s.withheld(list, &t); l != nil {
		return agent.Decision{Verdict: agent.Deny, Reason: "the skill " + l.Skill + " takes the tool " + t.Shown() + " away" + l.until()}
	}
	if s.o.Meets == nil {
		return agent.Decision{}
	}
	var open agent.Decision
	for _, l := range list {
		for _, rule := range l.Rules {
			if !strings.Contains(rule, "(") {
				continue
			}
			switch sure, maybe := s.o.Meets(rule, t, c); {
			case sure:
				return agent.Decision{Verdict: agent.Deny, Reason: t.Shown() + " was not run: the skill " + l.Skill + " does not allow " + rule + l.until()}
			case maybe && open.Verdict == agent.Pass:
				open = agent.Decision{Verdict: agent.AskFirst, Reason: "the skill " + l.Skill + " does not allow " + rule + ", and only running this would tell whether it does that"}
			}
		}
	}
	return open
}

// until says when a limit ends, if it does.
func (l *limit) until() string {
	if l.Lasting {
		return ""
	}
	return " until the person speaks again"
}

// checkLimits notes the rules of a header by which nothing is taken away.
func (s *Set) checkLimits(k *Skill, f fields) {
	_, line := f.get("disallowed-tools")
	note := func(reason error) {
		k.notes = append(k.notes, Diagnostic{
			Code: FieldInvalid, Severity: Warn, File: k.File, Line: line, Reason: reason, Fix: msg.Errorf(msg.SkillFixLimit),
		})
	}
	for _, rule := range k.DisallowedTools {
		name, _, pattern := strings.Cut(rule, "(")
		if s.o.KnownTool != nil && !s.knows(strings.TrimSpace(name)) {
			note(msg.Errorf(msg.SkillLimitTool, rule))
			continue
		}
		if pattern && s.o.CheckRule != nil {
			if err := s.o.CheckRule(rule); err != nil {
				note(msg.Errorf(msg.SkillLimitRule, rule, err))
			}
		}
	}
}

// knows reports whether a name in a rule stands for a tool that may be there.
func (s *Set) knows(name string) bool {
	if strings.Contains(name, "*") {
		return true
	}
	return slices.ContainsFunc(append(toolname.All(name), strings.ToLower(name)), s.o.KnownTool)
}
