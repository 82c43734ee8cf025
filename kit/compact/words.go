package compact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/text"
	"react-agent/internal/weigh"
)

// said is something that the person has said.
type said struct {
	Seq  int64  `json:"seq"`
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty"` // not all of it is here
}

// spoken gives the person's own words in a message; ok is false when they are nobody's whose words count. What was attached is named,
// not repeated.
func (c *Compact) spoken(m *agent.Message) (said, bool) {
	if m.Role != agent.User || m.From != "" && !slices.Contains(c.o.Orders, m.From) {
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
	longSaid  = 1200 // tokens; what is longer is shortened
	endsSaid  = 240  // characters of each end of it that stay
	longLine  = 80   // characters; what is longer falls into its sentences
	longPiece = 480  // characters; what is longer is cut
	gap       = "[…]"
)

// shorten keeps of a long text its beginning, the pieces that bind, and its end, in this order, within limit tokens.
func (x said) shorten(limit int) said {
	if text.Tokens(x.Text) <= limit {
		return x
	}
	list := pieces(x.Text)
	if len(list) == 0 {
		return x
	}
	keep := make([]bool, len(list))
	room := limit
	take := func(i int) bool {
		n := text.Tokens(list[i]) + text.Tokens(gap) + 2
		if !keep[i] && n <= room {
			keep[i] = true
			room -= n
		}
		return keep[i]
	}
	if !take(0) {
		list[0] = fitted(list[0], max(limit/2, 1))
		keep[0], room = true, room-text.Tokens(list[0])-2
	}
	for i := range list {
		if binding(list[i]) {
			take(i)
		}
	}
	for i, chars := len(list)-1, 0; i > 0 && chars < endsSaid && take(i); i-- {
		chars += utf8.RuneCountInString(list[i])
	}
	for i, chars := 1, 0; i < len(list) && chars < endsSaid && take(i); i++ {
		chars += utf8.RuneCountInString(list[i])
	}
	x.Text, x.Cut = joined(list, keep), true
	return x
}

// bound keeps of a text nothing but the pieces that bind, the first ones before others, within limit tokens.
func (x said) bound(limit int) (said, bool) {
	list := pieces(x.Text)
	keep := make([]bool, len(list))
	some := false
	for i := range list {
		n := text.Tokens(list[i]) + text.Tokens(gap) + 2
		if n > limit || !binding(list[i]) {
			continue
		}
		limit -= n
		keep[i], some = true, true
	}
	if all := joined(list, keep); all != x.Text {
		x.Text, x.Cut = all, true
	}
	return x, some
}

// pieces are the lines of a text, and the sentences of lines that are long.
func pieces(s string) (list []string) {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		for utf8.RuneCountInString(line) > longLine {
			i := sentence(line)
			if i == len(line) {
				break
			}
			list = append(list, text.Head(line[:i], longPiece))
			line = strings.TrimSpace(line[i:])
		}
		if line != "" {
			list = append(list, text.Head(line, longPiece))
		}
	}
	return list
}

// sentence is where the first sentence of a line ends. A full stop inside a word, as in a file's name, ends none.
func sentence(line string) int {
	for i, r := range line {
		next := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("。！？；", r):
			return next
		case strings.ContainsRune(".!?;", r) && next < len(line) && line[next] == ' ':
			return next
		}
	}
	return len(line)
}

// joined writes the pieces that are kept, and marks where others are missing.
func joined(list []string, keep []bool) string {
	var b strings.Builder
	missing := false
	for i := range list {
		if !keep[i] {
			missing = true
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if missing && list[i] != gap {
			b.WriteString(gap + "\n")
		}
		missing = false
		b.WriteString(list[i])
	}
	if missing {
		b.WriteString("\n" + gap)
	}
	return strings.TrimSpace(b.String())
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
		n := text.Tokens(x.Text) + weigh.Frame
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
		n := text.Tokens(x.Text) + weigh.Frame
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
