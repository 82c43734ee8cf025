package tool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"react-agent/agent"
	cut "react-agent/internal/text"
)

//go:embed apply_patch.md
var patchDoc string

const maxFaults = 8000 // characters of all that is wrong with a patch

type patchArgs struct {
	Patch string `json:"patch"`
}

// ApplyPatch makes the tool that applies a patch to several files: a unified diff, or sections between *** Begin Patch and
// *** End Patch. All is checked before anything is written, and what was written is taken back when a later file fails.
// A hunk must fit in exactly one place, which its header may tell apart from others; only white space at line ends may
// differ, and that is said. Byte order marks, line ends and the missing line end of a last line stay as each file has
// them. Nothing outside the lines that a hunk removes and adds is touched.
func ApplyPatch(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("apply_patch", strings.TrimSpace(patchDoc), agent.Writes,
		func(ctx context.Context, a patchArgs) (agent.Result, error) {
			r, err := e.patch(ctx, a.Patch)
			if err != nil {
				return e.changeFailed(ctx, err)
			}
			return e.masked(r), nil
		})
}

func (e Env) patch(ctx context.Context, text string) (agent.Result, error) {
	files, err := parsePatch(text)
	if err != nil {
		return agent.Result{}, err
	}
	plan, err := e.planAll(files)
	if err != nil {
		return agent.Result{}, fmt.Errorf("nothing was changed: %s", cut.Cut(err.Error(), maxFaults, ""))
	}
	for _, m := range plan {
		for _, p := range m.places() {
			if err := e.mayWrite(ctx, p); err != nil {
				return agent.Result{}, fmt.Errorf("nothing was changed: %w", err)
			}
		}
	}
	if err := moveAll(ctx, plan); err != nil {
		return agent.Result{}, err
	}
	lines := []string{"Applied the patch:"}
	var notes []string
	var diff strings.Builder
	for _, m := range plan {
		lines = append(lines, m.said())
		notes = append(notes, m.notes...)
		diff.WriteString(e.unified(m.names()))
	}
	if len(notes) > 0 && !e.Texts.Bare {
		lines = append(lines, "["+strings.Join(notes, "; ")+"]")
	}
	r := agent.TextResult(strings.Join(lines, "\n"))
	r.Detail = detail(diff.String())
	return r, nil
}

// move is what will become of one file.
type move struct {
	filePatch
	at, to   place // to: only when the file is moved
	old, now []byte
	notes    []string
}

func (m *move) moved() bool { return m.filePatch.to != "" }

func (m *move) places() []place {
	if m.moved() {
		return []place{m.at, m.to}
	}
	return []place{m.at}
}

func (m *move) said() string {
	count := ""
	if n := len(m.hunks); n == 1 {
		count = " (1 hunk)"
	} else if n > 1 {
		count = fmt.Sprintf(" (%d hunks)", n)
	}
	switch {
	case m.kind == adds:
		return "A " + m.path
	case m.kind == deletes:
		return "D " + m.path
	case m.moved():
		return "R " + m.path + " -> " + m.filePatch.to + count
	}
	return "M " + m.path + count
}

// names are the two names and texts that a diff shows.
func (m *move) names() (from, to string, old, now []byte) {
	from, to = m.path, m.path
	switch {
	case m.kind == adds:
		from = nowhere
	case m.kind == deletes:
		to = nowhere
	case m.moved():
		to = m.filePatch.to
	}
	return from, to, m.old, m.now
}

// planAll checks every file and tells all that is wrong.
func (e Env) planAll(files []filePatch) ([]*move, error) {
	var plan []*move
	var faults []error
	seen := map[string]int{}
	for _, f := range files {
		m := &move{filePatch: f}
		if err := e.planOne(m); err != nil {
			faults = append(faults, e.plain(err))
			continue
		}
		for _, p := range m.places() {
			if line := seen[p.real]; line != 0 {
				faults = append(faults, fmt.Errorf("patch line %d: %s is in the patch already, at line %d: put all about a file into one section", f.line, p.given, line))
			}
			seen[p.real] = f.line
		}
		plan = append(plan, m)
	}
	return plan, errors.Join(faults...)
}

