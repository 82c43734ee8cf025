package todo

import (
	"context"
	"encoding/json"
	"strings"

	"react-agent/agent"
)

const (
	// nagKey is there from the first reminder on until the tool is used, or the person speaks.
	nagKey = Name + "/reminded"

	patience = 3
	reminder = "<reminder>Update your todos.</reminder>"
)

// Hook reminds the model of the list. It keeps nothing itself, so it may serve many sessions.
func Hook() agent.Hook {
	return agent.Hook{Name: Name, Inject: remind, AfterTool: settle}
}

func remind(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
	l := Of(s)
	if stopping || l.Done() == len(l) {
		return nil, nil
	}
	n, since := rounds(s.Messages)
	_, reminded := s.State[nagKey]
	switch {
	case reminded && since == hidden: // it goes on where a compaction has cut
		n = max(n, patience)
	case reminded && n < patience:
		return &agent.Note{State: map[string]json.RawMessage{nagKey: json.RawMessage("null")}}, nil
	}
	if n < patience || s.Messages[len(s.Messages)-1].Role != agent.ToolRole {
		return nil, nil
	}
	m := agent.TextMessage(agent.User, reminder)
	m.From = Name
	note := &agent.Note{Messages: []agent.Message{m}}
	if !reminded {
		note.State = map[string]json.RawMessage{nagKey: json.RawMessage("true")}
	}
	return note, nil
}

// begun says from where rounds were counted.
type begun int

const (
	seen   begun = iota // from the person's message, or from a call of the tool
	hidden              // that lies behind a compaction
)

// rounds counts the newest rounds that have not used the tool.
func rounds(messages []agent.Message) (n int, since begun) {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if i+1 < len(messages) && messages[i+1].Seq < m.Seq { // what a compaction has put in front of older ones
			return n, hidden
		}
		calls := m.Calls()
		switch {
		case m.Role == agent.User && m.From == "":
			return n, seen
		case m.Role != agent.Assistant || len(calls) == 0:
			continue
		}
		for _, c := range calls {
			if isTool(c.Name) {
				return n, seen
			}
		}
		n++
	}
	return n, hidden
}

// isTool knows the tool by a name as models write them.
func isTool(name string) bool {
	return strings.HasSuffix(strings.ToLower(strings.ReplaceAll(name, "_", "")), "todowrite")
}

// turnedDown is how it begins, in any face's words, what is said of arguments that the kernel did not let through.
const turnedDown = "invalid arguments"

// settle answers calls whose arguments the kernel has turned down as the tool would have: its rules are wider, and its
// words its own. A call does not bring its list back after a later one of the same message.
func settle(_ context.Context, s *agent.Session, c agent.Call, r *agent.Result) error {
	if c.Name != ToolName {
		return nil
	}
	if r.Error && strings.HasPrefix(strings.TrimPrefix(r.Text(), "Error: "), turnedDown) {
		if _, fault := parse(c.Args); fault != noItems {
			own, err := write(c.Args)
			if err != nil {
				return err
			}
			*r = own
		}
	}
	if overtaken(s.Messages, c.Key) {
		delete(r.State, StateKey)
	}
	return nil
}

// overtaken reports whether a later call of the same message has set the list already.
func overtaken(messages []agent.Message, key string) bool {
	results := map[string]bool{}
	i := len(messages) - 1
	for ; i >= 0 && messages[i].Role == agent.ToolRole; i-- {
		results[messages[i].Result().Key] = !messages[i].Result().Error
	}
	if i < 0 {
		return false
	}
	later := false
	for _, o := range messages[i].Calls() {
		if later && isTool(o.Name) && results[o.Key] {
			return true
		}
		later = later || o.Key == key
	}
	return false
}

// Carry is the list for a compaction: what is done and what is not, apart, word for word. "" when there is none.
func Carry(s *agent.Session) string {
	var done, left []string
	for _, it := range Of(s) {
		switch it.Status {
		case Completed:
			done = append(done, "- "+it.Content)
		case InProgress:
			left = append(left, "- "+it.Content+" (in progress: "+it.ActiveForm+")")
		default:
			left = append(left, "- "+it.Content)
		}
	}
	if len(done)+len(left) == 0 {
		return ""
	}
	var parts []string
	if len(done) > 0 {
		parts = append(parts, "Done:\n"+strings.Join(done, "\n"))
	}
	if len(left) > 0 {
		parts = append(parts, "Not done:\n"+strings.Join(left, "\n"))
	}
	return "The todo list (" + ToolName + " keeps it):\n" + strings.Join(parts, "\n")
}
