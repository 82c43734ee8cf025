package command

import (
	"cmp"
	"regexp"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/answer"
	"react-agent/kit/guard"
	"react-agent/kit/instruct"
	"react-agent/kit/job"
	"react-agent/kit/memory"
	"react-agent/kit/plan"
	"react-agent/kit/shellhook"
	"react-agent/kit/skill"
	"react-agent/kit/team"
	"react-agent/kit/todo"
)

// Heard tells the person of a message which a part of the product has for the model: what it is about, in the person's
// language, in one line; of memories, one for each. None for a message whose matter another line tells already.
func Heard(c msg.Catalogue, m agent.Message) (lines []string) {
	if m.From == memory.Name {
		for _, r := range memory.Entered(&m) {
			lines = append(lines, c.Text(msg.HeardMemory, r.ID, r.Text))
		}
		return lines
	}
	if line := heard(c, m); line != "" {
		lines = []string{line}
	}
	return lines
}

func heard(c msg.Catalogue, m agent.Message) string {
	text := untagged(firstText(m))
	switch m.From {
	case skill.Name:
		return heardSkill(c, m)
	case team.Name, job.Name:
		return c.Text(msg.HeardBackground, text)
	case instruct.Name:
		return c.Text(msg.HeardInstr, ordersFor(text))
	case guard.Name:
		return c.Text(msg.HeardGuard)
	case todo.Name:
		return c.Text(msg.HeardTodo)
	case plan.Name:
		return c.Text(msg.HeardApproved)
	case plan.GoalName: // its state is told
		return ""
	case answer.Name:
		return c.Text(msg.HeardUnfit, answer.Faults(text))
	case shellhook.Name:
		return c.Text(msg.HeardHook, text)
	}
	return "+ " + m.From + ": " + text
}

func heardSkill(c msg.Catalogue, m agent.Message) string {
	how, name, rest := skill.Entered(&m)
	rest = firstSaid(rest)
	switch how {
	case skill.EnteredText, skill.EnteredName:
		return "+ /" + name
	case skill.EnteredRouted:
		return c.Text(msg.HeardRouted, name)
	case skill.EnteredAnswer:
		return c.Text(msg.HeardAnswer, name, rest)
	case skill.EnteredFault:
		return c.Text(msg.HeardFault, name, rest)
	case skill.EnteredNot:
		return c.Text(msg.HeardNot, name, rest)
	}
	return ""
}

// ordersFor lists the directories that a message with standing orders names.
func ordersFor(text string) string {
	var list []string
	for _, at := range regexp.MustCompile(`(?m)^For the work in (.+?) (?:there are|these hold) `).FindAllStringSubmatch(text, -1) {
		list = append(list, at[1])
	}
	return cmp.Or(strings.Join(list, ", "), text)
}

// firstSaid is the first line that says something.
func firstSaid(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// firstText is the first text of a message, which says what it is about.
func firstText(m agent.Message) string {
	for _, p := range m.Parts {
		if p.Kind == agent.Text {
			return p.Text
		}
	}
	return ""
}

// untagged takes off the lines that only mark a text for the model.
func untagged(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	tag := func(line string) bool {
		line = strings.TrimSpace(line)
		return strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">") && strings.Count(line, "<") == 1
	}
	if n := len(lines); n > 2 && tag(lines[0]) && tag(lines[n-1]) {
		lines = lines[1 : n-1]
	}
	return strings.Join(lines, "\n")
}
