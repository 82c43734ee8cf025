package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// testEvent is one line of go test -json.
type testEvent struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// testKey names a test; Test is empty for the package itself.
type testKey struct{ pkg, test string }

// testReport collects what go test said.
type testReport struct {
	out                     io.Writer
	shared                  bool // the folder ../shared is there: nothing may skip for want of it
	text                    map[testKey][]string
	passed, failed, skipped int
	forbidden               []string
}

func runTests(args []string, in io.Reader, out io.Writer) error {
	fs := flag.NewFlagSet("tests", flag.ContinueOnError)
	shared := fs.Bool("shared", false, "../shared is there, so no test may skip for want of it")
	summary := fs.String("summary", "", "write the closing line to this file too")
	if err := fs.Parse(args); err != nil {
		return err
	}
	r := &testReport{out: out, shared: *shared, text: map[testKey][]string{}}
	if err := r.read(in); err != nil {
		return err
	}
	if *summary != "" {
		if err := os.WriteFile(*summary, []byte(r.line()+"\n"), 0o600); err != nil {
			return err
		}
	}
	return r.verdict()
}

func (r *testReport) read(in io.Reader) error {
	dec := json.NewDecoder(in)
	for {
		var e testEvent
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading go test -json: %w", err)
		}
		r.add(e)
	}
}

func (r *testReport) add(e testEvent) {
	k := testKey{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.text[k] = append(r.text[k], e.Output)
	case "pass":
		r.close(k, e, &r.passed)
	case "fail":
		r.close(k, e, &r.failed)
		r.show(k)
		if k.test == "" {
			r.open(k.pkg)
		}
		delete(r.text, k)
	case "skip":
		r.close(k, e, &r.skipped)
		if e.Test != "" {
			r.skip(k)
		}
		delete(r.text, k)
	}
}

// close counts tests and prints one line per package.
func (r *testReport) close(k testKey, e testEvent, count *int) {
	if k.test != "" {
		*count++
		if e.Action == "pass" {
			delete(r.text, k)
		}
		return
	}
	fmt.Fprintf(r.out, "%-5s %s %.1fs\n", e.Action, e.Package, e.Elapsed)
}

// show prints what a failed test or package wrote.
func (r *testReport) show(k testKey) {
	for _, line := range r.text[k] {
		fmt.Fprint(r.out, line)
	}
}

// longest bounds what is printed of a test that never ended: a time limit dumps every goroutine.
const longest = 1000

// open prints what the tests of a failed package wrote that have come to no end: a panic or a time limit stands with one of them.
func (r *testReport) open(pkg string) {
	var names []string
	for k := range r.text {
		if k.pkg == pkg && k.test != "" {
			names = append(names, k.test)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		k := testKey{pkg, name}
		fmt.Fprintf(r.out, "no end %s %s\n", pkg, name)
		if n := len(r.text[k]); n > longest {
			r.text[k] = append(r.text[k][:longest:longest], fmt.Sprintf("… %d lines more\n", n-longest))
		}
		r.show(k)
		delete(r.text, k)
	}
}

// skip prints why a test skipped. A reason that begins with "needs " names something .ci/run has to install; the one thing
// that it cannot install is the folder ../shared.
func (r *testReport) skip(k testKey) {
	reason := skipReason(r.text[k])
	fmt.Fprintf(r.out, "skip  %s %s: %s\n", k.pkg, k.test, reason)
	_, what, needs := strings.Cut(" "+reason, " needs ")
	switch {
	case reason == "":
		r.forbidden = append(r.forbidden, k.pkg+" "+k.test+": skips without a reason")
	case needs && (r.shared || !strings.HasPrefix(what, "../shared")):
		r.forbidden = append(r.forbidden, k.pkg+" "+k.test+": needs "+what)
	}
}

// skipReason finds the text of t.Skip: the last line that is no frame of go test.
func skipReason(lines []string) string {
	reason := ""
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "=== ") || strings.HasPrefix(l, "--- ") {
			continue
		}
		reason = l
	}
	if file, text, ok := strings.Cut(reason, ": "); ok && strings.Contains(file, ".go:") {
		return text
	}
	return reason
}

func (r *testReport) line() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.passed, r.failed, r.skipped)
}

func (r *testReport) verdict() error {
	fmt.Fprintln(r.out, r.line())
	if len(r.forbidden) > 0 {
		return fmt.Errorf("these tests must run here, but skipped:\n  %s", strings.Join(r.forbidden, "\n  "))
	}
	if r.passed == 0 {
		return errors.New("no test ran")
	}
	return nil
}
