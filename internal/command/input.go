package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/kit/mention"
)

// Given is an input as it was written: a line of --input jsonl, or the body of a request.
type Given struct {
	engine.Input
	// Typed says that the message is a plain string, which stands for what a person types: it may call commands and skills.
	Typed bool
	// Words says that the answer has a text and leaves open whether it allows: see [Worded].
	Words bool
}

// ReadInput reads an input. What is wrong with it is the person's mistake.
func ReadInput(data []byte) (Given, error) {
	var raw struct {
		engine.Input
		Message json.RawMessage `json:"message"`
		Edit    *int64          `json:"edit"`
		Answer  *struct {
			agent.Answer
			Allow *bool `json:"allow"`
		} `json:"answer"`
	}
	if err := decodeOne(data, &raw); err != nil {
		return Given{}, unreadable(err)
	}
	g := Given{Input: raw.Input}
	if raw.Edit != nil {
		if g.Edit = *raw.Edit; g.Edit < 1 {
			return Given{}, usage(msg.FaultEdit, g.Edit)
		}
	}
	if a := raw.Answer; a != nil {
		g.Words = a.Allow == nil && a.Text != ""
		a.Answer.Allow = a.Allow != nil && *a.Allow
		g.Answer = &a.Answer
	}
	if err := g.message(raw.Message); err != nil {
		return Given{}, err
	}
	if g.Message == nil && g.Answer == nil && !g.Cancel && !g.Quiet && g.Command == "" && g.Edit == 0 {
		return Given{}, usage(msg.UsageInputEmpty)
	}
	return g, nil
}

// message takes the message of an input in, if there is one.
func (g *Given) message(raw json.RawMessage) error {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	m, err := readMessage(raw)
	if err != nil {
		return unreadable(err)
	}
	g.Message, g.Typed = &m, raw[0] == '"'
	return outside(m)
}

// partsMax is how many parts a message may have that comes from outside.
const partsMax = 1000

// outside refuses what only this program says of its messages: who they are from, and marks of its own; and what says nothing.
func outside(m agent.Message) error {
	if m.From != "" {
		return usage(msg.InputFrom, "from")
	}
	if len(m.Parts) > partsMax {
		return usage(msg.InputParts, len(m.Parts), partsMax)
	}
	blank := len(m.Parts) > 0
	for _, p := range m.Parts {
		if o := p.Opaque; o != nil && (o.Origin != mention.Name || p.Text != "" || len(o.Data) > 64) { // our own client marks what was typed
			return usage(msg.InputFrom, "opaque")
		}
		blank = blank && p.Kind == agent.Text && strings.TrimSpace(p.Text) == ""
	}
	if blank {
		return usage(msg.InputBlank)
	}
	return nil
}

// decodeOne reads one JSON value, with nothing unknown in it and nothing behind it.
func decodeOne(data []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(to)
	if err == nil && dec.InputOffset() < int64(len(bytes.TrimRight(data, " \t\r\n"))) {
		err = &json.SyntaxError{Offset: dec.InputOffset() + 1}
	}
	return err
}

// unreadable says why a text is no input.
func unreadable(err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok { // no type tells it
		return usage(msg.UsageInputField, strings.Trim(name, `"`))
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return usage(msg.UsageInputType, e.Value, cmp.Or(strings.TrimPrefix(e.Field, "Input."), "{}"))
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return usage(msg.UsageInputSyntax, e.Offset)
	}
	return usage(msg.UsageInputJSON)
}

func readMessage(raw json.RawMessage) (agent.Message, error) {
	var text string
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &text)
		return agent.TextMessage(agent.User, text), err
	}
	var m agent.Message
	err := json.Unmarshal(raw, &m)
	if m.Role == "" {
		m.Role = agent.User
	}
	return m, err
}

// AnswerTo reads a person's line as the answer to a question. Where a yes or a no is wanted, other words are a no with a
// reason.
func AnswerTo(q agent.Ask, line string) agent.Answer {
	line = strings.TrimSpace(line)
	if n := ChoiceNumber(q, line); n > 0 {
		return agent.Answer{ID: q.ID, Allow: true, Text: q.Choices[n-1]}
	}
	if len(q.Choices) > 0 || q.Kind != agent.Approval {
		return agent.Answer{ID: q.ID, Allow: line != "", Text: line}
	}
	switch strings.ToLower(line) {
	case "y", "yes", "ok", "是", "好", "允许":
		return agent.Answer{ID: q.ID, Allow: true}
	case "a", "always", "总是", "一直":
		return agent.Answer{ID: q.ID, Allow: true, Always: true}
	case "n", "no", "", "否", "不", "不要":
		return agent.Answer{ID: q.ID}
	}
	return agent.Answer{ID: q.ID, Text: line}
}

// ChoiceNumber is the choice of a question that a line names by its number, from 1; 0 is none.
func ChoiceNumber(q agent.Ask, line string) int {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.Choices) {
		return n
	}
	return 0
}

// Worded is an answer in words as a person's line would be read, given the questions that are open. Only of an approval
// words are a no, with a reason.
func Worded(open []agent.Ask, a agent.Answer) agent.Answer {
	i := slices.IndexFunc(open, func(o agent.Ask) bool { return o.ID == a.ID })
	if i >= 0 && (len(open[i].Choices) > 0 || open[i].Kind != agent.Approval) && a.Text != agent.Nobody {
		return AnswerTo(open[i], a.Text)
	}
	return a
}

// Mistaken reports whether an error of an engine is one of the person, and puts it in the person's words.
func Mistaken(err error) (error, bool) {
	if errors.Is(err, engine.ErrGone) {
		return usage(msg.QueueTooLate), true
	}
	if wrong, ok := errors.AsType[*engine.InputError](err); ok {
		return usage(faultKey(wrong.Fault), wrong.Args...), true
	}
	if _, ok := AsUsage(err); ok || !errors.Is(err, engine.ErrInput) {
		return err, ok
	}
	return &UsageError{err}, true // in the words of an engine elsewhere
}

// faultKey are the words for what is wrong with an input.
func faultKey(f engine.Fault) msg.Key {
	switch f {
	case engine.FaultCount:
		return msg.FaultCount
	case engine.FaultEdit:
		return msg.FaultEdit
	case engine.FaultID:
		return msg.FaultID
	case engine.FaultAnswer:
		return msg.FaultAnswer
	case engine.FaultRole:
		return msg.FaultRole
	case engine.FaultEmpty:
		return msg.FaultEmpty
	case engine.FaultPart:
		return msg.FaultPart
	case engine.FaultNoCommands:
	}
	return msg.FaultNoCommands
}
