package providertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Check judges a request body as a strict vendor would: valid UTF-8 and JSON, each tool call followed by exactly one
// result before anything else is said, arguments that are JSON, no result without a call. It returns the number of
// assistant messages.
func Check(body []byte) (assistants int, err error) {
	if !utf8.Valid(body) {
		return 0, errors.New("the body is not valid UTF-8")
	}
	var req struct {
		Messages []message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return 0, fmt.Errorf("the body is not valid JSON: %w", err)
	}
	if len(req.Messages) == 0 {
		return 0, errors.New("messages is empty")
	}
	names := map[string]bool{}
	for _, t := range req.Tools {
		if names[t.Function.Name] {
			return 0, fmt.Errorf("two tools are called %q", t.Function.Name)
		}
		names[t.Function.Name] = true
	}
	return pairs(req.Messages)
}

type message struct {
	Role       string `json:"role"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// pairs walks through the messages with the list of ids that wait for their result, in order.
func pairs(messages []message) (assistants int, err error) {
	var open []string
	for i, m := range messages {
		if m.Role == "tool" {
			if len(open) == 0 {
				return 0, fmt.Errorf("message %d: a tool result (%s) without a call", i, m.ToolCallID)
			}
			if open[0] != m.ToolCallID {
				return 0, fmt.Errorf("message %d: result for %q where %q is due", i, m.ToolCallID, open[0])
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return 0, fmt.Errorf("message %d: tool call %q has no result", i, open[0])
		}
		if m.Role == "assistant" {
			assistants++
		}
		seen := map[string]bool{}
		for _, c := range m.ToolCalls {
			switch {
			case c.ID == "" || seen[c.ID]:
				return 0, fmt.Errorf("message %d: call id %q is empty or doubled", i, c.ID)
			case !json.Valid([]byte(c.Function.Arguments)):
				return 0, fmt.Errorf("message %d: arguments of %s are no JSON: %s", i, c.ID, c.Function.Arguments)
			}
			seen[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return 0, fmt.Errorf("tool call %q has no result", open[0])
	}
	return assistants, nil
}

// of finds the replies for a request.
func (s *Script) of(path string, body []byte) (who string, replies []Reply) {
	text := firstSaid(path, body)
	for _, c := range s.Parts {
		if strings.Contains(text, c.For) {
			return c.For, c.Replies
		}
	}
	return "", s.Replies
}

// firstSaid is the first message of the person.
func firstSaid(path string, body []byte) string {
	if !strings.HasSuffix(path, chatPath) {
		t, _ := read(path, body) // it was checked before
		return t.first()
	}
	var req struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(body, &req) // it was checked before
	for _, m := range req.Messages {
		if m.Role == "user" {
			return textOf(m.Content)
		}
	}
	return ""
}
