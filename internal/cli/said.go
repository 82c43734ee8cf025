package cli

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// held is a line that came sooner behind a question than anybody types: the person has begun it before. What it is has to
// be said, since it could be the answer, pasted, or something for the run.
type held struct {
	ask     agent.Ask
	line    string
	message agent.Message
}

// perKey is how long the fastest typist takes for a character.
const perKey = 60 * time.Millisecond

// hasty reports whether a line must have been begun before the question was shown. A yes, a no or a number never is.
func hasty(q agent.Ask, line string, since time.Duration) bool {
	line = strings.TrimSpace(line)
	if a := command.AnswerTo(q, line); len(q.Choices) == 0 && q.Kind == agent.Approval && (a.Allow || a.Text == "") || line == "" {
		return false
	}
	for _, c := range q.Choices {
		if strings.EqualFold(line, c) || command.ChoiceNumber(q, line) > 0 {
			return false
		}
	}
	return since < time.Duration(utf8.RuneCountInString(line))*perKey
}

// typed acts on a whole line of a person: a command, the answer to the question that waits, or something for the session.
// What the line wants of the front end is in the outcome.
func (t *talk) typed(ctx context.Context, line string) (command.Outcome, error) {
	t.turn++
	if t.held != nil {
		if done, err := t.decided(ctx, line); done || err != nil {
			return command.Outcome{}, err
		}
	}
	l, err := command.Read(ctx, t.host, t.id, line)
	switch {
	case err != nil:
		return command.Outcome{}, err
	case l.Command != "" && command.IsBeside(l.Command):
		t.beside(ctx, l.Command)
		return command.Outcome{}, nil
	case l.Command != "":
		o, _, err := t.slash(ctx, l.Command)
		return o, err
	}
	if q, due := t.asks.first(); due && !l.Calls {
		if t.keys && hasty(q, line, time.Since(t.asks.shown)) {
			t.held = &held{q, line, l.Message}
			t.view.say(t.host.Msg.Text(msg.AskHasty, command.Said(l.Message)))
			return command.Outcome{}, nil
		}
		return command.Outcome{}, t.reply(ctx, q, line)
	}
	if strings.TrimSpace(line) == "" {
		return command.Outcome{}, nil
	}
	_, err = t.send(ctx, engine.Input{Message: &l.Message})
	return command.Outcome{}, err
}

// reply answers a question.
func (t *talk) reply(ctx context.Context, q agent.Ask, line string) error {
	t.asks.drop(q.ID)
	a := command.AnswerTo(q, line)
	return t.submit(ctx, engine.Input{Answer: &a})
}

// nobody answers a question to which nobody can say anything.
func (t *talk) nobody(ctx context.Context, q agent.Ask) error {
	t.asks.drop(q.ID)
	return t.submit(ctx, engine.Input{Answer: &agent.Answer{ID: q.ID, Text: agent.Nobody}})
}

// decided reads a line as what was said about the one that is held; done reports whether it was that.
func (t *talk) decided(ctx context.Context, line string) (done bool, err error) {
	h := t.held
	yes := command.AnswerTo(agent.Ask{}, line)
	switch gone := !t.asks.has(h.ask.ID); {
	case gone, !yes.Allow && yes.Text == "" && strings.TrimSpace(line) != "": // a no
		t.held = nil
		_, err = t.send(ctx, engine.Input{Message: &h.message})
		return !gone, err
	case yes.Allow:
		t.held = nil
		return true, t.reply(ctx, h.ask, h.line)
	case strings.HasPrefix(strings.TrimSpace(line), "/"):
		return false, nil
	}
	t.view.say(t.host.Msg.Text(msg.AskHasty, command.Said(h.message)))
	return true, nil
}

// dropped tells the person of a line that was held when the run ended.
func (t *talk) dropped() {
	if t.held != nil {
		t.view.say(t.host.Msg.Text(msg.SteerBack, strings.TrimSpace(t.held.line)))
		t.held = nil
	}
}

// beside runs a command that takes its time beside the conversation.
func (t *talk) beside(ctx context.Context, line string) {
	t.asides.start(ctx, aside{typed: line, turn: t.turn}, func(ctx context.Context) (engine.Receipt, error) {
		if t.host.Remote != nil {
			return t.host.Engine.Submit(ctx, t.id, engine.Input{Command: line})
		}
		var out strings.Builder
		_, err := command.Slash(ctx, t.host, t.id, line, &out)
		return engine.Receipt{Text: out.String()}, err
	})
}

// told shows what a command beside the conversation has come to.
func (t *talk) told(x aside) error {
	t.asides.over()
	if x.turn != t.turn { // it stands no more above its answer
		t.view.say(cut(oneLine(x.typed), lineWidth))
	}
	if x.receipt.Text != "" {
		if err := t.answer(x.typed, x.receipt.Text); err != nil {
			return err
		}
	}
	return x.err
}

// failed makes what a command has met its own matter: all else goes on.
func failed(err error) error {
	if _, ok := command.AsUsage(err); err == nil || ok || closedPipe(err) {
		return err
	}
	return &command.UsageError{Err: err}
}
