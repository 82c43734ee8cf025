package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func embedOne(t testing.TB, n *Ngrams, s string) []float32 {
	t.Helper()
	v, err := n.Embed(t.Context(), []string{s})
	if err != nil || len(v) != 1 {
		t.Fatal(v, err)
	}
	return v[0]
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestNgramsAreLike: what means the same in other forms is nearer than what does not, in both languages and between them.
func TestNgramsAreLike(t *testing.T) {
	n := NewNgrams()
	for _, c := range []struct{ about, near, far string }{
		{"run the integration tests", "running integration tests", "the office has a coffee machine"},
		{"parseHTTPConfig", "where is parse_http_config", "renderMarkdown"},
		{"postgres connection timeout", "postgers connection timeuot", "render the front page"},
		{"ＤＯＣＫＥＲ　compose", "docker compose", "golang modules"},
		{"café résumé", "cafe resume", "tea invoice"},
		{"数据库备份在凌晨两点", "备份数据库的时间", "前端用的字体"},
		{"部署到生产环境", "deploy to production", "tabs and colours"},
		{"我喜欢简短的回答", "prefers short answers", "the port of the server"},
		{"kit/memory/vector.go", "vector.go in memory", "docs/cost.md"},
	} {
		v := embedOne(t, n, c.about)
		near, far := cosine(v, embedOne(t, n, c.near)), cosine(v, embedOne(t, n, c.far))
		if near < 0.15 || near < far+0.1 {
			t.Errorf("%q: %.3f to %q, %.3f to %q", c.about, near, c.near, far, c.far)
		}
	}
}

// TestNgramsAreStable: stored vectors are compared with those of later processes and other machines. Who changes this sum
// has to change the name of the model.
func TestNgramsAreStable(t *testing.T) {
	n, h := NewNgrams(), sha256.New()
	for _, s := range []string{"", "run tests 跑测试", "parseHTTPConfig2 of kit/memory", "ＡＢ c é 数据库备份", strings.Repeat("long text 长文 ", 3000)} {
		for _, f := range embedOne(t, n, s) {
			_ = binary.Write(h, binary.LittleEndian, f)
		}
	}
	const want = "22ad6e856c4bb001"
	if got := hex.EncodeToString(h.Sum(nil))[:16]; n.Model() != "ngram-512-v1" || got != want {
		t.Errorf("%s makes %s, was %s", n.Model(), got, want)
	}
}

func TestNgramsOfNothing(t *testing.T) {
	n := NewNgrams()
	for _, s := range []string{"", " \n", "!?。，", "🙂", "\xff\xfe"} {
		for _, f := range embedOne(t, n, s) {
			if f != 0 {
				t.Fatalf("%q has a direction", s)
			}
		}
	}
}

func FuzzNgrams(f *testing.F) {
	for _, s := range []string{"", "a", "run tests", "跑 测试 A1", "e\u0301\u0300", "ﬁ ｆｕｌｌ", "\xff\xfea", "ñandú ΑΒΓ привет 한국어 かな", strings.Repeat("中", 3000)} {
		f.Add(s)
	}
	n := NewNgrams()
	f.Fuzz(func(t *testing.T, s string) {
		v := embedOne(t, n, s)
		var square float64
		for _, x := range v {
			square += float64(x) * float64(x)
		}
		if len(v) != ngramDims || square != 0 && math.Abs(square-1) > 1e-4 {
			t.Fatalf("%d dimensions of length %g", len(v), square)
		}
		if square == 0 && strings.IndexFunc(fold(s), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			t.Fatalf("%q has letters and no direction", s)
		}
		again := embedOne(t, NewNgrams(), s)
		for i := range v {
			if v[i] != again[i] {
				t.Fatalf("%q has two vectors", s)
			}
		}
	})
}

// TestNgramsSpacing: spaces and marks around a text say nothing.
func TestNgramsSpacing(t *testing.T) {
	n := NewNgrams()
	rapid.Check(t, func(r *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,9}|[数据库备份]{1,4}`), 1, 8).Draw(r, "words")
		a := embedOne(t, n, strings.Join(words, " "))
		b := embedOne(t, n, "  "+strings.ToUpper(strings.Join(words, ",\n "))+"!")
		if d := cosine(a, b); d < 0.9999 {
			r.Fatalf("%q: %g", words, d)
		}
	})
}

func TestWordList(t *testing.T) {
	longest := 0
	for line := range strings.Lines(wordList) {
		for w := range strings.FieldsSeq(line) {
			if r := []rune(w); !strings.HasPrefix(line, "#") && unicode.Is(unicode.Han, r[0]) {
				longest = max(longest, len(r))
			}
		}
	}
	if longest != longestHan {
		t.Errorf("the longest Chinese word has %d characters", longest)
	}
	for w, group := range map[string]string{"bootup": "", "boot": "start", stem("tests"): "test", "单测": "test", stem("deployment"): "deploy"} {
		if got := lexicon()[w]; got != group {
			t.Errorf("%s is of %q", w, got)
		}
	}
}

func TestStem(t *testing.T) {
	for _, words := range [][]string{{"run", "runs", "running", "runned"}, {"deploy", "deploys", "deployed", "deployment", "deploying"}, {"test", "tests", "testing", "tester"}, {"migrate", "migration", "migrating"}, {"query", "queries", "queried"}} {
		for _, w := range words[1:] {
			if stem(w) != stem(words[0]) {
				t.Errorf("%s is %s, %s is %s", words[0], stem(words[0]), w, stem(w))
			}
		}
	}
	for _, w := range []string{"status", "bus", "class", "go", "k8s", "naïve"} {
		if got := stem(w); got != w {
			t.Errorf("%s became %s", w, got)
		}
	}
}

func BenchmarkNgrams(b *testing.B) {
	n := NewNgrams()
	for b.Loop() {
		n.vector("The staging database runs on port 5433 and is backed up at two in the morning. 预发数据库在 5433 端口。")
	}
}
