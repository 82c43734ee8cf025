package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The wires, as their paths end.
const (
	chatPath      = "/chat/completions"
	responsesPath = "/responses"
	messagesPath  = "/messages"
	geminiPath    = ":streamGenerateContent"
)

// talk is a request as all wires have it.
type talk struct {
	model string
	turns []turn
}

// turn is one message: what one side said without the other.
type turn struct {
	model   bool // the model said it
	text    string
	calls   []string // ids, or names where the wire has no ids
	results []string
}

// CheckPath is [Check] for any of the four wires, by the path of the request.
func CheckPath(path string, body []byte) (assistants int, err error) {
	if strings.HasSuffix(path, chatPath) {
		return Check(body)
	}
	t, err := read(path, body)
	if err != nil {
		return 0, err
	}
	return t.check()
}

// read understands a request of a wire that is not Chat.
func read(path string, body []byte) (talk, error) {
	if !utf8.Valid(body) {
		return talk{}, errors.New("the body is not valid UTF-8")
	}
	if !json.Valid(body) {
		return talk{}, errors.New("the body is not valid JSON")
	}
	switch {
	case strings.HasSuffix(path, responsesPath):
		return readResponses(body)
	case strings.HasSuffix(path, messagesPath):
		return readMessages(body)
	case strings.HasSuffix(path, geminiPath):
		return readGemini(path, body)
	}
	return talk{}, fmt.Errorf("no such route: %s", path)
}

// check walks through the turns: every call has its result in the next one, and nothing has a result that was not called.
func (t talk) check() (assistants int, err error) {
	if len(t.turns) == 0 {
		return 0, errors.New("the conversation is empty")
	}
	var open []string
	for i, m := range t.turns {
		if m.model {
			if len(open) > 0 {
				return 0, fmt.Errorf("turn %d: call %q has no result", i, open[0])
			}
			assistants++
			open = m.calls
			seen := map[string]bool{}
			for _, id := range open {
				if id == "" || seen[id] && !strings.HasPrefix(id, "name:") {
					return 0, fmt.Errorf("turn %d: call id %q is empty or doubled", i, id)
				}
				seen[id] = true
			}
			continue
		}
		if len(m.results) != len(open) {
			return 0, fmt.Errorf("turn %d: %d results where %d are due", i, len(m.results), len(open))
		}
		for n, id := range m.results {
			if id != open[n] {
				return 0, fmt.Errorf("turn %d: result for %q where %q is due", i, id, open[n])
			}
		}
		open = nil
	}
	if len(open) > 0 {
		return 0, fmt.Errorf("call %q has no result", open[0])
	}
	return assistants, nil
}

// first is what the person said first.
func (t talk) first() string {
	for _, m := range t.turns {
		if !m.model && m.text != "" {
			return m.text
		}
	}
	return ""
}

// say adds to the turn of a side; the other side's ends with it.
func (t *talk) say(model bool) *turn {
	if n := len(t.turns); n == 0 || t.turns[n-1].model != model {
		t.turns = append(t.turns, turn{model: model})
	}
	return &t.turns[len(t.turns)-1]
}

func readResponses(body []byte) (t talk, err error) {
	var req struct {
		Model string            `json:"model"`
		Input []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return t, fmt.Errorf("the body is no request: %w", err)
	}
	if err := strictItems(body); err != nil {
		return t, err
	}
	t.model = req.Model
	for i, raw := range req.Input {
		var item struct {
			Type, Role, Name, Arguments string
			CallID                      string          `json:"call_id"`
			Content                     json.RawMessage `json:"content"`
			Encrypted                   string          `json:"encrypted_content"`
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			return t, fmt.Errorf("item %d: %w", i, err)
		}
		switch item.Type {
		case "message", "":
			if item.Role == "system" || item.Role == "developer" {
				continue
			}
			t.say(item.Role == "assistant").text += textOf(item.Content)
		case "reasoning":
			if item.Encrypted == "" {
				return t, fmt.Errorf("item %d: reasoning that nobody has stored", i)
			}
			t.say(true)
		case "function_call":
			if item.Name == "" || !isObject([]byte(item.Arguments)) {
				return t, fmt.Errorf("item %d: a call of %q with %s", i, item.Name, item.Arguments)
			}
			m := t.say(true)
			m.calls = append(m.calls, item.CallID)
		case "function_call_output":
			m := t.say(false)
			m.results = append(m.results, item.CallID)
		default:
			return t, fmt.Errorf("item %d: type %q", i, item.Type)
		}
	}
	return t, nil
}

