package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestRepliesAgree reads every well-formed reply with our wire and with the vendor's library. Where they differ in a field
// the case has to say what is right, and we have to say the same: that is checked, and the difference is printed with what
// the case is about. A difference that no case decides is a failure.
func TestRepliesAgree(t *testing.T) {
	type sums struct{ agreed, differed, failed int }
	total := map[string]*sums{}
	leftOut := 0
	for _, c := range decodeCases(t) {
		library, ok := libraries()[c.API]
		if !ok { // calls written as text: no library reads them
			leftOut++
			continue
		}
		if total[c.API] == nil {
			total[c.API] = &sums{}
		}
		sum := total[c.API]
		we, err := ours(t, c)
		if err != nil {
			t.Errorf("%s: we cannot read it: %v", c.Name, err)
			continue
		}
		they, err := library(t, c)
		if err == nil && strings.Join(slices.Collect(maps.Values(they.fields())), "") == "" {
			err = errors.New("it reads nothing at all")
		}
		if err != nil {
			sum.failed++
			t.Logf("%-10s library fails  %s: %s: %v", c.API, c.Name, c.Why, err)
			continue
		}
		lines, undecided := differences(c, we.fields(), they.fields())
		if len(lines) == 0 {
			sum.agreed++
			continue
		}
		sum.differed++
		for _, line := range lines {
			t.Logf("%-10s differs in %s", c.API, line)
		}
		for _, line := range undecided {
			t.Errorf("%s: nothing decides who is right: %s", c.Name, line)
		}
	}
	for _, api := range slices.Sorted(maps.Keys(total)) {
		s := total[api]
		t.Logf("%s: agreed on %d, differed on %d, library failed on %d", api, s.agreed, s.differed, s.failed)
		if s.agreed == 0 {
			t.Errorf("%s: nothing was agreed on: the comparison is broken", api)
		}
	}
	if len(total) != len(libraries()) {
		t.Errorf("replies of %d wires were read, of %d", len(total), len(libraries()))
	}
	t.Logf("left out, because no library reads calls in text: %d", leftOut)
}

// differences are the fields in which two answers differ, and among them those that the case does not decide for us.
func differences(c *wireCase, we, they map[string]string) (lines, undecided []string) {
	expected := c.expected()
	for _, field := range []string{"text", "calls", "finish", "input", "output", "cached", "reasoning"} {
		if we[field] == they[field] {
			continue
		}
		want, decided := expected[field]
		line := fmt.Sprintf("%s of %s (%s): ours %s, library %s", field, c.Name, c.Why, short(we[field]), short(they[field]))
		lines = append(lines, line)
		if !decided || want != we[field] {
			undecided = append(undecided, line)
		}
	}
	return lines, undecided
}

func short(s string) string {
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
