package memory

import (
	"strings"
	"unicode/utf8"
)

// terms are the words by which a text is found, each once with its weight: stems of words, single Han characters and pairs,
// and the groups of the list of words that mean the same.
type terms struct {
	weight map[string]float64
	order  []string
}

// The weights of terms: how much a shared one says.
const (
	termWord  = 1
	termGroup = 1
	termPair  = 0.7
	termHan   = 0.2
)

// maxTerms bounds the terms of one text.
const maxTerms = 4000

func (t *terms) add(term string, weight float64) {
	if have, ok := t.weight[term]; !ok && len(t.order) < maxTerms {
		t.order = append(t.order, term)
		t.weight[term] = weight
	} else if ok {
		t.weight[term] = max(have, weight)
	}
}

// terms of a text. Words that stand in all texts are none.
func (n *Ngrams) terms(s string) terms {
	t := terms{weight: map[string]float64{}}
	for tok := range tokens(fold(s)) {
		if tok.han {
			n.hanTerms([]rune(tok.text), &t)
			continue
		}
		parts := split(tok.text)
		if whole := strings.ToLower(tok.text); len(parts) > 1 {
			t.add(stem(whole), termWord)
		}
		for _, p := range parts {
			if stopWord(p) {
				continue
			}
			t.add(stem(p), termWord)
			if group := n.words[stem(p)]; group != "" {
				t.add("_"+group, termGroup)
			}
		}
	}
	return t
}

func (n *Ngrams) hanTerms(run []rune, t *terms) {
	for i, r := range run {
		if !hanStop(r) {
			t.add(string(r), termHan)
		}
		if i+1 < len(run) && (!hanStop(r) || !hanStop(run[i+1])) {
			t.add(string(run[i:i+2]), termPair)
		}
	}
	for i := 0; i < len(run); i++ {
		for size := min(longestHan, len(run)-i); size >= 1; size-- {
			if group := n.words[string(run[i:i+size])]; group != "" {
				t.add("_"+group, termGroup)
				i += size - 1
				break
			}
		}
	}
}

// text is how the terms stand in the index.
func (t terms) text() string { return strings.Join(t.order, " ") }

// oneTerm keeps a single term that two short texts share from saying much.
const oneTerm = 1.5

// shared says how much of the smaller of two texts the other one has, from 0 to less than 1.
func (t terms) shared(other terms) float64 {
	var both, mine, theirs float64
	for _, term := range t.order { // in order: sums of floats depend on it
		mine += t.weight[term]
		if _, ok := other.weight[term]; ok {
			both += t.weight[term]
		}
	}
	for _, term := range other.order {
		theirs += other.weight[term]
	}
	return both / (min(mine, theirs) + oneTerm)
}

// alike reports whether two texts say nearly the same: of all their terms they share nearly all, and every number.
func (t terms) alike(other terms) bool {
	var both, whole float64
	for term, w := range t.weight {
		_, ok := other.weight[term]
		if !ok && strings.ContainsAny(term, "0123456789") {
			return false
		}
		whole += w
		if ok {
			both += w
		}
	}
	for term, w := range other.weight {
		if _, ok := t.weight[term]; ok {
			continue
		}
		if strings.ContainsAny(term, "0123456789") {
			return false
		}
		whole += w
	}
	return whole > 0 && both/whole >= nearlySame
}

// The bounds of one search by words: it must stay quick over many memories.
const (
	maxAsked  = 48 // terms
	maxPieces = 16
)

// asked are the terms to look for: single characters only where a text has no more of them.
func (t terms) asked() []string {
	var strong, weak []string
	for _, term := range t.order {
		if t.weight[term] > termHan {
			strong = append(strong, term)
		} else {
			weak = append(weak, term)
		}
	}
	if len(strong) == 0 {
		strong = weak
	}
	return strong[:min(len(strong), maxAsked)]
}

// pieces are the parts of words to look for anywhere inside of others: at least three characters.
func pieces(s string) (list []string) {
	seen := map[string]bool{}
	add := func(p string) {
		if utf8.RuneCountInString(p) >= 3 && !seen[p] && len(list) < maxPieces {
			seen[p] = true
			list = append(list, p)
		}
	}
	for tok := range tokens(fold(s)) {
		w := strings.ToLower(tok.text)
		r := []rune(w)
		switch {
		case tok.han && len(r) == 3:
			add(w)
		case tok.han:
			for i := 0; i+3 <= len(r); i++ {
				add(string(r[i : i+3]))
			}
		case !stopWord(w):
			add(stem(w))
		}
	}
	return list
}

// match is a query of FTS5 for words, joined by an operator. "" = there is nothing to look for.
func match(words []string, join string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = quoted(w)
	}
	return strings.Join(list, join)
}

// quoted is a word in quotation marks, doubled inside, so that nothing in it is an operator.
func quoted(w string) string {
	w = strings.ReplaceAll(w, "\x00", "") // the end of a text, to SQLite
	return `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
}
