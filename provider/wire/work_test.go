package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// cutUp is a text in pieces of n bytes.
func cutUp(s string, n int) []string {
	var out []string
	for ; len(s) > n; s = s[n:] {
		out = append(out, s[:n])
	}
	return append(out, s)
}

// The texts of these tests are so long that looking at the beginning once more for each piece, or for each tag, would
// take minutes: together they would run into the time limit of the package.
const long = 200_000

func TestLongWhiteSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about size, which a short run leaves out")
	}
	blanks := strings.Repeat(" \n", long/2)
	for _, in := range []string{
		blanks,
		blanks + "text",
		"text" + blanks,
		"text" + blanks + "text",
		"[" + blanks,
		"[" + blanks + "text",
		"{" + blanks + `"name"`,
		`{"name"` + blanks + "text",
		`{"name":` + blanks + "text",
		`[bash(` + blanks,
		`<tool_call>` + blanks,
		"</tool_call>" + blanks + strings.Repeat("<", 5_000),
	} {
		want := in + "|"
		if got := find(false, in); got != want {
			t.Errorf("%.20q is not the text it was, in one piece", in)
		}
		if got := find(false, cutUp(in, 1)...); got != want {
			t.Errorf("%.20q is not the text it was, byte by byte", in)
		}
	}
	const call = `<tool_call>{"name":"now"}</tool_call>`
	if got, want := find(false, cutUp(call+blanks+strings.Repeat("<", 5_000), 1)...), blanks+strings.Repeat("<", 5_000)+"|now({})"; got != want {
		t.Error("text behind a call is not what it was")
	}
	if got := find(false, call+blanks+strings.Repeat("<", 5_000)); got != blanks+strings.Repeat("<", 5_000)+"|now({})" {
		t.Error("text behind a call is not what it was, in one piece")
	}
}

func TestLongWhiteSpaceAroundThoughts(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about size, which a short run leaves out")
	}
	blanks := strings.Repeat(" \n", long/2)
	for in, want := range map[string]string{
		blanks:                            blanks + "|",
		blanks + "b":                      blanks + "b|",
		blanks + "<think>a</think>b":      "b|a",
		"<think>a</think>" + blanks:       "|a",
		"<think>a</think>" + blanks + "b": "b|a",
	} {
		tags := new(wire.Tags)
		var text, thought strings.Builder
		emit := func(s wire.Span) {
			if s.Kind == wire.SpanThought {
				thought.WriteString(s.Text)
				return
			}
			text.WriteString(s.Text)
		}
		for _, p := range cutUp(in, 1) {
			tags.Add(p, emit)
		}
		tags.Flush(emit)
		if text.String()+"|"+thought.String() != want {
			t.Errorf("%d bytes became %d of text and %d of thought", len(in), text.Len(), thought.Len())
		}
		if all := tags.Before + thought.String() + tags.After + text.String(); all != in {
			t.Errorf("%d bytes come back as %d", len(in), len(all))
		}
	}
}

// A call may write a file in which the markup of calls stands.
func TestManyTagsInAString(t *testing.T) {
	for _, n := range []int{1, 49, 50, 51, 60, 10_000} {
		command := strings.Repeat(`echo <tool_call>{\"x\":\"\\\\\"}</tool_call>; `, n)
		in := `<tool_call>{"name":"bash","arguments":{"command":"` + command + `"}}</tool_call> end`
		want := ` end|bash({"command":"` + command + `"})`
		for _, size := range []int{len(in), 64, 5} {
			if got := find(false, cutUp(in, size)...); got != want {
				t.Errorf("%d tags in pieces of %d: %.200q", n, size, got)
			}
		}
	}
}

// Blocks that nothing closes, each with a closing tag that seems to stand in a string.
func TestManyOpenBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about size, which a short run leaves out")
	}
	in := `<tool_call>{"` + strings.Repeat(`</tool_call><tool_call>{\"`, 3_000)
	whole := find(false, in)
	if got := find(false, cutUp(in, 9)...); got != whole {
		t.Error("the cuts matter")
	}
	if whole != in+"|" {
		t.Errorf("%d bytes became %d", len(in), len(whole)-1)
	}
	many := strings.Repeat(`<tool_call>{"name":"now"}</tool_call>`, 3_000)
	if got := find(false, many); strings.Count(got, "now({})") != 3_000 {
		t.Errorf("%.200q", got)
	}
}

