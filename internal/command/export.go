package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// exportCommand writes a session as Markdown, HTML or JSON lines.
func exportCommand() Command {
	return Command{
		Name: "session export", Args: "ID", Help: msg.HelpExport, Shell: true, Remote: true, Min: 1, Max: 1,
		Flags: []Flag{{Name: "format", Default: "md", Help: msg.FlagFormat}},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			return Outcome{}, export(ctx, h, in.Args[0], in.Flags["format"], in.Out)
		},
	}
}

func export(ctx context.Context, h *Host, arg, format string, out io.Writer) error {
	write := map[string]func(io.Writer, string, []agent.Event) error{
		"md": markdown, "markdown": markdown, "html": html, "jsonl": jsonLines,
	}[strings.ToLower(format)]
	if write == nil {
		return usage(msg.BadFormat, format)
	}
	id, err := Existing(ctx, h, arg)
	if err != nil {
		return err
	}
	var events []agent.Event
	for e, err := range h.Engine.Follow(ctx, id, 0, false) {
		if err != nil {
			return err
		}
		if e.Type.Durable() {
			events = append(events, e)
		}
	}
	return write(out, id, events)
}

// jsonLines writes every event whole: bodies stand in their place, so that the file needs no other.
func jsonLines(out io.Writer, _ string, events []agent.Event) error {
	for _, e := range events {
		data, err := agent.EncodeJSON(e)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, text.VisibleJSON(string(data))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// living leaves out what a void has taken back: rewound or undone events, unless that was undone again.
func living(events []agent.Event) []agent.Event {
	dead := map[int64]bool{}
	for _, e := range slices.Backward(events) {
		if e.Type != agent.EvVoid || e.Void == nil || dead[e.Seq] {
			continue
		}
		for seq := e.Void.From; seq <= e.Void.To && seq < e.Seq; seq++ {
			dead[seq] = true
		}
	}
	var alive []agent.Event
	for _, e := range events {
		if !dead[e.Seq] {
			alive = append(alive, e)
		}
	}
	return alive
}

// entry is one piece of a transcript.
type entry struct {
	kind string // user, assistant, thinking, call, result, failed, note
	head string
	text string
}

// transcript is the conversation in the order in which it happened, with the names the model used.
func transcript(events []agent.Event) []entry {
	var list []entry
	calls := map[string]agent.Call{}
	for _, e := range living(events) {
		switch {
		case e.Type == agent.EvMessage && e.Message != nil:
			list = append(list, messageEntries(*e.Message, calls)...)
		case e.Type == agent.EvAnswer && e.Answer != nil && e.Ask != nil:
			list = append(list, entry{kind: "note", text: answerText(e)})
		case e.Type == agent.EvCompact && e.Trim != nil:
			list = append(list, entry{kind: "note", text: "(compacted: " + e.Text + ")"})
		case e.Type == agent.EvEnd && e.Stop != agent.RunEnd:
			list = append(list, entry{kind: "note", text: endText(e)})
		}
	}
	return list
}

func answerText(e agent.Event) string {
	verdict := "no"
	if e.Answer.Allow {
		verdict = "yes"
	}
	if e.Answer.Always {
		verdict = "always"
	}
	return strings.TrimSpace("(" + clip(e.Ask.Text, 200) + " - " + verdict + ") " + e.Answer.Text)
}

func endText(e agent.Event) string {
	text := "(ended: " + string(e.Stop) + ")"
	if e.Error != nil {
		return text + " " + e.Error.Message
	}
	return text
}

func messageEntries(m agent.Message, calls map[string]agent.Call) []entry {
	var list []entry
	for _, p := range m.Parts {
		switch {
		case p.Kind == agent.Text && p.Text != "":
			head := string(m.Role)
			if m.From != "" {
				head = m.From
			}
			list = append(list, entry{kind: string(m.Role), head: head, text: p.Text})
		case p.Kind == agent.Thinking && p.Text != "":
			list = append(list, entry{kind: "thinking", text: p.Text})
		case p.Kind == agent.BlobKind && p.Blob != nil:
			list = append(list, entry{kind: "note", text: "(attached: " + p.Blob.Name + " " + p.Blob.MIME + ")"})
		case p.Kind == agent.CallKind && p.Call != nil:
			calls[p.Call.Key] = *p.Call
			list = append(list, entry{kind: "call", head: p.Call.Name, text: string(p.Call.Args)})
		case p.Kind == agent.ResultOf && p.Result != nil:
			list = append(list, resultEntry(*p.Result, calls))
		}
	}
	return list
}

func resultEntry(r agent.Result, calls map[string]agent.Call) entry {
	var b strings.Builder
	for _, p := range r.Parts {
		b.WriteString(p.Text)
	}
	e := entry{kind: "result", head: calls[r.Key].Name, text: b.String()}
	if r.Error {
		e.kind = "failed"
	}
	return e
}

// title is the first line of the first message.
func title(id string, list []entry) string {
	for _, e := range list {
		if e.kind == string(agent.User) {
			return clip(firstLine(e.text), 80)
		}
	}
	return id
}
