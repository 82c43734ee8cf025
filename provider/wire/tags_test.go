package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"react-agent/provider/wire"
)

// split runs pieces through a fresh Tags.
func split(pieces ...string) (text, thought string, t *wire.Tags) {
	t = new(wire.Tags)
	emit := func(s wire.Span) {
		switch s.Kind {
		case wire.SpanText:
			text += s.Text
		case wire.SpanThought:
			thought += s.Text
		case wire.SpanRelabel:
			thought, text = thought+text, ""
		}
	}
	for _, p := range pieces {
		t.Add(p, emit)
	}
	t.Flush(emit)
	return text, thought, t
}

func tagTexts() []struct{ in, text, thought string } {
	return []struct{ in, text, thought string }{
		{"", "", ""},
		{"plain", "plain", ""},
		{"<think>a</think>b", "b", "a"},
		{" \n<think>a</think>\n\nb", "b", "a"},
		{"<thinking>a</thinking>b", "b", "a"},
		{"<thought>a</thought>b", "b", "a"},
		{"[THINK]a[/THINK]b", "b", "a"},
		{"<seed:think>a</seed:think>b", "b", "a"},
		{"<think>a</thinking>b", "b", "a"},
		{"<think>open to the end", "", "open to the end"},
		{"<think>open to the end</thin", "", "open to the end</thin"},
		{"<think></think>b", "b", ""},
		{"<think></think>\n<think>a</think>b", "b", "a"},
		{"<think>the tag <think> is odd</think>b", "b", "the tag <think> is odd"},
		{"<think>a < b [ c</think>d", "d", "a < b [ c"},
		{"<think>a</think>b </think> c", "b </think> c", "a"},
		{"<thin", "<thin", ""},
		{"  ", "  ", ""},
		{"a <", "a <", ""},
		{"a </thin", "a </thin", ""},
		{"<thinks>a</thinks>", "<thinks>a</thinks>", ""},
		{"I use <think>x</think> y", "I use <think>x</think> y", ""},
		{"no opener</think>\n\nb", "b", "no opener"},
		{"</think>b", "b", ""},
		{"one </think> two </think> three", "two </think> three", "one "},
		{"write `</think>` here", "write `</think>` here", ""},
		{"```\n</think>\n```\nb", "```\n</think>\n```\nb", ""},
		{"```\ncode\n```\nc</think>b", "b", "```\ncode\n```\nc"},
		{"~~~\n</think>\n~~~\nb", "~~~\n</think>\n~~~\nb", ""},
		{"`x` is code</think>b", "b", "`x` is code"},
		{"a stray ` here\nand</think>b", "b", "a stray ` here\nand"},
		{"名字<思考</think>é", "é", "名字<思考"},
	}
}

func TestTagsEverySplit(t *testing.T) {
	for _, c := range tagTexts() {
		for i := range len(c.in) + 1 {
			for j := i; j <= len(c.in); j++ {
				text, thought, _ := split(c.in[:i], c.in[i:j], c.in[j:])
				if text != c.text || thought != c.thought {
					t.Fatalf("%q at %d and %d: text %q, thought %q; want %q, %q", c.in, i, j, text, thought, c.text, c.thought)
				}
			}
		}
		if text, thought, _ := split(strings.Split(c.in, "")...); text != c.text || thought != c.thought {
			t.Errorf("%q rune by rune: text %q, thought %q", c.in, text, thought)
		}
	}
}

// Nothing may be held back that cannot become a tag: the reader sees a text as soon as it is there.
func TestTagsHoldBackOnlyBeginningsOfTags(t *testing.T) {
	for _, c := range []struct{ in, shown string }{
		{"a <b", "a <b"},
		{"a </t", "a "},
		{"a </tx", "a </tx"},
		{"a [/TH", "a "},
		{"<t", ""},
		{"<tr", "<tr"},
		{" ", ""},
		{"a ", "a "},
		{"x<think>y</thi", "x<think>y</thi"},
	} {
		var shown string
		var tags wire.Tags
		tags.Add(c.in, func(s wire.Span) { shown += s.Text })
		if shown != c.shown {
			t.Errorf("%q: shown %q, want %q", c.in, shown, c.shown)
		}
	}
}

func TestTagsRemember(t *testing.T) {
	for _, in := range []string{"<think>a</think>\nb", " <thinking>a</thinking>b", "a</think>\n\nb", "<think>a</think>\n"} {
		text, thought, tags := split(in)
		if got := tags.Before + thought + tags.After + text; got != in {
			t.Errorf("%q comes back as %q", in, got)
		}
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct {
		in   string
		want bool
	}{
		{"", false},
		{"`", true},
		{"`a`", false},
		{"``a`", true},
		{"a ` b\n", false},
		{"```go\n", true},
		{"```\na\n```", false},
		{"```\na\n``` \nb", false},
		{"````\n```\n", true},
		{"  ```\n", true},
		{"a ```\n", false},
		{"a ```b``` c", false},
		{"~~~\n```\n", true},
		{"~~~\n~~~\n", false},
		{"a ~~~", false},
		{"~`", true},
		{"```\na `", true},
	} {
		var whole, bytes wire.Code
		whole.Feed(c.in)
		for i := range len(c.in) {
			bytes.Feed(c.in[i : i+1])
		}
		if whole.In() != c.want || bytes.In() != c.want {
			t.Errorf("%q: in code %v and %v, want %v", c.in, whole.In(), bytes.In(), c.want)
		}
	}
}

// FuzzTags holds that no text is lost, and that the cuts do not matter.
func FuzzTags(f *testing.F) {
	for _, c := range tagTexts() {
		f.Add(c.in, uint16(2))
	}
	f.Fuzz(func(t *testing.T, in string, cut uint16) {
		at := int(cut) % (len(in) + 1)
		text, thought, tags := split(in)
		text2, thought2, _ := split(in[:at], in[at:])
		text3, thought3, _ := split(strings.SplitAfter(in, "<")...)
		if text != text2 || thought != thought2 || text != text3 || thought != thought3 {
			t.Fatalf("%q at %d: %q %q, in one piece %q %q", in, at, text2, thought2, text, thought)
		}
		// Of two blocks the tags in between are not kept.
		if end := strings.Index(in, "/"); end < 0 || !strings.ContainsAny(in[end+1:], "<[") {
			if got := tags.Before + thought + tags.After + text; got != in {
				t.Fatalf("%q comes back as %q", in, got)
			}
		}
	})
}

func ExampleTags() {
	var tags wire.Tags
	emit := func(s wire.Span) {
		if s.Kind == wire.SpanText {
			fmt.Printf("%q ", s.Text)
		}
	}
	tags.Add("<think>Sort", emit)
	tags.Add(" it.</thi", emit)
	tags.Add("nk>\nUse a heap. <", emit)
	tags.Add("3", emit)
	tags.Flush(emit)
	// Output: "Use a heap. <" "3"
}
