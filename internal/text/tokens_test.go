package text

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each text was counted once by the vocabularies o200k, cl100k and Gemma 3: the estimate lies between the lowest and the
// highest of them, give or take a third.
func TestTokensAreAboutRight(t *testing.T) {
	for _, c := range []struct {
		name, text string
		counted    [3]int
	}{
		{"words", "The quick brown fox jumps over the lazy dog.", [3]int{10, 10, 10}},
		{"prose", "A session is a list of events that only grows. Whoever reads it from the beginning knows what was said, which tools ran, what they gave back, and where a person has agreed or refused; nothing else has to be kept beside it.", [3]int{49, 49, 49}},
		{"go", "func (s *Store) Append(ctx context.Context, name string, after int64, data []byte) (int64, error) {\n\tif err := ctx.Err(); err != nil {\n\t\treturn 0, fmt.Errorf(\"append to %s: %w\", name, err)\n\t}\n\treturn s.log.write(name, after, data)\n}\n", [3]int{72, 72, 89}},
		{"json", "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"description\":\"name of the city\"},\"days\":{\"type\":\"integer\"}},\"required\":[\"city\"]}", [3]int{33, 31, 33}},
		{"diff", "--- a/sum.go\n+++ b/sum.go\n@@ -3,7 +3,7 @@ package sum\n func Sum(list []int) int {\n \tn := 0\n-\tfor i := 1; i < len(list); i++ {\n+\tfor i := range list {\n \t\tn += list[i]\n \t}\n \treturn n\n", [3]int{74, 74, 89}},
		{"listing", "-rw-r--r-- 1 root root  4211 Nov 30 17:02 README.md\n-rw-r--r-- 1 root root   981 Nov 30 16:58 go.mod\ndrwxr-xr-x 4 root root  4096 Nov 30 17:01 internal\n-rwxr-xr-x 1 root root 20480 Nov 30 17:04 main\n", [3]int{92, 92, 115}},
		{"hex", "3f786850e387550fdab836ed7e6dc881de23001b5a2a0d5c3b4f6d9a8e7c1b02", [3]int{43, 43, 59}},
		{"base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", [3]int{53, 54, 54}},
		{"chinese", "今天深圳的天气怎么样？如果下雨，就提醒我带伞，并把明天的日程改到下午三点以后。", [3]int{29, 47, 28}},
		{"mixed", "先运行 `go test ./...`，如果失败就读 errors.log 的最后 20 行，然后修改 main.go。", [3]int{25, 30, 29}},
		{"japanese", "エージェントはファイルを読み、間違いを見つけて修正し、もう一度テストを実行します。", [3]int{32, 38, 19}},
		{"korean", "에이전트는 파일을 읽고 오류를 찾아 수정한 다음 테스트를 다시 실행합니다.", [3]int{21, 29, 19}},
		{"russian", "Агент читает файл, находит ошибку и исправляет её, а затем запускает проверку ещё раз.", [3]int{25, 36, 24}},
		{"french", "L'agent lit le fichier, trouve la faute, la corrige et relance les tests; après cela, il résume ce qui a été changé.", [3]int{32, 34, 31}},
		{"digits", "314159265358979 271828182845904 161803398874989", [3]int{17, 17, 47}},
		{"table", "| name       |    12 | a value here    |\n| other      |   480 | and another     |\n", [3]int{25, 25, 28}},
	} {
		least, most := slices.Min(c.counted[:])*2/3, slices.Max(c.counted[:])*4/3
		if n := Tokens(c.text); n < least || n > most {
			t.Errorf("%s: %d, want %d to %d", c.name, n, least, most)
		}
	}
}

func TestTokensOfRuns(t *testing.T) {
	for _, c := range []struct {
		text        string
		least, most int
	}{
		{"", 0, 0},
		{"a", 1, 1},
		{"\xff\xfe", 1, 2},
		{strings.Repeat("-", 400) + "\n" + strings.Repeat(" ", 400), 5, 60},
		{strings.Repeat("x", 800), 90, 150},
		{strings.Repeat("🙂", 10), 10, 20},
	} {
		if n := Tokens(c.text); n < c.least || n > c.most {
			t.Errorf("%q: %d, want %d to %d", c.text, n, c.least, c.most)
		}
	}
}

// Who cuts a text, or counts it piece by piece, may add up: a text is never less than its beginning, and two pieces are never
// less than the whole.
func TestTokensAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word ", "getUserName", "深圳", "0123", "--", "🙂", "е", "\t\n", "{\"a\":"})
		draw := func(label string) string {
			return strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, label), "")
		}
		a, b := draw("a"), draw("b")
		whole := Tokens(a + b)
		if whole < Tokens(a) || whole > Tokens(a)+Tokens(b)+1 {
			t.Errorf("%q + %q: %d + %d, together %d", a, b, Tokens(a), Tokens(b), whole)
		}
	})
}

func TestTallyIsTokensOfThePieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringOf(rapid.RuneFrom([]rune("abzA09 -{深е🙂")))).Draw(t, "pieces")
		var tally Tally
		for _, s := range pieces {
			tally.Add(s)
		}
		if whole := Tokens(strings.Join(pieces, "")); tally.Tokens() != whole {
			t.Errorf("%d, whole %d", tally.Tokens(), whole)
		}
	})
}

func TestTokensAllocateNothing(t *testing.T) {
	s := strings.Repeat("A line of text, 深圳今天晴.\n", 100)
	if n := testing.AllocsPerRun(10, func() { Tokens(s) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkTokens(b *testing.B) {
	s := strings.Repeat("func (s *Store) Append(ctx context.Context) error { return nil } // 深圳今天晴\n", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Tokens(s)
	}
}
