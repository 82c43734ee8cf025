package skill

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestNormalizeSkillName(t *testing.T) {
	for in, want := range map[string]string{
		"paper_search": "paper-search", "Paper Search": "paper-search", "PAPER--search": "paper-search", " a\t_b ": "a-b", "_x_": "-x-",
		"论文检索": "论文检索", "データ": "データ", "デ\u30ed": "デロ", "e\u0301cole": "école", "ЙОД": "йод", "и\u0306од": "йод",
		"\u1112\u1161\u11ab": "한", "a\u0300\u0301": "à\u0301", "": "", "x\u0301": "x\u0301", "テ\u3099ータ": "データ", "ホ\u309aウ\u3099": "ポヴ",
	} {
		if got := NormalizeSkillName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNormalizeSkillNameTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("aZ-_ İßΣςdžeE\u0301\u0327\u0306\u1100\u1161\u11a8か\u3099は\u309aиﬁ")))).Draw(t, "name")
		once := NormalizeSkillName(s)
		if twice := NormalizeSkillName(once); twice != once {
			t.Fatalf("%q: %q, then %q", s, once, twice)
		}
		if other := NormalizeSkillName(strings.NewReplacer("_", "-").Replace(s)); other != once {
			t.Fatalf("%q: %q, with hyphens %q", s, once, other)
		}
	})
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a-b": true, "a_b": true, "3000": true, "论文检索": true, "データ": true, "テ\u3099": true,
		"": false, "-a": false, "a-": false, "a--b": false, "a-_b": false, "A": false, "a b": false, "a.b": false, "a/b": false, "é": true,
	} {
		if got := validName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if p := proper(name); !validName(p) {
			t.Errorf("%q: proposed is %q", name, p)
		}
	}
}

// TestClean shows that nothing gets through that a screen obeys or a person cannot see.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\nb": "a\nb", "a\tb": "a b", "a\x1b[31mb\x07": "ab", "\x1b]0;t\x07x": "x", "a\u202eb\u200bc": "abc",
		"👨\u200d👩": "👨\u200d👩", "x\U000e0041y": "xy", "é\u0085\u009b": "é ", "a\r\nb": "a\nb", "\ufeffa": "a",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if got := clean(s); strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Fatalf("%q: %q", s, got)
		}
	})
}
