package tool

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	nowhere   = "/dev/null"
	signature = "-- " // what mail programs put between a patch and their name
)

// unified reads the unified diff of diff -u, git and others.
func (p *patchParser) unified() ([]filePatch, error) {
	var files []filePatch
	for p.more() {
		line := p.peek()
		switch {
		case strings.HasPrefix(line, "diff --git "):
			f, err := p.gitFile()
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		case p.atNames():
			f := filePatch{line: p.i + 1}
			if err := p.names(&f); err != nil {
				return nil, err
			}
			files = append(files, f)
		case line == signature:
			p.skipText()
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "+"), len(files) > 0 && (strings.HasPrefix(line, "-") || strings.HasPrefix(line, " ")):
			return nil, p.errorf("%q belongs to no file: a file begins with its lines --- and +++", short(line))
		case strings.HasPrefix(line, "*** "):
			return nil, p.errorf("%q: a patch of this form begins with %q", short(line), beginPatch)
		default:
			p.i++
		}
	}
	return files, nil
}

// atNames reports whether the two lines that name a file come next.
func (p *patchParser) atNames() bool {
	return p.i+1 < len(p.lines) && strings.HasPrefix(p.lines[p.i], "--- ") && strings.HasPrefix(p.lines[p.i+1], "+++ ")
}

func (p *patchParser) skipText() {
	for p.more() && !p.atNames() && !strings.HasPrefix(p.peek(), "diff --git ") {
		p.i++
	}
}

// gitFile reads one file of git: lines with what names and modes cannot say, then perhaps names and hunks.
func (p *patchParser) gitFile() (filePatch, error) {
	f := filePatch{line: p.i + 1}
	head := p.peek()
	from := ""
	for p.i++; p.more() && !p.atNames() && p.peek() != signature && !strings.HasPrefix(p.peek(), "diff --git "); p.i++ {
		key, rest := gitHeader(p.peek())
		if key == "rename from" {
			from = gitName(rest)
		} else if err := p.gitLine(&f, key, rest); err != nil {
			return f, err
		}
	}
	if p.more() && p.atNames() {
		if err := p.names(&f); err != nil {
			return f, err
		}
	}
	if from != "" {
		f.path = from
	}
	if name := sameName(strings.TrimPrefix(head, "diff --git ")); f.kind != updates && name != "" {
		f.path = name // an empty file has no lines that name it, and beside /dev/null a prefix is only a guess
	}
	if f.path == "" {
		return f, fmt.Errorf("patch line %d: %q is followed by no change", f.line, short(head))
	}
	return f, nil
}

// gitLine takes one line between diff --git and the names.
func (p *patchParser) gitLine(f *filePatch, key, rest string) error {
	switch key {
	case "rename to":
		f.to = gitName(rest)
	case "new file mode":
		if f.kind, f.exec = adds, rest == "100755"; rest == "120000" || rest == "160000" {
			return p.errorf("links and submodules cannot be made by a patch: use bash")
		}
	case "deleted file mode":
		f.kind = deletes
	case "old mode", "new mode":
		return p.errorf("modes cannot be changed by a patch: use chmod")
	case "copy from", "copy to":
		return p.errorf("a patch cannot copy: add the file, or use cp")
	case "GIT binary patch", "Binary files":
		return p.errorf("binary files cannot be patched")
	case "":
		if strings.TrimSpace(p.peek()) != "" {
			return p.errorf("%q is not understood here", short(p.peek()))
		}
	}
	return nil
}

