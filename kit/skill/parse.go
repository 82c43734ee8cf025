package skill

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"react-agent/internal/msg"
)

// maxHeader bounds a header; real ones have some kilobytes at most.
const maxHeader = 64 << 10

// document is a Markdown file taken apart.
type document struct {
	header string // between the lines of dashes, line ends are \n
	first  int    // line number of the header's first line
	body   int    // where the body begins in the text
	opened bool   // it begins with a line of dashes
	closed bool
}

// split finds header and body in a text with any line ends. Blank lines may stand before the header.
func split(s string) document {
	rest, line := s, 1
	pos := 0
	next := func() (string, bool) {
		if pos >= len(rest) {
			return "", false
		}
		l := rest[pos:]
		if i := strings.IndexByte(l, '\n'); i >= 0 {
			l = l[:i]
			pos += i + 1
		} else {
			pos = len(rest)
		}
		line++
		return strings.TrimSuffix(l, "\r"), true
	}
	l, ok := next()
	for ok && strings.TrimSpace(l) == "" {
		l, ok = next()
	}
	if !ok || strings.TrimRight(l, " \t") != "---" {
		return document{}
	}
	d := document{opened: true, first: line}
	start := pos
	for {
		end := pos
		if l, ok = next(); !ok {
			return d
		}
		if strings.TrimRight(l, " \t") == "---" {
			d.closed = true
			d.header = strings.ReplaceAll(rest[start:end], "\r\n", "\n")
			d.body = pos
			return d
		}
	}
}

// decode makes text of a file's bytes. binary says that it is no text at all, repaired that bytes were replaced.
func decode(data []byte) (s string, repaired, binary bool) {
	return decodeTo(data, func(b []byte) int { return len(b) })
}

// decodeHeader is decode for those who only want the header: if nothing is odd, the text ends with it.
func decodeHeader(data []byte) (s string, repaired, binary bool) { return decodeTo(data, headerEnd) }

func decodeTo(data []byte, end func([]byte) int) (s string, repaired, binary bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) || bytes.IndexByte(data, 0) >= 0 {
		return "", false, true
	}
	if !utf8.Valid(data) {
		return strings.ToValidUTF8(string(data), "\uFFFD"), true, false
	}
	return string(data[:end(data)]), false, false
}

// headerEnd is where the line behind the header begins, or the end of the text if there is no header that is closed.
func headerEnd(data []byte) int {
	dashes, pos := 0, 0
	for pos < len(data) {
		line, rest, _ := bytes.Cut(data[pos:], []byte("\n"))
		pos = len(data) - len(rest)
		switch {
		case string(bytes.TrimRight(bytes.TrimSuffix(line, []byte("\r")), " \t")) == "---":
			if dashes++; dashes == 2 {
				return pos
			}
		case dashes == 0 && len(bytes.TrimSpace(line)) > 0:
			return len(data)
		}
	}
	return len(data)
}

// bodyOf is the text behind the header, or all of it when there is none, with line ends \n.
func bodyOf(s string) string {
	if d := split(s); d.closed {
		s = s[d.body:]
	}
	return strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

// parsed is a header with the places of its fields.
type parsed struct {
	fields fields
	notes  []Diagnostic
}

// parse reads the header of a skill's file from its text (at least up to the end of the header). Its diagnostics say what
// is wrong; with an error among them, there are no fields.
func parse(file, s string) parsed {
	d := split(s)
	fail := func(code Code, line int, reason, fix error) parsed {
		return parsed{notes: []Diagnostic{{Code: code, Severity: Error, File: file, Line: line, Reason: reason, Fix: fix}}}
	}
	switch {
	case !d.opened:
		return fail(NoFrontmatter, 1, msg.Errorf(msg.SkillNoHeader), msg.Errorf(msg.SkillFixHeader))
	case !d.closed && len(s) > maxHeader, d.closed && len(d.header) > maxHeader:
		return fail(YAMLInvalid, d.first, msg.Errorf(msg.SkillHeaderTooLong, maxHeader>>10), msg.Errorf(msg.SkillFixClose))
	case !d.closed:
		return fail(UnclosedFrontmatter, d.first-1, msg.Errorf(msg.SkillUnclosed), msg.Errorf(msg.SkillFixClose))
	}
	f, err := readFields(d.header)
	last := strings.Count(strings.TrimSuffix(d.header, "\n"), "\n") + 1 // the parser counts other line ends, too
	for i := range f.list {
		f.list[i].line = min(f.list[i].line, last) + d.first - 1
		f.list[i].norm = NormalizeSkillName(f.list[i].key)
	}
	if err == nil {
		return parsed{fields: f}
	}
	line := min(max(1, err.line), last) + d.first - 1
	if len(f.list) == 0 {
		reason := msg.Errorf(msg.SkillYAML, err.text)
		if err.notMap {
			reason = msg.Errorf(msg.SkillNotMap)
		}
		return fail(YAMLInvalid, line, reason, msg.Errorf(msg.SkillFixQuote))
	}
	return parsed{fields: f, notes: []Diagnostic{{
		Code: YAMLRepaired, Severity: Warn, File: file, Line: line,
		Reason: msg.Errorf(msg.SkillRepaired, err.text), Fix: msg.Errorf(msg.SkillFixQuote),
	}}}
}
