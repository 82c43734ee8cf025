package skill

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"react-agent/internal/text"
)

// Embedder makes vectors of texts, all of one length: those that mean the same are near to each other.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Vectors finds the skill whose description is the nearest to what was said. It keeps the vectors of descriptions, so that
// each is made once; it may be used for many sessions at once.
type Vectors struct {
	e Embedder

	mu    sync.Mutex
	known map[string][]float32
}

// NewVectors makes one over an embedder.
func NewVectors(e Embedder) *Vectors { return &Vectors{e: e, known: map[string][]float32{}} }

// What decides about a skill. Nearness is measured between what was said and texts that have nothing to do with skills on the
// one side and the same words on the other, so that one bound is good for every embedder.
const (
	nearEnough = 0.52
	maxKnown   = 20000 // texts whose vectors are kept
	maxSaid    = 240   // characters of what was said, at its beginning and at its end
	maxPieces  = 60    // of one description
)

// aboutNothing are texts with which no request for a skill has anything in common: of nothing in particular, of
// what was said, and of the daily work on code, whose words skills use in another sense.
func aboutNothing() []string {
	return []string{
		"The old harbour lay quiet under a pale sky.", "傍晚时分，老人牵着狗沿河慢慢散步。",
		"Please fix the failing test in the parser.", "What is the time complexity of this function, and how much memory does it need?",
		"Add an endpoint to the server that searches the users and returns a summary.", "Rename the class, move the file and update the imports.",
		"Any idea what you said before? Go on, please.", "你有什么想法？接着说。", "Why does the build fail with this error message?", "这个接口报错了，帮我改一下代码。", "给这个函数写单元测试，再补上注释。", "内存占用太高，运行时间太长，优化一下这段代码。",
	}
}

var errVectors = errors.New("the vectors are not of one length")

// pick gives the skill that fits best, nil if none fits.
func (v *Vectors) pick(ctx context.Context, said string, skills []*Skill) (*Skill, error) {
	k, _, err := v.best(ctx, said, skills)
	return k, err
}

func (v *Vectors) best(ctx context.Context, said string, skills []*Skill) (best *Skill, score float64, err error) {
	asked := saidPieces(said)
	if len(asked) == 0 || len(skills) == 0 {
		return nil, 0, nil
	}
	pieces := make([][]string, len(skills))
	texts := aboutNothing()
	for i, k := range skills {
		pieces[i] = triggers(k)
		texts = append(texts, pieces[i]...)
	}
	vectors, err := v.embed(ctx, asked, texts)
	if err != nil {
		return nil, 0, err
	}
	for _, q := range asked {
		far := 0.0
		for _, t := range aboutNothing() {
			far = max(far, cosine(vectors[q], vectors[t]))
		}
		for i, k := range skills {
			for _, p := range pieces[i] {
				if near := (cosine(vectors[q], vectors[p]) - far) / max(0.05, 1-far); near > score {
					best, score = k, near
				}
			}
		}
	}
	if score < nearEnough {
		return nil, score, nil
	}
	return best, score, nil
}

// embed makes the vectors that are not known: those of what was said are not kept.
func (v *Vectors) embed(ctx context.Context, asked, texts []string) (map[string][]float32, error) {
	out := make(map[string][]float32, len(asked)+len(texts))
	var missing []string
	v.mu.Lock()
	for _, t := range texts {
		if have := v.known[t]; have != nil {
			out[t] = have
		} else {
			missing = append(missing, t)
		}
	}
	v.mu.Unlock()
	all := slices.Concat(asked, missing)
	made, err := v.e.Embed(ctx, all)
	if err != nil {
		return nil, err
	}
	if len(made) != len(all) {
		return nil, errVectors
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known)+len(missing) > maxKnown {
		clear(v.known)
	}
	for i, t := range all {
		out[t] = made[i]
		if i >= len(asked) {
			v.known[t] = made[i]
		}
	}
	length := len(made[0])
	for _, one := range out {
		if len(one) != length || length == 0 {
			clear(v.known)
			return nil, errVectors
		}
	}
	return out, nil
}

// cosine of two vectors of one length; one of zeros is near to nothing.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// saidPieces is what was said, or its beginning and its end, where people put what they want of a long text.
func saidPieces(said string) []string {
	said = strings.Join(strings.Fields(said), " ")
	r := []rune(said)
	switch {
	case len(r) == 0:
		return nil
	case len(r) <= 2*maxSaid:
		return []string{said}
	}
	return []string{string(r[:maxSaid]), string(r[len(r)-maxSaid:])}
}

// triggers are the texts of a skill that what is said may be near to: its name, its description, and the sentences, lists and
// quoted phrases in that, which say when it is meant, in all languages it has.
func triggers(k *Skill) (list []string) {
	seen := map[string]bool{}
	add := func(s string, least int) {
		s = strings.Trim(s, " \t.,;:()（）")
		if saying(s) >= least && !seen[s] && len(list) < maxPieces {
			seen[s] = true
			list = append(list, s)
		}
	}
	title := k.Title()
	add(strings.NewReplacer("-", " ", "_", " ").Replace(k.Name), 1)
	add(text.Head(title, 2*maxSaid), 1)
	for _, quoted := range quotedIn(title) {
		add(quoted, 1)
	}
	for _, sentence := range strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(".。!！?？;；\n\"“”「」", r) }) {
		add(sentence, 4)
		for _, item := range strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(",，、:：", r) }) {
			add(item, 4)
		}
	}
	return list
}

// saying says how much a piece says: two for a word of letters, one for a Han character.
func saying(s string) (n int) {
	for w := range strings.FieldsSeq(s) {
		letters := false
		for _, r := range w {
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				n++
			} else {
				letters = letters || unicode.IsLetter(r)
			}
		}
		if letters {
			n += 2
		}
	}
	return n
}

// quotedIn are the phrases in quotation marks.
func quotedIn(s string) (list []string) {
	for len(s) > 0 {
		i := strings.IndexAny(s, "\"“「")
		if i < 0 {
			return list
		}
		open, size := utf8.DecodeRuneInString(s[i:])
		s = s[i+size:]
		end := strings.IndexRune(s, map[rune]rune{'"': '"', '“': '”', '「': '」'}[open])
		if end < 0 {
			return list
		}
		list = append(list, s[:end])
		s = s[end:]
		_, size = utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return list
}
