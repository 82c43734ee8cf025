package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const passing = `{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"m/a","Test":"TestA"}
`

func skipping(reason string) string {
	return passing + `{"Action":"run","Package":"m/a","Test":"TestB"}
{"Action":"output","Package":"m/a","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"m/a","Test":"TestB","Output":"    a_test.go:7: ` + reason + `\n"}
{"Action":"output","Package":"m/a","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestB"}
`
}

func TestSkipsForWantOfAToolAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, in string
		args     []string
		want     string // part of the error, "" = none
	}{
		{"all ran", passing, nil, ""},
		{"a tool is missing", skipping("needs tmux"), nil, "TestB: needs tmux"},
		{"a tool is missing, said by a script", skipping("script.txtar:3: needs git"), nil, "TestB: needs git"},
		{"no folder beside the clone", skipping("needs ../shared/cases"), nil, ""},
		{"the folder is there", skipping("needs ../shared/cases"), []string{"-shared"}, "needs ../shared"},
		{"the machine cannot", skipping("not here: no small file system"), nil, ""},
		{"silent", strings.Replace(skipping("x"), "    a_test.go:7: x", "", 1), nil, "without a reason"},
		{"nothing ran", "", nil, "no test ran"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := runTests(c.args, strings.NewReader(c.in), &out)
			wantError(t, err, c.want)
		})
	}
}

// A time limit ends a package while a test runs: what that has written, the goroutines, is shown.
func TestReportShowsWhatCameToNoEnd(t *testing.T) {
	in := passing + `{"Action":"run","Package":"m/b","Test":"TestHangs"}
{"Action":"output","Package":"m/b","Test":"TestHangs","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"m/b","Elapsed":720}
`
	var out bytes.Buffer
	if err := runTests(nil, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if want := "no end m/b TestHangs\npanic: test timed out\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in %q", want, out.String())
	}
}

func TestReportShowsFailuresAndCounts(t *testing.T) {
	in := passing + `{"Action":"output","Package":"m/b","Test":"TestC","Output":"    b_test.go:1: wrong\n"}
{"Action":"fail","Package":"m/b","Test":"TestC"}
{"Action":"fail","Package":"m/b","Elapsed":1.5}
`
	file := filepath.Join(t.TempDir(), "summary")
	var out bytes.Buffer
	if err := runTests([]string{"-summary", file}, strings.NewReader(in), &out); err != nil {
		t.Fatal(err) // go test itself has failed already
	}
	for _, want := range []string{"b_test.go:1: wrong", "fail  m/b 1.5s", "1 passed, 1 failed, 0 skipped"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
	sum, err := os.ReadFile(file)
	if err != nil || string(sum) != "1 passed, 1 failed, 0 skipped\n" {
		t.Errorf("summary %q, %v", sum, err)
	}
}

func TestCoverMergesAndHoldsFloors(t *testing.T) {
	const profile = `mode: atomic
m/agent/a.go:1.1,2.2 9 0
m/agent/a.go:1.1,2.2 9 3
m/agent/a.go:3.1,4.2 1 0
m/agents/b.go:1.1,2.2 10 0
`
	for _, c := range []struct{ floors, want string }{
		{"90 agent # comment\n", ""},
		{"91 agent\n", "below the floor: agent"},
		{"45 total\n", ""},
		{"46 total\n", "below the floor: total"},
		{"1 nowhere\n", "below the floor: nowhere"},
		{"x agent\n", "invalid syntax"},
	} {
		wantError(t, cover(strings.NewReader(profile), strings.NewReader(c.floors), &bytes.Buffer{}), c.want)
	}
	wantError(t, cover(strings.NewReader("mode: set\n"), strings.NewReader(""), &bytes.Buffer{}), "empty")
}

func TestOnlyListedFindingsInTheStandardLibraryPass(t *testing.T) {
	report := func(module, function string) string {
		return `{"config":{"protocol_version":"v1"}}{"finding":{"osv":"GO-1","fixed_version":"v2","trace":[{"module":"` +
			module + `","package":"p","function":"` + function + `"}]}}`
	}
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct{ report, allowed, want string }{
		{report("stdlib", "F"), "GO-1 stdlib 2026-12-01 why\n", ""},
		{report("stdlib", "F"), "GO-1 stdlib 2026-11-29 why\n", "was allowed until 2026-11-29"},
		{report("stdlib", "F"), "", "list it with a date"},
		{report("stdlib", ""), "", ""}, // imported, never called
		{report("example.org/m", "F"), "GO-1 stdlib 2026-12-01 why\n", "in example.org/m"},
		{report("stdlib", "F"), "GO-1 example.org/m 2026-12-01 why\n", "want ID stdlib"},
		{"", "", "no report"},
	} {
		wantError(t, vulns(strings.NewReader(c.report), strings.NewReader(c.allowed), now, &bytes.Buffer{}), c.want)
	}
}

func TestCodeLinesLeavesCommentsAndBlanksOut(t *testing.T) {
	src := "// doc\npackage p\n\n/* a\nb */\nconst s = `x\ny`\n\nfunc f() { // why\n}\n"
	if got := codeLines([]byte(src)); got != 5 {
		t.Errorf("%d code lines, want 5", got)
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case part != "" && err == nil:
		t.Errorf("no error, want one with %q", part)
	case part != "" && !strings.Contains(err.Error(), part):
		t.Errorf("error %q lacks %q", err, part)
	}
}
