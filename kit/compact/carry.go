package compact

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

// carried is what the message that stands for the older part says, kept apart so that the next compaction can go on with
// it. It stands as data beside the text, of which no model is told.
type carried struct {
	Summary string   `json:"summary,omitempty"`
	Said    []said   `json:"said,omitempty"`
	Left    int      `json:"left,omitempty"` // messages of the person of which nothing is carried
	Files   []work   `json:"files,omitempty"`
	Open    []string `json:"open,omitempty"`
	Path    string   `json:"path,omitempty"`
	Fault   string   `json:"fault,omitempty"`   // why there is no summary
	Note    string   `json:"note,omitempty"`    // for the person
	Dropped int      `json:"dropped,omitempty"` // messages
	// Tight counts the compactions in a row that have freed too little.
	Tight int `json:"tight,omitempty"`
}

// work is a file that was worked on.
type work struct {
	Path  string `json:"path"`
	Read  int    `json:"read,omitempty"`
	Wrote int    `json:"wrote,omitempty"`
	Seq   int64  `json:"seq"`
}

const (
	mostFiles     = 30
	mostQuestions = 3
)

// Budgets of what is carried, as parts of what a request may have, and their bounds in tokens.
func wordsBudget(limit int) int    { return min(max(limit/8, 300), 8000) }
func sectionsBudget(limit int) int { return limit / 4 }
func summaryBudget(limit int) int  { return min(max(limit/10, 400), 6000) }

// earlier is what the head of an earlier compaction carries.
func (h *history) earlier() (c carried) {
	for i := range h.list[:h.head] {
		if found, ok := read(&h.list[i]); ok {
			return found
		}
	}
	return c
}

// Outcome is what a compaction has done, for a person.
type Outcome struct {
	// Dropped counts the messages in whose place the head stands now.
	Dropped int
	// Fault says why there is no summary, Note what else there is to say.
	Fault, Note string
}

// About reads what a compaction of this package has done; ok is false for one that has only cleared results, or is another's.
func About(t *agent.Trim) (o Outcome, ok bool) {
	if t == nil || len(t.Head) == 0 {
		return o, false
	}
	x, ok := read(&t.Head[0])
	return Outcome{Dropped: x.Dropped, Fault: x.Fault, Note: x.Note}, ok
}

func read(m *agent.Message) (c carried, ok bool) {
	for _, p := range m.Parts {
		if p.Opaque != nil && p.Opaque.Origin == Name {
			return c, json.Unmarshal(p.Opaque.Data, &c) == nil
		}
	}
	return c, false
}

// gather is what the messages before cut and the earlier head have to be carried on, without a summary.
func (h *history) gather(cut, limit int) carried {
	old := h.earlier()
	c := carried{Left: old.Left, Dropped: cut - h.head}
	all := slices.Clone(old.Said)
	for i := h.head; i < cut; i++ {
		if x, ok := h.c.spoken(&h.list[i]); ok {
			all = append(all, x)
		}
	}
	var left int
	c.Said, left = words(all, wordsBudget(limit))
	c.Left += left
	c.Files = h.worked(cut, old.Files)
	c.Open = h.questions(cut)
	return c
}

// worked adds the files of the calls before cut that did not fail to those that were known.
func (h *history) worked(cut int, known []work) []work {
	if h.c.o.Files == nil {
		return known
	}
	byPath := map[string]work{}
	for _, w := range known {
		byPath[w.Path] = w
	}
	failed := map[string]bool{}
	for i := h.head; i < cut; i++ {
		if r := h.list[i].Result(); r != nil {
			failed[r.Key] = r.Error
		}
	}
	for i := h.head; i < cut; i++ {
		for _, call := range h.list[i].Calls() {
			if bad, done := failed[call.Key]; bad || !done {
				continue
			}
			for _, f := range h.c.o.Files(call) {
				w := byPath[f.Path]
				w.Path, w.Seq = f.Path, h.list[i].Seq
				if f.Wrote {
					w.Wrote++
				} else {
					w.Read++
				}
				byPath[f.Path] = w
			}
		}
	}
	list := make([]work, 0, len(byPath))
	for _, w := range byPath {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b work) int { // what was written and what is new first
		return cmp.Or(cmp.Compare(min(b.Wrote, 1), min(a.Wrote, 1)), cmp.Compare(b.Seq, a.Seq), strings.Compare(a.Path, b.Path))
	})
	return list[:min(len(list), mostFiles)]
}

