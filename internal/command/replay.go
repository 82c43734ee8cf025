package command

import (
	"context"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// replayCommand plays a stored session again, without model or tools, or checks it.
func replayCommand() Command {
	return Command{
		Name: "replay", Args: "ID", Help: msg.HelpReplay, Shell: true, Min: 1, Max: 1,
		Flags: []Flag{{Name: "check", Default: "false", Help: msg.FlagCheck}},
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			id, err := Existing(ctx, h, in.Args[0])
			if err != nil {
				return Outcome{}, err
			}
			if in.isSet("check") {
				return Outcome{}, checkSession(ctx, h, in, id)
			}
			return Outcome{}, play(ctx, h, in, id)
		},
	}
}

// play prints the events in order, those that were taken back too: it shows what happened.
func play(ctx context.Context, h *Host, in Input, id string) error {
	calls := map[string]agent.Call{}
	for e, err := range h.Engine.Follow(ctx, id, 0, false) {
		if err != nil {
			return err
		}
		if in.JSON {
			if err := jsonLines(in.Out, id, []agent.Event{e}); err != nil {
				return err
			}
			continue
		}
		for _, line := range playLines(e, calls) {
			if err := in.printf("%s\n", line); err != nil {
				return err
			}
		}
	}
	return nil
}

func playLines(e agent.Event, calls map[string]agent.Call) []string {
	switch {
	case e.Type == agent.EvMessage && e.Message != nil:
		return messageLines(*e.Message, calls)
	case e.Type == agent.EvAsk && e.Ask != nil:
		return []string{"? " + clip(e.Ask.Text, 200)}
	case e.Type == agent.EvAnswer && e.Ask != nil && e.Answer != nil:
		return []string{answerText(e)}
	case e.Type == agent.EvVoid && e.Void != nil:
		return []string{"(" + e.Text + ")"}
	case e.Type == agent.EvEnd:
		return []string{endText(e)}
	}
	return nil
}

func messageLines(m agent.Message, calls map[string]agent.Call) []string {
	var lines []string
	for _, e := range messageEntries(m, calls) {
		switch e.kind {
		case "user":
			lines = append(lines, "> "+strings.TrimRight(e.text, "\n"))
		case "call":
			lines = append(lines, "· "+clip(e.head+" "+e.text, 100))
		case "result":
			lines = append(lines, "  ✓ "+clip(e.text, 90))
		case "failed":
			lines = append(lines, "  ✗ "+clip(e.text, 90))
		case "thinking":
			lines = append(lines, "~ "+clip(e.text, 90))
		default:
			lines = append(lines, strings.TrimRight(e.text, "\n"))
		}
	}
	return lines
}
