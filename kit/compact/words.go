package compact

import (
	"slices"
	"strings"
	"unicode"

	"react-agent/agent"
	"react-agent/internal/text"
)

// said is something that the person has said.
type said struct {
	Seq  int64  `json:"seq"`
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"` // not all of it is here
}

// spoken gives the person's own words in a message; ok is false when it is not the person's. What was attached is named,
// not repeated.
func spoken(m *agent.Message) (said, bool) {
	if m.Role != agent.User || m.From != "" {
		return said{}, false
	}
	var b strings.Builder
	add := func(s string) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Blob != nil:
			add("[attached: " + or(p.Blob.Name, p.Blob.MIME) + "]")
		case p.Kind != agent.Text || strings.TrimSpace(p.Text) == "":
		case strings.HasPrefix(p.Text, "\n<attached"):
			line, _, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
			add("[" + strings.Trim(line, "<>") + "]")
		default:
			add(strings.TrimSpace(p.Text))
		}
	}
	return said{Seq: m.Seq, Text: b.String()}, b.Len() > 0
}

// binding reports whether a line gives an order or sets a limit, in English or Chinese. It would rather take too many.
func binding(line string) bool {
	plain := " " + strings.Join(strings.FieldsFunc(strings.ToLower(line), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	}), " ") + " "
	for _, w := range []string{
		"must", "never", "always", "do not", "don't", "don’t", "only", "without", "not allowed", "forbidden", "required", "require", "rule", "rules",
		"make sure", "ensure", "avoid", "instead of", "should", "shall", "keep", "remember", "important", "at most", "at least", "no more than", "before you",
		"unless", "except", "cannot", "can't", "stop",
	} {
		if strings.Contains(plain, " "+w+" ") {
			return true
		}
	}
	for _, w := range []string{
		"必须", "务必", "不要", "不准", "不许", "不得", "不能", "不可", "禁止", "别", "只能", "只用", "只准", "仅", "始终", "永远", "一律", "记住", "规则", "要求", "注意", "除非", "至少",
		"最多", "严禁", "切勿", "保持", "一定",
	} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

const (
	longSaid = 1200 // tokens; what is longer is shortened
	endsSaid = 240  // characters of each end of it that stay
)

// shorten keeps of a long text its ends, and the lines that bind, within limit tokens.
func (x said) shorten(limit int) said {
	if text.Tokens(x.Text) <= limit {
		return x
	}
	head, tail := text.Head(x.Text, endsSaid), ""
	if limit > 300 {
		tail = lastLines(x.Text, endsSaid)
	}
	lines := bindingLines(strings.TrimSuffix(strings.TrimPrefix(x.Text, strings.TrimSuffix(head, "…")), tail), limit-text.Tokens(head)-text.Tokens(tail))
	x.Text, x.Cut = strings.Join(slices.DeleteFunc([]string{head, lines, tail}, func(s string) bool { return s == "" }), "\n[…]\n"), true
	return x
}

// bound keeps of a text nothing but the lines that bind.
func (x said) bound(limit int) (said, bool) {
	lines := bindingLines(x.Text, limit)
	x.Cut = x.Cut || len(lines) < len(x.Text)
	x.Text = lines
	return x, lines != ""
}

// bindingLines are the lines of a text that bind, the first ones before others, within limit tokens.
func bindingLines(s string, limit int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || !binding(line) {
			continue
		}
		line = text.Head(line, 2*endsSaid)
		if limit -= text.Tokens(line) + 1; limit < 0 {
			break
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// lastLines is the end of a text, from the beginning of a line if there is one within limit characters.
func lastLines(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	end := string(runes[len(runes)-limit:])
	if _, rest, ok := strings.Cut(end, "\n"); ok && strings.TrimSpace(rest) != "" {
		return rest
	}
	return end
}

// words chooses what is carried of what the person has said, oldest first, within budget tokens: the first message and the
// newest ones whole as far as they fit, of the others the lines that bind. left counts those of which nothing is carried.
func words(all []said, budget int) (kept []said, left int) {
	if len(all) == 0 {
		return nil, 0
	}
	slices.SortStableFunc(all, func(a, b said) int { return int(max(-1, min(1, a.Seq-b.Seq))) })
	reserve := budget / 3 // of the lines that bind
	whole := budget - reserve
	each := min(longSaid, max(whole/3, 1))
	chosen := make([]*said, len(all))
	take := func(i int) bool {
		if chosen[i] != nil {
			return true
		}
		x := all[i].shorten(each)
		n := text.Tokens(x.Text) + frameTokens
		if n > whole {
			return false
		}
		whole -= n
		chosen[i] = &x
		return true
	}
	take(0)
	for i := len(all) - 1; i > 0 && take(i); i-- {
	}
	for i := range all { // the oldest orders before others: they have held the longest
		if chosen[i] != nil {
			continue
		}
		x, ok := all[i].bound(min(reserve, each))
		n := text.Tokens(x.Text) + frameTokens
		if !ok || n > reserve {
			continue
		}
		reserve -= n
		chosen[i] = &x
	}
	for _, x := range chosen {
		if x == nil {
			left++
			continue
		}
		kept = append(kept, *x)
	}
	return kept, left
}
