package cli

import (
	"io"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
)

// confirm gives the way to put a question before anything is open; nil when no person sits at a terminal.
func (a *program) confirm() func(text string) command.Reply {
	if !a.std.InTTY || !a.std.ErrTTY || a.flags.output != outText {
		return nil
	}
	return func(text string) command.Reply {
		_, _ = io.WriteString(a.std.Err, visible("? "+text)) // without it nobody answers
		signals := a.std.Signals
		if a.gone != nil {
			signals = nil // somebody listens already
		}
		said := make(chan string, 1)
		go func() { said <- bareLine(a.std.In) }()
		select {
		case line := <-said:
			switch reply := command.AnswerTo(agent.Ask{}, line); {
			case reply.Allow:
				return command.Yes
			case strings.TrimSpace(line) == "":
				return command.Silent
			}
			return command.No
		case sig := <-signals:
			a.quit = signalCode(sig)
			return command.Gone
		case <-a.gone:
			return command.Gone
		}
	}
}

// bareLine reads one line and not a byte more: the rest belongs to the conversation.
func bareLine(r io.Reader) string {
	var line strings.Builder
	for b := make([]byte, 1); ; {
		n, err := r.Read(b)
		if n == 1 && b[0] != '\n' {
			line.WriteByte(b[0])
		}
		if err != nil || n == 1 && b[0] == '\n' {
			return line.String()
		}
	}
}
