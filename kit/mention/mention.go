package mention

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// Name is the hook's name, and the origin of its marks.
const Name = "mention"

// The bounds of one message.
const (
	maxFiles = 20
	maxBytes = 256 << 10 // of all that is attached
)

// File is what a mention asks for.
type File struct {
	Path string // as it was typed, without at-sign and quotes, ~ resolved
	Dir  bool
	// From and To are lines, counted from 1; 0 is the beginning and the end.
	From, To int
}

// Options say how to read. Every field may be left empty.
type Options struct {
	// Dir is the work directory, absolute; Home the person's.
	Dir, Home string
	// Read gives the contents for the model, within bounds of its own. The error says why it is not attached. nil: nothing is
	// looked for.
	Read func(ctx context.Context, s *agent.Session, f File) ([]agent.Part, error)
	// Tell tells the person a line. nil: nobody.
	Tell func(line string)
	// Lang is the language of these lines, "zh" or "en"; empty is English.
	Lang string
}

// New makes the hook.
func New(o Options) agent.Hook {
	return agent.Hook{
		Name: Name,
		OnInput: func(ctx context.Context, s *agent.Session, m *agent.Message) error {
			return o.input(ctx, s, m)
		},
	}
}

// mark says how many bytes of a message's text were typed.
type mark struct {
	Typed int `json:"typed"`
}

// Typed marks that only the first n bytes of a message's text were typed, so that no mention is looked for behind them. The
// mark is a part without text, which no model is sent.
func Typed(m *agent.Message, n int) {
	raw, err := agent.EncodeJSON(mark{Typed: n})
	if err != nil { // it is a number
		return
	}
	m.Parts = append(slices.Clip(m.Parts), agent.Part{Kind: agent.Text, Opaque: &agent.Opaque{Origin: Name, Data: raw}})
}

// Find lists the files and directories that a message of the person mentions, in what was typed of it. Nothing is read, and
// the message stays as it is.
func Find(o Options, m *agent.Message) (files []File) {
	_, texts := typed(m)
	for _, text := range texts {
		found, _, _ := o.find(text)
		for _, f := range found {
			files = append(files, f.File)
		}
	}
	return files
}

// Marked reports whether a message says how much of it was typed.
func Marked(m *agent.Message) bool {
	kept, _ := typed(m)
	return len(kept) < len(m.Parts)
}

// typed gives the parts of a message without the mark, and the texts that were typed.
func typed(m *agent.Message) (kept []agent.Part, texts []string) {
	left := -1
	kept = make([]agent.Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		var k mark
		if p.Opaque != nil && p.Opaque.Origin == Name && p.Text == "" && json.Unmarshal(p.Opaque.Data, &k) == nil {
			left = max(k.Typed, 0)
			continue
		}
		kept = append(kept, p)
	}
	for _, p := range kept {
		if p.Kind != agent.Text || left == 0 {
			continue
		}
		text := p.Text
		if left > 0 {
			text = text[:min(left, len(text))]
			left -= len(text)
		}
		texts = append(texts, text)
	}
	return kept, texts
}

// input attaches what a message mentions.
func (o *Options) input(ctx context.Context, s *agent.Session, m *agent.Message) error {
	c := msg.For(msg.Lang(o.Lang))
	var found []mentioned
	var missing, ranges []string
	kept, texts := typed(m)
	m.Parts = kept
	if o.Read == nil {
		return nil
	}
	for _, said := range texts {
		f, none, bad := o.find(said)
		found, missing, ranges = append(found, f...), append(missing, none...), append(ranges, bad...)
	}
	for _, path := range missing {
		o.tell(c.Text(msg.MentionMissing, path))
	}
	for _, path := range ranges {
		o.tell(c.Text(msg.MentionRange, path))
	}
	seen := map[File]bool{}
	size := 0
	for _, f := range found {
		if seen[f.File] {
			continue
		}
		seen[f.File] = true
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case len(seen) > maxFiles:
			o.tell(c.Text(msg.MentionMany, f.as, maxFiles))
			m.Parts = append(m.Parts, note(f, "too many files were named"))
		case size >= maxBytes:
			o.tell(c.Text(msg.MentionFull, f.as))
			m.Parts = append(m.Parts, note(f, "the files before it are too large together"))
		default:
			parts := o.attach(ctx, s, f, c)
			for _, p := range parts {
				size += len(p.Text)
			}
			m.Parts = append(m.Parts, parts...)
		}
	}
	return nil
}

func (o *Options) tell(line string) {
	if o.Tell != nil {
		o.Tell(line)
	}
}

// attach is a file between marks, or why it is not there.
func (o *Options) attach(ctx context.Context, s *agent.Session, f mentioned, c msg.Catalogue) []agent.Part {
	parts, err := o.Read(ctx, s, f.File)
	if err != nil {
		o.tell(c.Text(msg.MentionRefused, f.as, c.Err(err)))
		return []agent.Part{note(f, err.Error())}
	}
	head := ""
	switch {
	case f.To > 0:
		head = fmt.Sprintf(` lines="%d-%d"`, max(f.From, 1), f.To)
	case f.From > 0:
		head = fmt.Sprintf(` lines="%d-"`, f.From)
	}
	return block(f.Path, head, parts)
}

// Block is what was read of a file as it stands in a message: its text between marks, then its attachments.
func Block(path string, parts []agent.Part) []agent.Part { return block(path, "", parts) }

func block(path, head string, parts []agent.Part) []agent.Part {
	head = " path=" + strconv.Quote(path) + head
	var body strings.Builder
	var blobs []agent.Part
	for _, p := range parts {
		if p.Kind == agent.BlobKind {
			blobs = append(blobs, p)
			continue
		}
		body.WriteString(p.Text)
	}
	whole := strings.TrimSuffix(body.String(), "\n")
	mark := text.Mark("attached", whole) // a file may hold our marks itself
	return append([]agent.Part{agent.TextPart("\n<" + mark + head + ">\n" + whole + "\n</" + mark + ">")}, blobs...)
}

// note tells the model that something is not attached.
func note(f mentioned, why string) agent.Part {
	return agent.TextPart("\n[@" + f.as + " is not attached: " + why + "]")
}
