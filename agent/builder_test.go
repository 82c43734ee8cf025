package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"react-agent/agent"
)

func build(t fataler, chunks []agent.Chunk) agent.Message {
	t.Helper()
	var b agent.Builder
	for _, c := range chunks {
		if err := b.Add(c); err != nil {
			t.Fatalf("add: %v", err)
		}
	}
	return b.Message()
}

// recut cuts the texts of chunks anew: at says at which byte of which text a cut is made.
func recut(chunks []agent.Chunk, at func(size int) int) []agent.Chunk {
	var out []agent.Chunk
	for _, c := range chunks {
		if c.Part == nil || c.Part.Text == "" {
			out = append(out, c)
			continue
		}
		text := c.Part.Text
		first := true
		for text != "" {
			n := at(len(text))
			p := agent.Part{Kind: c.Part.Kind, Text: text[:n]}
			if first {
				p.Call, p.Blob, p.Opaque = c.Part.Call, c.Part.Blob, c.Part.Opaque
			}
			out = append(out, agent.Chunk{Index: c.Index, Part: &p})
			text, first = text[n:], false
		}
		c.Part = nil
		out = append(out, c)
	}
	return out
}

func TestBuilderDoesNotDependOnTheCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kinds := []agent.Kind{agent.Text, agent.Thinking, agent.CallKind}
		n := rapid.IntRange(0, 12).Draw(rt, "chunks")
		chunks := make([]agent.Chunk, n)
		for i := range chunks {
			index := rapid.IntRange(0, 4).Draw(rt, "index")
			p := agent.Part{Kind: kinds[index%3], Text: rapid.SampledFrom([]string{"", "a", "好的", "a b\t c ", `{"a": `, `"b"}`, "é\xff", " \n"}).Draw(rt, "text")}
			if p.Kind == agent.CallKind && rapid.Bool().Draw(rt, "call") {
				p.Call = &agent.Call{ID: rapid.SampledFrom([]string{"", "id"}).Draw(rt, "id"), Name: rapid.SampledFrom([]string{"", "bash"}).Draw(rt, "name")}
			}
			if rapid.IntRange(0, 5).Draw(rt, "opaque") == 0 {
				p.Opaque = &agent.Opaque{Origin: "o", Data: json.RawMessage("1")}
			}
			chunks[i] = agent.Chunk{Index: index, Part: &p, Reset: false}
			if rapid.IntRange(0, 9).Draw(rt, "reset") == 0 {
				chunks[i] = agent.Chunk{Reset: true}
			}
		}
		chunks = append(chunks, agent.Chunk{Stop: agent.StopEnd, Model: "m", Usage: &agent.Usage{Output: num(3)}})
		whole := build(rt, chunks)
		bytewise := build(rt, recut(chunks, func(int) int { return 1 }))
		random := build(rt, recut(chunks, func(size int) int { return rapid.IntRange(1, size).Draw(rt, "cut") }))
		for name, m := range map[string]agent.Message{"byte by byte": bytewise, "random": random} {
			if d := cmp.Diff(whole, m, cmpopts.EquateEmpty()); d != "" {
				rt.Fatalf("%s:\n%s", name, d)
			}
		}
		for _, p := range whole.Parts {
			if !utf8.ValidString(p.Text) || (p.Call != nil && !json.Valid(p.Call.Args)) {
				rt.Fatalf("part %+v", p)
			}
		}
	})
}

