package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// The states of a task. [Deleted] is what a change asks for; it is never stored.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
	Deleted    = "deleted"
)

// Task is one task, as its file has it.
type Task struct {
	ID          int
	Subject     string
	Description string
	// Status is one of [Pending], [InProgress], [Completed], or whatever another program has written.
	Status string
	Owner  string // "" = nobody's
	// BlockedBy and Blocks are never nil in what a [Board] gives. What blocks in fact is told by [Blockers].
	BlockedBy, Blocks []int

	more map[string]json.RawMessage // fields of other programs
}

// maxFile bounds a file that is read and written.
const maxFile = 256 << 10

// MarshalJSON writes the fields of the file, those of other programs last.
func (t Task) MarshalJSON() ([]byte, error) {
	var owner *string
	if t.Owner != "" {
		owner = &t.Owner
	}
	known, err := encode(struct {
		ID          int     `json:"id"`
		Subject     string  `json:"subject"`
		Description string  `json:"description"`
		Status      string  `json:"status"`
		Owner       *string `json:"owner"`
		BlockedBy   []int   `json:"blockedBy"`
		Blocks      []int   `json:"blocks"`
	}{t.ID, t.Subject, t.Description, t.Status, owner, append([]int{}, t.BlockedBy...), append([]int{}, t.Blocks...)}, "")
	if err != nil || len(t.more) == 0 {
		return known, err
	}
	b := bytes.NewBuffer(bytes.TrimSuffix(known, []byte("}")))
	for _, name := range slices.Sorted(maps.Keys(t.more)) {
		key, err := encode(name, "")
		if err != nil {
			return nil, err
		}
		b.WriteString(",")
		b.Write(key)
		b.WriteString(":")
		b.Write(t.more[name])
	}
	b.WriteString("}")
	return b.Bytes(), nil
}

// String is the task as JSON with an indent of two: what its file holds, and what the model is shown.
func (t Task) String() string {
	raw, err := encode(t, "  ")
	if err != nil { // texts, numbers, and JSON that was read
		return err.Error()
	}
	return string(raw)
}

// encode writes JSON that says < as it is.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// parse reads the file of the task with this id. Names of fields count as they are written; one that is missing is empty.
func parse(id int, data []byte) (Task, error) {
	t := Task{BlockedBy: []int{}, Blocks: []int{}}
	if len(data) > maxFile {
		return t, msg.Errorf(msg.TaskFileLong, maxFile>>10)
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if err := dec.Decode(&t.more); err != nil {
		return t, msg.Errorf(msg.TaskFileJSON, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) || t.more == nil {
		return t, msg.Errorf(msg.TaskFileJSON, errors.New("something else is there"))
	}
	for _, f := range []struct {
		name string
		to   any
		want string
	}{
		{"id", &t.ID, "a number"},
		{"subject", &t.Subject, "a text"},
		{"description", &t.Description, "a text"},
		{"status", &t.Status, "a text"},
		{"owner", &t.Owner, "a text or null"},
		{"blockedBy", &t.BlockedBy, "a list of numbers"},
		{"blocks", &t.Blocks, "a list of numbers"},
	} {
		raw, ok := t.more[f.name]
		delete(t.more, f.name)
		if ok && json.Unmarshal(raw, f.to) != nil {
			return t, msg.Errorf(msg.TaskFileField, f.name, f.want)
		}
	}
	if t.ID != id {
		return t, msg.Errorf(msg.TaskFileID, t.ID)
	}
	t.BlockedBy, t.Blocks = clean(t.BlockedBy), clean(t.Blocks)
	return t, nil
}

// clean is a list of ids without nil and without doubles, in its order.
func clean(ids []int) []int {
	out := make([]int, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// oneLine is a text that cannot be taken for several lines.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
