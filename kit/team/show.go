package team

import (
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

// lineCut bounds a line about a call, and a line of a child's words, in characters.
const lineCut = 160

// sign puts the child's path before a text, unless a child of its own has signed it.
func (w *watch) sign(s string) string {
	if strings.HasPrefix(s, "["+w.c.Path+"/") || strings.HasPrefix(s, "["+w.c.Path+"]") {
		return s
	}
	return "[" + w.c.Path + "] " + s
}

// show tells whoever waits what the child does: one line for each call, what its own children say, and, where that is
// wanted, its words.
func (w *watch) show(e agent.Event) {
	if w.ears.progress == nil {
		return
	}
	say := func(s string) {
		if s != "" {
			w.ears.progress(w.sign(s))
		}
	}
	switch e.Type { //nolint:exhaustive // the others are no activity
	case agent.EvCall:
		say("· " + callLine(e.Call))
	case agent.EvProgress:
		if strings.HasPrefix(e.Text, "["+w.c.Path+"/") { // of a child of its own
			say(e.Text)
		}
	case agent.EvRetry:
		w.lines.drop()
		if e.Text != "" {
			say("↻ " + oneLine(e.Text))
		}
	case agent.EvChunk:
		w.tokens(e.Chunk, say)
	case agent.EvMessage:
		w.whole(e.Message, say)
	case agent.EvEnd:
		w.lines.flush(say)
		if w.end.state != Done {
			say("✗ " + oneLine(w.end.reason))
		}
	}
}

func (w *watch) tokens(c *agent.Chunk, say func(string)) {
	if w.spec.Tokens && c != nil && c.Part != nil && c.Part.Kind == agent.Text {
		w.lines.add(c.Part.Text, say)
	}
}

// whole ends the lines of a message; of one that nobody heard while it was said, it says them now.
func (w *watch) whole(m *agent.Message, say func(string)) {
	if m == nil || !m.Answers() {
		return
	}
	if w.spec.Tokens && !w.lines.heard {
		w.lines.add(m.Text(), say)
	}
	w.lines.flush(say)
	w.lines.heard = false
}

func callLine(c *agent.Call) string {
	if c == nil {
		return ""
	}
	return oneLine(c.Name + " " + string(c.Args))
}

func oneLine(s string) string { return text.Head(strings.Join(strings.Fields(s), " "), lineCut) }

// liner makes lines of words that come in pieces.
type liner struct {
	open  strings.Builder
	heard bool // something of the message came
}

func (l *liner) add(piece string, say func(string)) {
	l.heard = l.heard || piece != ""
	for {
		line, rest, whole := strings.Cut(piece, "\n")
		l.open.WriteString(line)
		if !whole {
			break
		}
		l.flush(say)
		piece = rest
	}
	if s := l.open.String(); len(s) > 2*lineCut { // a paragraph without an end
		at := strings.LastIndexByte(s, ' ')
		if at <= 0 {
			at = len(s)
		}
		l.open.Reset()
		say(s[:at])
		l.open.WriteString(strings.TrimPrefix(s[at:], " "))
	}
}

// flush says what is there of a line.
func (l *liner) flush(say func(string)) {
	s := l.open.String()
	l.open.Reset()
	if strings.TrimSpace(s) != "" {
		say(s)
	}
}

func (l *liner) drop() {
	l.open.Reset()
	l.heard = false
}
