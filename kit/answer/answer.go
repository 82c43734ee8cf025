// Package answer makes a run end with JSON of a given form. Its hook puts a JSON Schema into the requests of a run, and
// looks at the answer before the run stops: one that does not fit goes back to the model with all that is wrong with it,
// twice at most. Then the run ends with an error of the kind invalid_response that names the faults.
//
// A wire that knows such a mode holds the model to the schema; the others tell it in words. Either way the answer is
// checked here, by the rules of [agent.CheckArgs]: types, required keys, enums, ranges and lengths. Keywords beyond these
// (anyOf, pattern, $ref) are for the model alone. A code fence around the JSON is taken off.
package answer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Name is the hook's, and the From of its messages.
const Name = "answer"

// again is how often a model may mend its answer.
const again = 2

// Schema is the form of an answer, a JSON object. It does not change and may be used by many runs at once.
type Schema struct{ raw json.RawMessage }

// Parse reads a JSON Schema whose top is an object: "type": "object". The error names the line where JSON is broken.
func Parse(data []byte) (*Schema, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
			upTo := data[:min(int(broken.Offset), len(data))]
			return nil, msg.Errorf(msg.SchemaNotJSON, 1+bytes.Count(upTo, []byte("\n")), err)
		}
		return nil, err
	}
	var top struct {
		Type any `json:"type"`
	}
	if data[0] != '{' || json.Unmarshal(data, &top) != nil {
		return nil, msg.Errorf(msg.SchemaNotObject)
	}
	if top.Type != "object" {
		return nil, msg.Errorf(msg.SchemaTop)
	}
	var small bytes.Buffer
	if err := json.Compact(&small, data); err != nil {
		return nil, err
	}
	return &Schema{raw: small.Bytes()}, nil
}

// Read takes the JSON out of an answer, as the model wrote it. The error names all that does not fit, a line each.
func (s *Schema) Read(text string) (json.RawMessage, error) {
	raw := json.RawMessage(unfenced(text))
	if len(raw) == 0 {
		return nil, errors.New("there is no answer")
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %w", err)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, errors.New("the answer is no JSON object")
	}
	if err := agent.CheckArgs(s.raw, raw); err != nil {
		return nil, few(err)
	}
	return raw, nil
}

// most bounds the faults that are named; one mistake may be in every item of a long list.
const most = 20

func few(err error) error {
	lines := strings.Split(err.Error(), "\n")
	if len(lines) <= most {
		return err
	}
	return fmt.Errorf("%s\nand %d more", strings.Join(lines[:most], "\n"), len(lines)-most)
}

// unfenced takes off a fence that stands around the whole text.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	if inner, ok = strings.CutSuffix(inner, "```"); !ok {
		return text
	}
	_, inner, _ = strings.Cut(inner, "\n") // the language
	return strings.TrimSpace(inner)
}

// Hook asks for the answer and judges it. It has to stand behind the hooks that may let a run go on: an answer is judged
// when nobody else has anything to say.
func (s *Schema) Hook(c msg.Catalogue) agent.Hook {
	return agent.Hook{
		Name: Name,
		BeforeModel: func(_ context.Context, _ *agent.Session, req *agent.Request) error {
			req.Schema = s.raw
			return nil
		},
		Inject: func(_ context.Context, session *agent.Session, stopping bool) (*agent.Note, error) {
			if !stopping || len(session.Messages) == 0 {
				return nil, nil
			}
			return s.judge(session.Messages, c)
		},
	}
}

func (s *Schema) judge(messages []agent.Message, c msg.Catalogue) (*agent.Note, error) {
	last := &messages[len(messages)-1]
	if last.Role == agent.User { // the run goes on
		return nil, nil
	}
	_, err := s.Read(said(last))
	if err == nil {
		return nil, nil
	}
	if tries(messages) >= again {
		text := c.Text(msg.SchemaUnfit, 1+again, strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil, &agent.StopError{Stop: agent.RunError, Text: text, Cause: &agent.Error{Kind: agent.ErrInvalidResponse, Message: text}}
	}
	m := agent.TextMessage(agent.User, "Your answer does not fit the JSON Schema that was asked for:\n"+err.Error()+
		"\nAnswer again with nothing but the corrected JSON.")
	m.From = Name
	return &agent.Note{Messages: []agent.Message{m}}, nil
}

// said is the text of an answer; what a tool gives is none.
func said(m *agent.Message) string {
	if !m.Answers() {
		return ""
	}
	return m.Text()
}

// Faults is what a message of the hook finds wrong, in one line.
func Faults(text string) string {
	_, text, _ = strings.Cut(text, "\n")
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// tries counts how often the model was told since the person spoke.
func tries(messages []agent.Message) int {
	n := 0
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := &messages[i]; {
		case m.From == Name:
			n++
		case m.Role == agent.User && m.From == "":
			return n
		}
	}
	return n
}
