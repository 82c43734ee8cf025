package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// sessionsCommand lists sessions inside a conversation.
func sessionsCommand() Command {
	c := listCommand()
	c.Name, c.Help, c.Slash, c.Front, c.Shell = "sessions", msg.HelpSessions, true, true, false
	return c
}

// listCommand lists sessions, newest first. Children stay hidden unless asked for.
func listCommand() Command {
	return Command{
		Name: "session list", Help: msg.HelpList, Shell: true, Remote: true,
		Flags: []Flag{{Name: "all", Default: "false", Help: msg.FlagAll}},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			n := 0
			for info, err := range h.Engine.List(ctx, "") {
				if err != nil {
					return Outcome{}, err
				}
				if strings.Contains(info.ID, ".") && !in.isSet("all") {
					continue
				}
				n++
				if err := printSession(in, info); err != nil {
					return Outcome{}, err
				}
			}
			if n == 0 && !in.JSON {
				return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.NoSessions))
			}
			return Outcome{}, nil
		},
	}
}

func printSession(in Input, info engine.SessionInfo) error {
	if in.JSON {
		return printJSON(in, info)
	}
	mark := " "
	if in.Session != "" && info.ID == in.Session {
		mark = "*"
	}
	if info.Running {
		mark = ">"
	}
	return in.printf("%s %-28s %s %5d  %s\n", mark, info.ID, info.Updated.Local().Format("2006-01-02 15:04"), info.Seq, clip(info.Title, 60))
}

// firstLine is the first line of a text that is not empty.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// clip puts a text on one line of at most n characters.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

func printJSON(in Input, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	if err == nil {
		_, err = io.WriteString(in.Out, text.VisibleJSON(b.String()))
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
