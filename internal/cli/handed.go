package cli

import (
	"context"
	"strings"

	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

func (s *oneShot) input(ctx context.Context, in input, ok bool) error {
	switch {
	case !ok:
		s.lines = nil
		return nil
	case in.err != nil: // the other lines count
		s.bad = true
		return s.acknowledge(in.n, "", engine.Receipt{}, in.err)
	case s.flags.inputLines():
		return s.handed(ctx, in)
	}
	if cutByTerminal(in.line) { // lines of this sort are typed
		s.talk.view.say(s.msg.Text(msg.ReplCut))
		return nil
	}
	o, err := s.talk.typed(ctx, in.line) // while the run is busy it steers
	err = s.outlived(in.line, err)
	if err == nil && o.Fresh {
		err = &command.UsageError{Err: msg.Errorf(msg.ReplBusy)}
	}
	return s.mistake(err)
}

// handed acts on a line of --input jsonl, and acknowledges it.
func (s *oneShot) handed(ctx context.Context, in input) error {
	var r engine.Receipt
	var err error
	switch line, beside := besideLine(in.in); {
	case beside:
		s.talk.asides.start(ctx, aside{line: in.n, id: in.in.ID}, func(ctx context.Context) (engine.Receipt, error) {
			in.in.Command, in.in.Message = line, nil
			return s.talk.host.Engine.Submit(ctx, s.talk.id, in.in)
		})
		return nil
	case in.in.Answer != nil && !s.talk.asks.has(in.in.Answer.ID):
		err = s.noQuestion(in.in.Answer.ID)
	default:
		if in.words {
			a := command.Worded(s.talk.asks.open, *in.in.Answer)
			in.in.Answer = &a
		}
		var said strings.Builder
		if v, lines := s.talk.view.(*linesView); lines {
			v.said = &said
			defer func() { v.said = nil }()
		}
		r, err = s.talk.line(ctx, in.in)
		r.Text = said.String()
		err = s.outlived(line, err)
		if in.in.Answer != nil {
			s.talk.asks.drop(in.in.Answer.ID)
		}
	}
	return s.acknowledge(in.n, in.in.ID, r, err)
}

// outlived makes what a command has met its own matter, and what has not got through to a server elsewhere: there, the
// conversation goes on.
func (s *oneShot) outlived(line string, err error) error {
	if strings.HasPrefix(strings.TrimSpace(line), "/") || s.talk.host.Remote != nil {
		return failed(err)
	}
	return err
}

// besideLine is the command of an input, if it is one, and whether it runs beside the conversation.
func besideLine(in engine.Input) (line string, ok bool) {
	line = in.Command
	if line == "" && in.Message != nil && in.Edit == 0 && len(in.Message.Parts) == 1 {
		line = strings.TrimSpace(in.Message.Text())
		if !strings.HasPrefix(line, "/") {
			return "", false
		}
	}
	return line, line != "" && command.IsBeside(line)
}

// noQuestion says that an answer has no question, and which ones wait.
func (s *oneShot) noQuestion(id string) error {
	var open []string
	for _, q := range s.talk.asks.open {
		open = append(open, q.ID)
	}
	if len(open) == 0 {
		return &command.UsageError{Err: msg.Errorf(msg.AskNone, id)}
	}
	return &command.UsageError{Err: msg.Errorf(msg.AskOthers, id, strings.Join(open, ", "))}
}

// acknowledge answers a line of --input jsonl where events are printed; elsewhere only a mistake is told.
func (s *oneShot) acknowledge(n int, id string, r engine.Receipt, err error) error {
	wrong, ok := command.Mistaken(err)
	if err != nil && !ok {
		return err
	}
	if v, lines := s.talk.view.(*linesView); lines {
		if err != nil {
			s.wrong = wrong
			return v.receipt(receipt{Line: n, ID: id, Error: s.msg.Err(wrong)}, s.msg.Text(msg.UsageInputFault, n, wrong))
		}
		return v.receipt(receipt{Line: n, ID: id, Pos: r.Pos, Again: r.Again}, r.Text)
	}
	if err != nil {
		wrong = &command.UsageError{Err: msg.Errorf(msg.UsageInputFault, n, wrong)}
	}
	return s.mistake(wrong)
}

// told shows what a command beside the run has come to.
func (s *oneShot) told(x aside) error {
	if x.line > 0 {
		s.talk.asides.over()
		if _, lines := s.talk.view.(*linesView); !lines && x.receipt.Text != "" {
			if err := s.talk.view.reply(x.receipt.Text); err != nil {
				return err
			}
		}
		return s.acknowledge(x.line, x.id, x.receipt, failed(x.err))
	}
	return s.mistake(failed(s.talk.told(x)))
}

// mistake tells the person of a mistake, and lets everything go on.
func (s *oneShot) mistake(err error) error {
	wrong, ok := command.Mistaken(err)
	if !ok {
		return err
	}
	s.wrong = wrong
	if _, text := s.talk.view.(*textView); !text {
		return s.talk.view.reply(s.msg.Err(wrong))
	}
	s.talk.view.say(s.msg.Err(wrong))
	return nil
}
