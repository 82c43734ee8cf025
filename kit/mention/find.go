package mention

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mentioned is a mention that leads to something.
type mentioned struct {
	File
	as string // as it was typed, without the at-sign
}

// maxTries bounds how many shorter paths are tried, maxSigns how many at-signs of a text are looked at.
const (
	maxTries = 40
	maxSigns = 1000
	maxPath  = 1024 // bytes
)

// find lists the mentions in a text, what was surely meant as one but leads nowhere, and what leads to a file that has no
// such lines as are asked for.
func (o *Options) find(text string) (found []mentioned, missing, ranges []string) {
	signs := 0
	for _, piece := range prose(text) {
		before := ' '
		for i := 0; i < len(piece); {
			r, size := utf8.DecodeRuneInString(piece[i:])
			if r != '@' || inWord(before) {
				before, i = r, i+size
				continue
			}
			if signs++; signs > maxSigns {
				return found, missing, ranges
			}
			f, used, ok := o.at(piece[i+1:])
			switch {
			case ok:
				found = append(found, f)
			case o.rangeIsWrong(f.as):
				ranges = append(ranges, f.as)
			case likePath(f.as):
				missing = append(missing, f.as)
			}
			before, i = '@', i+1+used
		}
	}
	return found, missing, ranges
}

// inWord says that an at-sign behind this character belongs to a word: an address of mail, a decorator's tail.
func inWord(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("@._%+-/\\", r)
}

// at reads the path behind an at-sign. used is how much of the text it takes; without a file, f.as is what was tried.
func (o *Options) at(text string) (f mentioned, used int, ok bool) {
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		path, behind, closed := strings.Cut(rest, `"`)
		if !closed || strings.ContainsAny(path, "\r\n") || len(path) > maxPath {
			return f, 0, false
		}
		span, n, good := leadingRange(behind)
		f.as = path + behind[:n]
		if f.File, ok = o.exists(path, span); ok && good && (n == 0 || !f.Dir) {
			return f, len(path) + 2 + n, true
		}
		return f, 0, false
	}
	run := text
	if i := strings.IndexFunc(text, breaks); i >= 0 {
		run = text[:i]
	}
	if run == "" || run[0] == '@' || len(run) > maxPath {
		return f, 0, false
	}
	for _, end := range slices.Backward(endings(run)) {
		if g, ok := o.resolve(run[:end]); ok {
			return g, end, true
		}
	}
	f.as = strings.TrimRightFunc(run, ends)
	return f, 0, false
}

// endings are the places where a path may end in a text without blanks: at its end, before punctuation at its end, and
// before any character of another script than ours, or another at-sign.
func endings(run string) (at []int) {
	tail := len(strings.TrimRightFunc(run, ends))
	for i, r := range run {
		if i > 0 && (r >= utf8.RuneSelf || r == '@' || i >= tail) && len(at) < maxTries {
			at = append(at, i)
		}
	}
	return append(at, len(run))
}

// breaks says whether a character stands in no path without quotes.
func breaks(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'`<>|，。；：！？、（）【】《》“”", r)
}

// ends says whether a character may stand behind a path without belonging to it.
func ends(r rune) bool {
	return strings.ContainsRune(".,;:!?)]}*_~", r) || r >= utf8.RuneSelf && unicode.IsPunct(r)
}

// resolve finds what a word means: a path, or a path with a range of lines.
func (o *Options) resolve(word string) (f mentioned, ok bool) {
	f.as = word
	if f.File, ok = o.exists(word, lines{}); ok {
		return f, true
	}
	path, span, has := cutRange(word)
	if !has {
		return f, false
	}
	f.File, ok = o.exists(path, span)
	return f, ok && !f.Dir
}

