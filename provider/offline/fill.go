package offline

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Names that values have without being found in the question.
const (
	output = "output" // what the action gave
	before = "before" // the answers of the rules that come first
)

// place is where a value stands: {NAME}, {NAME.PATH} for a part of a value that is JSON, {NAME@LANG} for its words in
// another language than the answer's.
func place() *regexp.Regexp {
	return regexp.MustCompile(`\{([a-z_]+)(?:\.([A-Za-z0-9_.]+))?(?:@(zh|en))?\}`)
}

// scope is where the values of a text come from.
type scope struct {
	lang string // of the text
	get  func(name, lang string) (string, bool)
	as   func(name, lang, value string) string // how a value enters the text; nil: as it is
}

// fill puts values into a text. false: one of them is missing; it stays as it is written.
func (s scope) fill(text string) (string, bool) {
	whole := true
	text = place().ReplaceAllStringFunc(text, func(p string) string {
		part := place().FindStringSubmatch(p)
		lang := cmp.Or(part[3], s.lang)
		v, ok := s.get(part[1], lang)
		if ok && part[2] != "" {
			v, ok = fieldOf(v, part[2])
		}
		if !ok {
			whole = false
			return p
		}
		if s.as != nil {
			v = s.as(part[1], lang, v)
		}
		return v
	})
	return text, whole
}

// fieldOf is a part of a text that is JSON; what is in a list is joined.
func fieldOf(text, path string) (string, bool) {
	field := gjson.Get(text, path)
	if !gjson.Valid(text) || !field.Exists() {
		return "", false
	}
	if !field.IsArray() {
		return field.String(), true
	}
	var items []string
	for _, item := range field.Array() {
		items = append(items, item.String())
	}
	return strings.Join(items, ", "), true
}

// quote makes one shell word of a text from outside.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// inJSON makes a text fit for the inside of a JSON string.
func inJSON(s string) string {
	raw, err := json.Marshal(s)
	if err != nil || len(raw) < 2 { // a string always encodes
		return ""
	}
	return string(raw[1 : len(raw)-1])
}

// replacer puts words in the place of others, the longest first.
func replacer(words map[string]string) *strings.Replacer {
	from := slices.SortedFunc(maps.Keys(words), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, w := range from {
		pairs = append(pairs, w, words[w])
	}
	return strings.NewReplacer(pairs...)
}

// done is a rule with what its action gave.
type done struct {
	hit
	output string
	failed bool
}

// answersOf joins what the rules answer in a language.
func answersOf(all []done, lang string) string {
	text := ""
	for i, d := range all {
		answer := d.answer(all[:i], lang)
		if !d.follows() && text != "" {
			answer = text + "\n\n" + answer
		}
		text = answer
	}
	return text
}

// answer is what one rule answers after others.
func (d *done) answer(earlier []done, lang string) string {
	if d.failed {
		return text(lang, "没有成功：\n%s", "It did not succeed:\n%s", d.output)
	}
	s := scope{
		lang: lang,
		get: func(name, lang string) (string, bool) {
			if name == before {
				return answersOf(earlier, lang), true
			}
			return d.value(name)
		},
		as: func(name, lang, value string) string {
			if words := d.words[lang]; words != nil && name != before {
				return words.Replace(value)
			}
			return value
		},
	}
	answer, whole := s.fill(either(d.Answer, lang))
	if !whole && len(d.Otherwise) > 0 {
		answer, whole = s.fill(either(d.Otherwise, lang))
	}
	if !whole && d.output != "" {
		return d.output // then as it is
	}
	return answer
}

func (d *done) value(name string) (string, bool) {
	if name == output {
		return d.output, true
	}
	if re := d.take[name]; re != nil {
		found := re.FindStringSubmatch(d.output)
		if found == nil {
			return "", false
		}
		return strings.TrimSpace(found[min(1, len(found)-1)]), true
	}
	v, ok := d.values[name]
	return v, ok
}

// either is a text in a language, or in the other one if there is none.
func either(texts map[string]string, lang string) string {
	if t := texts[lang]; t != "" {
		return t
	}
	return texts["en"] + texts["zh"] // one of them is empty
}