func TestBuilderCollects(t *testing.T) {
	part := func(i int, p agent.Part) agent.Chunk { return agent.Chunk{Index: i, Part: &p} }
	got := build(t, []agent.Chunk{
		part(0, agent.Part{Kind: agent.Thinking, Text: "hm", Opaque: &agent.Opaque{Origin: "o", Data: json.RawMessage("1")}}),
		part(9, agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "1", Name: "first"}, Text: `{"a"`}),
		part(1, agent.TextPart("")),
		part(9, agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "final"}, Text: `: 1}`}),
		part(2, agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "2", Name: "replaced", Args: json.RawMessage(`{"x": 1}`)}}),
		part(2, agent.Part{Kind: agent.CallKind, Call: &agent.Call{Args: json.RawMessage(`{"y" : 2}`)}}),
		part(3, agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "none"}}),
		part(4, agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}}),
		part(5, agent.Part{Kind: agent.Thinking, Opaque: &agent.Opaque{Origin: "o"}}),
		part(6, agent.Part{Kind: agent.BlobKind}),
		{Usage: &agent.Usage{Input: num(1), Output: num(2)}},
		{Usage: &agent.Usage{Output: num(3), Cached: num(0), CacheWrite: num(4), Reasoning: num(5)}, Stop: agent.StopCalls, Model: "m-1"},
	})
	wantSame(t, "message", got, agent.Message{
		Role: agent.Assistant, Model: "m-1", Stop: agent.StopCalls,
		Usage: &agent.Usage{Input: num(1), Output: num(3), Cached: num(0), CacheWrite: num(4), Reasoning: num(5)},
		Parts: []agent.Part{
			{Kind: agent.Thinking, Text: "hm", Opaque: &agent.Opaque{Origin: "o", Data: json.RawMessage("1")}},
			{Kind: agent.CallKind, Call: &agent.Call{ID: "1", Name: "final", Args: json.RawMessage(`{"a":1}`)}},
			{Kind: agent.CallKind, Call: &agent.Call{ID: "2", Name: "replaced", Args: json.RawMessage(`{"y":2}`)}},
			{Kind: agent.CallKind, Call: &agent.Call{Name: "none", Args: json.RawMessage(`{}`)}},
			{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}},
			{Kind: agent.Thinking, Opaque: &agent.Opaque{Origin: "o"}},
		},
	})
}

func TestBuilderRefuses(t *testing.T) {
	for name, chunks := range map[string][]agent.Chunk{
		"changes its kind from text to thinking": {{Part: &agent.Part{Kind: agent.Text}}, {Index: 1, Part: &agent.Part{Kind: agent.Text}}, {Part: &agent.Part{Kind: agent.Thinking}}},
		`the kind "result"`:                      {{Part: &agent.Part{Kind: agent.ResultOf}}},
		`the kind ""`:                            {{Part: &agent.Part{Text: "x"}}},
	} {
		var b agent.Builder
		var err error
		for _, c := range chunks {
			err = b.Add(c)
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

func TestBuilderResetKeepsTheCost(t *testing.T) {
	var b agent.Builder
	for range 2 {
		for _, c := range []agent.Chunk{{Part: &agent.Part{Kind: agent.Text, Text: "x"}, Usage: &agent.Usage{Input: num(2)}, Stop: agent.StopLength, Model: "m"}, {Reset: true}} {
			if err := b.Add(c); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := b.Message()
	if !b.Empty() || len(m.Parts) != 0 || m.Stop != "" || m.Model != "" || m.Usage != nil || *b.Withdrawn.Input != 4 {
		t.Errorf("%+v, withdrawn %+v", m, b.Withdrawn)
	}
}

func TestMessageHelpers(t *testing.T) {
	m := agent.Message{Parts: []agent.Part{
		agent.TextPart("a"), {Kind: agent.Thinking, Text: "t"}, agent.TextPart(""), agent.TextPart("b"), {Kind: agent.CallKind, Call: &agent.Call{Name: "x"}}, {Kind: agent.CallKind},
	}}
	if m.Text() != "ab" || m.Thinking() != "t" || len(m.Calls()) != 1 || m.Result() != nil || (&agent.Message{}).Text() != "" {
		t.Errorf("%q %q %v %v", m.Text(), m.Thinking(), m.Calls(), m.Result())
	}
	if r := agent.ErrorResult("no"); !r.Error || r.Text() != "no" {
		t.Errorf("%+v", r)
	}
	var zero *agent.Usage
	if !zero.IsZero() || !(&agent.Usage{}).IsZero() || (&agent.Usage{Input: num(0)}).IsZero() {
		t.Error("IsZero")
	}
	u := agent.Usage{Input: num(1)}
	other := agent.Usage{Input: num(2), Output: num(3), Estimated: true}
	u.Add(&other)
	u.Add(nil)
	*other.Output = 99
	wantSame(t, "sum", u, agent.Usage{Input: num(3), Output: num(3), Estimated: true})
}
