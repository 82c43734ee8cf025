package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"react-agent/internal/text"
)

// The bounds of what the model and the person read.
const (
	maxHead       = 100   // characters of a part of a line of progress
	maxBrief      = 200   // of a command
	maxShown      = 6000  // of a program's output in an error
	maxLogged     = 20000 // of an output in the log
	maxTranscript = 16000
	maxArtefact   = 12000 // of one file at the end
	maxArtefacts  = 30000 // of all
)

// report is what the tool answers: what was done.
type report struct{ steps []*entry }

// entry is a step.
type entry struct {
	head  string
	lines []string
	shown string // what happened last, for the person
}

func (t *report) begin(n int, b *Block) {
	t.steps = append(t.steps, &entry{head: fmt.Sprintf("[%d] %s | %s | %s", n, text.Head(b.State, maxHead), text.Head(b.Step, maxHead), b.Type)})
}

func (t *report) current() *entry {
	if len(t.steps) == 0 {
		t.steps = append(t.steps, &entry{})
	}
	return t.steps[len(t.steps)-1]
}

func (e *entry) add(format string, args ...any) {
	e.lines = append(e.lines, fmt.Sprintf(format, args...))
}

// tell adds what happened last, with the words for the person beside those for the model.
func (e *entry) tell(shown, format string, args ...any) {
	e.add(format, args...)
	e.shown = shown
}

func (t *report) text() string {
	var s strings.Builder
	for _, e := range t.steps {
		s.WriteString(e.head + "\n")
		for _, l := range e.lines {
			s.WriteString("    " + strings.ReplaceAll(l, "\n", "\n    ") + "\n")
		}
	}
	return text.Cut(s.String(), maxTranscript, "")
}

// head is the beginning of an answer.
func (r *run) head(outcome string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "pipeline %s: %s\nrun folder: %s\n", r.skill.Name, outcome, r.folder())
	if r.log.path != "" {
		fmt.Fprintf(&s, "log: %s\n", r.log.path)
	}
	if r.resumed {
		fmt.Fprintf(&s, "went on with an earlier run; steps done before: %d\n", r.first)
	}
	return s.String() + "\n"
}

// folder is the run folder as the model writes it, from the work directory.
func (r *run) folder() string {
	if rel, err := filepath.Rel(r.paths.work, r.rec.Dir); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return r.rec.Dir
}

// ended is the answer of a run that came to its end.
func (r *run) ended(ctx context.Context, b *Block, outcome string) string {
	var s strings.Builder
	s.WriteString(r.head(outcome) + r.report.text() + "\n" + b.State + "\n")
	for _, more := range []string{b.Step, b.Notes} {
		if more != "" && more != b.State {
			s.WriteString(more + "\n")
		}
	}
	left := maxArtefacts
	for _, file := range r.artefacts(b, outcome) {
		if !r.paths.readable(file) || left <= 0 {
			continue
		}
		body := text.Cut(r.text(ctx, file), min(maxArtefact, left), file)
		left -= len([]rune(body))
		fmt.Fprintf(&s, "\n=== %s (%d bytes) ===\n%s\n", r.short(file), size(file), strings.TrimRight(body, "\n"))
	}
	return s.String()
}

// broken is the answer of a run that cannot go on.
func (r *run) broken(err error) string {
	return r.head("stopped") + r.report.text() + "\n" + err.Error() +
		fmt.Sprintf("\n\nNothing that is done is lost. When the cause is mended, call the tool again with the same query, or with run_dir %q to go on.\n", r.folder())
}

// artefacts are the files in the run folder that the last block names, in its order; where it names none, the one that the
// outcome is known by.
func (r *run) artefacts(b *Block, outcome string) []string {
	parts := append([]string{b.Notes, b.Step, b.State}, b.Output...)
	for _, f := range b.Other {
		parts = append(parts, f.Lines...)
	}
	var files []string
	for _, word := range r.named(r.fill(strings.Join(parts, "\n"))) {
		for _, f := range r.filesOf(word) {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	if len(files) == 0 {
		return r.filesOf(outcome + ".md")
	}
	return files
}

// named are the words of a text that may be names of files.
func (r *run) named(said string) []string {
	words := regexp.MustCompile("\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|[^\\s,;，；、（）]+").FindAllString(said, -1)
	if strings.Contains(r.rec.Dir, " ") { // words do not end where blanks are in the path
		for _, rest := range strings.Split(said, r.rec.Dir)[1:] {
			word, _, _ := strings.Cut(strings.TrimLeft(rest, "/"), " ")
			words = append(words, r.rec.Dir+"/"+word)
		}
	}
	return words
}

// filesOf are the files of the run folder that a word means.
func (r *run) filesOf(word string) []string {
	word = strings.Trim(word, "\"'`.,;:()[]（）。，；：、《》")
	if word == "" || len(word) > 1000 || strings.ContainsRune(word, 0) {
		return nil
	}
	found := []string{word}
	if strings.ContainsAny(word, "*?") {
		found = r.paths.glob(word)
	}
	var files []string
	for _, f := range found {
		if !filepath.IsAbs(f) {
			f = r.within(f)
		}
		if f = filepath.Clean(f); inside(r.rec.Dir, f) && isFile(f) {
			files = append(files, f)
		}
	}
	return files
}

// within is a relative path of a block, from the work directory or from the run folder.
func (r *run) within(path string) string {
	if full := filepath.Join(r.paths.work, path); inside(r.rec.Dir, full) {
		return full
	}
	return filepath.Join(r.rec.Dir, path)
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}
