package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/text"
)

// The bounds of what a sub-agent is given.
const (
	maxInput  = 256 << 10 // bytes of one file
	maxInputs = 1 << 20   // bytes of all
	maxGlob   = 200       // files of one pattern
)

// placeholderText stands for an input that is a description and no file.
const placeholderText = "(已跳过：看起来是文本占位符而非文件路径)"

// paths finds the files that a block speaks of. All directories are absolute and without links.
type paths struct{ work, run, skill string }

// material is an input of a sub-agent.
type material struct{ Name, Text string }

// looksLikePath tells a path from a description.
func looksLikePath(s string) bool {
	if strings.ContainsAny(s, " \t<>") {
		return false
	}
	return strings.ContainsAny(s, `/\.`)
}

// variants are what a path with a remark behind it may be, the whole first. A remark is not looked for in the path of the
// run folder.
func (p paths) variants(s string) []string {
	s = strings.TrimSpace(s)
	out := []string{bareName(s)}
	from := 0
	if strings.HasPrefix(s, p.run) {
		from = len(p.run)
	} else if rel, err := filepath.Rel(p.work, p.run); err == nil && strings.HasPrefix(s, rel) {
		from = len(rel)
	}
	for _, mark := range []string{" — ", " – ", " (", "（", " —"} {
		if head, _, ok := strings.Cut(s[from:], mark); ok && strings.TrimSpace(s[:from]+head) != "" {
			out = append(out, bareName(s[:from]+head))
		}
	}
	slices.SortStableFunc(out[1:], func(a, b string) int { return len(b) - len(a) })
	return out
}

// bareName drops quotes and what ends a sentence.
func bareName(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ",;")
	if len(s) > 1 && strings.ContainsRune("\"'`", rune(s[0])) && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return strings.TrimSpace(s)
}

// bases are what a relative path may begin from: programs print paths as they got them, from the work directory.
func (p paths) bases(path string) []string {
	if filepath.IsAbs(path) {
		return []string{filepath.Clean(path)}
	}
	return []string{filepath.Join(p.work, path), filepath.Join(p.run, path), filepath.Join(p.skill, path)}
}

// find gives the file that s names, with or without a remark. ok is false when there is none; the error says that it must
// not be read.
func (p paths) find(s string) (file string, ok bool, err error) {
	for _, v := range p.variants(s) {
		if v == "" || strings.ContainsRune(v, 0) {
			continue
		}
		for _, full := range p.bases(v) {
			info, statErr := os.Stat(full)
			if statErr != nil || !info.Mode().IsRegular() {
				continue
			}
			if !p.readable(full) {
				err = fmt.Errorf("%s lies outside of the work directory and the skill", full)
				continue
			}
			return full, true, nil
		}
	}
	return "", false, err
}

