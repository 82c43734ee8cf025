package wire

import "strings"

// SpanKind says what a [Span] is.
type SpanKind int

// The kinds of span.
const (
	SpanText    SpanKind = iota // visible text
	SpanThought                 // text of a thought, without its tags
	SpanRelabel                 // all text so far was a thought: its opening tag was missing. Text is empty
)

// Span is a piece of what [Tags] has recognised.
type Span struct {
	Kind SpanKind
	Text string
}

// Tags separates thoughts that stand as <think>…</think> in a text from the text, while it streams. A tag counts only at
// the start of the message; inside a block nothing counts but the first closing tag. A closing tag that nothing has
// opened, outside of code, makes everything before it a thought. An unclosed block is a thought to its end.
//
// Where the text is cut makes no difference, and nothing is held back but what may be the beginning of a tag. The zero
// value is ready; a Tags is used for one message and is not safe for concurrent use.
type Tags struct {
	// Before and After are what stood around the thoughts: the opening tag ("" if it was missing), the closing tag, and
	// the white space beside them. Before + thoughts + After + text is what came.
	Before, After string

	state tagState
	space []byte // white space before what is looked at, in tagStart and tagAfter
	held  string // the beginning of a tag
	code  Code
	deaf  bool // no closing tag counts any more: a block was found, or an opening tag stands in the text
}

type tagState int

const (
	tagStart   tagState = iota // only white space so far
	tagInside                  // in a block
	tagAfter                   // behind a closing tag, only white space so far
	tagOutside                 // in the visible text
)

func openTags() [5]string {
	return [...]string{"<think>", "<thinking>", "<thought>", "<seed:think>", "[THINK]"}
}

func closeTags() [5]string {
	return [...]string{"</think>", "</thinking>", "</thought>", "</seed:think>", "[/THINK]"}
}

// tagAt looks for a tag at the start of s. more: s is the beginning of one.
func tagAt(s string, tags [5]string) (tag string, more bool) {
	for _, t := range tags {
		if strings.HasPrefix(s, t) {
			return t, false
		}
		if len(s) < len(t) && t[:len(s)] == s {
			more = true
		}
	}
	return "", more
}

// Add takes the next piece of the message and emits what it has become.
func (t *Tags) Add(s string, emit func(Span)) {
	if t.held != "" {
		s = t.held + s
		t.held = ""
	}
	for s != "" {
		switch t.state {
		case tagStart, tagAfter:
			s = t.start(s)
		case tagInside:
			s = t.inside(s, emit)
		case tagOutside:
			s = t.outside(s, emit)
		}
	}
}

// Flush emits what was held back. Call it at the end of the message.
func (t *Tags) Flush(emit func(Span)) {
	held := string(t.space) + t.held
	t.space, t.held = nil, ""
	switch {
	case held == "":
	case t.state == tagInside:
		emit(Span{SpanThought, held})
	case t.state == tagAfter && strings.TrimSpace(held) == "":
		t.After += held
	default:
		emit(Span{SpanText, held})
	}
}

// start looks for an opening tag behind white space, and gives what is left to look at. White space is looked at once.
func (t *Tags) start(s string) string {
	body := strings.TrimLeft(s, " \t\r\n")
	t.space = append(t.space, s[:len(s)-len(body)]...)
	tag, more := tagAt(body, openTags())
	if more { // the empty string is the beginning of any tag
		t.held = body
		return ""
	}
	space := string(t.space)
	t.space = nil
	switch {
	case tag != "":
		if t.state == tagStart {
			t.Before = space + tag
		}
		t.state, t.deaf, t.After = tagInside, true, ""
		return body[len(tag):]
	case t.state == tagAfter:
		t.state = tagOutside
		t.After += space
		return body
	}
	t.state = tagOutside
	return space + body
}

func (t *Tags) inside(s string, emit func(Span)) string {
	from := 0
	for {
		i := strings.IndexAny(s[from:], "<[")
		if i < 0 {
			emit(Span{SpanThought, s})
			return ""
		}
		from += i
		tag, more := tagAt(s[from:], closeTags())
		if tag == "" && !more {
			from++
			continue
		}
		if from > 0 {
			emit(Span{SpanThought, s[:from]})
		}
		if more {
			t.held = s[from:]
			return ""
		}
		t.state, t.After = tagAfter, tag
		return s[from+len(tag):]
	}
}

func (t *Tags) outside(s string, emit func(Span)) string {
	from := 0
	for !t.deaf {
		i := strings.IndexAny(s[from:], "<[")
		if i < 0 {
			break
		}
		t.code.Feed(s[from : from+i])
		from += i
		tag, more := tagAt(s[from:], closeTags())
		open, moreOpen := tagAt(s[from:], openTags())
		switch {
		case more || moreOpen:
			if from > 0 {
				emit(Span{SpanText, s[:from]})
			}
			t.held = s[from:]
			return ""
		case open != "":
			t.deaf = true
			continue
		case tag != "" && !t.code.In():
			if from > 0 {
				emit(Span{SpanText, s[:from]})
			}
			emit(Span{Kind: SpanRelabel})
			t.state, t.deaf, t.After = tagAfter, true, tag
			return s[from+len(tag):]
		}
		t.code.Feed(s[from : from+1])
		from++
	}
	if !t.deaf {
		t.code.Feed(s[from:])
	}
	emit(Span{SpanText, s})
	return ""
}

// Code follows a Markdown text and tells whether its end stands in code: in a fenced block, or between backticks on one
// line. What looks like markup there is an example, not markup. The zero value stands at the start of a text.
type Code struct {
	fence     int  // length of the open fence, 0 = none
	fenceMark byte // ` or ~
	inline    int  // length of the run of backticks that opened code on this line, 0 = none
	run       int  // length of the run of marks that ends the text so far
	mark      byte // of the run
	indented  bool // something else than white space stands on this line
}

// Feed takes the next piece of the text.
func (c *Code) Feed(s string) {
	for i := range len(s) {
		b := s[i]
		if b == '`' || b == '~' {
			if c.run > 0 && c.mark != b {
				c.endRun()
			}
			c.mark = b
			c.run++
			continue
		}
		if c.run > 0 {
			c.endRun()
		}
		switch b {
		case '\n', '\r':
			c.indented, c.inline = false, 0
		case ' ', '\t':
		default:
			c.indented = true
		}
	}
}

// In reports whether what comes next stands in code.
func (c *Code) In() bool {
	end := *c
	if end.run > 0 {
		end.endRun()
	}
	return end.fence > 0 || end.inline > 0
}

func (c *Code) endRun() {
	n := c.run
	first := !c.indented
	c.run, c.indented = 0, true
	switch {
	case c.fence > 0:
		if first && c.mark == c.fenceMark && n >= c.fence {
			c.fence = 0
		}
	case first && n >= 3:
		c.fence, c.fenceMark = n, c.mark
	case c.mark != '`':
	case c.inline == 0:
		c.inline = n
	case c.inline == n:
		c.inline = 0
	}
}