func readMessages(body []byte) (t talk, err error) {
	var req struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return t, fmt.Errorf("the body is no request: %w", err)
	}
	if req.MaxTokens < 1 {
		return t, errors.New("max_tokens is required")
	}
	t.model = req.Model
	for i, m := range req.Messages {
		if n := len(t.turns); n > 0 && t.turns[n-1].model == (m.Role == "assistant") || m.Role != "assistant" && m.Role != "user" {
			return t, fmt.Errorf("message %d: role %q is not due", i, m.Role)
		}
		to := t.say(m.Role == "assistant")
		if bytes.HasPrefix(bytes.TrimSpace(m.Content), []byte(`"`)) {
			to.text = textOf(m.Content)
			continue
		}
		var blocks []block
		if err := json.Unmarshal(m.Content, &blocks); err != nil || len(blocks) == 0 {
			return t, fmt.Errorf("message %d: content %s", i, m.Content)
		}
		for n, b := range blocks {
			if err := b.add(to, n); err != nil {
				return t, fmt.Errorf("message %d: %w", i, err)
			}
		}
	}
	return t, nil
}

// block is one of a message's content in the Messages API.
type block struct {
	Type, Text, ID, Name, Signature string
	Input                           json.RawMessage
	ToolUseID                       string `json:"tool_use_id"`
}

// add puts the n-th block of a message into its turn.
func (b *block) add(to *turn, n int) error {
	switch {
	case b.Type == "text" && strings.TrimSpace(b.Text) == "", b.Type == "thinking" && b.Signature == "", b.Type == "tool_use" && !isObject(b.Input):
		return fmt.Errorf("block %d of type %s cannot be", n, b.Type)
	case b.Type == "text":
		to.text += b.Text
	case b.Type == "tool_use":
		to.calls = append(to.calls, b.ID)
	case b.Type == "tool_result" && len(to.results) != n:
		return errors.New("results come first")
	case b.Type == "tool_result":
		to.results = append(to.results, b.ToolUseID)
	}
	return nil
}

func readGemini(path string, body []byte) (t talk, err error) {
	var req struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				Thought          bool
				ThoughtSignature string
				FunctionCall     *struct {
					Name string
					Args json.RawMessage
				}
				FunctionResponse *struct {
					Name     string
					Response json.RawMessage
				}
			}
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return t, fmt.Errorf("the body is no request: %w", err)
	}
	_, model, _ := strings.Cut(strings.TrimSuffix(path, geminiPath), "/models/")
	t.model = model
	for i, c := range req.Contents {
		if c.Role != "user" && c.Role != "model" || len(c.Parts) == 0 {
			return t, fmt.Errorf("content %d: role %q with %d parts", i, c.Role, len(c.Parts))
		}
		if n := len(t.turns); n > 0 && t.turns[n-1].model == (c.Role == "model") {
			return t, fmt.Errorf("content %d: role %q is not due", i, c.Role)
		}
		to := t.say(c.Role == "model")
		for _, p := range c.Parts {
			to.text += p.Text
			if p.FunctionCall != nil {
				to.calls = append(to.calls, "name:"+p.FunctionCall.Name)
			}
			if p.FunctionResponse != nil {
				if !isObject(p.FunctionResponse.Response) {
					return t, fmt.Errorf("content %d: a response must be an object", i)
				}
				to.results = append(to.results, "name:"+p.FunctionResponse.Name)
			}
		}
	}
	return t, nil
}

func isObject(raw []byte) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}

// textOf is the text of a content that is a string or a list of blocks.
func textOf(raw json.RawMessage) string {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(x.Text)
	}
	return b.String()
}
