package cli

import (
	"encoding/json"
	"strings"

	"react-agent/agent"
)

// What a person is shown of a change before it is made, in lines, and in characters of a line.
const (
	changeLines = 20
	changeWidth = 2 * lineWidth
)

// edited is one place of a change.
type edited struct {
	Old string `json:"old_text"`
	New string `json:"new_text"`
}

// change is what a call would make of a file, as far as its arguments tell: a line for each line that goes or comes. What
// the file holds now is not looked at; it may be on another machine.
func change(call *agent.Call) []string {
	if call == nil {
		return nil
	}
	var a struct {
		edited
		Content string   `json:"content"`
		Edits   []edited `json:"edits"`
		Patch   string   `json:"patch"`
	}
	if json.Unmarshal(call.Args, &a) != nil {
		return nil
	}
	var lines []string
	switch call.Name {
	case "write_file":
		lines = signed("+ ", linesOf(a.Content))
	case "edit_file":
		lines = a.lines()
	case "multi_edit":
		for i, e := range a.Edits {
			if i > 0 {
				lines = append(lines, "…")
			}
			lines = append(lines, e.lines()...)
		}
	case "apply_patch":
		lines = linesOf(a.Patch)
	}
	return lines
}

// lines are what goes and what comes; what stays at both ends of the place is left out but for the line next to it.
func (e edited) lines() []string {
	old, now := linesOf(e.Old), linesOf(e.New)
	head := 0
	for head < min(len(old), len(now)) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	lines := signed("  ", old[max(0, head-1):head])
	lines = append(lines, signed("- ", old[head:len(old)-tail])...)
	lines = append(lines, signed("+ ", now[head:len(now)-tail])...)
	return append(lines, signed("  ", old[len(old)-tail:min(len(old), len(old)-tail+1)])...)
}

func signed(sign string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = sign + line
	}
	return out
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
