package weigh_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/internal/weigh"
)

func answer(text string, u *agent.Usage) agent.Message {
	m := agent.TextMessage(agent.Assistant, text)
	m.Usage = u
	return m
}

// What the vendor has counted counts, with what came since; what cannot be true, or was made of something else, does not.
func TestWindow(t *testing.T) {
	long := strings.Repeat("a word and ", 400) // 4,400 bytes
	ask := agent.TextMessage(agent.User, long)
	after := agent.TextMessage(agent.User, "go on")
	for name, c := range map[string]struct {
		usage     *agent.Usage
		compacted int64
		changed   bool
		want      int // 0: an estimate of everything
	}{
		"nothing":        {},
		"input":          {usage: &agent.Usage{Input: new(int64(5000))}, want: 5000 + weigh.Message(&agent.Message{Parts: []agent.Part{agent.TextPart("ok")}}) + weigh.Message(&after)},
		"output":         {usage: &agent.Usage{Input: new(int64(5000)), Output: new(int64(300)), Reasoning: new(int64(200))}, want: 5100 + weigh.Message(&after)},
		"odd":            {usage: &agent.Usage{Input: new(int64(5000)), Output: new(int64(1)), Reasoning: new(int64(200))}, want: 5000 + weigh.Message(&after)},
		"too small":      {usage: &agent.Usage{Input: new(int64(500))}},
		"nought":         {usage: &agent.Usage{Input: new(int64(0))}},
		"an estimate":    {usage: &agent.Usage{Input: new(int64(5000)), Estimated: true}},
		"compacted":      {usage: &agent.Usage{Input: new(int64(5000))}, compacted: 2},
		"not since then": {usage: &agent.Usage{Input: new(int64(5000)), Output: new(int64(0))}, compacted: 1, want: 5000 + weigh.Message(&after)},
		"changed":        {usage: &agent.Usage{Input: new(int64(5000))}, changed: true},
	} {
		req := &agent.Request{System: "You help.", Messages: []agent.Message{ask, answer("ok", c.usage), after}}
		for i := range req.Messages {
			req.Messages[i].Seq = int64(i + 1)
		}
		want := c.want
		if want == 0 {
			want = weigh.Request(req)
		}
		if got := weigh.Window(req, c.compacted, c.changed); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestWeights(t *testing.T) {
	call := agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{Name: "bash", Args: json.RawMessage(`{}`)}}}}
	picture := agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}}
	shown := agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{Parts: []agent.Part{picture}}}}}
	empty := agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{}}}}
	mark := agent.Message{Role: agent.User, Parts: []agent.Part{{Kind: agent.Text, Opaque: &agent.Opaque{Origin: "mark"}}}}
	if n := weigh.Message(&shown); n != weigh.Frame+weigh.Blob {
		t.Errorf("a picture: %d", n)
	}
	if n := weigh.Message(&empty); n != weigh.Frame {
		t.Errorf("an empty result: %d", n)
	}
	if n := weigh.Message(&call); n <= 2*weigh.Frame {
		t.Errorf("a call: %d", n)
	}
	if n := weigh.Message(&mark); n != 0 {
		t.Errorf("a mark that no model is sent: %d", n)
	}
	if bytes, tokens := weigh.Tool(&agent.Tool{Name: "x", Schema: json.RawMessage("{")}); bytes == 0 || tokens == 0 {
		t.Error("a schema that is no JSON takes nothing")
	}
	plain := &agent.Request{System: "You help."}
	formed := &agent.Request{System: "You help.", Schema: json.RawMessage(`{"type":"object"}`), Tools: []agent.Tool{{Name: "bash"}}}
	if weigh.Fixed(plain) >= weigh.Fixed(formed) || weigh.Request(plain) != weigh.Fixed(plain) {
		t.Error("the form of the answer or a tool takes nothing")
	}
}

// What lengths say of a request is what reading it says, at any limit.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z "\\\n\x01{}0-9]{0,40}`), rapid.SampledFrom([]string{"", "中文。", "🙂🙂", "\u2028\xff"}))
		req := &agent.Request{System: words.Draw(t, "system")}
		for range rapid.IntRange(0, 3).Draw(t, "tools") {
			schema, err := agent.EncodeJSON(map[string]string{"description": words.Draw(t, "schema")})
			if err != nil {
				t.Fatal(err)
			}
			req.Tools = append(req.Tools, agent.Tool{Name: words.Draw(t, "name"), Doc: words.Draw(t, "doc"), Schema: schema})
		}
		for i := range rapid.IntRange(0, 4).Draw(t, "messages") {
			m := agent.TextMessage(agent.User, words.Draw(t, "text"))
			if rapid.Bool().Draw(t, "answer") {
				m = answer(words.Draw(t, "text"), &agent.Usage{Input: new(int64(rapid.IntRange(0, 500).Draw(t, "input")))})
				m.Parts = append(m.Parts, agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "x", Args: json.RawMessage(`{"a":1}`)}})
			}
			if rapid.Bool().Draw(t, "result") {
				inner := []agent.Part{agent.TextPart(words.Draw(t, "inner")), {Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}}}
				m.Parts = append(m.Parts, agent.Part{Kind: agent.ResultOf, Result: &agent.Result{Parts: inner}})
			}
			m.Seq = int64(i + 1)
			req.Messages = append(req.Messages, m)
		}
		changed := rapid.Bool().Draw(t, "changed")
		size := weigh.Window(req, 0, changed)
		for _, limit := range []int{0, size - 1, size, size + 1, 3 * size, 10 * size, 1_000_000} {
			if got := weigh.Within(req, 0, changed, limit); got != (size <= limit) {
				t.Fatalf("%d within %d: %v", size, limit, got)
			}
		}
	})
}
