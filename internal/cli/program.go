package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/store"
)

// program is one start of the program.
type program struct {
	std    Std
	msg    msg.Catalogue
	opener command.Open
	flags  flags
	began  time.Time
	ran    bool // the command line was understood
	shown  view // the view that reports failures, once there is one
	quit   int  // the exit code when the person ended the program before anything was open, or while a command ran
	// gone is closed by the signal that ends a command; nil while none runs: who asks then has to look for signals.
	gone  chan struct{}
	watch *watch // nil: nobody sees that signals end the program
}

// Main is the program: it reads the command line, does what it says, and returns the exit code.
func Main(ctx context.Context, std Std, open command.Open) int {
	chosen := early(std.Args, "lang")
	if chosen == "" {
		chosen = std.env("REACT_AGENT_LANG")
	}
	lang, _ := msg.Pick(chosen, std.env("LC_ALL"), std.env("LC_MESSAGES"), std.env("LANG"))
	a := &program{std: std, msg: msg.For(lang), opener: open, began: time.Now()}
	a.watched()
	root := a.root()
	root.SetArgs(std.Args)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	return a.exit(root.ExecuteContext(ctx))
}

// exit reports an error where and how the person wants it, and gives the exit code.
func (a *program) exit(err error) int {
	if err == nil {
		return exitOK
	}
	if done, ok := errors.AsType[*exitError](err); ok {
		return done.code
	}
	if errors.Is(err, command.ErrSaid) {
		return exitInternal
	}
	if closedPipe(err) {
		return exitPipe
	}
	if u, ok := command.AsUsage(err); ok {
		err = &usageError{u}
	}
	if _, ok := errors.AsType[*usageError](err); !a.ran && !ok {
		err = &usageError{err} // what cobra found
	}
	v := a.shown
	if v == nil {
		v = a.view(nil, "")
	}
	if failed := v.fail(err); failed != nil && !closedPipe(failed) {
		_, _ = io.WriteString(a.std.Err, failed.Error()+"\n") // the last thing that can be tried
	}
	return errorCode(asError(a.msg, err))
}

// view makes the view for the chosen form of output.
func (a *program) view(host *command.Host, session string) view {
	form := a.flags.output
	if !a.ran {
		form = early(a.std.Args, "output")
	}
	switch form {
	case outJSON:
		a.shown = &jsonView{out: a.std.Out, msg: a.msg, session: session, began: a.began}
	case outLines:
		a.shown = &linesView{out: a.std.Out, msg: a.msg}
	default:
		v := &textView{
			out: a.std.Out, err: a.std.Err, msg: a.msg, quiet: a.flags.quiet,
			live: a.std.OutTTY, erase: a.std.escapes(), size: a.std.Size, fit: a.fitted,
		}
		if host != nil {
			v.look, v.file = host.Look, host.BlobFile
		}
		a.shown = v
	}
	return a.shown
}

// note tells the person something on standard error, unless the output is for a program.
func (a *program) note(line string) {
	if a.flags.output == outText && !a.flags.quiet {
		a.warn(line)
	}
}

// warn is note for what must be said even when it shall be quiet.
func (a *program) warn(line string) {
	_, _ = io.WriteString(a.std.Err, visible(a.fitted(line))+"\n") // nowhere to report it
}

// fitted is [Std.fitted] for what goes to standard error.
func (a *program) fitted(lines string) string {
	if !a.std.ErrTTY {
		return lines
	}
	return a.std.fitted(lines)
}

func (a *program) options() command.Options {
	return command.Options{
		Flags: a.flags.given, Env: a.std.Env, Debug: a.flags.debug, Record: a.flags.record,
		Version: a.std.Version, Server: a.flags.server, Warn: a.warn, Confirm: a.confirm(),
	}
}

// open opens the product; whatever stops it is a matter of configuration unless the error says otherwise.
func (a *program) open(ctx context.Context, o command.Options) (*command.Host, error) {
	host, err := a.opener(ctx, o)
	if err != nil {
		if a.quit != 0 {
			return nil, &exitError{a.quit}
		}
		if errors.Is(err, command.ErrConfig) {
			err = &usageError{err}
		}
		return nil, err
	}
	a.msg = host.Msg
	return host, nil
}

// on does something with the product, and ends with the exit code of that.
func (a *program) on(ctx context.Context, o command.Options, do func(*command.Host) (int, error)) error {
	host, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	code, err := do(host)
	if closeErr := a.close(ctx, host); err == nil {
		err = closeErr
	}
	if err == nil && code != exitOK {
		err = &exitError{code}
	}
	return err
}

// close brings runs to their end and lets go of the product.
func (a *program) close(ctx context.Context, host *command.Host) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return host.Close(ctx)
}

// session finds the session that the flags name, or makes the id of a new one.
func (a *program) session(ctx context.Context, host *command.Host) (string, error) {
	switch {
	case a.flags.goOn:
		for info, err := range host.Engine.List(ctx, "") {
			if err != nil {
				return "", err
			}
			if !strings.Contains(info.ID, ".") {
				return info.ID, nil
			}
		}
		return "", usagef(msg.UsageNoSessions, host.StateDir)
	case a.flags.resume != "":
		return command.Existing(ctx, host, a.flags.resume)
	case a.flags.session != "":
		id, err := store.CleanID(a.flags.session)
		if err != nil {
			return "", &usageError{err}
		}
		return id, nil
	}
	return engine.NewID(), nil
}
