package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// root builds the tree of commands.
func (a *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "react-agent",
		Short:         a.msg.Text(msg.HelpProgram),
		Long:          a.msg.Text(msg.HelpProgramLong),
		Version:       a.std.Version,
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.flags.take(cmd)
		},
		RunE: a.guarded(a.noCommand),
	}
	root.SetVersionTemplate("react-agent {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = false
	a.flags.add(a.msg, root.PersistentFlags())
	root.AddCommand(a.runCommand(), a.demoCommand(), a.serveCommand())
	groups := map[string]*cobra.Command{}
	for _, c := range command.All() {
		if !c.Shell {
			continue
		}
		parent, name := root, c.Name
		if group, sub, ok := strings.Cut(c.Name, " "); ok {
			if groups[group] == nil {
				groups[group] = a.groupCommand(group)
				root.AddCommand(groups[group])
			}
			parent, name = groups[group], sub
		}
		parent.AddCommand(a.shellCommand(c, name))
	}
	a.speak(root)
	return root
}

// guarded marks that the command line was understood before the command runs.
func (a *program) guarded(run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.ran = true
		return run(cmd.Context(), args)
	}
}

// noCommand is what happens without a subcommand: a conversation at a terminal, else one turn from standard input.
func (a *program) noCommand(ctx context.Context, _ []string) error {
	if a.flags.output == outText && (a.flags.plain || a.std.InTTY) {
		return a.repl(ctx)
	}
	return a.run(ctx, []string{"-"}, false)
}

func (a *program) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "run [PROMPT | -]",
		Short:   a.msg.Text(msg.HelpRun),
		Long:    a.msg.Text(msg.HelpRunLong),
		Example: a.msg.Text(msg.RunTry),
		Args:    cobra.ArbitraryArgs,
		RunE: a.guarded(func(ctx context.Context, args []string) error {
			return a.run(ctx, args, false)
		}),
	}
	c.Flags().StringVar(&a.flags.input, "input", "", a.msg.Text(msg.FlagInput))
	return c
}

func (a *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo [PROMPT | -]",
		Short:   a.msg.Text(msg.HelpDemo),
		Long:    a.msg.Text(msg.HelpDemoLong),
		Example: a.msg.Text(msg.DemoTry),
		Args:    cobra.ArbitraryArgs,
		RunE: a.guarded(func(ctx context.Context, args []string) error {
			a.note(a.msg.Text(msg.DemoNote))
			if len(args) == 0 && a.std.InTTY {
				args = []string{a.msg.Text(msg.DemoPrompt)}
				a.note(a.msg.Text(msg.DemoTalk))
				a.note(a.msg.Text(msg.DemoAsks, args[0]))
			}
			return a.run(ctx, args, true)
		}),
	}
}

func (a *program) groupCommand(name string) *cobra.Command {
	return &cobra.Command{Use: name, Short: a.msg.Text(command.GroupHelp(name)), Args: noArgs, RunE: a.incomplete}
}

// incomplete is what a command does that stands for nothing without a subcommand.
func (a *program) incomplete(cmd *cobra.Command, _ []string) error {
	cmd.SetOut(a.std.Err)
	_ = cmd.Help() // nowhere to report it
	return usagef(msg.UsageSubcommand, cmd.CommandPath())
}

// shellCommand makes a subcommand of one of our commands.
func (a *program) shellCommand(c command.Command, name string) *cobra.Command {
	most := c.Max
	args := func(cmd *cobra.Command, args []string) error {
		if len(args) < c.Min || most >= 0 && len(args) > max(c.Min, most) {
			return usagef(msg.SlashArgs, cmd.UseLine())
		}
		return nil
	}
	cc := &cobra.Command{
		Use: strings.TrimSpace(name + " " + c.Args), Short: a.msg.Text(c.Help), Args: args,
	}
	for _, f := range c.Flags {
		if f.Default == "false" {
			cc.Flags().BoolP(f.Name, f.Short, false, a.msg.Text(f.Help))
		} else {
			cc.Flags().StringP(f.Name, f.Short, f.Default, a.msg.Text(f.Help))
		}
	}
	cc.RunE = func(cmd *cobra.Command, args []string) error {
		a.ran = true
		in := command.Input{Args: args, Flags: map[string]string{}, In: a.std.In, Out: a.std.Out, JSON: a.flags.output != outText}
		for _, f := range c.Flags {
			in.Flags[f.Name] = cmd.Flags().Lookup(f.Name).Value.String()
		}
		return a.command(cmd.Context(), c, in)
	}
	return cc
}

// command opens the product and runs one of our commands.
func (a *program) command(ctx context.Context, c command.Command, in command.Input) error {
	if c.Bare {
		_, err := c.Run(ctx, &command.Host{Msg: a.msg, Options: a.options()}, in)
		return err
	}
	if a.flags.server != "" && !c.Remote {
		return usagef(msg.RemoteCommand, c.Name)
	}
	o := a.options()
	o.Lenient = c.Lenient
	host, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	if c.Name != "doctor" { // which shows them itself
		for _, err := range host.Mistakes() {
			a.warn(a.msg.Text(msg.LeftOut, a.msg.Err(err)))
		}
	}
	working, stop := a.interruptible(ctx)
	err = a.printed(working, c, host, in)
	stop()
	if closeErr := a.close(ctx, host); err == nil {
		err = closeErr
	}
	if err != nil && a.quit != 0 { // the person has ended the program in the place of an answer
		return &exitError{a.quit}
	}
	return err
}

// printed runs one of our commands; what it prints to be read fits the terminal.
func (a *program) printed(ctx context.Context, c command.Command, host *command.Host, in command.Input) error {
	var lines strings.Builder
	if !c.Prose || in.JSON || in.Flags["json"] == "true" {
		_, err := c.Run(ctx, host, in)
		return err
	}
	in.Out = &lines
	_, err := c.Run(ctx, host, in)
	if _, failed := io.WriteString(a.std.Out, a.std.fitted(lines.String())); err == nil {
		err = failed
	}
	return err
}

// interruptible is a context that the first signal ends; quit is then the code to end with. stop has to be called.
func (a *program) interruptible(ctx context.Context) (working context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done, over := make(chan struct{}), make(chan struct{})
	a.gone = make(chan struct{})
	go func() {
		defer close(over)
		select {
		case sig := <-a.std.Signals:
			a.quit = signalCode(sig)
			close(a.gone)
			cancel()
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		<-over
		cancel()
	}
}
