package cli

import (
	"context"
	"errors"
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
	return a.on(ctx, o, func(host *command.Host) (int, error) { return a.runOn(ctx, host, prompt, typed) })
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
		s.lines = readInputs(ctx, a.std.In, parseInput)
	case a.attended():
		t.keys = true
		s.lines = readInputs(ctx, a.std.In, typedInput)
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
	return s.talk.nobody(ctx, q)
}

// question puts what was just asked to the person at the terminal.
func (s *oneShot) question(e agent.Event) {
	if e.Type == agent.EvAsk && e.Ask != nil && s.attended() {
		s.talk.asks.shown = time.Now()
		s.answered(*e.Ask)
		text, how := ask(s.msg, *e.Ask)
		s.talk.view.say(text + s.fitted(how))
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
