package memory

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordList string

// longestHan is how many characters the longest Chinese word of the list has.
const longestHan = 5

// lexicon says to each word of the list, English ones by their stems, which group it belongs to. A word that stands in
// several belongs to the first.
func lexicon() map[string]string {
	groups := make(map[string]string, 1024)
	for line := range strings.Lines(wordList) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		for _, w := range words {
			if w[0] < 0x80 {
				w = stem(w)
			}
			if groups[w] == "" {
				groups[w] = words[0]
			}
		}
	}
	return groups
}

// stopWord reports whether a word stands in texts about anything.
func stopWord(w string) bool {
	switch w {
	case "a", "an", "the", "this", "that", "these", "those", "it", "its", "is", "are", "was", "were", "be", "been", "am", "do", "does", "did",
		"have", "has", "had", "i", "me", "my", "mine", "we", "us", "our", "you", "your", "he", "she", "they", "them", "their", "his", "her",
		"of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "and", "or", "but", "if", "then", "so", "than", "what", "which",
		"who", "where", "when", "why", "how", "can", "could", "should", "would", "will", "shall", "may", "might", "must", "not", "no", "yes",
		"please", "there", "here", "about", "into", "any", "some", "all", "just", "also", "too", "very", "s", "t", "re", "ve", "ll", "d", "m",
		"use", "used", "using", "want", "need", "get", "let", "again":
		return true
	}
	return false
}

// hanStop reports whether a character mostly joins others.
func hanStop(r rune) bool {
	return strings.ContainsRune("的了是在我你他她它们有和与就都也很这那哪个不吗呢吧啊么什怎要把被给对从到上下为着过去来里会能可以及或之其而且但如何请帮一下用", r)
}
