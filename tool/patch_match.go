package tool

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// lined is a text with its lines, which are compared without their ends and without the byte order mark.
type lined struct {
	name string
	raw  []byte
	from []int // where each line begins, and the end

	exact, loose finder // made when first needed
}

func newLined(name string, raw []byte) *lined {
	l := &lined{name: name, raw: raw}
	at := 0
	if bytes.HasPrefix(raw, []byte(bom)) {
		at = len(bom)
	}
	for at < len(raw) {
		l.from = append(l.from, at)
		i := bytes.IndexByte(raw[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	l.from = append(l.from, len(raw))
	return l
}

func (l *lined) len() int { return len(l.from) - 1 }

// end is how a line ends: LF, CR LF or, at the end of the file, not at all.
func (l *lined) end(i int) string {
	line := l.raw[l.from[i]:l.from[i+1]]
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return "\n"
	}
	return ""
}

func (l *lined) text(i int) string {
	return string(l.raw[l.from[i] : l.from[i+1]-len(l.end(i))])
}

const blanks = " \t\r"

// finder finds runs of lines: exactly, or without regard to white space at line ends.
type finder struct {
	norm []byte // every line with an LF
	from []int  // where each begins
}

func (l *lined) finder(loose bool) *finder {
	f := &l.exact
	if loose {
		f = &l.loose
	}
	if f.norm != nil {
		return f
	}
	f.norm = make([]byte, 0, len(l.raw)+1)
	for i := range l.len() {
		f.from = append(f.from, len(f.norm))
		text := l.text(i)
		if loose {
			text = strings.TrimRight(text, blanks)
		}
		f.norm = append(append(f.norm, text...), '\n')
	}
	return f
}

// find lists where the lines begin.
func (f *finder) find(lines []string) []int {
	want := []byte(strings.Join(lines, "\n") + "\n")
	var at []int
	for from := 0; from < len(f.norm); {
		i := bytes.Index(f.norm[from:], want)
		if i < 0 {
			break
		}
		line := sort.SearchInts(f.from, from+i)
		if line == len(f.from) {
			break
		}
		if f.from[line] == from+i {
			at = append(at, line)
			line++
		}
		if line == len(f.from) {
			break
		}
		from = f.from[line]
	}
	return at
}

// spot is where a hunk belongs.
type spot struct {
	first int    // line
	note  string // what the model should know about how it was found
}

// locate finds the one place of a hunk, or says why there is none.
func (l *lined) locate(h *hunk) (spot, error) {
	old, now := h.sides()
	if len(old) == 0 {
		if h.atEnd || l.len() == 0 {
			return spot{first: l.len()}, nil
		}
		return spot{}, errors.New("it has no line of the file: give lines around the change, or " + endOfFile + " to add at the end")
	}
	if at := l.finder(false).find(old); len(at) > 0 {
		return l.one(h, at, len(old), "")
	}
	trimmed := make([]string, len(old))
	for i := range old {
		trimmed[i] = strings.TrimRight(old[i], blanks)
	}
	f := l.finder(true)
	if at := f.find(trimmed); len(at) > 0 {
		return l.one(h, at, len(old), "found with other white space at line ends")
	}
	why := "these lines are not in " + l.name
	if len(now) > 0 && len(l.finder(false).find(now)) > 0 {
		why += ", but those that should come of it are: perhaps it was applied before"
	} else {
		why += newTarget(l.raw).nearMiss(strings.Join(old, "\n"))
	}
	return spot{}, errors.New(why)
}

// one takes the one of several places that the hunk's header tells.
func (l *lined) one(h *hunk, at []int, length int, note string) (spot, error) {
	all := at
	if h.atEnd || h.oldNoEnd {
		if at = keep(at, func(i int) bool { return i+length == l.len() }); len(at) == 0 {
			return spot{}, fmt.Errorf("its lines are in %s (%s), but not at the end of the file", l.name, lineList(all))
		}
	}
	if len(h.heads) > 0 {
		var err error
		if at, err = l.below(h.heads, at); err != nil {
			return spot{}, err
		}
	}
	if len(at) > 1 && h.at > 0 {
		if exact := keep(at, func(i int) bool { return i == h.at-1 }); len(exact) == 1 {
			at = exact
		}
	}
	if len(at) != 1 {
		return spot{}, fmt.Errorf("its lines are in %s %d times (%s): add lines around the change, or an @@ line with a line above it, until one place is meant",
			l.name, len(at), lineList(at))
	}
	if h.at > 0 && h.at-1 != at[0] {
		note = strings.TrimPrefix(note+fmt.Sprintf(", at line %d, not %d", at[0]+1, h.at), ", ")
	}
	return spot{first: at[0], note: note}, nil
}

func keep(list []int, ok func(int) bool) []int {
	var out []int
	for _, i := range list {
		if ok(i) {
			out = append(out, i)
		}
	}
	return out
}

// below keeps the places that stand under header lines: in the block of the header, or else anywhere behind it.
func (l *lined) below(heads []string, at []int) ([]int, error) {
	from, to := 0, l.len()
	scopes := [][2]int{{from, to}}
	for _, head := range heads {
		var inner [][2]int
		for _, s := range scopes {
			for _, i := range l.headers(head, s) {
				inner = append(inner, [2]int{i, min(s[1], l.blockEnd(i))})
			}
		}
		if len(inner) == 0 {
			return nil, fmt.Errorf("the line of its header, %q, is not in %s", short(head), l.name)
		}
		scopes = inner
	}
	in := keep(at, func(i int) bool {
		for _, s := range scopes {
			if i >= s[0] && i < s[1] {
				return true
			}
		}
		return false
	})
	if len(in) > 0 {
		return in, nil
	}
	behind := keep(at, func(i int) bool { return i >= scopes[0][0] })
	if len(behind) == 0 {
		return nil, fmt.Errorf("its lines are in %s (%s), but above the line of its header, %q", l.name, lineList(at), short(heads[len(heads)-1]))
	}
	return behind, nil
}

// headers lists the lines that are the header, or, when none is, those that contain it.
func (l *lined) headers(head string, in [2]int) []int {
	var same, part []int
	for i := in[0]; i < in[1]; i++ {
		switch line := strings.TrimSpace(l.text(i)); {
		case line == head:
			same = append(same, i)
		case strings.Contains(line, head):
			part = append(part, i)
		}
	}
	if len(same) > 0 {
		return same
	}
	return part
}

// blockEnd is the line behind the block that a line begins, told by indentation.
func (l *lined) blockEnd(head int) int {
	depth := indentation(l.text(head))
	for i := head + 1; i < l.len(); i++ {
		line := l.text(i)
		if strings.TrimLeft(line, " \t)]}") == "" { // blank, or what closes the block
			continue
		}
		if strings.TrimSpace(line) != "{" && indentation(line) <= depth {
			return i
		}
	}
	return l.len()
}

func indentation(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func lineList(at []int) string {
	const most = 10
	var b strings.Builder
	b.WriteString("line ")
	for n, i := range at {
		if n == most {
			b.WriteString(", …")
			break
		}
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String()
}

// edits are the changes of a hunk in bytes. Lines that stay are not touched.
func (l *lined) edits(h *hunk, first int) []udiff.Edit {
	asGiven := h.mixedEnds()
	var out []udiff.Edit
	for i, at := 0, first; i < len(h.body); {
		if h.body[i].op == ' ' {
			i, at = i+1, at+1
			continue
		}
		gone := 0
		var come []patchLine
		for ; i < len(h.body) && h.body[i].op != ' '; i++ {
			if h.body[i].op == '-' {
				gone++
			} else {
				come = append(come, h.body[i])
			}
		}
		out = append(out, l.replacement(h, at, gone, come, asGiven))
		at += gone
	}
	return out
}

// mixedEnds reports whether the patch has lines of both ends in this hunk: then it means the ends as it gives them. All of
// one kind say nothing, for the model sees every file with LF.
func (h *hunk) mixedEnds() bool {
	cr, lf := false, false
	for _, l := range h.body {
		cr, lf = cr || l.cr, lf || !l.cr && !l.bare
	}
	return cr && lf
}

// replacement puts new lines in the place of some from line at on.
func (l *lined) replacement(h *hunk, at, gone int, come []patchLine, asGiven bool) udiff.Edit {
	e := udiff.Edit{Start: l.from[at], End: l.from[at+gone]}
	ends := l.newEnds(at, gone, come, asGiven)
	var b strings.Builder
	if last := len(come) - 1; last >= 0 && at+gone == l.len() { // at the end of the file
		open := l.len() > 0 && l.end(l.len()-1) == ""
		if open && gone == 0 {
			b.WriteString(l.usualEnd(at))
		}
		if h.oldNoEnd || h.newNoEnd {
			open = h.newNoEnd
		}
		if open {
			ends[last] = ""
		}
	}
	for n, c := range come {
		b.WriteString(c.text + ends[n])
	}
	e.New = b.String()
	return e
}

// newEnds are the ends of new lines: of each, that of the line whose place it takes.
func (l *lined) newEnds(at, gone int, come []patchLine, asGiven bool) []string {
	ends := make([]string, len(come))
	for n, c := range come {
		ends[n] = l.usualEnd(at)
		switch {
		case asGiven && c.cr:
			ends[n] = "\r\n"
		case asGiven:
			ends[n] = "\n"
		case gone > 0:
			if end := l.end(at + min(n, gone-1)); end != "" {
				ends[n] = end
			}
		}
	}
	return ends
}

// usualEnd is the line end of the neighbourhood.
func (l *lined) usualEnd(at int) string {
	for _, i := range []int{at - 1, at} {
		if i >= 0 && i < l.len() && l.end(i) != "" {
			return l.end(i)
		}
	}
	return "\n"
}

// applyHunks gives the text with all hunks applied, or every reason why not. Each hunk is found in the old text.
func applyHunks(name string, raw []byte, hunks []hunk) (now []byte, notes []string, err error) {
	l := newLined(name, raw)
	var all []udiff.Edit
	var faults []error
	changed := map[int]int{} // line -> hunk
	for i := range hunks {
		h := &hunks[i]
		if h.n == 1 && l.from[0] > 0 {
			h.stripMark()
		}
		s, err := l.locate(h)
		if err == nil {
			err = l.fits(h, s.first, changed)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("hunk %d of %s (patch line %d): %w", h.n, name, h.line, err))
			continue
		}
		if s.note != "" {
			notes = append(notes, fmt.Sprintf("hunk %d of %s: %s", h.n, name, s.note))
		}
		all = append(all, l.edits(h, s.first)...)
	}
	if len(faults) > 0 {
		return nil, nil, errors.Join(faults...)
	}
	now, err = udiff.ApplyBytes(raw, all)
	return now, notes, err
}

// stripMark takes the byte order mark off a hunk's lines: it stays where it is.
func (h *hunk) stripMark() {
	for i := range h.body {
		h.body[i].text = strings.TrimPrefix(h.body[i].text, bom)
	}
}

// fits refuses a hunk that another one gets in the way of, or whose text cannot be written in the file's encoding.
func (l *lined) fits(h *hunk, first int, changed map[int]int) error {
	foreign := !utf8.Valid(l.raw)
	at := first
	var mine []int
	for i, b := range h.body {
		if by := changed[at]; b.op != '+' && by != 0 {
			return fmt.Errorf("hunk %d changes line %d as well", by, at+1)
		}
		if b.op == '+' && foreign && strings.IndexFunc(b.text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			return fmt.Errorf("%s is not UTF-8, and the new lines have characters that are written differently there: use iconv", l.name)
		}
		if b.op == '-' {
			mine = append(mine, at)
		}
		if b.op == '+' && (i == 0 || h.body[i-1].op != '+') {
			mine = append(mine, -at-2) // the gap before the line: two hunks may not both fill it
		}
		if b.op != '+' {
			at++
		}
	}
	for _, k := range mine {
		if by := changed[k]; by != 0 {
			return fmt.Errorf("hunk %d changes the same place, line %d", by, first+1)
		}
	}
	for _, k := range mine {
		changed[k] = h.n
	}
	return nil
}
