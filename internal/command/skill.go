package command

import "react-agent/internal/msg"

// skillCommands are those of the group `skill`.
func skillCommands() []Command {
	return []Command{
		skillInstallCommand(), skillListCommand(), skillShowCommand(), skillUpdateCommand(), skillRemoveCommand(),
		skillLintCommand(), skillNewCommand(),
	}
}

// GroupHelp is the help text of a group of subcommands, such as the `skill` of `skill lint`.
func GroupHelp(group string) msg.Key {
	switch group {
	case "skill":
		return msg.HelpSkillGroup
	case "memory":
		return msg.HelpMemoryGroup
	case "task":
		return msg.HelpTaskGroup
	case "team":
		return msg.HelpTeamGroup
	}
	return msg.HelpSession
}

// wantsJSON reports whether a command that has a flag --json is to print JSON.
func (in Input) wantsJSON() bool { return in.JSON || in.isSet("json") }

// jsonFlag is that flag.
func jsonFlag() Flag { return Flag{Name: "json", Default: "false", Help: msg.FlagJSON} }
