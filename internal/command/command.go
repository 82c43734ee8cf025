package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/store"
)

// ErrConfig is wrapped by what [Open] returns when configuration is at fault.
var ErrConfig = errors.New("configuration")

// ErrSaid says that a command has failed and that all there is to say about it has been printed.
var ErrSaid = errors.New("the command has said what is wrong")

// All lists every command, in the order of the help text.
func All() []Command {
	list := []Command{
		helpCommand(), skillsCommand(), clearCommand(), compactCommand(), modelCommand(), modeCommand(), planCommand(), todosCommand(), untilCommand(), attachCommand(), queueCommand(), steerCommand(), btwCommand(), permissionsCommand(), jobsCommand(), agentsCommand(), toolsCommand(), requestCommand(), contextCommand(), reflectCommand(), costCommand(),
		sessionsCommand(), exitCommand(),
		listCommand(), showCommand(), exportCommand(), rmCommand(), forkCommand(),
		replayCommand(), doctorCommand(), versionCommand(),
	}
	list = append(list, rewindCommands()...)
	list = append(list, skillCommands()...)
	list = append(list, memoryCommands()...)
	list = append(list, taskCommands()...)
	list = append(list, teamCommands()...)
	return append(list, worktreeCommands()...)
}

// Slash runs the command of ours in line ("/tools"), which [Read] has found in a conversation. An unknown one is an error.
func Slash(ctx context.Context, h *Host, session, line string, out io.Writer) (Outcome, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return Outcome{}, usage(msg.SlashUnknown, line)
	}
	c, ok := slashCommand(strings.TrimPrefix(fields[0], "/"))
	if !ok {
		return Outcome{}, usage(msg.SlashUnknown, fields[0])
	}
	args := fields[1:]
	if len(args) < c.Min || c.Max >= 0 && len(args) > c.Max {
		return Outcome{}, usage(msg.SlashArgs, strings.TrimSpace("/"+c.Name+" "+c.Args))
	}
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), fields[0]))
	in := Input{Session: session, Args: args, Rest: rest, Flags: map[string]string{}, Out: out}
	for _, f := range c.Flags {
		in.Flags[f.Name] = f.Default
	}
	return c.Run(ctx, h, in)
}

// Existing checks the id of a session that must exist, and gives its one spelling.
func Existing(ctx context.Context, h *Host, id string) (string, error) {
	id, err := store.CleanID(id)
	if err != nil {
		return "", &UsageError{err}
	}
	info, err := h.Engine.Info(ctx, id)
	if err != nil {
		return "", fmt.Errorf("session %s: %w", id, err)
	}
	if info.Seq == 0 && !info.Running && len(info.Queue) == 0 {
		return "", usage(msg.NoSuchSession, id)
	}
	return id, nil
}

// UsageError is a mistake of the person: a wrong argument, a session that is not there.
type UsageError struct{ Err error }

// Error is the text of the mistake.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// AsUsage reports whether an error is the person's mistake.
func AsUsage(err error) (*UsageError, bool) { return errors.AsType[*UsageError](err) }

func usage(k msg.Key, args ...any) error { return &UsageError{msg.Errorf(k, args...)} }

// isSet reports whether a switch is on.
func (in Input) isSet(flag string) bool { return in.Flags[flag] == "true" }

// printf writes to the command's output, for a person: names and texts from elsewhere cannot steer the screen.
func (in Input) printf(format string, args ...any) error {
	_, err := io.WriteString(in.Out, text.Visible(fmt.Sprintf(format, args...)))
	return err
}
