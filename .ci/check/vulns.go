package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// finding is the part of govulncheck's JSON that matters. The first frame of the trace is the vulnerable place; it names
// a function when the code is really called.
type finding struct {
	OSV   string `json:"osv"`
	Fixed string `json:"fixed_version"`
	Trace []struct {
		Module, Package, Function string
	} `json:"trace"`
}

// vulns lets a called finding pass only when it is in the standard library and listed with a day that has not gone by.
func vulns(report, allowed io.Reader, now time.Time, out io.Writer) error {
	until, err := readAllowed(allowed)
	if err != nil {
		return err
	}
	found, err := readFindings(report)
	if err != nil {
		return err
	}
	var bad []string
	for _, id := range sortedKeys(found) {
		f := found[id]
		module := f.Trace[0].Module
		last, listed := until[id]
		switch {
		case module != "stdlib":
			bad = append(bad, fmt.Sprintf("%s in %s, fixed in %s: take that version", id, module, f.Fixed))
		case !listed:
			bad = append(bad, fmt.Sprintf("%s in the standard library (%s), fixed in %s: list it with a date or take a newer Go", id, f.Trace[0].Package, f.Fixed))
		case now.After(last.AddDate(0, 0, 1)):
			bad = append(bad, fmt.Sprintf("%s was allowed until %s", id, last.Format(time.DateOnly)))
		default:
			fmt.Fprintf(out, "allowed until %s: %s, %s, fixed in %s\n", last.Format(time.DateOnly), id, f.Trace[0].Package, f.Fixed)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("vulnerabilities:\n  %s", strings.Join(bad, "\n  "))
	}
	fmt.Fprintf(out, "%d findings, all allowed\n", len(found))
	return nil
}

func readFindings(r io.Reader) (map[string]finding, error) {
	found := map[string]finding{}
	dec := json.NewDecoder(r)
	ran := false
	for {
		var m struct {
			Config  *json.RawMessage `json:"config"`
			Finding *finding         `json:"finding"`
		}
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading govulncheck's report: %w", err)
		}
		ran = ran || m.Config != nil
		if f := m.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			found[f.OSV] = *f
		}
	}
	if !ran {
		return nil, errors.New("this is no report of govulncheck")
	}
	return found, nil
}

func readAllowed(r io.Reader) (map[string]time.Time, error) {
	lines, err := dataLines(r)
	if err != nil {
		return nil, err
	}
	until := map[string]time.Time{}
	for _, f := range lines {
		if len(f) < 4 || f[1] != "stdlib" {
			return nil, fmt.Errorf("allowed %q: want ID stdlib YYYY-MM-DD REASON", strings.Join(f, " "))
		}
		day, err := time.Parse(time.DateOnly, f[2])
		if err != nil {
			return nil, fmt.Errorf("allowed %s: %w", f[0], err)
		}
		until[f[0]] = day
	}
	return until, nil
}

// dataLines splits lines into fields; what follows # is a comment.
func dataLines(r io.Reader) ([][]string, error) {
	var lines [][]string
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		text, _, _ := strings.Cut(sc.Text(), "#")
		if f := strings.Fields(text); len(f) > 0 {
			lines = append(lines, f)
		}
	}
	return lines, sc.Err()
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
