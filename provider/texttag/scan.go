package texttag

import (
	"strings"

	"react-agent/provider/wire"
)

// The tags.
const (
	openCall, closeCall       = "<tool_call>", "</tool_call>"
	openThought, closeThought = "<thought>", "</thought>"
	openFinal, closeFinal     = "<final_answer>", "</final_answer>"
)

// piece is something that the scanner has found.
type piece struct {
	kind pieceKind
	text string
}

type pieceKind int

const (
	outside pieceKind = iota // text without a tag around it
	thought
	final
	callBegins // a call has begun: what was outside is no answer
	callBody   // what stood in the tag
	finalBegins
)

// scanner finds the tags in a text that comes in pieces. Where it is cut makes no difference; nothing is held back but what
// may be the beginning of a tag, what stands in a call, and a message that begins with a code fence until it is known
// whether there is a tag in it. What stands in code is no tag.
type scanner struct {
	emit  func(piece)
	plain bool // there are no tools: a call is just text

	state  scanState
	held   string // not decided yet
	body   strings.Builder
	tries  int // closing tags that stood in a string of a call
	from   int // where in body closing tags have not been looked for
	quotes wire.Quotes
	fed    int // how much of body the quotes have seen
	code   wire.Code
	begun  bool // something but white space was seen
	fenced bool // this is the inside of a fence that is the whole message
	opened bool // a call or a final answer has begun
}

type scanState int

const (
	scanText scanState = iota
	scanThought
	scanFinal
	scanCall
	scanFence // the message begins with a fence: all of it is kept
)

// add takes the next piece.
func (s *scanner) add(text string) {
	for text != "" {
		switch s.state {
		case scanText:
			text = s.text(text)
		case scanThought:
			text = s.until(text, closeThought, thought)
		case scanFinal:
			text = s.until(text, closeFinal, final)
		case scanCall:
			text = s.call(text)
		case scanFence:
			s.body.WriteString(text)
			return
		}
	}
}

// finish ends the text. cut says that it broke off at a limit.
func (s *scanner) finish(cut bool) {
	switch s.state {
	case scanText:
		held := s.held
		s.held = ""
		if !cut || !isBeginning(held) {
			s.out(held)
		}
	case scanThought, scanFinal:
		kind := thought
		if s.state == scanFinal {
			kind = final
		}
		if held := s.held; held != "" && !cut {
			s.emit(piece{kind, held})
		}
		s.held = ""
	case scanCall:
		s.endCall(cut)
	case scanFence:
		s.endFence(cut)
	}
}

// isBeginning reports whether a text may be the beginning of one of the tags.
func isBeginning(s string) bool {
	_, more := tagAt(s)
	return s != "" && more
}

func (s *scanner) out(text string) {
	if text == "" {
		return
	}
	s.code.Feed(text)
	if !s.begun && strings.TrimSpace(text) != "" {
		s.begun = true
	}
	s.emit(piece{outside, text})
}

// tagAt looks for a tag at the start of s, in any case. more: s is the beginning of one.
func tagAt(s string) (tag string, more bool) {
	for _, t := range [...]string{openCall, closeCall, openThought, closeThought, openFinal, closeFinal} {
		if len(s) >= len(t) && strings.EqualFold(s[:len(t)], t) {
			return t, false
		}
		if len(s) < len(t) && strings.EqualFold(s, t[:len(s)]) {
			more = true
		}
	}
	return "", more
}

// pending is what was taken in and not passed on, as far as no tag of ours has begun.
func (s *scanner) pending() string {
	if s.state == scanFence {
		return s.body.String()
	}
	return s.held
}

// calling reports whether a call is open.
func (s *scanner) calling() bool { return s.state == scanCall }

// text looks for the next tag.
func (s *scanner) text(text string) string {
	text = s.held + text
	s.held = ""
	if !s.begun && !s.fenced {
		switch wrapped(text) {
		case fenceMore:
			s.held = text
			return ""
		case fenceTag:
			s.state = scanFence
			return text
		case fenceNone:
		}
	}
	code := s.code // at from; s.code itself is fed by out
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			s.out(text)
			return ""
		}
		code.Feed(text[from : from+i])
		from += i
		if !code.In() {
			tag, more := tagAt(text[from:])
			if tag != "" && (!s.plain || tag != openCall && tag != closeCall) {
				s.out(text[:from])
				return s.open(tag, text[from+len(tag):])
			}
			if more {
				s.out(text[:from])
				s.held = text[from:]
				return ""
			}
		}
		code.Feed(text[from : from+1])
		from++
	}
}