// The white space before a bare call does not decide whether it is one.
func TestBareCallBehindWhiteSpace(t *testing.T) {
	const call = `{"name":"bash","parameters":{"command":"ls"}}`
	for in, want := range map[string]string{
		strings.Repeat(" ", 50_000) + call:                  `|bash({"command":"ls"})`,
		"[" + strings.Repeat(" ", 50) + call + "]":          `|bash({"command":"ls"})`,
		"[" + strings.Repeat(" ", 50_000) + call + "]":      "[" + strings.Repeat(" ", 50_000) + call + "]|",
		"{" + strings.Repeat(" ", 200) + call[1:]:           "{" + strings.Repeat(" ", 200) + call[1:] + "|",
		`{"name"` + strings.Repeat(" ", 200) + call[7:]:     `{"name"` + strings.Repeat(" ", 200) + call[7:] + "|",
		`{"name":` + strings.Repeat(" ", 5_000) + call[8:]:  `{"name":` + strings.Repeat(" ", 5_000) + call[8:] + "|",
		`{"name":` + strings.Repeat(" ", 1_000) + call[8:]:  `|bash({"command":"ls"})`,
		"{" + strings.Repeat(" ", 80) + call[1:]:            `|bash({"command":"ls"})`,
		strings.Repeat(" ", 5_000) + "[bash(command='ls')]": `|bash({"command":"ls"})`,
	} {
		for _, size := range []int{len(in), 4096, 100, 1} {
			if got := find(false, cutUp(in, size)...); got != want {
				t.Errorf("%.30q in pieces of %d: %.100q, want %.100q", in, size, got, want)
			}
		}
	}
}

// Some servers repeat the name with each piece of the arguments, some make up an id for each.
func TestManyPiecesWithTheName(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about size, which a short run leaves out")
	}
	body := strings.Repeat("{}", 100_000)
	for name, first := range map[string]wire.Piece{
		"no id":      {Name: "bash", Indexed: true},
		"a new id":   {ID: "x", Name: "bash", Indexed: true},
		"no index":   {Name: "bash"},
		"all of it":  {Name: "bash", Indexed: true, Whole: true},
		"only an id": {ID: "y"},
	} {
		calls, size := 0, 0
		d := wire.NewDraft(&wire.Client{}, textTools(), func(c agent.Chunk, _ error) bool {
			if c.Part != nil {
				size += len(c.Part.Text)
				calls = max(calls, c.Index+1)
			}
			return true
		})
		add := func(args string) {
			p := first
			p.Args = gjson.Parse(quote(args))
			d.Batch()
			d.Call(p)
		}
		add(`{"command":"`)
		for _, s := range cutUp(body, 2) {
			if p := first; p.ID == "x" {
				first.ID = "x" + s[:1]
			}
			add("-" + s)
		}
		add(`"}`)
		if calls != 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
		if want := len(`{"command":""}`) + 3*100_000; !first.Whole && size != want {
			t.Errorf("%s: %d bytes of arguments, want %d", name, size, want)
		}
	}
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// A name that comes in pieces does not grow for ever.
func TestEndlessName(t *testing.T) {
	size := 0
	d := wire.NewDraft(&wire.Client{}, textTools(), func(c agent.Chunk, _ error) bool {
		if c.Part != nil && c.Part.Call != nil {
			size += len(c.Part.Call.Name)
		}
		return true
	})
	for range 100_000 {
		d.Batch()
		d.Call(wire.Piece{Name: "ab-", Indexed: true})
	}
	if size == 0 || size > long {
		t.Errorf("%d bytes of names", size)
	}
}

// Whether arguments are complete is known at any time without reading them again.
func TestCompleteIsCheap(t *testing.T) {
	var a wire.Args
	a.Add(`{"a":"`)
	for range 100_000 {
		a.Add("{}")
		if a.Complete() {
			t.Fatal("complete within a string")
		}
	}
	a.Add(`"}`)
	for range 100_000 {
		a.Add(" ")
		if !a.Complete() {
			t.Fatal("not complete at its end")
		}
	}
}
