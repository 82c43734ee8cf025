package tool

import (
	"slices"
	"strings"
)

// ignoreRule is one line of a .gitignore file, made ready. It compares bytes, as git does: ? stands for one byte.
type ignoreRule struct {
	negate  bool // what matches is not ignored after all
	dirOnly bool // matches directories only
	byPath  bool // compared with the path below the file's directory, else with the last name of the path alone
	prefix  string
	suffix  bool        // the rule is * and then prefix
	glob    []globToken // what must follow prefix; nil: nothing
}

// globToken is one step of a pattern.
type globToken struct {
	op  globOp
	c   byte     // for opByte
	set *byteSet // for opSet
}

type globOp uint8

const (
	opByte  globOp = iota // this byte
	opAny                 // one byte
	opSet                 // one byte of a set
	opStar                // any bytes within one name
	opStars               // any bytes
	opDirs                // nothing, or anything that ends in a slash
)

// parseIgnore makes the rules of a file, in its order.
func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	text = strings.TrimPrefix(text, bom)
	for line := range strings.SplitSeq(text, "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// parseRule makes the rule of one line; false when the line is none, or can never match.
func parseRule(line string) (ignoreRule, bool) {
	line, _, _ = strings.Cut(line, "\x00")
	if strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	line = trimSpaces(line)
	var r ignoreRule
	line, r.negate = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return ignoreRule{}, false
	}
	r.byPath = strings.Contains(line, "/")
	if r.byPath {
		line = strings.TrimPrefix(line, "/")
	}
	if !r.byPath && line[0] == '*' && plain(line[1:]) == len(line)-1 {
		r.prefix, r.suffix = line[1:], true
		return r, true
	}
	// Like git, the plain beginning is taken off first: ** right behind it counts as if it stood at the beginning.
	n := plain(line)
	r.prefix = line[:n]
	var ok bool
	r.glob, ok = parseGlob(line[n:], r.byPath)
	return r, ok
}

// trimSpaces takes off the spaces at the end that no backslash protects.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
			if i == len(s) {
				return s
			}
		}
		end = i + 1
	}
	return s[:end]
}

// plain is the length of the beginning of a pattern that stands for itself.
func plain(pattern string) int {
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		return i
	}
	return len(pattern)
}

// parseGlob makes the steps of a pattern. byPath says that * ? and sets do not go over a slash. false: it never matches.
func parseGlob(p string, byPath bool) ([]globToken, bool) {
	var out []globToken
	for i := 0; i < len(p); {
		switch p[i] {
		case '*':
			t, n := parseStars(p, i, byPath)
			out = append(out, globToken{op: t})
			i += n
		case '?':
			out = append(out, globToken{op: opAny})
			i++
		case '[':
			set, n := parseSet(p[i:])
			if n == 0 {
				return nil, false
			}
			out = append(out, globToken{op: opSet, set: set})
			i += n
		case '\\':
			if i+1 == len(p) {
				return nil, false
			}
			out = append(out, globToken{op: opByte, c: p[i+1]})
			i += 2
		default:
			out = append(out, globToken{op: opByte, c: p[i]})
			i++
		}
	}
	return out, true
}

// parseStars reads the stars at p[i:] and tells what they mean and how many bytes say it.
func parseStars(p string, i int, byPath bool) (op globOp, n int) {
	end := i
	for end < len(p) && p[end] == '*' {
		end++
	}
	rest := p[end:]
	switch {
	case !byPath:
		return opStars, end - i
	case end-i == 1, i > 0 && p[i-1] != '/':
		return opStar, end - i
	case rest == "", strings.HasPrefix(rest, `\/`):
		return opStars, end - i
	case rest[0] == '/':
		return opDirs, end - i + 1
	}
	return opStar, end - i
}

// match reports whether the rule speaks about a path: path is below the directory of the rule's file, name its last
// element.
func (r *ignoreRule) match(path, name string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if !r.byPath {
		path = name
	}
	if r.suffix {
		return strings.HasSuffix(path, r.prefix)
	}
	rest, ok := strings.CutPrefix(path, r.prefix)
	if !ok {
		return false
	}
	if r.glob == nil {
		return rest == ""
	}
	return matchGlob(r.glob, rest)
}

// matchGlob follows all ways through the steps at once, so that no pattern takes long: at[i] says that the steps so far
// can have taken the first i bytes of s.
func matchGlob(steps []globToken, s string) bool {
	var room [2][128]bool
	at, next := room[0][:], room[1][:]
	if len(s) >= len(at) {
		at, next = make([]bool, len(s)+1), make([]bool, len(s)+1)
	}
	at, next = at[:len(s)+1], next[:len(s)+1]
	at[0] = true
	for i := range steps {
		clear(next)
		if !steps[i].advance(at, next, s) {
			return false
		}
		at, next = next, at
	}
	return at[len(s)]
}

// advance takes one step from every place in at; false when it leads nowhere.
func (t *globToken) advance(at, next []bool, s string) bool {
	switch t.op {
	case opByte, opAny, opSet:
		for i := range len(s) { // bytes
			next[i+1] = at[i] && t.takes(s[i])
		}
	default:
		t.spread(at, next, s)
	}
	return slices.Contains(next, true)
}

// spread is for the steps that take any number of bytes.
func (t *globToken) spread(at, next []bool, s string) {
	open := false // the step has begun here or before
	for i, here := range at {
		slash := i > 0 && s[i-1] == '/'
		switch t.op {
		case opStar:
			open = here || open && !slash
			next[i] = open
		case opDirs:
			next[i] = here || open && slash
			open = open || here
		default:
			open = open || here
			next[i] = open
		}
	}
}

// takes is for the steps that stand for one byte. Only a plain byte can be a slash; in names there is none.
func (t *globToken) takes(c byte) bool {
	switch t.op {
	case opByte:
		return c == t.c
	case opAny:
		return c != '/'
	default:
		return c != '/' && t.set.has(c)
	}
}
