package command

import (
	"context"
	"strings"

	"react-agent/internal/msg"
	"react-agent/kit/policy"
)

// permissionsCommand lists the rules, and takes back what the person allowed for good.
func permissionsCommand() Command {
	return Command{
		Name: "permissions", Args: "[remove RULE]", Help: msg.HelpPermissions, Slash: true, Max: -1,
		Run: func(_ context.Context, h *Host, in Input) (Outcome, error) {
			switch {
			case len(in.Args) == 0:
				return Outcome{}, printRules(h, in)
			case in.Args[0] == "remove" && len(in.Args) > 1:
				rule := strings.Join(in.Args[1:], " ")
				was, err := h.Always.Remove(rule)
				if err != nil {
					return Outcome{}, err
				}
				if !was {
					return Outcome{}, usage(msg.RuleUnknown, rule)
				}
				return Outcome{}, in.printf("%s\n", h.Msg.Text(msg.RuleGone, rule))
			}
			return Outcome{}, usage(msg.SlashArgs, "/permissions [remove RULE]")
		},
	}
}

func printRules(h *Host, in Input) error {
	always, err := h.Always.Load()
	if err != nil {
		return err
	}
	n := len(always)
	for _, kind := range []struct {
		name  string
		rules []policy.Rule
	}{{"deny", h.Rules.Deny}, {"ask", h.Rules.Ask}, {"allow", h.Rules.Allow}} {
		n += len(kind.rules)
		for _, r := range kind.rules {
			if err := in.printf("%-6s %s  (%s)\n", kind.name, r, r.Origin); err != nil {
				return err
			}
		}
	}
	for _, r := range always {
		if err := in.printf("%-6s %s  (%s)\n", "allow", r, h.Msg.Text(msg.RuleAlways)); err != nil {
			return err
		}
	}
	if n == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.NoRules))
	}
	return nil
}
