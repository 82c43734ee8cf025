package attach

import (
	"context"
	"strings"

	"react-agent/agent"
	"react-agent/internal/media"
	"react-agent/internal/msg"
)

// programs is the wire to programs that answer a prompt: whatever model is in one, it is given text alone.
const programs = "command"

// takes reports whether a model is known to take such attachments. What the settings say of a program changes nothing.
func takes(info agent.ModelInfo, mime string) bool {
	return info.Provider != programs && info.Takes(mime)
}

// Check looks whether a message has no more attachments than one may, and whether a model takes them. others names models of which it is known, the best
// first; it may be nil. The error is for a person.
func Check(m *agent.Message, info agent.ModelInfo, others func(mime string) []string) error {
	n := 0
	for _, p := range m.Parts {
		if p.Kind != agent.BlobKind || p.Blob == nil {
			continue
		}
		if n++; n > MaxFiles {
			return msg.Errorf(msg.AttachMany, MaxFiles)
		}
	}
	for _, p := range m.Parts {
		if p.Kind == agent.BlobKind && p.Blob != nil && !takes(info, p.Blob.MIME) {
			return refusal(p.Blob.Name, p.Blob.MIME, info, others)
		}
	}
	return nil
}

// CheckFile is [Check] for a file that a message mentions, before it is read: only its beginning is. What cannot be read,
// and what is no attachment, is no matter here.
func CheckFile(ctx context.Context, full, path string, info agent.ModelInfo, others func(mime string) []string) error {
	head, _, err := read(ctx, full, headSize)
	if err != nil {
		return nil //nolint:nilerr // whoever reads it says so
	}
	mime := media.Sniff(head)
	if kind, _ := kindOf(mime, head); (kind == picture || kind == document) && !takes(info, mime) {
		return refusal(path, mime, info, others)
	}
	return nil
}

func refusal(name, mime string, info agent.ModelInfo, others func(mime string) []string) error {
	if name == "" {
		name = mime
	}
	if info.Provider == programs {
		return msg.Errorf(msg.AttachProgram, name, info.Preset)
	}
	var list []string
	if others != nil {
		list = others(mime)
	}
	how := any(told(msg.AttachNobody))
	if len(list) > 0 {
		how = suggestion(strings.Join(list[:min(3, len(list))], ", "))
	}
	args := []any{name, info.Name, how, quoted(info.Name), info.Provider}
	switch kind, _, _ := strings.Cut(mime, "/"); {
	case kind == "image":
		return msg.Errorf(msg.AttachBlind, args...)
	case kind == "audio":
		return msg.Errorf(msg.AttachDeaf, args...)
	case mime == media.PDF:
		return msg.Errorf(msg.AttachNoPDF, args...)
	}
	return msg.Errorf(msg.AttachBinary, name)
}

// suggestion names models.
type suggestion string

// In is the text in a language.
func (s suggestion) In(c msg.Catalogue) string { return c.Text(msg.AttachOthers, string(s)) }

// quoted is a model's name as a key of YAML between braces.
func quoted(name string) string {
	if strings.ContainsAny(name, ":{}[],&*#?|<>=!%@`'\" ") {
		return `"` + name + `"`
	}
	return name
}
