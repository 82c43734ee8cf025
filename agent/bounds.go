package agent

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"unicode/utf8"
)

// bounds are the ranges of a schema; nil: there is none.
type bounds struct {
	min, max, above, below *json.Number
	shortest, longest      *int // of a text, in characters
	fewest, most           *int // of a list
}

func (b *bounds) read(get func(key string, v any) bool) {
	for key, to := range map[string]**json.Number{"minimum": &b.min, "maximum": &b.max, "exclusiveMinimum": &b.above, "exclusiveMaximum": &b.below} {
		var n json.Number
		if get(key, &n) && number(n) {
			*to = &n
		}
	}
	for key, to := range map[string]**int{"minLength": &b.shortest, "maxLength": &b.longest, "minItems": &b.fewest, "maxItems": &b.most} {
		var n int
		if get(key, &n) {
			*to = &n
		}
	}
}

// number reports whether n is one: a JSON string would be taken for one as well.
func number(n json.Number) bool {
	_, err := n.Float64()
	return err == nil
}

// outside says what is wrong with the size of a value: a number, a text, or the length of a list. "": nothing.
func (s *schemaNode) outside(v any) string {
	if s == nil {
		return ""
	}
	b := &s.Bounds
	switch v := v.(type) {
	case json.Number:
		return b.inRange(v)
	case string:
		return lengthFault(utf8.RuneCountInString(v), b.shortest, b.longest, "characters")
	case int:
		return lengthFault(v, b.fewest, b.most, "items")
	}
	return ""
}

func (b *bounds) inRange(v json.Number) string {
	n, _ := v.Float64() // what is too large for it counts as infinite
	for _, limit := range []struct {
		at   *json.Number
		bad  func(n, limit float64) bool
		text string
	}{
		{b.min, func(n, limit float64) bool { return n < limit }, "at least"},
		{b.max, func(n, limit float64) bool { return n > limit }, "at most"},
		{b.above, func(n, limit float64) bool { return n <= limit }, "more than"},
		{b.below, func(n, limit float64) bool { return n >= limit }, "less than"},
	} {
		if limit.at == nil {
			continue
		}
		if l, _ := limit.at.Float64(); limit.bad(n, l) {
			return fmt.Sprintf("must be %s %s, not %s", limit.text, *limit.at, clip(v.String()))
		}
	}
	return ""
}

func lengthFault(n int, least, most *int, what string) string {
	switch {
	case least != nil && n < *least && *least == 1:
		return "must not be empty"
	case least != nil && n < *least:
		return fmt.Sprintf("must have at least %d %s, not %d", *least, what, n)
	case most != nil && n > *most:
		return fmt.Sprintf("must have at most %d %s, not %d", *most, what, n)
	}
	return ""
}

// boundTags are the keywords for the tags min and max of a field.
func boundTags(kind string, tag reflect.StructTag) iter.Seq2[string, string] {
	names := map[string][2]string{
		"integer": {"minimum", "maximum"}, "number": {"minimum", "maximum"},
		"string": {"minLength", "maxLength"}, "array": {"minItems", "maxItems"},
	}[kind]
	return func(yield func(string, string) bool) {
		for i, key := range []string{"min", "max"} {
			if value, ok := tag.Lookup(key); ok && names[i] != "" && !yield(names[i], value) {
				return
			}
		}
	}
}

// nearest finds the name that a wrong one was probably meant to be: a few letters differ, or it has all words of the name
// and more ("file_path" for "path"). "": none.
func nearest(key string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		if len(key) > 2*len(n)+20 || len(n) > 2*len(key)+20 {
			continue
		}
		if d := editDistance(strings.ToLower(key), strings.ToLower(n)); d < least && d <= len(n)/5 {
			best, least = n, d
		}
	}
	if best != "" {
		return best
	}
	have := words(key)
	for _, n := range names {
		want := words(n)
		all := len(want) > 0
		for w := range want {
			all = all && have[w]
		}
		if all {
			return n
		}
	}
	return ""
}

// words are the parts of a name like file_path or filePath.
func words(name string) map[string]bool {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	out := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(b.String()), func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }) {
		out[w] = true
	}
	return out
}

// editDistance counts the letters to be added, taken away, changed or swapped with a neighbour.
func editDistance(a, b string) int {
	prev, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(next[j]+1, row[j+1]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], prev[j-1]+1)
			}
		}
		prev, row = row, next
	}
	return row[len(b)]
}
