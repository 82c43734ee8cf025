package mates

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
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

	more map[string]json.RawMessage // fields of other programs
}

// MarshalJSON writes the fields of other programs last.
func (m Message) MarshalJSON() ([]byte, error) {
	type fields Message
	known, err := encode(fields(m), "")
	if err != nil || len(m.more) == 0 {
		return known, err
	}
	more, err := encode(m.more, "")
	if err != nil {
		return nil, err
	}
	return slices.Concat(known[:len(known)-1], []byte(","), more[1:]), nil
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

// parse reads a line, in which anybody may have written: without a type it is a plain message, and its time may be a text.
func parse(line []byte) (m Message, err error) {
	if err := json.Unmarshal(line, &m.more); err != nil {
		return m, err
	}
	_, typed := m.more["type"]
	if _, ok := m.more["content"]; !ok && !typed {
		return m, msg.Errorf(msg.MateField, "content", "a text")
	}
	m.Type = Plain
	var written string
	if json.Unmarshal(m.more["timestamp"], &written) == nil { // a text
		delete(m.more, "timestamp")
		m.Timestamp = secondsOf(written)
	}
	for _, f := range []struct {
		name string
		to   any
		want string
	}{
		{"type", &m.Type, "a text"},
		{"from", &m.From, "a text"},
		{"content", &m.Content, "a text"},
		{"timestamp", &m.Timestamp, "a number"},
		{"request_id", &m.RequestID, "a text"},
		{"approve", &m.Approve, "true or false"},
		{"feedback", &m.Feedback, "a text"},
		{"plan", &m.Plan, "a text"},
	} {
		raw, ok := m.more[f.name]
		delete(m.more, f.name)
		if ok && json.Unmarshal(raw, f.to) != nil {
			return m, msg.Errorf(msg.MateField, f.name, f.want)
		}
	}
	delete(m.more, "brought")
	return m, nil
}

// secondsOf reads a time as a person writes it; 0: it is none.
func secondsOf(s string) float64 {
	if n, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return n
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
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