// exists looks whether there is something at a path. Nothing is opened.
func (o *Options) exists(path string, span lines) (File, bool) {
	if path == "" || strings.ContainsRune(path, 0) {
		return File{}, false
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && o.Home != "" {
		path = filepath.Join(o.Home, rest)
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(o.Dir, full)
	}
	info, err := os.Stat(full)
	if err != nil {
		return File{}, false
	}
	return File{Path: path, Dir: info.IsDir(), From: span.from, To: span.to}, true
}

type lines struct{ from, to int }

// cutRange takes a range of lines off a path: :10, :10-20, :10-, #L10-L20.
func cutRange(word string) (path string, span lines, ok bool) {
	at := strings.LastIndexByte(word, ':')
	skip := 1
	if i := strings.LastIndex(word, "#L"); i > at {
		at, skip = i, 2
	}
	if at < 0 {
		return word, span, false
	}
	from, to, dash := strings.Cut(word[at+skip:], "-")
	if span.from, ok = number(from); !ok || span.from == 0 {
		return word, lines{}, false
	}
	switch to = strings.TrimPrefix(to, "L"); {
	case !dash:
		span.to = span.from
	case to != "":
		if span.to, ok = number(to); !ok || span.to < span.from {
			return word, lines{}, false
		}
	}
	return word[:at], span, true
}

// number reads a number of lines.
func number(s string) (int, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// rangeIsWrong says that a word is something that is there and, behind it, lines that it cannot have.
func (o *Options) rangeIsWrong(word string) bool {
	at := max(strings.LastIndexByte(word, ':'), strings.LastIndex(word, "#L"))
	if at < 0 || !likePath(word) && !strings.ContainsAny(word[at:min(len(word), at+3)], "0123456789") {
		return false
	}
	_, ok := o.exists(word[:at], lines{})
	return ok
}

// leadingRange is a range of lines at the beginning of what follows a path in quotes; good is false when it is none that a
// file can have.
func leadingRange(behind string) (span lines, used int, good bool) {
	word := behind
	if i := strings.IndexFunc(behind, func(r rune) bool { return !strings.ContainsRune(":#L-0123456789", r) }); i >= 0 {
		word = behind[:i]
	}
	word = strings.TrimRight(word, ":#")
	if path, span, ok := cutRange(word); ok && path == "" {
		return span, len(word), true
	}
	if digits := strings.TrimPrefix(strings.TrimPrefix(word, ":"), "#L"); len(digits) < len(word) && digits != "" && unicode.IsDigit(rune(digits[0])) {
		return lines{}, len(word), false
	}
	return lines{}, 0, true
}

// likePath says whether somebody who wrote this surely meant a file.
func likePath(word string) bool {
	if i := strings.IndexAny(word, ":#"); i >= 0 {
		word = word[:i]
	}
	for _, begin := range []string{"./", "../", "~/", "/"} {
		if strings.HasPrefix(word, begin) {
			return true
		}
	}
	ext := filepath.Ext(word)
	if len(ext) < 2 || len(ext) > 5 || len(ext) == len(word) {
		return false
	}
	return strings.IndexFunc(ext[1:], func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}

// prose is a text without its code between backticks: what stands there is no mention.
func prose(text string) (pieces []string) {
	fence := ""
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		n := len(trimmed) - len(strings.TrimLeft(trimmed, "`"))
		switch {
		case fence == "" && n >= 3 && !strings.Contains(trimmed[n:], "`"):
			fence = trimmed[:n]
		case fence != "":
			if n >= len(fence) && strings.TrimSpace(trimmed[n:]) == "" {
				fence = ""
			}
		default:
			b.WriteString(line)
			continue
		}
		b.WriteString("\n")
	}
	rest := b.String()
	for {
		from := strings.IndexByte(rest, '`')
		if from < 0 {
			return append(pieces, rest)
		}
		n := len(rest[from:]) - len(strings.TrimLeft(rest[from:], "`"))
		to := closing(rest[from+n:], n)
		if to < 0 { // never closed: they are ordinary characters
			pieces = append(pieces, rest[:from+n])
			rest = rest[from+n:]
			continue
		}
		pieces = append(pieces, rest[:from])
		rest = rest[from+n+to+n:]
	}
}

// closing finds n backticks in the same paragraph.
func closing(s string, n int) int {
	if i := strings.Index(s, "\n\n"); i >= 0 {
		s = s[:i]
	}
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == n {
			return at
		}
		at += run
	}
}
