package arch

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitectureNamesEveryPackage: the map has every place, and no place that is not there.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	report(t, mapFaults(readFile(t, "ARCHITECTURE.md"), packages(tree(t))))
}

func mapFaults(text string, pkgs []string) []string {
	var faults []string
	if n := strings.Count(text, "\n"); n > 150 {
		faults = append(faults, fmt.Sprintf("ARCHITECTURE.md has %d lines, at most 150", n))
	}
	named := codeSpans(text)
	for _, p := range pkgs {
		if !slices.Contains(named, p) {
			faults = append(faults, "ARCHITECTURE.md does not name `"+p+"`")
		}
	}
	for _, n := range named {
		top, _, nested := strings.Cut(n, "/")
		place := nested && slices.Contains([]string{"provider", "kit", "store", "internal", "server", "cmd"}, top)
		if place && !strings.ContainsAny(n, "*{<. ") && !slices.Contains(pkgs, n) {
			faults = append(faults, "ARCHITECTURE.md names `"+n+"`, which is no package")
		}
	}
	return faults
}

var span = regexp.MustCompile("`([^`\n]+)`")

func codeSpans(text string) []string {
	var out []string
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestPlantedGapsInTheMapAreFound(t *testing.T) {
	pkgs := []string{"agent", "kit/guard"}
	wantFault(t, mapFaults("`agent` and `kit/guard`, files `kit/guard/x.go`, `kit/*`", pkgs), "")
	wantFault(t, mapFaults("`agent`, kit/guard", pkgs), "does not name `kit/guard`")
	wantFault(t, mapFaults("`agent` `kit/guard` `kit/gone`", pkgs), "`kit/gone`, which is no package")
	wantFault(t, mapFaults("`agent` `kit/guard`"+strings.Repeat("\n", 151), pkgs), "at most 150")
}

// TestCoverageNamesTestsThatExist: docs/coverage.md has every row of the checklist once, in order; a row that holds
// names tests or scripts, and those exist.
func TestCoverageNamesTestsThatExist(t *testing.T) {
	report(t, coverageFaults(readFile(t, "docs/coverage.md"), readFile(t, "internal/arch/testdata/rows.txt"), testNames(tree(t)), exists))
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

// testNames gives "folder TestName" for every test, example and fuzz target.
func testNames(all []source) map[string]bool {
	names := map[string]bool{}
	for _, s := range all {
		if !s.test() {
			continue
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)`).MatchString(f.Name.Name) {
				names[s.pkg()+" "+f.Name.Name] = true
			}
		}
	}
	return names
}

func coverageFaults(text, rows string, tests map[string]bool, exists func(string) bool) []string {
	want := strings.Fields(rows)
	var got, faults []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !regexp.MustCompile(`^ S\d{3}-\d+ $`).MatchString(cells[0]) {
			continue
		}
		id, status := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[2])
		got = append(got, id)
		faults = append(faults, proofFaults(id, status, codeSpans(cells[3]), tests, exists)...)
	}
	if !slices.Equal(got, want) {
		faults = append(faults, fmt.Sprintf("docs/coverage.md has %d rows, want the %d of testdata/rows.txt in that order (missing %s, unknown %s)",
			len(got), len(want), without(want, got), without(got, want)))
	}
	return faults
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}

func proofFaults(id, status string, proofs []string, tests map[string]bool, exists func(string) bool) []string {
	switch status {
	case "holds", "part":
		if len(proofs) == 0 {
			return []string{id + " " + status + ", but names no test"}
		}
	case "", "never":
		if len(proofs) > 0 {
			return []string{id + " names tests, but does not say that it holds"}
		}
	default:
		return []string{id + ": unknown status " + status}
	}
	var faults []string
	for _, p := range proofs {
		script := path.Ext(p) == ".txtar" || path.Ext(p) == ".txt"
		if script && !exists(p) || !script && !tests[p] {
			faults = append(faults, id+" names `"+p+"`, which does not exist")
		}
	}
	return faults
}

func TestPlantedFaultsInCoverageAreFound(t *testing.T) {
	tests := map[string]bool{"agent TestLoop": true}
	there := func(name string) bool { return name == "cmd/x.txtar" }
	for _, c := range []struct{ row, fault string }{
		{"| S000-01 | x | holds | `agent TestLoop` `cmd/x.txtar` |", ""},
		{"| S000-01 | x | part | `agent TestLoop` first half |", ""},
		{"| S000-01 | x |  |  |", ""},
		{"| S000-01 | x | holds |  |", "names no test"},
		{"| S000-01 | x | holds | `agent TestGone` |", "`agent TestGone`, which does not exist"},
		{"| S000-01 | x | holds | `cmd/y.txtar` |", "does not exist"},
		{"| S000-01 | x |  | `agent TestLoop` |", "does not say that it holds"},
		{"| S000-01 | x | done | `agent TestLoop` |", "unknown status"},
		{"| S000-02 | x |  |  |", "missing [S000-01], unknown [S000-02]"},
		{"| S000-01 | x |  |  |\n| S000-01 | x |  |  |", "has 2 rows, want the 1"},
	} {
		wantFault(t, coverageFaults("| id | item | status | proof |\n|---|---|---|---|\n"+c.row+"\n", "S000-01\n", tests, there), c.fault)
	}
}

// TestDecisionsAreNumberedOnce: the number in a page's name is the one in its heading, and no other page has it.
func TestDecisionsAreNumberedOnce(t *testing.T) {
	pages := map[string]string{}
	for _, doc := range documents(t) {
		if !strings.HasPrefix(doc, "docs/adr/") {
			continue
		}
		pages[doc] = readFile(t, doc)
	}
	if len(pages) < 20 {
		t.Fatalf("%d pages of decisions", len(pages))
	}
	report(t, numberFaults(pages))
	wantFault(t, numberFaults(map[string]string{"docs/adr/0001-a.md": "# 1. A\n", "docs/adr/0001-b.md": "# 1. B\n"}), "0001-b.md")
	wantFault(t, numberFaults(map[string]string{"docs/adr/0001-a.md": "# 2. A\n"}), "its heading begins")
}

func numberFaults(pages map[string]string) (faults []string) {
	seen := map[string]bool{}
	for _, doc := range slices.Sorted(maps.Keys(pages)) {
		number, _, _ := strings.Cut(path.Base(doc), "-")
		if seen[number] {
			faults = append(faults, doc+" has a number that another page has")
		}
		seen[number] = true
		if want := "# " + strings.TrimLeft(number, "0") + ". "; !strings.HasPrefix(pages[doc], want) {
			faults = append(faults, fmt.Sprintf("%s: its heading begins otherwise than %q", doc, want))
		}
	}
	return faults
}