// readable reports whether a file, links resolved, is the work directory's or the skill's.
func (p paths) readable(file string) bool {
	to, err := filepath.EvalSymlinks(file)
	return err == nil && (inside(p.work, to) || inside(p.skill, to) || inside(p.run, to))
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// inputs reads what one line of INPUT names. What is no file is passed on as it stands.
func (r *run) inputs(ctx context.Context, line string) []material {
	file, ok, err := r.paths.find(line)
	switch {
	case ok:
		return []material{{Name: line, Text: r.text(ctx, file)}}
	case err != nil:
		return []material{{Name: line, Text: "(not read: " + err.Error() + ")"}}
	}
	if files := r.paths.glob(line); len(files) > 0 {
		var out []material
		for _, f := range files {
			out = append(out, material{Name: f, Text: r.text(ctx, f)})
		}
		return out
	}
	shortest := r.paths.variants(line)
	if path := shortest[len(shortest)-1]; looksLikePath(path) {
		_, err := os.Stat(r.paths.bases(path)[0])
		if err == nil {
			err = errors.New("it is no ordinary file")
		}
		return []material{{Name: line, Text: fmt.Sprintf("(not read: %s)", reason(err))}}
	}
	return []material{{Name: line, Text: placeholderText}}
}

func reason(err error) string {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// glob expands a pattern in the name of a file, sorted.
func (p paths) glob(line string) []string {
	for _, v := range p.variants(line) {
		if !strings.ContainsAny(v, "*?") || strings.ContainsAny(v, "<>") {
			continue
		}
		for _, full := range p.bases(v) {
			found, err := filepath.Glob(full)
			if err != nil {
				continue
			}
			found = slices.DeleteFunc(found, func(f string) bool {
				info, err := os.Stat(f)
				return err != nil || !info.Mode().IsRegular() || !p.readable(f)
			})
			if len(found) > 0 {
				return found[:min(len(found), maxGlob)]
			}
		}
	}
	return nil
}

// text gives the text of a file for a model; what is too long is cut in its middle.
func (r *run) text(ctx context.Context, file string) string {
	said, err := r.o.Files.Read(ctx, r.call, file)
	if err != nil {
		return fmt.Sprintf("(not read: %s)", reason(err))
	}
	return text.Cut(text.Clean([]byte(said)), maxInput, file)
}

// target is a file that a step makes.
type target struct {
	rel  string // within the run folder
	full string
	edit bool // it is there already and has to be changed
}

// output finds the file that a line of OUTPUT names. ok is false for a description; the error says that the file must not
// be written.
func (p paths) output(line string) (t target, ok bool, err error) {
	edit := strings.Contains(strings.ToLower(line), "in place")
	variants := p.variants(line)
	if edit || len(variants) == 1 {
		for _, v := range variants {
			if t, ok, err = p.target(v, true); ok || err != nil {
				t.edit = edit
				return t, ok, err
			}
		}
	}
	for _, v := range slices.Backward(variants) {
		if t, ok, err = p.target(v, false); ok || err != nil {
			return t, ok, err
		}
	}
	return target{}, false, nil
}

// target takes a path for an output, if it is one; there says that the file must exist.
func (p paths) target(v string, there bool) (t target, ok bool, err error) {
	if slices.Contains([]string{"", "-", "none", "n/a"}, strings.ToLower(v)) || strings.ContainsRune(v, 0) {
		return t, false, nil
	}
	full := filepath.Clean(v)
	known := inside(p.run, full) && filepath.IsAbs(full)
	if !filepath.IsAbs(full) {
		full = filepath.Join(p.work, v)
		if known = inside(p.run, full); !known {
			full = filepath.Join(p.run, v)
		}
	}
	if !known && !looksLikePath(v) {
		return t, false, nil
	}
	if folder := strings.HasSuffix(v, "/") || isDir(full); folder || there && !isFile(full) { // of a folder, the files are what is meant
		return t, false, nil
	}
	rel, err := filepath.Rel(p.run, full)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return t, false, fmt.Errorf("the output %s lies outside of the run folder %s", v, p.run)
	}
	return target{rel: rel, full: filepath.Join(p.run, rel)}, true, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// write makes the file of an output with the directories above it. No link leads the writing out of the run folder. A file
// that is changed in place and has CRLF keeps it where the reply has plain line ends, as its sub-agent has seen it.
func (r *run) write(ctx context.Context, t target, data string) error {
	if err := r.paths.ready(t); err != nil {
		return err
	}
	if t.edit && !strings.Contains(data, "\r\n") {
		old, err := os.ReadFile(t.full)
		if n := bytes.Count(old, []byte("\r\n")); err == nil && n > 0 && n == bytes.Count(old, []byte("\n")) {
			data = strings.ReplaceAll(data, "\n", "\r\n")
		}
	}
	if err := r.o.Files.Write(ctx, r.call, t.full, data); err != nil {
		return fmt.Errorf("writing %s: %w", t.rel, err)
	}
	return nil
}

// ready makes the directories above an output, and sees that it is in the run folder, links resolved.
func (p paths) ready(t target) error {
	root, err := os.OpenRoot(p.run)
	if err != nil {
		return fmt.Errorf("the run folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(filepath.Dir(t.rel), 0o755); err != nil {
		return fmt.Errorf("the folder of %s: %w", t.rel, err)
	}
	info, err := root.Lstat(t.rel)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		_, err = root.Stat(t.rel) // one that leads nowhere is no place to write to
	}
	if err != nil && (info != nil || !errors.Is(err, os.ErrNotExist)) {
		return fmt.Errorf("writing %s: %w", t.rel, err)
	}
	return nil
}
