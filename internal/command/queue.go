package command

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// queueCommand puts a message behind the run that goes on, lists what waits, changes it and takes it back.
func queueCommand() Command {
	return Command{
		Name: "queue", Args: "[TEXT | edit N TEXT | rm N]", Help: msg.HelpQueue, Slash: true, Front: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			if in.Rest == "" {
				return Outcome{}, listQueue(ctx, h, in)
			}
			verb, rest := word(in.Rest)
			n, behind := word(rest)
			number, err := strconv.Atoi(n)
			switch { // other words behind edit and rm are a message that begins so
			case verb == "edit" && err == nil && behind != "":
				return editQueue(ctx, h, in, number, behind)
			case verb == "rm" && err == nil && behind == "":
				return editQueue(ctx, h, in, number, "")
			case verb == "edit" && (rest == "" || err == nil), verb == "rm" && rest == "":
				return Outcome{}, usage(msg.SlashArgs, "/queue [TEXT | edit N TEXT | rm N]")
			}
			return sayAs(ctx, h, in, true)
		},
	}
}

// steerCommand says something to the run that goes on, whatever else a line would mean: an answer, where a question waits.
func steerCommand() Command {
	return Command{
		Name: "steer", Args: "TEXT", Help: msg.HelpSteer, Slash: true, Front: true, Min: 1, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) { return sayAs(ctx, h, in, false) },
	}
}

// word takes the first word off a text.
func word(s string) (first, rest string) {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

// sayAs hands in what stands behind the command: a message, which may call skills. Commands of ours cannot wait.
func sayAs(ctx context.Context, h *Host, in Input, queue bool) (Outcome, error) {
	l, err := Read(ctx, h, in.Session, in.Rest)
	switch {
	case err != nil:
		return Outcome{}, err
	case l.Command != "":
		first, _ := word(l.Command)
		if h.Remote != nil && !builtIn(strings.TrimPrefix(first, "/")) { // a skill, which only the server knows
			return Outcome{Input: &engine.Input{Command: l.Command, Queue: queue}}, nil
		}
		return Outcome{}, usage(msg.QueueCommand, first)
	}
	return Outcome{Input: &engine.Input{Message: &l.Message, Queue: queue}}, nil
}

func listQueue(ctx context.Context, h *Host, in Input) error {
	info, err := h.Engine.Info(ctx, in.Session)
	if err != nil {
		return err
	}
	if len(info.Queue) == 0 {
		return in.printf("%s\n", h.Msg.Text(msg.QueueEmpty))
	}
	for i, n := range h.Waiting.Of(in.Session, info.Queue) {
		key := msg.QueueSteers
		if info.Queue[i].Queue {
			key = msg.QueueWaits
		}
		if err := in.printf("%s\n", h.Msg.Text(key, n, Said(info.Queue[i].Message))); err != nil {
			return err
		}
	}
	return nil
}

// editQueue changes a message that waits; without a text it is taken back. What is attached to it stays.
func editQueue(ctx context.Context, h *Host, in Input, number int, text string) (Outcome, error) {
	info, err := h.Engine.Info(ctx, in.Session)
	if err != nil {
		return Outcome{}, err
	}
	at := slices.Index(h.Waiting.Of(in.Session, info.Queue), number)
	if at < 0 {
		return Outcome{}, usage(msg.QueueNoSuch, number)
	}
	old := info.Queue[at]
	edit := &engine.Input{Edit: old.Pos}
	if text == "" {
		return Outcome{Input: edit}, in.printf("%s\n", h.Msg.Text(msg.QueueGone, number, Said(old.Message)))
	}
	l, err := Read(ctx, h, in.Session, text)
	if err != nil {
		return Outcome{}, err
	}
	if l.Command != "" {
		first, _ := word(l.Command)
		return Outcome{}, usage(msg.QueueCommand, first)
	}
	m := l.Message
	m.Parts = append(slices.Clip(m.Parts), blobs(old.Message.Parts)...)
	edit.Message = &m
	return Outcome{Input: edit}, in.printf("%s\n", h.Msg.Text(msg.QueueChanged, number, Said(m)))
}

// saidCut is how much of a message stands in a line about it, in characters.
const saidCut = 200

// Said is a message in one line: what it says, and how much is attached.
func Said(m agent.Message) string {
	line := strings.Join(strings.Fields(m.Text()), " ")
	if r := []rune(line); len(r) > saidCut {
		line = string(r[:saidCut-1]) + "…"
	}
	if n := len(blobs(m.Parts)); n > 0 {
		line = strings.TrimSpace(line + " [+" + strconv.Itoa(n) + "]")
	}
	return text.Visible(line)
}
