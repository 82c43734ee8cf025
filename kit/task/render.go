package task

import (
	"context"
	"strconv"
	"strings"

	"react-agent/internal/msg"
)

// Render is the board as the model reads it, a line for each task, or [Empty]. Files that are no tasks are named below, so
// that somebody mends them.
func (b *Board) Render(ctx context.Context) (string, error) {
	list, faults, err := b.List(ctx)
	return Lines(list, faults, msg.For(msg.En)), err
}

// Empty is what stands for a board without tasks.
const Empty = "No tasks."

// Lines renders tasks and faults; only the latter have a language.
func Lines(list []Task, faults []Fault, c msg.Catalogue) string {
	lines := make([]string, 0, len(list)+len(faults))
	for _, t := range list {
		lines = append(lines, Line(t, list, faults))
	}
	if len(list) == 0 {
		lines = append(lines, Empty)
	}
	for _, f := range faults {
		lines = append(lines, c.Text(msg.TaskFileBroken, ".tasks/"+f.File, f.Err))
	}
	return strings.Join(lines, "\n")
}

// Line is one task of a list. What a person or a model has written cannot begin another one.
func Line(t Task, list []Task, faults []Fault) string {
	mark := "[?]"
	switch t.Status {
	case Pending:
		mark = "[ ]"
	case InProgress:
		mark = "[>]"
	case Completed:
		mark = "[x]"
	}
	s := mark + " #" + strconv.Itoa(t.ID) + ": " + oneLine(t.Subject)
	if t.Owner != "" {
		s += " @" + oneLine(t.Owner)
	}
	if open := Blockers(t, list, faults); len(open) > 0 {
		s += " (blocked by: " + ids(open) + ")"
	}
	return s
}
