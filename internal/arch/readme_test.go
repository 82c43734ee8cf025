package arch

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadmeCommandsAreWhatTheCheckRuns: a promise in the README is a promise that is tried on every change.
func TestReadmeCommandsAreWhatTheCheckRuns(t *testing.T) {
	commands := commandLines(section(readFile(t, "README.md"), "One minute"))
	if len(commands) != 2 {
		t.Fatalf("the README's first minute has the commands %q, want two", commands)
	}
	script := readFile(t, ".ci/run")
	for _, c := range commands {
		if !strings.Contains(script, c) {
			t.Errorf("the README says %q, .ci/run never runs it", c)
		}
	}
}

// section gives the text below the heading that begins with title, up to the next heading of its level.
func section(text, title string) string {
	_, after, ok := strings.Cut(text, "\n## "+title)
	if !ok {
		return ""
	}
	body, _, _ := strings.Cut(after, "\n## ")
	return body
}

// commandLines gives the commands of the shell blocks, without comments and answers.
func commandLines(text string) []string {
	var out []string
	for _, b := range blocks(text) {
		if !strings.HasPrefix(b, "sh\n") {
			continue
		}
		for line := range strings.Lines(strings.TrimPrefix(b, "sh\n")) {
			line, _, _ = strings.Cut(line, "   #")
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				out = append(out, line)
			}
		}
	}
	return out
}

// blocks gives the fenced blocks: the language, a line end, the text.
func blocks(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// TestBothReadmesSayTheSame as far as a machine can see: equal headings by level, equal commands and code.
func TestBothReadmesSayTheSame(t *testing.T) {
	en, zh := readFile(t, "README.md"), readFile(t, "README.zh.md")
	if a, b := levels(en), levels(zh); !slices.Equal(a, b) {
		t.Errorf("headings differ: English %v, Chinese %v", a, b)
	}
	if a, b := commandLines(en), commandLines(zh); !slices.Equal(a, b) {
		t.Errorf("commands differ:\n%s\n---\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	if a, b := goBlocks(en), goBlocks(zh); !slices.Equal(a, b) {
		t.Error("the Go code differs")
	}
	if a, b := tableSizes(en), tableSizes(zh); !slices.Equal(a, b) {
		t.Errorf("tables differ: rows in English %v, in Chinese %v", a, b)
	}
}

func levels(text string) []int {
	var out []int
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if n := len(line) - len(strings.TrimLeft(line, "#")); n > 0 && !fenced {
			out = append(out, n)
		}
	}
	return out
}

func goBlocks(text string) []string {
	return slices.DeleteFunc(blocks(text), func(b string) bool { return !strings.HasPrefix(b, "go\n") })
}

// tableSizes counts the rows of every table.
func tableSizes(text string) []int {
	var out []int
	n := 0
	for line := range strings.Lines(text + "\nend\n") {
		if strings.HasPrefix(line, "|") {
			n++
		} else if n > 0 {
			out = append(out, n)
			n = 0
		}
	}
	return out
}

// TestReadmeCodeIsAnExample: the library snippet is the body of an Example that the tests run.
func TestReadmeCodeIsAnExample(t *testing.T) {
	for _, doc := range []string{"README.md", "docs/library.md"} {
		found := goBlocks(readFile(t, doc))
		if len(found) == 0 {
			t.Errorf("%s has no Go code", doc)
		}
		bodies := exampleBodies(t, tree(t))
		for _, b := range found {
			if code := squeeze(strings.TrimPrefix(b, "go\n")); !slices.ContainsFunc(bodies, func(s string) bool { return strings.Contains(s, code) }) {
				t.Errorf("%s: this code is in no Example:\n%s", doc, b)
			}
		}
	}
}

// exampleBodies gives the sources of the files with Examples.
func exampleBodies(t *testing.T, all []source) []string {
	t.Helper()
	var out []string
	for _, s := range all {
		has := slices.ContainsFunc(s.ast.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && strings.HasPrefix(f.Name.Name, "Example")
		})
		if !s.test() || !has {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.path)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, squeeze(string(text)))
	}
	return out
}

// squeeze makes indentation and blank lines equal.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestLinksOfDocumentsLead: every relative link in a document leads to a file.
func TestLinksOfDocumentsLead(t *testing.T) {
	for _, doc := range documents(t) {
		report(t, linkFaults(doc, readFile(t, doc), func(name string) bool { return exists(name) }))
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

func linkFaults(doc, text string, exists func(string) bool) []string {
	var faults []string
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		if to := filepath.ToSlash(filepath.Join(filepath.Dir(doc), m[1])); !exists(to) {
			faults = append(faults, fmt.Sprintf("%s links to %s, which is not there", doc, to))
		}
	}
	return faults
}

func documents(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

func TestPlantedDeadLinkIsFound(t *testing.T) {
	there := func(name string) bool { return name == "docs/a.md" }
	wantFault(t, linkFaults("docs/adr/1.md", "[a](../a.md#x) [w](https://example.org/b)", there), "")
	wantFault(t, linkFaults("README.md", "[b](docs/b.md)", there), "docs/b.md, which is not there")
}
