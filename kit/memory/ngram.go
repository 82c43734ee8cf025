package memory

import (
	"context"
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ngramDims is the length of the vectors that [Ngrams] makes. Unrelated texts meet in hashed places by chance: their cosine
// strays by about the inverse root of it.
const ngramDims = 512

// Ngrams makes vectors of texts without a model and without a network: words, their stems, pieces of words and pairs of Han
// characters, each hashed to a place and a sign. A small list of engineers' words says which Chinese and English ones mean
// the same. It forgives slips and inflection, and knows nothing of what is not in the list.
//
// The same text gives the same vector in every process and on every machine. Its methods may be called by many at once.
type Ngrams struct{ words map[string]string }

// NewNgrams reads the list of words.
func NewNgrams() *Ngrams { return &Ngrams{words: lexicon()} }

// Model names what the vectors are made by. Whatever changes the vectors changes the name.
func (*Ngrams) Model() string { return "ngram-512-v1" }

// Embed gives each text its vector of unit length; a text without a letter or digit has one of zeros. It never fails.
func (n *Ngrams) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = n.vector(s)
	}
	return out, nil
}

// What features weigh, beside a word's 1. They were chosen on one half of the retrieval set in testdata.
const (
	weightStop    = 0.15 // words that stand everywhere
	weightPieces  = 0.8  // all pieces of a word together
	weightHan     = 0.3  // one Han character
	weightHanPair = 0.9
	weightConcept = 1.4 // what a word means, by the list
)

// maxFeatures bounds the work for one text; what is beyond it says little that is new.
const maxFeatures = 20000

// counts holds how often each feature stands in a text, and what it weighs, in the order of first use: sums of floats depend
// on their order, and maps have none.
type counts struct {
	at    map[uint64]int
	keys  []uint64
	count []float64
	most  []float64
}

func (c *counts) add(kind byte, gram string, weight float64) {
	h := hash(kind, gram)
	i, ok := c.at[h]
	if !ok {
		if len(c.keys) == maxFeatures {
			return
		}
		i = len(c.keys)
		c.at[h] = i
		c.keys, c.count, c.most = append(c.keys, h), append(c.count, 0), append(c.most, 0)
	}
	c.count[i]++
	c.most[i] = max(c.most[i], weight)
}

// hash is FNV-1a of a feature, stirred so that its upper and lower bits are independent.
func hash(kind byte, gram string) uint64 {
	const prime = 1099511628211
	h := (uint64(14695981039346656037) ^ uint64(kind)) * prime
	for i := range len(gram) {
		h = (h ^ uint64(gram[i])) * prime
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}

func (n *Ngrams) vector(s string) []float32 {
	c := &counts{at: map[uint64]int{}}
	n.features(s, c)
	sum := make([]float64, ngramDims)
	for i, h := range c.keys {
		w := c.most[i] * (1 + math.Log(c.count[i]))
		if h>>63 == 1 {
			w = -w
		}
		sum[h%ngramDims] += w
	}
	var square float64
	for _, x := range sum {
		square += float64(x * x) // the conversion forbids fused rounding, which some machines have
	}
	v := make([]float32, ngramDims)
	if square == 0 {
		return v
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range sum {
		v[i] = float32(x * scale)
	}
	return v
}

// fold makes texts alike that differ in form only: full and half width, ligatures, accents of Latin letters. Case stays.
func fold(s string) string {
	s = strings.ToValidUTF8(s, " ")
	ascii := true
	for i := range len(s) {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	bare := strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	return norm.NFC.String(bare)
}

// features walks over a text: runs of Han characters and kana, and words of everything else.
func (n *Ngrams) features(s string, c *counts) {
	for tok := range tokens(fold(s)) {
		if tok.han {
			n.hanFeatures([]rune(tok.text), c)
			continue
		}
		parts := split(tok.text)
		if len(parts) > 1 {
			c.add('w', strings.ToLower(tok.text), 1)
		}
		for _, p := range parts {
			n.wordFeatures(p, c)
		}
	}
}

func (n *Ngrams) wordFeatures(w string, c *counts) {
	base := stem(w)
	if stopWord(w) {
		c.add('w', base, weightStop)
		return
	}
	c.add('w', base, 1)
	if concept := n.words[base]; concept != "" {
		c.add('c', concept, weightConcept)
	}
	r := []rune("^" + w + "$")
	if len(r) < 5 { // its pieces say no more than the word
		return
	}
	each := weightPieces / math.Sqrt(float64(len(r)-2))
	for i := range len(r) - 2 {
		c.add('g', string(r[i:i+3]), each)
	}
}

func (n *Ngrams) hanFeatures(run []rune, c *counts) {
	for i, r := range run {
		weight := weightHan
		if hanStop(r) {
			weight = weightStop
		}
		c.add('h', string(r), weight)
		if i+1 == len(run) {
			break
		}
		weight = weightHanPair
		if hanStop(r) || hanStop(run[i+1]) {
			weight = 2 * weightStop
		}
		c.add('b', string(run[i:i+2]), weight)
	}
	for i := 0; i < len(run); i++ {
		for size := min(longestHan, len(run)-i); size >= 1; size-- {
			if concept := n.words[string(run[i:i+size])]; concept != "" {
				c.add('c', concept, weightConcept)
				i += size - 1
				break
			}
		}
	}
}

// token is a word, or a run of characters that are written without spaces.
type token struct {
	text string
	han  bool
}

func tokens(s string) func(yield func(token) bool) {
	return func(yield func(token) bool) {
		start, kind := 0, 0 // 0: between tokens, 1: a word, 2: a run
		for i, r := range s {
			now := 0
			switch {
			case r < 0x80 && !asciiWord(r):
			case r < 0x80:
				now = 1
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				now = 2
			case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
				now = 1
			}
			if now == kind {
				continue
			}
			if kind != 0 && !yield(token{s[start:i], kind == 2}) {
				return
			}
			start, kind = i, now
		}
		if kind != 0 {
			yield(token{s[start:], kind == 2})
		}
	}
}

func asciiWord(b rune) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// split takes a name like parseHTTPConfig2 apart, in small letters.
func split(w string) (parts []string) {
	r := []rune(w)
	start := 0
	for i := 1; i < len(r); i++ {
		lower, upper := unicode.IsLower(r[i-1]), unicode.IsUpper(r[i])
		ends := lower && upper || unicode.IsUpper(r[i-1]) && upper && i+1 < len(r) && unicode.IsLower(r[i+1])
		if ends && i-start > 1 {
			parts = append(parts, strings.ToLower(string(r[start:i])))
			start = i
		}
	}
	return append(parts, strings.ToLower(string(r[start:])))
}

// stem cuts the commonest English endings, so that run, runs and running meet. It need not give a word.
func stem(w string) string {
	if len(w) < 4 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	for _, e := range [...]struct{ end, to string }{
		{"ations", "at"},
		{"ation", "at"},
		{"ments", ""},
		{"ment", ""},
		{"ingly", ""},
		{"ings", ""},
		{"ing", ""},
		{"edly", ""},
		{"ies", "y"},
		{"ied", "y"},
		{"sses", "ss"},
		{"ed", ""},
		{"ers", ""},
		{"er", ""},
		{"es", ""},
		{"ly", ""},
		{"e", ""},
	} {
		if rest, ok := strings.CutSuffix(w, e.end); ok && len(rest) >= 3 {
			return undouble(rest + e.to)
		}
	}
	if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") {
		return undouble(w[:len(w)-1])
	}
	return w
}

// undouble cuts the second of two equal consonants at the end: runn, stopp.
func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
