package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"react-agent/internal/command"
	"react-agent/internal/msg"
)

func (a *program) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: a.msg.Text(msg.HelpServe),
		Long:  a.msg.Text(msg.HelpServeLong),
		Args:  noArgs,
		RunE: a.guarded(func(ctx context.Context, _ []string) error {
			return a.serve(ctx)
		}),
	}
	c.Flags().String("listen", "", a.msg.Text(msg.FlagListen)) // the configuration takes it
	return c
}

// serve answers over HTTP until a signal ends it. A second signal ends it at once.
func (a *program) serve(ctx context.Context) error {
	if a.flags.server != "" {
		return usagef(msg.RemoteCommand, "serve")
	}
	o := a.options()
	o.Works, o.Attended = true, true // whoever follows a session can answer
	host, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- host.Serve(serving, command.ServeOptions{Say: a.warn}) }()
	for {
		a.watch.turn()
		select {
		case sig := <-a.std.Signals:
			if a.quit != 0 { // the second time
				return &exitError{a.quit}
			}
			a.quit = signalCode(sig)
			a.watch.leave(a.quit, 2*patience+hurry) // runs, then answers, then the rest
			a.warn(a.msg.Text(msg.ServerStops))
			stop()
		case err := <-done:
			if closeErr := a.close(ctx, host); err == nil {
				err = closeErr
			}
			if errors.Is(err, command.ErrConfig) {
				err = &usageError{err}
			}
			if err == nil && a.quit != 0 {
				err = &exitError{a.quit}
			}
			return err
		}
	}
}
