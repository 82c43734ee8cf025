package cli

import (
	"bytes"
	"encoding/json"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
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
	if err := dec.Decode(&raw); err != nil {
		return input{err: usagef(msg.UsageInputLine, n, err)}
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
			return input{err: usagef(msg.UsageInputLine, n, err)}
		}
		in.Message = &m
	}
	if in.Message == nil && in.Answer == nil && !in.Cancel && in.Command == "" && in.Edit == 0 {
		return input{err: usagef(msg.UsageInputEmpty, n)}
	}
	return input{n: n, in: in, words: words}
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
