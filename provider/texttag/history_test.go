package texttag

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
)

// anyHistory draws a conversation as the loop stores it, from whatever wire: calls with and without results, arguments
// that are none, thoughts with opaque data, attachments.
func anyHistory() *rapid.Generator[[]agent.Message] {
	words := rapid.SampledFrom([]string{"", "hello", "User: x", "a\nAssistant: b", "[工具结果]: c", "<tool_call>{}</tool_call>", "```"})
	return rapid.Custom(func(t *rapid.T) []agent.Message {
		var out []agent.Message
		for n := range rapid.IntRange(1, 8).Draw(t, "messages") {
			if rapid.Bool().Draw(t, "person") {
				m := agent.TextMessage(agent.User, words.Draw(t, "said"))
				if rapid.Bool().Draw(t, "blob") {
					m.Parts = append(m.Parts, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{Name: "p.png", MIME: "image/png", Data: []byte("x")}})
				}
				out = append(out, m)
				continue
			}
			m := agent.TextMessage(agent.Assistant, words.Draw(t, "text"))
			m.Parts = append(m.Parts, agent.Part{Kind: agent.Thinking, Text: "t", Opaque: &agent.Opaque{Origin: "chat/test/m", Data: json.RawMessage(`1`)}})
			var results []agent.Message
			for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
				c := agent.Call{
					ID: fmt.Sprintf("c%d", i), Key: fmt.Sprintf("s/%d.%d", n, i), Name: rapid.SampledFrom([]string{"list_dir", "bash", "gone"}).Draw(t, "name"),
					Args: json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"path":"x"}`, `"unfinished: {"`, `[1]`}).Draw(t, "args")),
				}
				m.Parts = append(m.Parts, agent.Part{Kind: agent.CallKind, Call: &c})
				if rapid.Bool().Draw(t, "answered") {
					r := agent.TextResult(words.Draw(t, "result"))
					r.CallID, r.Key = c.ID, c.Key
					results = append(results, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
				}
			}
			out = append(append(out, m), results...)
		}
		return out
	})
}

// TestAnyHistory: whatever was stored becomes messages without calls and results, in turns; or lines of which only ours
// begin like ours; and a longer history goes on where the shorter one ended.
func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := anyHistory().Draw(t, "history")
		in := &script{pieces: []string{"ok"}}
		hear(New(in, Options{}), &agent.Request{Tools: testTools(), Messages: msgs})
		for i, m := range in.req.Messages {
			if m.Role != agent.User && m.Role != agent.Assistant || i > 0 && in.req.Messages[i-1].Role == m.Role {
				t.Fatalf("message %d is of the role %s", i, m.Role)
			}
			for _, p := range m.Parts {
				if p.Kind == agent.CallKind || p.Kind == agent.ResultOf {
					t.Fatalf("message %d has a %s", i, p.Kind)
				}
			}
		}
		hear(New(in, Options{OneText: true}), &agent.Request{Tools: testTools(), Messages: msgs})
		text := in.req.Messages[0].Text()
		ours := 0
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "User:") || strings.HasPrefix(line, "Assistant:") || strings.HasPrefix(line, "[工具结果]") {
				ours++
			}
		}
		most := 0
		for _, m := range msgs {
			most += 1 + 2*len(m.Calls()) // its own line, and one for each result, made up where it is missing
		}
		if ours > most {
			t.Fatalf("%d lines begin like ours, of at most %d:\n%s", ours, most, text)
		}
		longer := append(append([]agent.Message{}, msgs...), agent.TextMessage(agent.Assistant, "more"), agent.TextMessage(agent.User, "and more"))
		hear(New(in, Options{OneText: true}), &agent.Request{Tools: testTools(), Messages: longer})
		if !strings.HasPrefix(in.req.Messages[0].Text(), text) {
			t.Fatalf("%q does not go on with %q", in.req.Messages[0].Text(), text)
		}
	})
}
