package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// questions are what the person was asked and has not answered. shown is when the one that is due was put on the screen.
type questions struct {
	open  []agent.Ask
	shown time.Time
}

// event keeps the list up to date: whoever answers first wins, also from elsewhere.
func (q *questions) event(e agent.Event) {
	switch {
	case e.Type == agent.EvAsk && e.Ask != nil:
		q.open = append(q.open, *e.Ask)
	case e.Type == agent.EvAnswer && e.Answer != nil:
		q.drop(e.Answer.ID)
	case e.Type == agent.EvMessage && e.Message != nil && e.Message.Result() != nil:
		key := e.Message.Result().Key + "/" // what the call has asked is of no use any more
		q.open = slices.DeleteFunc(q.open, func(a agent.Ask) bool { return strings.HasPrefix(a.ID, key) })
	case e.Type == agent.EvEnd, e.Type == agent.EvVoid:
		q.open = nil
	}
}

func (q *questions) drop(id string) {
	q.open = slices.DeleteFunc(q.open, func(a agent.Ask) bool { return a.ID == id })
}

func (q *questions) has(id string) bool {
	return slices.ContainsFunc(q.open, func(a agent.Ask) bool { return a.ID == id })
}

// first is the question that is due.
func (q *questions) first() (agent.Ask, bool) {
	if len(q.open) == 0 {
		return agent.Ask{}, false
	}
	return q.open[0], true
}

// ask is the text of a question, and what can be answered, each with its line end.
func ask(c msg.Catalogue, a agent.Ask) (text, how string) {
	text = "? " + strings.TrimSpace(a.Text) + "\n"
	for i, choice := range a.Choices {
		text += "  " + strconv.Itoa(i+1) + ". " + oneLine(choice) + "\n"
	}
	switch {
	case len(a.Choices) > 0 && a.Kind == agent.Selection:
		how = c.Text(msg.AskSelect)
	case len(a.Choices) > 0:
		how = c.Text(msg.AskChoices)
	case a.Kind != agent.Approval:
		how = c.Text(msg.AskWords)
	case len(a.Rules) > 0:
		text, how = text+changed(c, a.Call), c.Text(msg.AskAlways, oneLine(strings.Join(a.Rules, ", ")))
	default:
		text, how = text+changed(c, a.Call), c.Text(msg.AskYesNo)
	}
	return text, how + "\n"
}

// changed is what the call of a question would change, below the question, so that nobody has to allow what is not seen.
func changed(c msg.Catalogue, call *agent.Call) string {
	var b strings.Builder
	for i, line := range change(call) {
		if i == changeLines {
			b.WriteString("    " + c.Text(msg.AskMoreLines, len(change(call))-changeLines) + "\n")
			break
		}
		b.WriteString("    " + cut(strings.TrimRight(line, "\r"), changeWidth) + "\n")
	}
	return b.String()
}
