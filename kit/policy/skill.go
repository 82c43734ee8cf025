package policy

import (
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/toolname"
)

// skillTool reports whether a tool reads or invokes a skill, and by which of its arguments the skill is named.
func skillTool(t agent.Tool) (argument string, ok bool) {
	if !slices.Contains(toolname.All("skill"), t.Name) {
		return "", false
	}
	if t.Name == "Skill" {
		return "skill", true
	}
	return "name", true
}

// isNamed compares a rule with the name in a call. Skills are compared in every spelling that finds them; in a rule the name
// may be followed by " *" or ":*", for any arguments.
func (p *Policy) isNamed(r Rule, q *subject) bool {
	if q.named == "" || r.spec == "" {
		return false
	}
	if _, ok := skillTool(q.tool); !ok {
		return toolname.Match(r.spec, q.named)
	}
	spec := r.spec
	for _, rest := range []string{" *", ":*"} {
		if head, ok := strings.CutSuffix(spec, rest); ok && head != "" {
			spec = head
		}
	}
	return toolname.Match(p.skillName(spec), p.skillName(q.named))
}

// skillName is the form in which names of skills are compared.
func (p *Policy) skillName(name string) string {
	if p.o.SkillName == nil {
		return name
	}
	return p.o.SkillName(name)
}
