package shell

import (
	"testing"
	"unicode/utf8"
)

func TestWholeStartAndEnd(t *testing.T) {
	s := []byte("a中😀z")
	for i := range len(s) + 1 {
		head, tail := wholeEnd(s[:i]), wholeStart(s[i:])
		if !utf8.Valid(head) || !utf8.Valid(tail) {
			t.Errorf("cut at %d: %q %q", i, head, tail)
		}
		if i-len(head) > 3 || len(s)-i-len(tail) > 3 {
			t.Errorf("cut at %d takes too much: %q %q", i, head, tail)
		}
	}
	if got := wholeEnd([]byte("a\xff")); string(got) != "a\xff" {
		t.Errorf("a byte that is no beginning was dropped: %q", got)
	}
}
