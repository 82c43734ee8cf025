package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCutKeepsBothEnds(t *testing.T) {
	s := "begin" + strings.Repeat("中", 1000) + "end"
	got := Cut(s, 200, "/tmp/log")
	if n := utf8.RuneCountInString(got); n > 200 || n < 190 {
		t.Errorf("%d characters, want nearly 200", n)
	}
	for _, part := range []string{"begin中", "中end", "characters left out; the whole is in /tmp/log"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in %q", part, got)
		}
	}
}

func TestCutLimits(t *testing.T) {
	for _, c := range []struct {
		s     string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"中文字", 3, "中文字"},
		{"abcdef", 0, "abcdef"},
		{"abcdef", 4, "abc…"},
		{"", 1, ""},
	} {
		if got := Cut(c.s, c.limit, ""); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.s, c.limit, got, c.want)
		}
	}
}

// What Cut says is left out, plus what it shows, is the whole.
func TestCutAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat(rapid.StringN(1, 30, -1).Draw(t, "s"), rapid.IntRange(1, 40).Draw(t, "times"))
		limit := rapid.IntRange(1, 300).Draw(t, "limit")
		got := Cut(s, limit, "")
		if n := utf8.RuneCountInString(got); n > limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("cut inside a character: %q", got)
		}
	})
}

func TestCutEnds(t *testing.T) {
	head, tail := strings.Repeat("h", 500), strings.Repeat("t", 500)
	got := CutEnds(head, tail, 1_000_000, 300, "F")
	if n := utf8.RuneCountInString(got); n > 300 {
		t.Errorf("%d characters", n)
	}
	kept := strings.Count(got[:20], "h") + 0
	if kept != 20 || !strings.HasSuffix(got, "tttttttttt") || !strings.Contains(got, "in F") {
		t.Errorf("ends are missing: %q", got)
	}
	h := strings.Count(got, "h") - strings.Count("left out; the whole is in F", "h")
	tt := len(got) - len(strings.TrimRight(got, "t"))
	if want := 1_000_000 + 1000 - h - tt; !strings.Contains(got, strings.TrimSpace(strings.Join([]string{itoa(want), "bytes"}, " "))) {
		t.Errorf("the amount is not %d: %q", want, got)
	}
	if got := CutEnds("a", "b", 5, 0, ""); got != "a\n[... 5 bytes left out ...]\nb" {
		t.Errorf("without a limit: %q", got)
	}
	if got := CutEnds("abcdef", "b", 5, 3, ""); got != "ab…" {
		t.Errorf("tiny limit: %q", got)
	}
}

func itoa(n int) string {
	var b []byte
	for ; n > 0; n /= 10 {
		b = append([]byte{byte('0' + n%10)}, b...)
	}
	return string(b)
}

func TestClean(t *testing.T) {
	long := strings.Repeat("x", 40)
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\tb\n中😀", "a\tb\n中😀"},
		{"crlf", "a\r\nb\r\r\nc", "a\nb\nc"},
		{"nul", "a\x00b", `a\x00b`},
		{"stray byte", "caf\xe9 au lait", `caf\xe9 au lait`},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"title", "\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link", "textlink"},
		{"charset", "\x1b(Bx\x1b7y", "xy"},
		{"not a sequence", "\x1b[\x01z\x1b", `\x1b[\x01z\x1b`},
		{"overstrike", "N\bNA\bA\bB中\b", "NB"},
		{"backspace at the start", "\bx\n\by", "x\ny"},
		{"bell", "ding\x07", "ding"},
		{"few states", "10%\r20%\r\n", "10%\n20%\n"},
		{"progress bar", "1%\r2%\r3%\r4%\rdone\nnext", "1%\n[3 states of this line not shown]\ndone\nnext"},
		{"own replacement character", "\uFFFD\x00", "\uFFFD" + `\x00`},
		{"binary", "t\n" + strings.Repeat("\xff\x00", 50) + long, "t\n[100 bytes that are no UTF-8 text: ff00ff00ff00ff00ff00ff00ff00ff00…]" + long},
		{"del", "a\x7fb", `a\x7fb`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean([]byte(c.in)); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// Many stray bytes far apart must not make Clean quadratic.
func TestCleanIsLinear(t *testing.T) {
	in := bytes.Repeat([]byte("\xff"+strings.Repeat("a", 20)), 100_000)
	got := Clean(in)
	if n := strings.Count(got, `\xff`); n != 100_000 {
		t.Errorf("%d stray bytes shown", n)
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("a\r\nb\x1b[31m\xff\x00\b\x07"))
	f.Add([]byte("\x1b]0;\x1b"))
	f.Add(bytes.Repeat([]byte{0xe4, 0xb8}, 100))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Clean(b)
		if !utf8.ValidString(s) {
			t.Fatalf("invalid UTF-8: %q", s)
		}
		if strings.Count(s, "\uFFFD") > bytes.Count(b, []byte("\uFFFD")) {
			t.Fatalf("a replacement character was made: %q", s)
		}
		if strings.ContainsAny(s, "\x00\x07\x08\x0d\x1b\x7f") {
			t.Fatalf("a control character is left: %q", s)
		}
	})
}
