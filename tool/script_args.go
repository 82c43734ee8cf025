package tool

import (
	"errors"
	"strings"
)

// splitArgs splits a line as a shell would, without a shell: white space separates, quotes and backslashes keep together,
// nothing is expanded. 'x' is taken as it is, in "x" a backslash stands before " \ $ and `; a backslash before a line's end
// joins the lines. Joined quotes are one argument, and ” is an empty one.
func splitArgs(line string) ([]string, error) {
	s := splitter{}
	for _, c := range []byte(line) { // all that counts is ASCII, the rest goes through as it is
		s.step(c)
	}
	switch {
	case s.escaped:
		return nil, errors.New("the arguments end in a backslash")
	case s.quote != 0:
		return nil, errors.New("a quote " + string(s.quote) + " in the arguments is not closed; write \\" + string(s.quote) + " for the character itself")
	}
	s.end()
	return s.out, nil
}

type splitter struct {
	out     []string
	word    strings.Builder
	inWord  bool
	quote   byte // the open quote
	escaped bool
}

func (s *splitter) step(c byte) {
	switch {
	case s.escaped:
		s.afterBackslash(c)
	case c == '\\' && s.quote != '\'':
		s.escaped = true
	case s.quote != 0:
		if c == s.quote {
			s.quote = 0
			return
		}
		s.add(c)
	case c == '\'' || c == '"':
		s.quote, s.inWord = c, true
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.end()
	default:
		s.add(c)
	}
}

func (s *splitter) afterBackslash(c byte) {
	s.escaped = false
	if c == '\n' {
		return
	}
	if s.quote == '"' && strings.IndexByte("\"\\$`", c) < 0 {
		s.add('\\')
	}
	s.add(c)
}

func (s *splitter) add(c byte) {
	s.word.WriteByte(c)
	s.inWord = true
}

func (s *splitter) end() {
	if s.inWord {
		s.out = append(s.out, s.word.String())
		s.word.Reset()
		s.inWord = false
	}
}
