package instruct

import (
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// mention is an `@path` in a text.
type mention struct {
	path string
	line int // from 1
}

// parsed is a text without comments, and what it may import.
type parsed struct {
	text     string
	mentions []mention
	// bare says that nothing but mentions stands in it.
	bare bool
}

// parse takes out HTML comments and finds mentions, both outside of code only. A comment that is never closed is none.
func parse(s string) parsed {
	p := parsed{bare: true}
	closed := strings.LastIndex(s, "-->") // what opens behind it stays open
	var out []string
	fence, comment, offset := "", false, 0
	for n, line := range strings.Split(s, "\n") {
		start := offset
		offset += len(line) + 1
		if !comment {
			mark := fenceOf(line, fence)
			if mark != "" || fence != "" {
				if fence == "" || mark != "" {
					fence = opposite(fence, mark)
				}
				out, p.bare = append(out, line), false
				continue
			}
		}
		kept, open := strip(line, comment, closed-start)
		was := comment
		comment = open
		if (was || kept != line) && strings.TrimSpace(kept) == "" {
			continue // the comment was all of it
		}
		out = append(out, kept)
		list, bare := mentionsIn(kept)
		for _, m := range list {
			p.mentions = append(p.mentions, mention{path: m, line: n + 1})
		}
		p.bare = p.bare && bare
	}
	p.text = strings.Trim(strings.Join(out, "\n"), "\n")
	p.bare = p.bare && len(p.mentions) > 0
	return p
}

// opposite is the fence that is open behind a mark.
func opposite(fence, mark string) string {
	if fence != "" {
		return ""
	}
	return mark
}

// fenceOf says whether a line opens or closes a block of code, and with what.
func fenceOf(line, open string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 && open == "" {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, c))
		mark := strings.Repeat(c, n)
		switch {
		case n < 3:
		case open == "" && !strings.Contains(trimmed[n:], "`"):
			return mark
		case open != "" && strings.HasPrefix(mark, open) && strings.TrimSpace(trimmed[n:]) == "":
			return mark
		}
	}
	return ""
}

// strip takes comments out of a line; inside says that one is open when the line begins, open that one is when the line
// ends. What begins at closed or behind it is no comment.
func strip(line string, inside bool, closed int) (kept string, open bool) {
	var b strings.Builder
	code := spansOf(line)
	for at := 0; at < len(line); {
		rest := line[at:]
		if inside {
			i := strings.Index(rest, "-->")
			if i < 0 {
				return b.String(), true
			}
			at, inside = at+i+len("-->"), false
			continue
		}
		i := strings.Index(rest, "<!--")
		if i < 0 || at+i >= closed {
			b.WriteString(rest)
			return b.String(), false
		}
		if from, to, ok := code.next(at); ok && from < at+i {
			b.WriteString(line[at:to])
			at = to
			continue
		}
		b.WriteString(rest[:i])
		at, inside = at+i+len("<!--"), true
	}
	return b.String(), inside
}

// spans finds the pieces of code between backticks in a line, from left to right, in one pass.
type spans struct {
	runs []run         // of backticks
	same map[int][]int // runs that are left, by length
	at   int           // run that may open the next piece
}

type run struct{ pos, len int }

func spansOf(line string) *spans {
	s := &spans{}
	for i := 0; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		n := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		if s.same == nil {
			s.same = map[int][]int{}
		}
		s.same[n] = append(s.same[n], len(s.runs))
		s.runs = append(s.runs, run{pos: i, len: n})
		i += n
	}
	return s
}

// next is the first piece that begins at or behind a place, which never goes back.
func (s *spans) next(at int) (from, to int, ok bool) {
	for ; s.at < len(s.runs); s.at++ {
		open := s.runs[s.at]
		if open.pos < at {
			continue
		}
		left := s.same[open.len]
		for len(left) > 0 && left[0] <= s.at {
			left = left[1:]
		}
		s.same[open.len] = left
		if len(left) > 0 {
			end := s.runs[left[0]]
			return open.pos, end.pos + end.len, true
		}
	}
	return 0, 0, false
}

// mentionsIn lists the `@path`s of a line, outside of code, and says whether it has nothing else. Most at-signs are none:
// whether there is such a file decides.
func mentionsIn(line string) (list []string, bare bool) {
	if !strings.Contains(line, "@") {
		return nil, strings.TrimSpace(line) == ""
	}
	before, code := ' ', spansOf(line)
	bare = true
	for i := 0; i < len(line); {
		if line[i] == '`' {
			if from, to, ok := code.next(i); ok && from == i {
				i, before, bare = to, '`', false
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if r == '@' && strings.ContainsRune(" \t([{\"'*_>,;:-", before) {
			if m := pathAt(line[i+1:]); m != "" {
				list = append(list, m)
				i, before = i+1+len(m), 'x'
				continue
			}
		}
		bare = bare && strings.ContainsRune(" \t-*.,;", r)
		before, i = r, i+size
	}
	return list, bare
}

// pathAt is the path at the beginning of s.
func pathAt(s string) string {
	if i := strings.IndexAny(s, " \t)]}\"'`<>|*，。；：！？、（）【】《》“”"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimRight(s, ".,;:!?")
}

// likeFile says whether a mention that leads nowhere was surely meant as a file.
func likeFile(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".mdc", ".mdx", ".txt":
		return true
	}
	return false
}

// shorten cuts a text to at most limit bytes, at the end of a line if there is one, never inside a character.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	head := s[:limit]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		return head[:i]
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