// questions are the lines with which the last answer that leaves has asked something, if the person has not spoken since.
func (h *history) questions(cut int) (open []string) {
	for i := len(h.list) - 1; i >= h.head; i-- {
		m := &h.list[i]
		if _, ok := h.c.spoken(m); ok {
			return nil
		}
		if !m.Answers() {
			continue
		}
		if i >= cut { // it stays
			return nil
		}
		for line := range strings.Lines(m.Text()) {
			line = strings.TrimSpace(line)
			if strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？") {
				open = append(open, text.Head(line, 2*endsSaid))
			}
		}
		return open[max(0, len(open)-mostQuestions):]
	}
	return nil
}

// sections are the texts of other features within a budget; what does not fit is cut at its end.
func (c *Compact) sections(s *agent.Session, budget int) (list []string) {
	for _, x := range c.o.Carry {
		t := strings.TrimSpace(x.Text(s))
		if t == "" {
			continue
		}
		if n := text.Tokens(t); n > budget {
			t = fitted(t, max(budget, 0)) + fmt.Sprintf("\n[The rest of the %s did not fit here; load it again when you need it.]", x.Name)
		}
		budget -= text.Tokens(t)
		list = append(list, t)
	}
	return list
}

// fitted is the beginning of a text, about so many tokens of it.
func fitted(s string, tokens int) string {
	if text.Tokens(s) <= tokens {
		return s
	}
	runes := []rune(s)
	n := min(len(runes), tokens*4)
	for n > 0 && text.Tokens(string(runes[:n])) > tokens {
		n = n * 7 / 8
	}
	return string(runes[:n])
}

// head is the message, or in the form of the source systems the two, in the place of the older part.
func (c *Compact) head(x carried, sections []string, ack bool) []agent.Message {
	var b strings.Builder
	c.begin(&b, &x)
	if len(x.Said) > 0 {
		b.WriteString("\n\nThe person's own words, oldest first. What they ask for and rule out still holds, whatever the summary says:\n")
		for _, s := range x.Said {
			b.WriteString("\n> " + strings.ReplaceAll(s.Text, "\n", "\n> "))
			if s.Cut {
				b.WriteString("\n> [shortened]")
			}
			b.WriteString("\n")
		}
	}
	if x.Left > 0 {
		fmt.Fprintf(&b, "\n[%d more of the person's messages are not repeated here.]\n", x.Left)
	}
	for _, s := range sections {
		b.WriteString("\n\n" + s)
	}
	if len(x.Files) > 0 {
		b.WriteString("\n\nFiles that were worked on:\n")
		for _, f := range x.Files {
			b.WriteString("- " + f.Path + f.counts() + "\n")
		}
	}
	if len(x.Open) > 0 {
		b.WriteString("\n\nYour open questions to the person:\n- " + strings.Join(x.Open, "\n- "))
	}
	m := agent.TextMessage(agent.User, strings.TrimSpace(b.String()))
	m.From = Name
	if raw, err := agent.EncodeJSON(x); err == nil { // it is texts and numbers
		m.Parts[0].Opaque = &agent.Opaque{Origin: Name, Data: raw}
	}
	if !c.o.Plain || !ack {
		return []agent.Message{m}
	}
	understood := agent.TextMessage(agent.Assistant, "Understood. Continuing with summary context.")
	understood.From, understood.Stop = Name, agent.StopEnd
	return []agent.Message{m, understood}
}

// begin writes what has happened, and the summary.
func (c *Compact) begin(b *strings.Builder, x *carried) {
	if c.o.Plain && x.Path != "" {
		b.WriteString("[Compressed. Transcript: " + x.Path + "]")
	} else {
		b.WriteString("[The older part of this conversation was taken out to make room; this stands in its place.")
		if x.Path != "" {
			b.WriteString(" It can be read, one message a line, in " + x.Path)
		}
		b.WriteString("]")
	}
	switch {
	case x.Fault != "" && x.Summary != "":
		b.WriteString("\n[No new summary could be made. This is the one from before; what came after it is not in it.]\n" + x.Summary)
	case x.Fault != "":
		b.WriteString("\n[No summary could be made.]")
	default:
		b.WriteString("\n" + x.Summary)
	}
}

func (f work) counts() string {
	var list []string
	if f.Wrote > 0 {
		list = append(list, fmt.Sprintf("changed %d×", f.Wrote))
	}
	if f.Read > 0 {
		list = append(list, fmt.Sprintf("read %d×", f.Read))
	}
	return " (" + strings.Join(list, ", ") + ")"
}
