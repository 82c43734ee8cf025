package memory

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
)

// Writers are the names of the tools that change what is remembered. They touch nothing else.
func Writers() []string { return []string{toolSave, toolDelete} }

// Entered gives the memories that a message of [Store.Hook] brings in, in its order: ID and Text alone, as they were then.
// Nil for any other message.
func Entered(m *agent.Message) (list []Record) {
	if m.From != Name || len(m.Parts) == 0 || m.Parts[0].Opaque == nil {
		return nil
	}
	var have mark
	if json.Unmarshal(m.Parts[0].Opaque.Data, &have) != nil {
		return nil
	}
	for l := range strings.Lines(m.Parts[0].Text) {
		first, isFirst := strings.CutPrefix(l, "- ")
		id, _, _ := strings.Cut(first, " ")
		if _, ok := have[id]; isFirst && ok {
			list = append(list, Record{ID: id, Text: first})
		} else if len(list) > 0 && strings.HasPrefix(l, "  ") { // a further line of it
			list[len(list)-1].Text += l[2:]
		}
	}
	for i, r := range list {
		list[i].Text = textIn(strings.TrimSuffix(r.Text, "\n"), have[r.ID])
	}
	return list
}

// textIn is the text in what [line] makes of a memory: the rest that has the hash, for tags may look like its beginning.
func textIn(s, hash string) string {
	first := ""
	for rest := s; ; {
		_, after, ok := strings.Cut(rest, "): ")
		switch {
		case !ok:
			return first
		case hashOf(Record{Text: after}) == hash:
			return after
		case first == "":
			first = after
		}
		rest = after
	}
}
