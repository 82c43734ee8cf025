package local

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"react-agent/agent"
)

// history is any conversation with results of any size.
func history() *rapid.Generator[[]agent.Message] {
	return rapid.Custom(func(t *rapid.T) []agent.Message {
		messages := []agent.Message{agent.TextMessage(agent.User, rapid.StringN(0, 200, -1).Draw(t, "question"))}
		for range rapid.IntRange(0, 4).Draw(t, "results") {
			line := rapid.SampledFrom([]string{"a line of text\n", "深圳今天晴\n", "x=1;", "🙂"}).Draw(t, "line")
			r := agent.TextResult(strings.Repeat(line, rapid.IntRange(0, 3000).Draw(t, "lines")))
			if rapid.Bool().Draw(t, "second") {
				r.Parts = append(r.Parts, agent.TextPart(strings.Repeat(line, rapid.IntRange(0, 500).Draw(t, "more"))))
			}
			messages = append(messages, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
		}
		return messages
	})
}

func TestFitKeepsWhatItPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := &agent.Request{
			System: rapid.StringN(0, 400, -1).Draw(t, "system"), Messages: history().Draw(t, "history"),
			MaxOut: rapid.SampledFrom([]int{0, 100, 4096, 100000}).Draw(t, "max"),
		}
		window := rapid.SampledFrom([]int{0, 512, 2048, 4096, 32768}).Draw(t, "window")
		k := about(rapid.SampledFrom([]Kind{Ollama, LlamaCpp, Other}).Draw(t, "kind"))
		ratio := rapid.Float64Range(0.4, 2.5).Draw(t, "ratio")
		before := joined(req.Messages)
		f, ok := fit(req, window, largest, ratio, true, k)
		if joined(req.Messages) != before {
			t.Fatal("the caller's history was changed")
		}
		if !ok {
			if window == 0 {
				t.Fatal("nothing is known of the window, and it is refused")
			}
			return
		}
		if window == 0 {
			if f.req != req {
				t.Fatal("changed without a window")
			}
			return
		}
		if sum := float64(weigh(f.req).sum()) * ratio; int(sum)+f.req.MaxOut > window+1 && (f.req.MaxOut > room(window) || int(sum)+room(window) > window+1) {
			t.Fatalf("%d of prompt and %d of answer in %d", int(sum), f.req.MaxOut, window)
		}
		if len(f.req.Messages) != len(req.Messages) {
			t.Fatal("a message is gone")
		}
		for i := range f.req.Messages {
			if r := f.req.Messages[i].Result(); f.req.Messages[i].Role == agent.ToolRole {
				n, _ := weighParts(r.Parts)
				if limit := window / 4; n > limit+limit/4+200 {
					t.Fatalf("a result of %d tokens in a window of %d", n, window)
				}
				for _, p := range r.Parts {
					if !utf8.ValidString(p.Text) {
						t.Fatal("cut inside a character")
					}
				}
			}
		}
	})
}

// TestWhatIsCutStaysCut: a longer history continues the bytes of a shorter one, as long as both fit in the same way.
func TestWhatIsCutStaysCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := history().Draw(t, "history")
		short := cutResults(&agent.Request{Messages: messages}, 500)
		long := cutResults(&agent.Request{Messages: append(append([]agent.Message(nil), messages...), agent.TextMessage(agent.User, "more"))}, 500)
		if joined(long.req.Messages[:len(messages)]) != joined(short.req.Messages) {
			t.Fatal("a result changed because of what follows")
		}
	})
}

func joined(messages []agent.Message) string {
	var b bytes.Buffer
	for _, m := range messages {
		b.WriteString(string(m.Role))
		for _, p := range m.Parts {
			b.WriteString(p.Text)
			if p.Result != nil {
				for _, q := range p.Result.Parts {
					b.WriteString("|" + q.Text)
				}
			}
		}
	}
	return b.String()
}

func TestSmallerAndSmaller(t *testing.T) {
	var messages []agent.Message
	for range 6 {
		r := agent.TextResult(strings.Repeat("a line of the file\n", 1000))
		messages = append(messages, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
	}
	f, ok := fit(&agent.Request{Messages: messages}, 4096, largest, 1, true, about(Ollama))
	if !ok || f.to != 4096/8 || f.cut != 6 || f.fresh != 6 {
		t.Errorf("%+v, %t", f, ok)
	}
	if _, ok := fit(&agent.Request{Messages: append(messages, agent.TextMessage(agent.User, strings.Repeat("word ", 5000)))}, 4096, largest, 1, true, about(Ollama)); ok {
		t.Error("what the person wrote was cut, or let through")
	}
}

func TestUnsureEstimateRefusesLittle(t *testing.T) {
	req := &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, strings.Repeat("word ", 3600))}} // about 3960
	for _, c := range []struct {
		kind Kind
		sure bool
		want bool
	}{{Ollama, false, true}, {Ollama, true, false}, {LlamaCpp, false, true}, {LlamaCpp, true, false}} {
		if _, ok := fit(req, 4096, largest, 1, c.sure, about(c.kind)); ok != c.want {
			t.Errorf("%s, sure %t: %t", c.kind, c.sure, ok)
		}
	}
}

// What was cut once is not cut less in the next request of the same conversation, whatever was learnt meanwhile, in this
// conversation or in others.
func TestACutIsNotTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(Options{})
		messages := []agent.Message{agent.TextMessage(agent.User, "read the files")}
		limit := 4096
		for range rapid.IntRange(1, 8).Draw(t, "turns") {
			r := agent.TextResult(strings.Repeat("a line of the file\n", rapid.IntRange(1, 1000).Draw(t, "lines")))
			messages = append(messages, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
			ratio, sure := s.estimate()
			f, ok := s.fit(&agent.Request{System: "s", Messages: messages}, 4096, ratio, sure, about(LlamaCpp))
			if !ok {
				return
			}
			if f.to > limit {
				t.Fatalf("cut to %d, before that to %d", f.to, limit)
			}
			limit = f.to
			s.learn(1000, rapid.IntRange(300, 2600).Draw(t, "counted"))
		}
	})
}

func TestCutsOfFewConversationsAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about size, which a short run leaves out")
	}
	s := New(Options{})
	r := agent.TextResult(strings.Repeat("a line of the file\n", 300))
	for i := range 1100 {
		req := &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, strings.Repeat("x", i%100)+strings.Repeat("y", i/100))}}
		for range 3 {
			req.Messages = append(req.Messages, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}})
		}
		if f, ok := s.fit(req, 2048, 1.2, true, about(Ollama)); !ok || f.part != 8 || len(s.parts) == 0 || len(s.parts) > 1024 {
			t.Fatalf("part %d, %d kept", f.part, len(s.parts))
		}
	}
}
