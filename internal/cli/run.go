package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/store"
)

// oneShot is the command run: one turn, or the turns that --input jsonl asks for.
type oneShot struct {
	*program
	talk  *talk
	lines <-chan input // inputs or the person's answers; nil when there is none or it has ended
	code  int          // the exit code once the person or the system has ended the run
	stop  agent.RunStop
	wait  <-chan time.Time // patience with a cancelled run is over
	wrong error            // the person's last mistake in a line of --input jsonl
	bad   bool             // a line of it could not be read
}

// input is one line of standard input: something to submit, a line that a person typed, or an error.
type input struct {
	n    int // of the line
	in   engine.Input
	line string
	err  error
	// words says that in is an answer that has a text and leaves open whether it allows.
	words bool
}

// run is the whole of `run` and `demo`.
func (a *program) run(ctx context.Context, args []string, demo bool) error {
	if err := a.flags.oneSession(); err != nil {
		return err
	}
	prompt, typed, err := a.prompt(args, a.flags.inputLines())
	if err != nil {
		return err
	}
	o := a.options()
	if o.Schema, err = a.schema(); err != nil {
		return err
	}
	if demo && o.Server != "" {
		return usagef(msg.RemoteCommand, "demo")
	}
	o.Model, o.Works, o.Demo = true, true, demo
	o.Attended = !demo && (a.flags.inputLines() || a.attended())
	host, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	code, err := a.runOn(ctx, host, prompt, typed)
	if closeErr := a.close(ctx, host); err == nil && closeErr != nil {
		err = closeErr
	}
	if err == nil && code != exitOK {
		err = &exitError{code}
	}
	return err
}

// schema is the file of --schema.
func (a *program) schema() (string, error) {
	_, given := a.flags.given["schema"]
	switch {
	case given && a.flags.inputLines():
		return "", usagef(msg.SchemaOneAnswer)
	case given && a.flags.schema == "":
		return "", usagef(msg.SchemaNoFile)
	}
	return a.flags.schema, nil
}

// asStored makes lines of events what logs have, with large bodies in the store.
func asStored(ctx context.Context, v view, host *command.Host) {
	if lines, ok := v.(*linesView); ok {
		blobs := store.Blobs(host.Store)
		if host.Remote != nil {
			blobs = kept{host.Remote.Blobs} // what an event has came from there
		}
		lines.line = func(e agent.Event) ([]byte, error) { return engine.Encode(context.WithoutCancel(ctx), blobs, e) }
	}
}

func (a *program) runOn(ctx context.Context, host *command.Host, prompt string, typed int) (int, error) {
	id, err := a.session(ctx, host)
	if err != nil {
		return 0, err
	}
	v := a.view(host, id)
	asStored(ctx, v, host)
	t, err := join(ctx, host, id, v)
	if err != nil {
		return 0, err
	}
	defer t.leave()
	s := &oneShot{program: a, talk: t}
	if err := s.attach(ctx, prompt); err != nil {
		return 0, err
	}
	switch {
	case prompt != "":
		if err := a.planFirst(ctx, t); err != nil {
			return 0, err
		}
		m := agent.TextMessage(agent.User, prompt)
		if typed < len(prompt) {
			command.Typed(&m, typed)
		}
		if _, err := t.line(ctx, engine.Input{Message: &m}); err != nil { // before the run goes on that it may answer
			return 0, err
		}
	case a.flags.inputLines():
	case t.f.idle():
		return 0, usagef(msg.UsageNothingOpen, id)
	default:
		a.note(a.msg.Text(msg.GoingOn, id))
	}
	if err := t.resume(ctx); err != nil {
		return 0, err
	}
	for _, q := range t.asks.open {
		s.question(agent.Event{Type: agent.EvAsk, Ask: &q})
	}
	switch {
	case a.flags.inputLines():
		s.lines = readInputs(ctx, a.std.In)
	case a.attended():
		t.keys = true
		s.lines = readAnswers(ctx, a.std.In)
	}
	return s.loop(ctx)
}

// attach puts the files of the command line on the tray, for the message that comes.
func (s *oneShot) attach(ctx context.Context, prompt string) error {
	if len(s.flags.attach) > 0 && prompt == "" && !s.flags.inputLines() {
		return usagef(msg.AttachNothing)
	}
	return s.talk.attach(ctx, s.flags.attach)
}

// attended reports whether a person sits at a terminal and can be asked.
func (a *program) attended() bool {
	return a.std.InTTY && a.std.ErrTTY && a.flags.output == outText
}

