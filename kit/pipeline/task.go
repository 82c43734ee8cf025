package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"react-agent/internal/text"
)

// withoutPrompt is the system prompt of a step that has no prompt file.
const withoutPrompt = "You do one step of a longer work. You know only what is written here. Reply with the result alone."

// task is all that the sub-agent of a step knows.
func (r *run) task(ctx context.Context, b *Block, jobs []job, i int) (Task, error) {
	j := jobs[i]
	system := withoutPrompt
	if j.prompt != "" {
		said, err := r.o.Files.Read(ctx, r.call, j.prompt)
		if err != nil {
			return Task{}, stopped("PROMPT %s: %w", r.short(j.prompt), err)
		}
		system = strings.TrimSpace(text.Cut(text.Clean([]byte(said)), maxInput, j.prompt))
	}
	if b.Do != "" {
		system += "\n\n" + r.fill(b.Do)
	}
	var t strings.Builder
	fmt.Fprintf(&t, "Question: %s\nStep: %s\n", r.rec.Query, b.Step)
	switch {
	case j.file && j.to.edit:
		fmt.Fprintf(&t, "The file %s has to be changed. Reply with the whole new file and nothing else.\n", r.short(j.to.full))
	case j.file:
		fmt.Fprintf(&t, "Reply with the content of the file %s and nothing else.\n", r.short(j.to.full))
	case len(b.Output) > 0:
		fmt.Fprintf(&t, "Wanted: %s\n", r.fill(strings.Join(b.Output, "; ")))
	}
	if j.file && strings.EqualFold(filepath.Ext(j.to.rel), ".json") {
		t.WriteString("It must be one JSON value.\n")
	}
	for _, m := range r.materials(ctx, b, jobs, i) {
		fmt.Fprintf(&t, "\n=== %s ===\n%s\n", m.Name, strings.TrimRight(m.Text, "\n"))
	}
	return Task{
		Call: r.call, ID: fmt.Sprintf("step-%d-agent-%d", r.rec.Step, i+1), Name: r.mask(b.Step),
		System: r.mask(system), Text: r.mask(t.String()), Timeout: r.set.SubAgentTimeout, // a block may have a secret in it, too
	}, nil
}

// materials are the inputs of a job: those of the block, what the job before has made, and the file as it is.
func (r *run) materials(ctx context.Context, b *Block, jobs []job, i int) []material {
	var list []material
	for _, line := range b.Input {
		list = append(list, r.inputs(ctx, r.fill(line))...)
	}
	if i > 0 {
		if before := jobs[i-1]; before.file {
			list = append(list, material{Name: before.to.full, Text: r.text(ctx, before.to.full)})
		} else {
			list = append(list, material{Name: "the result before this one", Text: r.reply(ctx, b, jobs, i-1)})
		}
	}
	if j := jobs[i]; j.file && isFile(j.to.full) && (j.to.edit || r.rec.Seen > 1) {
		name := j.to.full
		if !j.to.edit {
			name += " (as it was written before; it was not accepted)"
		}
		list = append(list, material{Name: name, Text: r.text(ctx, j.to.full)})
	}
	return bounded(list)
}

// bounded keeps what goes into one message.
func bounded(list []material) []material {
	left, seen := maxInputs, map[string]bool{}
	var out []material
	for _, m := range list {
		if seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		if len(m.Text) > left {
			m.Text = "(left out: the inputs before it are too long)"
		}
		left -= len(m.Text)
		m.Name = text.Head(m.Name, maxName)
		out = append(out, m)
	}
	return out
}

const maxName = 500

// reply is what an earlier sub-agent of the step has said. After a restart it is asked for once more: the same task has
// the same reply.
func (r *run) reply(ctx context.Context, b *Block, jobs []job, i int) string {
	if s, ok := r.replies[i]; ok {
		return s
	}
	task, err := r.task(ctx, b, jobs, i)
	if err != nil {
		return "(lost: " + err.Error() + ")"
	}
	reply, err := r.o.Ask(ctx, task)
	if err != nil {
		return "(lost: " + err.Error() + ")"
	}
	r.replies[i] = reply.Text
	return reply.Text
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
