package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/attach"
	"react-agent/kit/mention"
)

// attachCommand puts files on the tray of the session, from where they go with its next message; it lists them and takes
// them off.
func attachCommand() Command {
	return Command{
		Name: "attach", Args: "[PATH... | remove NAME...]", Help: msg.HelpAttach, Slash: true, Front: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			switch {
			case len(in.Args) == 0:
				return Outcome{}, listTray(h, in)
			case in.Args[0] == "remove" && len(in.Args) > 1:
				return Outcome{}, removeFromTray(h, in)
			}
			for _, path := range paths(h.WorkDir, in.Args) {
				if err := AttachFile(ctx, h, in.Session, path); err != nil {
					return Outcome{}, err
				}
				list := h.Tray.List(in.Session)
				last := list[len(list)-1]
				if err := in.printf("%s\n", h.Msg.Text(msg.AttachAsked, last.Name, last.What)); err != nil {
					return Outcome{}, err
				}
			}
			return Outcome{}, nil
		},
	}
}

func listTray(h *Host, in Input) error {
	list := h.Tray.List(in.Session)
	if len(list) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.AttachNone))
	}
	for n, item := range list {
		if err := in.printf("%s\n", h.Msg.Text(msg.AttachLine, n+1, item.Name, item.What)); err != nil {
			return err
		}
	}
	return nil
}

func removeFromTray(h *Host, in Input) error {
	for _, which := range paths(h.WorkDir, in.Args[1:]) {
		item, ok := h.Tray.Remove(in.Session, which)
		if !ok {
			return usage(msg.AttachNoSuch, which)
		}
		if err := in.printf("%s\n", h.Msg.Text(msg.AttachRemoved, item.Name)); err != nil {
			return err
		}
	}
	return nil
}

// AttachFile puts a file on the tray of a session. What is wrong with it, and that the session's model does not take it, is
// the person's mistake.
func AttachFile(ctx context.Context, h *Host, session, path string) error {
	item, err := h.Attach(ctx, session, path)
	if err != nil {
		return &UsageError{err}
	}
	if err := h.Sendable(ctx, session, &agent.Message{Role: agent.User, Parts: blobs(item.Parts)}); err != nil {
		return &UsageError{err}
	}
	if err := h.Tray.Add(session, item); err != nil {
		return &UsageError{err}
	}
	return nil
}

// blobs are the attachments among parts: a text needs no check, and mentions nothing.
func blobs(parts []agent.Part) (list []agent.Part) {
	for _, p := range parts {
		if p.Kind == agent.BlobKind {
			list = append(list, p)
		}
	}
	return list
}

// Attached gives a message of the person with what lies on the tray of its session, once the model is known to take all
// that goes with it. sent is how many files that are: Sent of the tray takes them off when the message is handed in.
func Attached(ctx context.Context, h *Host, session string, m agent.Message) (with agent.Message, sent int, err error) {
	list := h.Tray.List(session)
	if len(list) > 0 {
		m.Parts = append([]agent.Part(nil), m.Parts...)
		typed := 0
		for _, p := range m.Parts {
			if p.Kind == agent.Text {
				typed += len(p.Text)
			}
		}
		if !mention.Marked(&m) { // what is in the files mentions nothing
			Typed(&m, typed)
		}
		for _, item := range list {
			m.Parts = append(m.Parts, item.Parts...)
		}
	}
	if h.Sendable == nil {
		return m, len(list), nil
	}
	if err := h.Sendable(ctx, session, &m); err != nil {
		return m, 0, &UsageError{stays(ctx, h, session, list, err)}
	}
	return m, len(list), nil
}

// stays adds to what is wrong with a message how to get rid of the file on the tray that is the reason, if one is.
func stays(ctx context.Context, h *Host, session string, list []attach.Item, err error) error {
	for n, item := range list {
		if parts := blobs(item.Parts); len(parts) > 0 && h.Sendable(ctx, session, &agent.Message{Role: agent.User, Parts: parts}) != nil {
			which := item.Name
			if firstOf(list, which) != n || strings.ContainsAny(which, " \"'\\\t\n") {
				which = strconv.Itoa(n + 1)
			}
			return msg.Errorf(msg.AttachStays, err, which)
		}
	}
	return err
}

// firstOf is where a name stands first: there it is taken off.
func firstOf(list []attach.Item, name string) int {
	return slices.IndexFunc(list, func(i attach.Item) bool { return i.Path == name || i.Name == name })
}

// paths reads the words behind /attach: a path with blanks stands in quotes, has a backslash before each blank, or is all
// that was typed and is there.
func paths(dir string, words []string) []string {
	whole := strings.Join(words, " ")
	full := whole
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, full)
	}
	if _, err := os.Stat(full); err == nil {
		return []string{whole}
	}
	var list []string
	for rest := strings.TrimLeft(whole, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		var word string
		word, rest = firstPath(rest)
		list = append(list, word)
	}
	return list
}

// firstPath takes the first path off a text.
func firstPath(text string) (path, rest string) {
	if quote := text[0]; quote == '"' || quote == '\'' {
		path, rest, _ = strings.Cut(text[1:], string(quote))
		return path, rest
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == ' ' {
			return b.String(), text[i:]
		}
		if c == '\\' && i+1 < len(text) && strings.IndexByte(` "'\`, text[i+1]) >= 0 {
			i++
			c = text[i]
		}
		b.WriteByte(c)
	}
	return b.String(), ""
}
