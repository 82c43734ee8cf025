package skill

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/text"
)

// maxItem bounds one description in the index and in lists, in characters.
const maxItem = 1536

// minItem is what a description is cut to at least, before descriptions are left out.
const minItem = 20

// Index is the text for the system prompt: the skills that the model may invoke, by name, within Options.Budget bytes.
// When they are too many, descriptions are cut, all to the same length; then they are left out; then the last names are.
// It is the same for the same skills. Empty: there is nothing to tell, or the face has no index.
func (s *Set) Index() string {
	t := &s.o.Texts
	skills := s.ForModel()
	if len(skills) == 0 {
		return t.None
	}
	if t.Head == "" {
		return ""
	}
	titles := make([]string, len(skills))
	longest := minItem
	for i, k := range skills {
		titles[i] = text.Head(k.Title(), maxItem)
		longest = max(longest, utf8.RuneCountInString(titles[i]))
	}
	names := len(s.index(skills, make([]string, len(skills)), longest)) - len(skills)*len(t.NoText)
	size := func(cut int) int { // of the index, without building it
		n := names
		for _, title := range titles {
			if d := len(text.Head(title, cut)); d > 0 {
				n += d
			} else {
				n += len(t.NoText)
			}
		}
		return n
	}
	low, high := minItem, longest // the largest cut that fits, by halves
	if size(longest) <= s.o.Budget {
		low = longest
	}
	for low < high {
		middle := (low + high + 1) / 2
		if size(middle) <= s.o.Budget {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if out := s.index(skills, titles, low); len(out) <= s.o.Budget {
		return out
	}
	return s.names(skills)
}

func (s *Set) index(skills []*Skill, titles []string, cut int) string {
	var b strings.Builder
	b.WriteString(s.o.Texts.Head)
	for i, k := range skills {
		d := text.Head(titles[i], cut)
		if d == "" {
			d = s.o.Texts.NoText
		}
		fmt.Fprintf(&b, s.o.Texts.Item, k.Name, d)
	}
	return b.String()
}

// names is the index when there is no room for descriptions.
func (s *Set) names(skills []*Skill) string {
	const tail = "(and %d more: see skills_list)\n"
	var b strings.Builder
	b.WriteString(s.o.Texts.Head)
	for i, k := range skills {
		item := "- " + k.Name + "\n"
		if b.Len()+len(item)+len(tail)+8 > s.o.Budget {
			fmt.Fprintf(&b, tail, len(skills)-i)
			break
		}
		b.WriteString(item)
	}
	return b.String()
}

// listItem is a skill in a list.
type listItem struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// ListJSON is what skills_list answers: a JSON array of name and description of the skills that the model may invoke.
func (s *Set) ListJSON() string {
	items := []listItem{}
	for _, k := range s.ForModel() {
		items = append(items, listItem{k.Name, text.Head(k.Title(), maxItem)})
	}
	raw, err := agent.EncodeJSON(items)
	if err != nil { // they are texts
		return "[]"
	}
	return string(json.RawMessage(raw))
}
