package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

func trimEOL(line string) string { return strings.TrimRight(line, "\r\n") }

// parseInput reads line n of --input jsonl: the body of an input, in which message may also be a plain string.
func parseInput(n int, line string) input {
	var raw struct {
		engine.Input
		Message json.RawMessage `json:"message"`
		Answer  *struct {
			agent.Answer
			Allow *bool `json:"allow"`
		} `json:"answer"`
	}
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	err := dec.Decode(&raw)
	if err == nil && dec.InputOffset() < int64(len(strings.TrimRight(line, " \t"))) {
		err = &json.SyntaxError{Offset: dec.InputOffset() + 1}
	}
	if err != nil {
		return input{n: n, err: unreadable(err)}
	}
	in, words := raw.Input, false
	if a := raw.Answer; a != nil {
		words = a.Allow == nil && a.Text != ""
		a.Answer.Allow = a.Allow != nil && *a.Allow
		in.Answer = &a.Answer
	}
	if len(raw.Message) > 0 && !bytes.Equal(raw.Message, []byte("null")) {
		m, err := parseMessage(raw.Message)
		if err != nil {
			return input{n: n, err: unreadable(err)}
		}
		in.Message = &m
	}
	if in.Message == nil && in.Answer == nil && !in.Cancel && in.Command == "" && in.Edit == 0 {
		return input{n: n, err: &command.UsageError{Err: msg.Errorf(msg.UsageInputEmpty)}}
	}
	return input{n: n, in: in, words: words}
}

// unreadable says why a line is no input.
func unreadable(err error) error {
	said := msg.Errorf(msg.UsageInputJSON)
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok { // no type tells it
		said = msg.Errorf(msg.UsageInputField, strings.Trim(name, `"`))
	} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		said = msg.Errorf(msg.UsageInputType, e.Value, cmp.Or(e.Field, "{}"))
	} else if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		said = msg.Errorf(msg.UsageInputSyntax, e.Offset)
	}
	return &command.UsageError{Err: said}
}

func parseMessage(raw json.RawMessage) (agent.Message, error) {
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

// nullView shows nothing: the reader of our output has gone.
type nullView struct{}

func (nullView) event(agent.Event, *follower) error { return nil }
func (nullView) end(result) error                   { return nil }
func (nullView) fail(error) error                   { return nil }
func (nullView) say(string)                         {}
func (nullView) reply(string) error                 { return nil }
