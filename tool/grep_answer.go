package tool

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"react-agent/internal/text"
)

// answer is the result of a search as it grows: matches come in the order in which they are shown.
type answer struct {
	q *question
	room
	out strings.Builder

	files         int // that were searched
	lines, hitIn  int // lines that match, and files that they are in
	shown, shownF int // of these, how many are shown

	why                    error // why the search ended early
	denied, ignored, links int64
}

// noteRoom is kept free for remarks at the end.
const noteRoom = 400

func newAnswer(q *question) *answer {
	a := &answer{q: q, room: q.room()}
	a.chars -= min(noteRoom, a.chars/4)
	return a
}

func (a *answer) take(o outcome) {
	a.files += o.files
	for i := range o.list {
		a.add(&o.list[i])
	}
}

func (a *answer) add(h *hits) {
	a.lines += h.count
	a.hitIn++
	if a.full() {
		return
	}
	name := a.q.name(h.path)
	switch a.q.args.Mode {
	case "count":
		name += ":" + strconv.Itoa(h.count)
		fallthrough
	case "files":
		if a.fits(name) {
			a.results--
			a.shownF++
		}
		return
	}
	if a.out.Len() > 0 {
		name = "\n" + name
	}
	if !a.fits(name) {
		return
	}
	a.shownF++
	a.addLines(h.lines)
}

func (a *answer) addLines(lines []outLine) {
	last := 0
	for _, l := range lines {
		sign := "-"
		if l.hit {
			sign = ":"
		}
		line := strconv.Itoa(l.number) + sign + l.text
		if last > 0 && l.number != last+1 && a.q.context > 0 {
			line = "--\n" + line
		}
		last = l.number
		if l.hit && a.results <= 0 || !a.fits(line) {
			a.chars = 0
			return
		}
		if l.hit {
			a.results--
			a.shown++
		}
	}
}

// fits writes a line if there is room for it. The first one is written all the same.
func (a *answer) fits(line string) bool {
	size := utf8.RuneCountInString(line) + 1
	if size > a.chars && a.out.Len() > 0 {
		a.chars = 0
		return false
	}
	a.chars -= size
	a.out.WriteString(line)
	a.out.WriteByte('\n')
	return true
}

// name is how the path of a result is written.
func (q *question) name(below string) string {
	if q.prefix != "" {
		below = path.Join(q.prefix, below)
	}
	return visible([]byte(below))
}

// text is the whole result.
func (a *answer) text() string {
	t := a.q.env.Texts
	var notes []string
	left := a.lines - a.shown
	if a.q.args.Mode != "content" {
		left = a.hitIn - a.shownF
	}
	if a.hitIn == 0 {
		notes = append(notes, "(no matches)")
	}
	if left > 0 && t.More != "" {
		notes = append(notes, fmt.Sprintf(t.More, left))
	}
	notes = append(notes, a.remarks(left)...)
	return text.Cut(strings.TrimSuffix(a.out.String()+strings.Join(notes, "\n"), "\n"), a.q.env.Cut, "")
}

// remarks say what the results alone do not.
func (a *answer) remarks(left int) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, "["+fmt.Sprintf(format, args...)+"]") }
	switch {
	case errors.Is(a.why, errSearchTime):
		note("this is not all: the search was stopped after %d s, when it had searched %d files; narrow path or glob",
			a.q.time/time.Second, a.files)
	case a.why != nil:
		note("there are more: counting was stopped; narrow path, glob or pattern")
	case left > 0:
		note("in all %d lines in %d files; narrow path, glob or pattern", a.lines, a.hitIn)
	}
	if a.denied > 0 {
		note("%d files or directories could not be read", a.denied)
	}
	if a.hitIn > 0 || a.q.file || a.q.env.Texts.Bare {
		return notes
	}
	if a.files == 0 && a.why == nil {
		note("there was no file to search")
	}
	if a.ignored > 0 {
		note("%d ignored files or directories were passed over: set all to search them too", a.ignored)
	}
	if a.links > 0 {
		note("%d links were not followed", a.links)
	}
	return notes
}