// open enters a tag. A closing tag that nothing has opened is dropped.
func (s *scanner) open(tag, rest string) string {
	s.begun = true
	switch tag {
	case openCall:
		s.state, s.opened = scanCall, true
		s.body.Reset()
		s.tries, s.from, s.fed, s.quotes = 0, 0, 0, wire.Quotes{}
		s.emit(piece{kind: callBegins})
	case openThought:
		s.state = scanThought
	case openFinal:
		s.state, s.opened = scanFinal, true
		s.emit(piece{kind: finalBegins})
	}
	return rest
}

// until passes text on up to a closing tag.
func (s *scanner) until(text, end string, kind pieceKind) string {
	text = s.held + text
	s.held = ""
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			s.emit(piece{kind, text})
			return ""
		}
		from += i
		rest := text[from:]
		switch {
		case len(rest) >= len(end) && strings.EqualFold(rest[:len(end)], end):
			if from > 0 {
				s.emit(piece{kind, text[:from]})
			}
			s.state = scanText
			return rest[len(end):]
		case len(rest) < len(end) && strings.EqualFold(rest, end[:len(rest)]):
			if from > 0 {
				s.emit(piece{kind, text[:from]})
			}
			s.held = rest
			return ""
		}
		from++
	}
}

// maxTries bounds how often a closing tag in a call is taken for a part of one of its strings.
const maxTries = 50

// call collects a call up to its closing tag. One in a string of its JSON is none.
func (s *scanner) call(text string) string {
	s.body.WriteString(text)
	body := s.body.String()
	for {
		i := indexFold(body[s.from:], closeCall)
		if i < 0 {
			s.from = max(s.from, len(body)-len(closeCall)+1)
			return ""
		}
		end := s.from + i
		s.quotes.Feed(body[s.fed:end])
		s.fed = end
		if s.tries < maxTries && s.quotes.Open() {
			s.tries++
			s.from = end + len(closeCall)
			continue
		}
		s.close(body[:end])
		return body[end+len(closeCall):]
	}
}

// close ends a call.
func (s *scanner) close(body string) {
	s.state = scanText
	s.emit(piece{callBody, body})
}

// endCall ends a call that nothing has closed: at the first closing tag after all, or with the message.
func (s *scanner) endCall(cut bool) {
	body := s.body.String()
	i := indexFold(body, closeCall)
	if i < 0 {
		s.close(body)
		return
	}
	s.close(body[:i])
	s.add(body[i+len(closeCall):])
	s.finish(cut)
}

// endFence ends a message that is one code fence: with nothing around and tags in it, they are meant; else it is an example.
func (s *scanner) endFence(cut bool) {
	body := s.body.String()
	s.body.Reset()
	s.state = scanText
	if inner, ok := insideFences(body); ok {
		probe := scanner{fenced: true, emit: func(piece) {}}
		words := false
		probe.emit = func(p piece) { words = words || p.kind == outside && strings.TrimSpace(p.text) != "" }
		probe.add(inner)
		probe.finish(cut)
		if probe.opened && !words {
			s.fenced = true
			s.add(inner)
			s.finish(cut)
			return
		}
	}
	s.out(body)
}

type fence int

const (
	fenceNone fence = iota
	fenceMore       // too little of it is there
	fenceTag        // a tag stands right behind it
)

// wrapped looks at the beginning of a message: a code fence with a tag in it?
func wrapped(s string) fence {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" {
		return fenceNone
	}
	if len(s) < 3 && strings.Trim(s, "`") == "" {
		return fenceMore
	}
	if !strings.HasPrefix(s, "```") {
		return fenceNone
	}
	line, rest, ok := strings.Cut(s, "\n")
	if !ok {
		if len(line) > 40 {
			return fenceNone
		}
		return fenceMore
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest == "" {
		return fenceMore
	}
	tag, more := tagAt(rest)
	switch {
	case tag != "":
		return fenceTag
	case more:
		return fenceMore
	}
	return fenceNone
}

// insideFences is what stands in the fences of a text, if their lines are in pairs.
func insideFences(s string) (string, bool) {
	var inner strings.Builder
	marks := 0
	for line := range strings.SplitAfterSeq(s, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			marks++
			continue
		}
		inner.WriteString(line)
	}
	return inner.String(), marks > 0
}

// indexFold finds the first occurrence of a tag in any case.
func indexFold(s, tag string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '<')
		if i < 0 {
			return -1
		}
		from += i
		if len(s)-from >= len(tag) && strings.EqualFold(s[from:from+len(tag)], tag) {
			return from
		}
		from++
	}
}
