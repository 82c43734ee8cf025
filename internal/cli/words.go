package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"react-agent/internal/msg"
)

// speak puts the catalogue's words in the place of cobra's own: help, usage and mistakes on the command line. It needs all
// commands to be there.
func (a *program) speak(root *cobra.Command) {
	t := a.msg.Text
	root.SetUsageTemplate(strings.NewReplacer(
		"Usage:", t(msg.HelpUsage), "Examples:", t(msg.HelpExamples), "Available Commands:", t(msg.HelpCommands),
		"Global Flags:", t(msg.HelpGlobalFlags), "Flags:", t(msg.HelpFlags),
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`, t(msg.HelpMore, "{{.CommandPath}} [command] --help"),
	).Replace(root.UsageTemplate()))
	root.PersistentFlags().BoolP("help", "h", false, t(msg.FlagHelp))
	root.Flags().BoolP("version", "v", false, t(msg.HelpVersion))
	root.SetHelpCommand(a.helpCommand())
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var b strings.Builder
		to := cmd.OutOrStdout()
		cmd.SetOut(&b)
		help(cmd, args)
		cmd.SetOut(to)
		_, _ = io.WriteString(to, a.std.fitted(b.String())) // nowhere to report it
	})
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short, c.Long = t(msg.HelpCompletion), t(msg.HelpCompletion)
		c.Args, c.RunE = noArgs, a.incomplete
		for _, shell := range c.Commands() {
			shell.Short = t(msg.HelpCompletionFor, shell.Name())
			shell.Long, shell.Example = shell.Short, "  "+loadsCompletion(shell.Name())
			if f := shell.Flags().Lookup("no-descriptions"); f != nil {
				f.Usage = t(msg.FlagNoDescriptions)
			}
		}
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
}

// loadsCompletion is what a person types in a shell to have command lines completed in it.
func loadsCompletion(shell string) string {
	script := "react-agent completion " + shell
	switch shell {
	case "fish":
		return script + " | source"
	case "powershell":
		return script + " | Out-String | Invoke-Expression"
	}
	return "source <(" + script + ")"
}

func (a *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: a.msg.Text(msg.HelpAny), Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			to, rest, err := cmd.Root().Find(args)
			if err != nil || to == nil || len(rest) > 0 {
				return unknownCommand(to, rest)
			}
			return to.Help()
		},
	}
}

// noArgs refuses what is taken for a subcommand and is none, and names the nearest.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args)
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if cmd == nil || len(args) == 0 {
		return usagef(msg.UsageNoCommand, strings.Join(args, " "), "react-agent")
	}
	cmd.SuggestionsMinimumDistance = 2 // edits
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef(msg.UsageNoCommandNear, args[0], cmd.CommandPath(), near[0])
	}
	return usagef(msg.UsageNoCommand, args[0], cmd.CommandPath())
}

// flagError says in the catalogue's words what is wrong with a flag.
func flagError(err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return usagef(msg.UsageNoFlag, dashed(e.GetSpecifiedName()))
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usagef(msg.UsageFlagValue, dashed(e.GetSpecifiedName()))
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usagef(msg.UsageFlagWrong, dashed(e.GetFlag().Name), e.GetValue(), e.GetFlag().Value.Type())
	}
	if e, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return usagef(msg.UsageNoFlag, e.GetSpecifiedFlag())
	}
	return err
}

func dashed(name string) string {
	if len([]rune(name)) == 1 {
		return "-" + name
	}
	return "--" + name
}
