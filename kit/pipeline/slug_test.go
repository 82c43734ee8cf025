package pipeline

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSlug(t *testing.T) {
	for query, want := range map[string]string{
		"平安夜的烟花":                       "ping-an-ye-de-yan-hua",
		"智能体方向":                        "zhi-neng-ti-fang-xiang",
		"重庆":                           "chong-qing",
		"重慶":                           "chong-qing",
		"音乐":                           "yin-yue",
		"银行":                           "yin-hang",
		"行业":                           "hang-ye",
		"重复":                           "chong-fu",
		"长城":                           "chang-cheng",
		"成长":                           "cheng-zhang",
		"绿色的女儿":                        "lv-se-de-nv-er",
		"策略":                           "ce-lue",
		"流行音乐的重新编排":                    "liu-xing-yin-yue-de-chong-xin-bian-pai",
		"AI智能体2026方向":                  "ai-zhi-neng-ti-2026-fang-xiang",
		"Don't Panic: agents, v2.0":    "dont-panic-agents-v2-0",
		"Über Café, naïve Straße":      "uber-cafe-naive-strasse",
		"cafe\u0301":                   "cafe",
		"ＧＰＴ４":                         "gpt4",
		"":                             "run",
		"  ——!?  ":                     "run",
		"Привет":                       "run",
		"../../etc/passwd":             "etc-passwd",
		"〇七年":                          "ling-qi-nian",
		strings.Repeat("方向", 40):       strings.Repeat("fang-xiang-", 5) + "fang",
		strings.Repeat("x", 100):       strings.Repeat("x", 60),
		"a " + strings.Repeat("y", 70): "a",
	} {
		if got := Slug(query); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

// Whatever is asked, the name is a folder's: short, and of letters, digits and hyphens.
func TestSlugShape(t *testing.T) {
	shape := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom(nil, unicode.Han), 0, 40, -1)).Draw(t, "query")
		got := Slug(query)
		if !shape.MatchString(got) || len(got) > maxSlug {
			t.Fatalf("%q: %q", query, got)
		}
		if again := Slug(got); again != got && len(got) < maxSlug {
			t.Fatalf("%q: of %q comes %q", query, got, again)
		}
	})
}

// Every phrase has a syllable for each character, is no longer than is looked for, and changes something.
func TestPhrases(t *testing.T) {
	syllable := regexp.MustCompile(`^[a-z]+$`)
	seen := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(pinyinPhrases)) {
		words := strings.Fields(line)
		n := utf8.RuneCountInString(words[0])
		if n != len(words)-1 || n > maxPhrase || seen[words[0]] {
			t.Errorf("%q: %d characters, %d syllables, twice: %v", words[0], n, len(words)-1, seen[words[0]])
		}
		seen[words[0]] = true
		same := true
		rest := words[0]
		for _, s := range words[1:] {
			if !syllable.MatchString(s) {
				t.Errorf("%q: syllable %q", words[0], s)
			}
			_, size := utf8.DecodeRuneInString(rest)
			one, _ := pinyin(rest[:size])
			same = same && one[0] == s
			rest = rest[size:]
		}
		if same && n > 1 {
			t.Errorf("%q is read so without being here", words[0])
		}
	}
}

// No syllable and no usual character is missing in the table.
func TestTable(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(pinyinTable), "\n")
	if len(lines) < 380 {
		t.Errorf("%d syllables", len(lines))
	}
	for c, want := range map[string]string{"中": "zhong", "国": "guo", "一": "yi", "龥": "yu", "女": "nv", "略": "lue", "吕": "lv", "嗯": "n"} {
		if got, n := pinyin(c); n != len(c) || got[0] != want {
			t.Errorf("%s: %v, want %s", c, got, want)
		}
	}
	if got, n := pinyin("ア"); n != 0 {
		t.Errorf("a Japanese letter is read %v", got)
	}
}

func BenchmarkSlug(b *testing.B) {
	query := strings.Repeat("龥", 30)
	for b.Loop() {
		Slug(query)
	}
}

// A run folder's name stands in commands, so it has none of the words for which commands are refused.
func TestSlugWithout(t *testing.T) {
	words := []string{"sudo", "rm -rf /", "shutdown", "Reboot", "", "a-b"}
	for query, want := range map[string]string{
		"how to use sudo safely": "how-to-use-safely", "sudo": "run", "a sudoku solver": "a-solver", "shut down": "shut-down",
		"sudo reboot, then SHUTDOWN": "then", "better agents": "better-agents", "aa bb": "run", "x aa bb y": "x-y", "智能体 sudo 方向": "zhi-neng-ti-fang-xiang",
	} {
		if got := without(Slug(query), words); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z-]{1,4}`).Draw(t, "word")
		got := without(Slug(rapid.StringMatching(`[a-z ]{0,40}`).Draw(t, "query")), []string{word})
		if got != "run" && (strings.Contains(got, word) && word != "-" || strings.Contains(got, "--") || strings.Trim(got, "-") != got) {
			t.Errorf("%q holds %q", got, word)
		}
	})
}
