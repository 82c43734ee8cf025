package text

import "strings"

// Nearest finds the name that word was probably meant to be, or "": the closest by edits (a swap of neighbours is one)
// within a third of its length.
func Nearest(word string, names []string) string {
	best, least := "", 0
	for _, name := range names {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if d <= max(1, max(len(word), len(name))/3) && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return 64
	}
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
