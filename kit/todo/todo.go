package todo

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"react-agent/agent"
)

const (
	// Name is the hook's, and the From of its messages.
	Name = "todo"
	// ToolName is the tool's.
	ToolName = "TodoWrite"
	// StateKey is where a session keeps its list: an array of items, absent when there are none.
	StateKey = "todo"

	most = 20
)

// The states of an item.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
)

// Item is one thing to do.
type Item struct {
	Content    string `json:"content"`
	Status     string `json:"status"`
	ActiveForm string `json:"activeForm"`
}

// List is what is to be done, in the model's order.
type List []Item

// Done counts the completed items.
func (l List) Done() int {
	n := 0
	for _, it := range l {
		if it.Status == Completed {
			n++
		}
	}
	return n
}

// String renders the list for the model.
func (l List) String() string {
	if len(l) == 0 {
		return "No todos."
	}
	var b strings.Builder
	for _, it := range l {
		switch it.Status {
		case Completed:
			b.WriteString("[x] " + it.Content)
		case InProgress:
			b.WriteString("[>] " + it.Content + " <- " + it.ActiveForm)
		default:
			b.WriteString("[ ] " + it.Content)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n(%d/%d completed)", l.Done(), len(l))
	return b.String()
}

// Of is a session's list; empty when it has none.
func Of(s *agent.Session) List { return In(s.State) }

// In is the list in a state, or in what an event changes of it.
func In(state map[string]json.RawMessage) List {
	var l List
	if raw, ok := state[StateKey]; !ok || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

//go:embed todo_write.md
var doc string

// schema is the model's. Its required fields and values are for the model to see; what is wrong with a call is said by
// [parse], in the tool's own words.
const schema = `{"type":"object","properties":{"items":{"type":"array","description":"the whole list","items":{"type":"object",` +
	`"properties":{"content":{"type":"string","description":"what to do"},` +
	`"status":{"type":"string","enum":["pending","in_progress","completed"]},` +
	`"activeForm":{"type":"string","description":"the same as it is being done: Running the tests"}},` +
	`"required":["content","status","activeForm"]}}},"required":["items"]}`

// Tool is TodoWrite. It changes nothing but its session's list.
func Tool() agent.Tool {
	return agent.Tool{
		Name: ToolName, Doc: strings.TrimSpace(doc), Schema: json.RawMessage(schema), Effect: agent.Reads,
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) { return write(c.Args) },
	}
}

// write is the result of a call, with the new list in its State.
func write(args json.RawMessage) (agent.Result, error) {
	l, fault := parse(args)
	if fault != "" {
		r := agent.ErrorResult("Error: " + fault)
		r.State = map[string]json.RawMessage{nagKey: json.RawMessage("null")}
		return r, nil
	}
	r := agent.TextResult(l.String())
	var err error
	if r.State, err = l.state(); err != nil {
		return agent.Result{}, err
	}
	r.Detail, err = agent.EncodeJSON(map[string]string{"line": fmt.Sprintf("%d/%d", l.Done(), len(l))})
	return r, err
}

func (l List) state() (map[string]json.RawMessage, error) {
	raw, err := agent.EncodeJSON(l)
	if len(l) == 0 {
		raw = json.RawMessage("null")
	}
	return map[string]json.RawMessage{StateKey: raw, nagKey: json.RawMessage("null")}, err
}

// noItems is what is wrong with arguments that have no list of objects at all.
const noItems = "items must be a list of objects with content, status and activeForm"

// parse reads the arguments of a call; fault is what is wrong with them, in the words of the source system.
func parse(args json.RawMessage) (l List, fault string) {
	var in struct {
		Items []map[string]any `json:"items"`
	}
	dec := json.NewDecoder(strings.NewReader(string(args)))
	dec.UseNumber()
	if err := dec.Decode(&in); err != nil || in.Items == nil {
		return nil, noItems
	}
	doing := 0
	for i, m := range in.Items {
		it := Item{
			Content: strings.TrimSpace(field(m, "content", "")), Status: strings.ToLower(field(m, "status", Pending)),
			ActiveForm: strings.TrimSpace(field(m, "activeForm", "")),
		}
		switch {
		case it.Content == "":
			return nil, fmt.Sprintf("Item %d: content required", i)
		case it.Status != Pending && it.Status != InProgress && it.Status != Completed:
			return nil, fmt.Sprintf("Item %d: invalid status '%s'", i, it.Status)
		case it.ActiveForm == "":
			return nil, fmt.Sprintf("Item %d: activeForm required", i)
		case it.Status == InProgress:
			doing++
		}
		l = append(l, it)
	}
	switch {
	case len(l) > most:
		return nil, fmt.Sprintf("Max %d todos", most)
	case doing > 1:
		return nil, "Only one in_progress allowed"
	}
	return l, ""
}

// field is a text of an item; numbers and truth values are texts too.
func field(m map[string]any, name, absent string) string {
	switch v := m[name].(type) {
	case nil:
		return absent
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}