// loop goes on until the run is over and no input can come any more.
func (s *oneShot) loop(ctx context.Context) (int, error) {
	for !s.over() {
		s.watch.turn()
		if err := s.unanswerable(ctx); err != nil {
			return s.finish(err)
		}
		select {
		case e, ok := <-s.talk.events:
			if !ok {
				return s.finish(errors.New("the session's events ended before the run did"))
			}
			if e.err != nil {
				return s.finish(e.err)
			}
			if err := s.event(ctx, e.event); err != nil {
				return exitInternal, err
			}
		case in, ok := <-s.lines:
			if err := s.input(ctx, in, ok); err != nil {
				return s.finish(err)
			}
		case x := <-s.talk.asides.done:
			if err := s.told(x); err != nil {
				return s.finish(err)
			}
		case sig := <-s.std.Signals:
			if s.code != 0 {
				s.watch.leave(s.code, hurry)
				return s.code, nil // the second time: at once
			}
			s.interrupt(ctx, agent.RunCancelled, signalCode(sig))
		case <-s.wait:
			return s.finish(nil)
		}
	}
	return s.finish(nil)
}

// over reports whether there is nothing left to wait for.
func (s *oneShot) over() bool {
	if s.code != 0 {
		return s.talk.f.ended && !s.talk.f.open
	}
	return s.talk.f.idle() && s.talk.asides.open == 0 && (s.lines == nil || !s.flags.inputLines())
}

func (s *oneShot) event(ctx context.Context, e agent.Event) error {
	if broken(e) {
		s.talk.f.event(e)
		return errors.New(e.Error.Message)
	}
	_, err := s.talk.show(e)
	switch {
	case err == nil:
		s.question(e)
		return nil
	case closedPipe(err):
		s.talk.view = nullView{}
		if !s.over() {
			s.interrupt(ctx, "", exitPipe)
		}
		s.code = exitPipe
		return nil
	}
	return err
}

// unanswerable refuses what is asked when the input that could answer has ended.
func (s *oneShot) unanswerable(ctx context.Context) error {
	q, due := s.talk.asks.first()
	if !due || s.lines != nil || !s.talk.host.Options.Attended {
		return nil // the run's owner knows whether there is anybody to ask
	}
	s.talk.asks.drop(q.ID)
	return s.talk.submit(ctx, engine.Input{Answer: &agent.Answer{ID: q.ID, Text: agent.Nobody}})
}

// question puts what was just asked to the person at the terminal.
func (s *oneShot) question(e agent.Event) {
	if e.Type == agent.EvAsk && e.Ask != nil && s.attended() {
		s.talk.asks.shown = time.Now()
		s.answered(*e.Ask)
		s.talk.view.say(ask(s.msg, *e.Ask))
	}
}

// interrupt cancels the run and sets how the program will end.
func (s *oneShot) interrupt(ctx context.Context, stop agent.RunStop, code int) {
	s.code, s.stop = code, stop
	s.watch.leave(code, patience+hurry)
	if s.talk.f.idle() {
		s.talk.f.ended = true // nothing runs: there is no end to wait for
		return
	}
	s.talk.f.ended = false
	if err := s.talk.cancel(ctx); err != nil {
		s.talk.view.say(s.msg.Err(err))
	}
	s.wait = time.After(patience)
}

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

// finish prints what is still to be printed, and gives the exit code.
func (s *oneShot) finish(err error) (int, error) {
	r := s.talk.f.res
	if err != nil {
		return exitInternal, err
	}
	if s.wrong != nil && r.Stop == "" && s.code == 0 { // nothing ran
		if _, ok := s.talk.view.(*jsonView); ok {
			return exitUsage, s.wrong
		}
		return errorCode(asError(s.msg, &usageError{s.wrong})), nil
	}
	if !s.talk.f.ended && s.code != 0 || r.Stop == "" {
		r.Stop = s.stop
		if r.Stop == "" {
			r.Stop = agent.RunEnd
			if s.code != 0 {
				r.Stop = agent.RunCancelled
			}
		}
	}
	if j, ok := s.talk.view.(*jsonView); ok {
		if err := j.finish(r); err != nil && !closedPipe(err) {
			return exitInternal, err
		}
	}
	return s.ends(r), nil
}

// ends is the exit code of a run that has come to this: a line that could not be read counts where nothing is worse.
func (s *oneShot) ends(r result) int {
	if s.code != 0 {
		return s.code
	}
	code := exitCode(r.Stop, r.Error)
	if code == exitOK && s.bad {
		code = exitUsage
	}
	return code
}

// readInputs reads one input a line, as JSON, until the end.
func readInputs(ctx context.Context, r io.Reader) <-chan input {
	return readLines(ctx, r, parseInput)
}

// readAnswers reads what the person types.
func readAnswers(ctx context.Context, r io.Reader) <-chan input {
	return readLines(ctx, r, func(_ int, line string) input { return input{line: line} })
}

// readLines delivers lines until the input or ctx ends. A line may have any length.
func readLines(ctx context.Context, r io.Reader, make_ func(n int, line string) input) <-chan input {
	out := make(chan input)
	go func() {
		defer close(out)
		br := bufio.NewReader(r)
		for n := 1; ; n++ {
			line, err := br.ReadString('\n')
			if line = trimEOL(line); line != "" {
				select {
				case out <- make_(n, line):
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func signalCode(sig os.Signal) int {
	if sig == os.Interrupt {
		return exitInterrupted
	}
	return exitTerminated
}
