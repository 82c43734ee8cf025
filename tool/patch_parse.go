package tool

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// filePatch is what a patch says about one file.
type filePatch struct {
	kind  patchKind
	path  string
	to    string // where it is moved; empty: it stays
	line  int    // of the patch, where it begins
	hunks []hunk
	exec  bool // a new file that may be run
}

type patchKind int

const (
	updates patchKind = iota
	adds
	deletes
)

// hunk is one change of a file: lines that stand there, of which some go and some come.
type hunk struct {
	n, line  int      // its number in the file, and where it begins in the patch
	heads    []string // lines above it, the outermost first
	at       int      // its first line in the old file; 0: not said
	body     []patchLine
	atEnd    bool // it reaches the end of the file
	oldNoEnd bool // the old file ends in it without a line end
	newNoEnd bool // the new one
}

type patchLine struct {
	op   byte // ' ', '-', '+'
	text string
	cr   bool // it ends in CR LF in the patch
	bare bool // it is empty altogether, without the space of a context line
}

const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	endOfFile  = "*** End of File"
	updateFile = "*** Update File:"
	addFile    = "*** Add File:"
	deleteFile = "*** Delete File:"
	moveTo     = "*** Move to:"
	noEnd      = `\ No newline`
)

// parsePatch reads a patch of either form. Errors name the line of the patch.
func parsePatch(text string) ([]filePatch, error) {
	p := newPatchParser(text)
	for p.more() && strings.TrimSpace(p.peek()) == "" {
		p.i++
	}
	if !p.more() {
		return nil, errors.New("the patch is empty")
	}
	var files []filePatch
	var err error
	if strings.TrimRight(p.peek(), " \t") == beginPatch {
		files, err = p.envelope()
	} else {
		files, err = p.unified()
	}
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the patch changes nothing: it is a unified diff (---, +++, @@) or begins with %q", beginPatch)
	}
	for i := range files {
		if err := files[i].sound(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// patchParser goes through the lines of a patch.
type patchParser struct {
	lines []string
	cr    []bool
	i     int
}

func newPatchParser(text string) *patchParser {
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	if lines[last] == "" {
		lines = lines[:last]
	}
	p := &patchParser{lines: lines, cr: make([]bool, len(lines))}
	for i, l := range lines {
		p.lines[i], p.cr[i] = strings.CutSuffix(l, "\r")
	}
	if last > 0 && last < len(lines) { // without a line end of its own it is as the one before
		p.cr[last] = p.cr[last-1]
	}
	return p
}

func (p *patchParser) more() bool   { return p.i < len(p.lines) }
func (p *patchParser) peek() string { return p.lines[p.i] }

func (p *patchParser) errorf(format string, a ...any) error {
	return fmt.Errorf("patch line %d: %w", p.i+1, fmt.Errorf(format, a...))
}

// header takes the path behind a keyword.
func (p *patchParser) header(keyword string) (path string, ok bool, err error) {
	rest, ok := strings.CutPrefix(p.peek(), keyword)
	if !ok {
		return "", false, nil
	}
	if path = strings.TrimSpace(rest); path == "" {
		return "", true, p.errorf("%s names no path", strings.TrimSuffix(keyword, ":"))
	}
	p.i++
	return path, true, nil
}

func (p *patchParser) envelope() ([]filePatch, error) {
	p.i++
	var files []filePatch
	for p.more() {
		line := strings.TrimRight(p.peek(), " \t")
		if line == "" {
			p.i++
			continue
		}
		if line == endPatch {
			p.i++
			return files, p.nothingElse()
		}
		f, err := p.section()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return nil, fmt.Errorf("the patch ends at line %d without %q: is it whole?", len(p.lines), endPatch)
}

func (p *patchParser) nothingElse() error {
	for ; p.more(); p.i++ {
		if strings.TrimSpace(p.peek()) != "" {
			return p.errorf("text behind %q", endPatch)
		}
	}
	return nil
}

// section reads all about one file.
func (p *patchParser) section() (filePatch, error) {
	f := filePatch{line: p.i + 1}
	for keyword, kind := range map[string]patchKind{addFile: adds, deleteFile: deletes, updateFile: updates} {
		path, ok, err := p.header(keyword)
		if !ok {
			continue
		}
		if err != nil {
			return f, err
		}
		f.kind, f.path = kind, path
		switch kind {
		case adds:
			return f, p.newFile(&f)
		case updates:
			return f, p.update(&f)
		case deletes:
		}
		return f, nil
	}
	return f, p.errorf("want %s, %s, %s or %s, not %q", addFile, updateFile, deleteFile, endPatch, short(p.peek()))
}

func (p *patchParser) newFile(f *filePatch) error {
	h := hunk{n: 1, line: p.i + 1}
	for p.more() && !strings.HasPrefix(p.peek(), "*** ") {
		line := p.peek()
		switch {
		case strings.HasPrefix(line, "+"):
			if n := len(h.body); n > 0 && h.body[n-1].bare {
				return p.errorf("every line of a new file must begin with +, the empty ones before this too")
			}
			h.body = append(h.body, patchLine{op: '+', text: line[1:], cr: p.cr[p.i]})
		case line == "":
			h.body = append(h.body, patchLine{op: '+', bare: true})
		case strings.HasPrefix(line, noEnd):
			h.newNoEnd = true
		default:
			return p.errorf("every line of the new file %s must begin with +, not %q", f.path, short(line))
		}
		p.i++
	}
	h.trim()
	f.hunks = []hunk{h}
	return nil
}

func (p *patchParser) update(f *filePatch) error {
	if p.more() {
		to, _, err := p.header(moveTo)
		if err != nil {
			return err
		}
		f.to = to
	}
	for p.more() {
		if line := p.peek(); strings.HasPrefix(line, "*** ") && strings.TrimRight(line, " \t") != endOfFile {
			break
		}
		if strings.TrimSpace(p.peek()) == "" && len(f.hunks) == 0 { // between a header and the first hunk
			p.i++
			continue
		}
		h := hunk{n: len(f.hunks) + 1, line: p.i + 1}
		if err := p.hunk(&h, f.path); err != nil {
			return err
		}
		f.hunks = append(f.hunks, h)
	}
	return nil
}

// hunk reads header lines, then lines until the next header.
func (p *patchParser) hunk(h *hunk, path string) error {
	for p.more() && strings.HasPrefix(p.peek(), "@@") {
		h.head(p.peek())
		p.i++
	}
	for ; p.more(); p.i++ {
		line := p.peek()
		switch {
		case strings.TrimRight(line, " \t") == endOfFile:
			h.atEnd = true
			p.i++
			h.trim()
			return nil
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "*** "):
			h.trim()
			return nil
		case !h.take(line, p.cr[p.i]):
			return p.errorf("a line of hunk %d of %s must begin with a space, + or -, not %q", h.n, path, short(line))
		}
	}
	h.trim()
	return nil
}

// head takes an @@ line: a line of the file above the hunk, or the numbers of a unified diff.
func (h *hunk) head(line string) {
	if n, ok := parseRange(line); ok {
		h.at = n.oldAt
		return
	}
	rest := strings.TrimSpace(strings.TrimPrefix(line, "@@"))
	if rest = strings.TrimSpace(strings.TrimSuffix(rest, "@@")); rest != "" {
		h.heads = append(h.heads, rest)
	}
}

// take adds a line of the body.
func (h *hunk) take(line string, cr bool) bool {
	switch {
	case line == "":
		h.body = append(h.body, patchLine{op: ' ', cr: cr, bare: true})
	case line[0] == ' ', line[0] == '+', line[0] == '-':
		h.body = append(h.body, patchLine{op: line[0], text: line[1:], cr: cr})
	case strings.HasPrefix(line, noEnd):
		h.mark()
	default:
		return false
	}
	return true
}

// mark notes that the line before is the last of its file and has no line end.
func (h *hunk) mark() {
	if len(h.body) == 0 {
		return
	}
	op := h.body[len(h.body)-1].op
	h.oldNoEnd = h.oldNoEnd || op != '+'
	h.newNoEnd = h.newNoEnd || op != '-'
}

// trim drops empty lines at the end: they part the hunk from what follows.
func (h *hunk) trim() {
	for n := len(h.body); n > 0 && h.body[n-1].bare; n = len(h.body) {
		h.body = h.body[:n-1]
	}
}

// sides are the lines before and after.
func (h *hunk) sides() (old, now []string) {
	for _, l := range h.body {
		if l.op != '+' {
			old = append(old, l.text)
		}
		if l.op != '-' {
			now = append(now, l.text)
		}
	}
	return old, now
}

func (h *hunk) changes() bool {
	for _, l := range h.body {
		if l.op != ' ' {
			return true
		}
	}
	return false
}

// sound checks what can be said without the files.
func (f *filePatch) sound() error {
	if f.kind != updates {
		return nil
	}
	if len(f.hunks) == 0 && f.to == "" {
		return fmt.Errorf("patch line %d: no hunk for %s", f.line, f.path)
	}
	for i := range f.hunks {
		if h := &f.hunks[i]; !h.changes() {
			return fmt.Errorf("patch line %d: hunk %d of %s has no line with + or -", h.line, h.n, f.path)
		}
	}
	return nil
}

// ranges are the numbers of a unified diff's @@ line.
type ranges struct{ oldAt, oldLen, newAt, newLen int }

func parseRange(line string) (r ranges, ok bool) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return r, false
	}
	before, _, ok := strings.Cut(rest, " @@")
	if !ok {
		return r, false
	}
	old, now, ok := strings.Cut(before, " +")
	if !ok {
		return r, false
	}
	if r.oldAt, r.oldLen, ok = pair(old); !ok {
		return r, false
	}
	r.newAt, r.newLen, ok = pair(now)
	return r, ok
}

func pair(s string) (at, length int, ok bool) {
	first, second, two := strings.Cut(s, ",")
	at, err := strconv.Atoi(first)
	length = 1
	if two && err == nil {
		length, err = strconv.Atoi(second)
	}
	return at, length, err == nil && at >= 0 && length >= 0
}

// short is a line as an error quotes it.
func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