// planOne finds out what one file will be; nothing is changed.
func (e Env) planOne(m *move) error {
	var err error
	if m.at, err = e.locate(m.path); err != nil {
		return m.fault(err)
	}
	if m.kind == adds {
		return m.fault(e.planAdd(m))
	}
	if err := m.read(); err != nil {
		return m.fault(err)
	}
	if m.kind == deletes && len(m.hunks) == 0 {
		return m.fault(m.ownName(e, m.path))
	}
	if err := notText(m.old); err != nil && len(m.hunks) > 0 {
		return m.fault(fmt.Errorf("%s is %w", m.path, err))
	}
	if err := e.restoreHunks(m); err != nil {
		return err
	}
	if m.now, m.notes, err = applyHunks(m.path, m.old, m.hunks); err != nil {
		return err // names the hunks
	}
	if m.kind == deletes {
		if len(m.now) > 0 {
			return m.fault(fmt.Errorf("%s has more than the lines that the patch removes", m.path))
		}
		return m.fault(m.ownName(e, m.path))
	}
	if m.moved() {
		return m.fault(e.planMove(m))
	}
	if bytes.Equal(m.old, m.now) {
		return m.fault(fmt.Errorf("the patch changes nothing in %s", m.path))
	}
	return m.fault(writable(m.at.real))
}

func (m *move) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("patch line %d: %w", m.line, err)
}

// read takes the old content; of a file that is only removed or moved it may be of any kind and size.
func (m *move) read() error {
	info, err := os.Stat(m.at.real)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist", m.path)
	}
	if err != nil {
		return err
	}
	if len(m.hunks) == 0 && info.Mode().IsRegular() && info.Size() > maxFile {
		return nil
	}
	m.old, err = slurp(m.at.real)
	return err
}

// ownName refuses to remove or move what is known here by a link: the link would lead nowhere.
func (m *move) ownName(e Env, given string) error {
	dir, base := filepath.Split(filepath.Clean(given))
	if dir == "" {
		dir = "."
	}
	p, err := e.resolve(dir)
	if err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Join(p.real, base))
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a link to %s: remove or rename it with bash", given, m.at.real)
	}
	return nil
}

func (e Env) planAdd(m *move) error {
	if err := free(m.at); err != nil {
		return err
	}
	if err := e.restoreHunks(m); err != nil {
		return err
	}
	var b strings.Builder
	for _, h := range m.hunks {
		for i, l := range h.body {
			if l.op != '+' {
				return fmt.Errorf("the new file %s can have only lines with +", m.path)
			}
			b.WriteString(l.text)
			switch {
			case i == len(h.body)-1 && h.newNoEnd:
			case l.cr:
				b.WriteString("\r\n")
			default:
				b.WriteString("\n")
			}
		}
	}
	m.now = []byte(b.String())
	return nil
}

func (e Env) planMove(m *move) error {
	if err := m.ownName(e, m.path); err != nil {
		return err
	}
	var err error
	if m.to, err = e.locate(m.filePatch.to); err != nil {
		return err
	}
	if err := free(m.to); err != nil {
		return err
	}
	return writable(m.at.real)
}

// free checks that a file can be made: nothing is there, and what is above it is a directory.
func free(p place) error {
	if _, err := os.Lstat(p.real); err == nil {
		return fmt.Errorf("%s exists already: update it, or choose another name", p.given)
	}
	for dir := filepath.Dir(p.real); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s cannot be made: %s is no directory", p.given, dir)
		}
		if err == nil || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// writable tells early what would fail late.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// restoreHunks puts secrets in the place of what stands for them. A value may have several lines.
func (e Env) restoreHunks(m *move) error {
	if e.Secrets == nil {
		return nil
	}
	for i := range m.hunks {
		h := &m.hunks[i]
		var body []patchLine
		for _, l := range h.body {
			text, err := e.restore(m.old, l.text)
			if err != nil {
				return fmt.Errorf("hunk %d of %s (patch line %d): %w", h.n, m.path, h.line, err)
			}
			for one := range strings.SplitSeq(text, "\n") {
				l.text = strings.TrimSuffix(one, "\r")
				body = append(body, l)
			}
		}
		h.body = body
	}
	return nil
}
