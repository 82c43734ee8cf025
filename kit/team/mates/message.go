package mates

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"react-agent/internal/msg"
)

// Type is the type of a message.
type Type string

// The five types. PlanResponse goes both ways: with a plan to the lead, with an answer back.
const (
	Plain            Type = "message"
	Broadcast        Type = "broadcast"
	ShutdownRequest  Type = "shutdown_request"
	ShutdownResponse Type = "shutdown_response"
	PlanResponse     Type = "plan_approval_response"
)

func types() []string {
	return []string{string(Plain), string(Broadcast), string(ShutdownRequest), string(ShutdownResponse), string(PlanResponse)}
}

// Message is a line of an inbox.
type Message struct {
	Type    Type   `json:"type"`
	From    string `json:"from"`
	Content string `json:"content"`
	// Timestamp is in seconds since 1970.
	Timestamp float64 `json:"timestamp"`
	RequestID string  `json:"request_id,omitempty"`
	Approve   *bool   `json:"approve,omitempty"`
	Feedback  *string `json:"feedback,omitempty"`
	Plan      string  `json:"plan,omitempty"`
	// Brought says that the message came with the folder, which is not trusted. No line of an inbox says so itself.
	Brought bool `json:"brought,omitempty"`
}

// stamped is the message as it is sent now.
func (m Message) stamped() Message {
	m.Timestamp = float64(time.Now().UnixMicro()) / 1e6
	return m
}

// encode writes JSON that says < as it is, in one line or with an indent.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// parse reads a line; ok is false for what is no message.
func parse(line []byte) (m Message, ok bool) {
	ok = json.Unmarshal(line, &m) == nil && m.Type != ""
	m.Brought = false
	return m, ok
}

// List is messages as the lead reads them: a JSON array with an indent of two.
func List(list []Message) string {
	raw, err := encode(append([]Message{}, list...), "  ")
	if err != nil { // texts and numbers
		return err.Error()
	}
	return string(raw)
}

// enclosed is [List] in its tags, which nothing that was sent can end.
func enclosed(list []Message) string {
	return "<inbox>" + strings.ReplaceAll(List(list), "</inbox", `<\/inbox`) + "</inbox>"
}

// checkType says what is wrong with a type.
func checkType(t string) error {
	if slices.Contains(types(), t) {
		return nil
	}
	return msg.Errorf(msg.MateType, t, strings.Join(types(), ", "))
}