// gitHeader splits a line into keyword and value.
func gitHeader(line string) (key, rest string) {
	for _, key := range []string{
		"rename from", "rename to", "new file mode", "deleted file mode", "old mode", "new mode", "copy from", "copy to",
		"GIT binary patch", "Binary files", "index", "similarity index", "dissimilarity index",
	} {
		if rest, ok := strings.CutPrefix(line, key); ok && (rest == "" || rest[0] == ' ') {
			return key, strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// sameName takes the name out of "a/NAME b/NAME"; "" when there are two.
func sameName(s string) string {
	for i := range s {
		if s[i] != ' ' {
			continue
		}
		if a, b := plainNames(gitName(s[:i]), gitName(s[i+1:])); a == b {
			return a
		}
	}
	return ""
}

// gitName reads a name that may be quoted as in C.
func gitName(s string) string {
	if strings.HasPrefix(s, `"`) {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
	}
	return s
}

// fileName reads the name of a --- or +++ line: a date may stand behind it, after a tab.
func fileName(line string) string {
	name := line[len("--- "):]
	if quoted, err := strconv.QuotedPrefix(name); err == nil && quoted[0] == '"' {
		return gitName(quoted)
	}
	name, _, _ = strings.Cut(name, "\t")
	return strings.TrimRight(name, " ")
}

// plainNames takes off what git puts in front of names, a/ and b/ or other letters, and others who want to look like it.
func plainNames(from, to string) (string, string) {
	x, a, _ := strings.Cut(from, "/")
	y, b, _ := strings.Cut(to, "/")
	switch {
	case from == nowhere && y == "b":
		return from, b
	case to == nowhere && x == "a":
		return a, to
	case x == "a" && y == "b", len(x) == 1 && len(y) == 1 && x != y && a == b:
		return a, b
	}
	return from, to
}

// names reads the names of a file and its hunks.
func (p *patchParser) names(f *filePatch) error {
	from, to := plainNames(fileName(p.lines[p.i]), fileName(p.lines[p.i+1]))
	switch {
	case from == "" || to == "" || from == nowhere && to == nowhere:
		return p.errorf("no file is named")
	case from == nowhere:
		f.kind, f.path = adds, to
	case to == nowhere:
		f.kind, f.path = deletes, from
	default:
		f.path = to
	}
	p.i += 2
	for p.more() && strings.HasPrefix(p.peek(), "@@") {
		h := hunk{n: len(f.hunks) + 1, line: p.i + 1}
		if err := p.counted(&h, f.path); err != nil {
			return err
		}
		f.hunks = append(f.hunks, h)
	}
	if f.kind == adds && len(f.hunks) > 1 {
		return fmt.Errorf("patch line %d: the new file %s has several hunks", f.line, f.path)
	}
	return nil
}

// counted reads a hunk whose header says how many lines it has; one with a bare @@ ends at the next header.
func (p *patchParser) counted(h *hunk, path string) error {
	want, ok := parseRange(p.peek())
	if !ok {
		return p.uncounted(h, path)
	}
	if h.at = want.oldAt; want.oldLen == 0 {
		h.at = 0 // it says behind which line, not at which
	}
	p.i++
	old, now := 0, 0
	for p.more() && h.take(p.peek(), p.cr[p.i]) {
		if line := p.peek(); !strings.HasPrefix(line, noEnd) {
			op := h.body[len(h.body)-1].op
			if op != '+' {
				old++
			}
			if op != '-' {
				now++
			}
		}
		p.i++
		if old >= want.oldLen && now >= want.newLen && p.more() && p.ends() {
			break
		}
	}
	if old != want.oldLen || now != want.newLen {
		return fmt.Errorf("patch line %d: the header of hunk %d of %s says %d old and %d new lines, but %d and %d follow (a bare @@ needs no numbers)",
			h.line, h.n, path, want.oldLen, want.newLen, old, now)
	}
	return nil
}

// ends reports whether the lines of a hunk cannot go on here.
func (p *patchParser) ends() bool {
	line := p.peek()
	return line == "" || line == signature || p.atNames() || strings.HasPrefix(line, "@@")
}

func (p *patchParser) uncounted(h *hunk, path string) error {
	for p.more() && strings.HasPrefix(p.peek(), "@@") {
		h.head(p.peek())
		p.i++
	}
	for ; p.more() && !strings.HasPrefix(p.peek(), "@@") && !p.atNames(); p.i++ {
		if line := p.peek(); !h.take(line, p.cr[p.i]) {
			if strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "Index: ") {
				break
			}
			return p.errorf("a line of hunk %d of %s must begin with a space, + or -, not %q", h.n, path, short(line))
		}
	}
	h.trim()
	return nil
}
