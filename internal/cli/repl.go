package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// repl is a conversation by lines.
type repl struct {
	*program
	host  *command.Host
	talk  *talk
	view  *textView
	lines <-chan string // nil once the input has ended
	next  chan<- bool   // asks the reader for the next message

	reading  bool   // the reader was asked for a message
	prompted bool   // a prompt stands on the screen
	asked    string // id of the question that was put last
	warned   bool   // Ctrl-C was pressed once
	block    *block // a message of several lines that is being typed
	ended    bool   // no more input will come
	leaving  bool
	code     int
}

// repl runs a conversation until the person leaves.
func (a *program) repl(ctx context.Context) error {
	if err := a.flags.oneSession(); err != nil {
		return err
	}
	if _, given := a.flags.given["schema"]; given {
		return usagef(msg.SchemaOneAnswer)
	}
	o := a.options()
	o.Model, o.Works, o.Attended = true, true, true
	return a.on(ctx, o, func(host *command.Host) (int, error) { return a.converse(ctx, host) })
}

func (a *program) converse(ctx context.Context, host *command.Host) (int, error) {
	id, err := a.session(ctx, host)
	if err != nil {
		return exitInternal, err
	}
	v := &textView{
		out: a.std.Out, err: a.std.Out, msg: a.msg, quiet: a.flags.quiet,
		live: true, erase: a.std.escapes(), size: a.std.Size, look: host.Look, file: host.BlobFile, fit: a.std.fitted, chat: true,
	}
	a.shown = v
	if host.Remote == nil {
		_, _ = host.Agent(ctx, "") // what is wrong with skills and the like is told before anything is asked; errors are met again
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan bool)
	r := &repl{program: a, host: host, view: v, next: next, lines: readMessages(ctx, a.std, next)}
	if r.talk, err = join(ctx, host, id, v); err != nil {
		return exitInternal, err
	}
	defer func() { r.talk.leave() }()
	if err := r.talk.resume(ctx); err != nil {
		return exitInternal, err
	}
	r.talk.keys = a.std.InTTY
	if err := r.talk.attach(ctx, a.flags.attach); err != nil {
		return exitInternal, err
	}
	if err := a.planFirst(ctx, r.talk); err != nil {
		return exitInternal, err
	}
	v.tell(r.banner(ctx))
	return r.loop(ctx)
}

// banner is the first line. A session that is at work is not waited for to learn its mode.
func (r *repl) banner(ctx context.Context) string {
	id := r.talk.id
	if info, err := r.host.Engine.Info(ctx, id); err != nil || info.Seq == 0 || !r.talk.f.idle() {
		id = ""
	}
	if r.host.Remote != nil {
		return r.host.Remote.Banner(ctx, id)
	}
	return command.Banner(ctx, r.host, id)
}

// loop serves lines, events and signals until the person leaves.
func (r *repl) loop(ctx context.Context) (int, error) {
	for !r.done() {
		r.watch.turn()
		if err := r.unanswerable(ctx); err != nil {
			return exitInternal, err
		}
		r.invite()
		want := r.next
		if r.reading || !r.wanted() {
			want = nil
		}
		var err error
		select {
		case want <- true:
			r.reading = true
		case line, ok := <-r.lines:
			r.reading = false
			err = r.line(ctx, line, ok)
		case e, ok := <-r.talk.events:
			err = r.event(e, ok)
		case x := <-r.talk.asides.done:
			err = r.told(x)
		case sig := <-r.std.Signals:
			err = r.interrupt(ctx, signalCode(sig))
		}
		if err != nil {
			if closedPipe(err) {
				return exitPipe, nil
			}
			return exitInternal, err
		}
	}
	r.abandon()
	return r.code, nil
}

// unanswerable refuses what is asked when nothing more can be typed.
func (r *repl) unanswerable(ctx context.Context) error {
	q, due := r.talk.asks.first()
	if !due || r.lines != nil {
		return nil
	}
	return r.talk.nobody(ctx, q)
}

// done reports whether it is time to go: whoever leaves waits for the end of the run, so that the history is whole.
func (r *repl) done() bool {
	return (r.leaving || r.ended && r.talk.asides.open == 0) && r.talk.f.idle()
}

// wanted reports whether a line may be read now. At a terminal always; from a pipe only when it is its turn, so that a
// script means what it says.
func (r *repl) wanted() bool {
	if r.lines == nil || r.leaving {
		return false
	}
	_, asked := r.talk.asks.first()
	return r.std.InTTY || asked || r.talk.f.idle() && r.talk.asides.open == 0
}

// invite shows the prompt or the question that is due, once.
func (r *repl) invite() {
	if q, ok := r.talk.asks.first(); ok {
		if r.asked != q.ID {
			r.asked, r.talk.asks.shown = q.ID, time.Now()
			text, how := ask(r.msg, q)
			r.view.say(text + r.std.fitted(how))
			r.mark("? ")
		}
		if !r.prompted && r.talk.asides.open == 0 {
			r.mark("? ")
		}
		return
	}
	r.asked = ""
	if !r.prompted && r.talk.f.idle() && r.talk.asides.open == 0 && !r.ended && !r.leaving {
		r.mark(r.prompt())
	}
}

func (r *repl) prompt() string {
	if r.block != nil {
		return ". "
	}
	if p := r.host.Look.Prompt; p != "" {
		return p
	}
	return "> "
}

// mark prints a prompt, at a terminal only on a line of its own.
func (r *repl) mark(text string) {
	r.view.newline()
	r.view.put(text)
	r.view.mid = true
	r.prompted = true
}

// event shows an event. The prompt is printed again below whatever it prints.
func (r *repl) event(e seen, ok bool) error {
	if !ok {
		return errors.New("the session's events ended")
	}
	if e.err != nil {
		return e.err
	}
	was := r.prompted && r.view.mid
	if was && !quietEvent(e.event) {
		r.prompted = false
	}
	end, err := r.talk.show(e.event)
	if end || broken(e.event) {
		r.prompted, r.asked = false, "" // warned stays: Ctrl-C cancels, and once more leaves
	}
	return err
}

// quietEvent reports whether an event shows nothing.
func quietEvent(e agent.Event) bool {
	switch e.Type {
	case agent.EvStep, agent.EvSetup, agent.EvAsk, agent.EvVoid:
		return true
	case agent.EvCompact:
		return e.Run == ""
	case agent.EvState:
		return command.Changed(msg.Catalogue{}, e.State) == ""
	case agent.EvMessage:
		return e.Message != nil && e.Message.Role == agent.User && e.Message.From == ""
	default:
		return false
	}
}

// line takes one message of the person in.
func (r *repl) line(ctx context.Context, line string, ok bool) error {
	r.prompted, r.view.mid = false, false // the person's newline ended the line
	if !r.std.InTTY {
		r.view.mid = true // a pipe echoes nothing
		r.view.newline()
	}
	if !ok {
		r.ended, r.lines = true, nil
		if r.block != nil {
			line, r.block = r.block.text(), nil
			return r.message(ctx, line)
		}
		return nil
	}
	r.warned = false
	if r.std.InTTY && cutByTerminal(line) {
		r.block = nil
		r.view.tell(r.msg.Text(msg.ReplCut))
		return nil
	}
	if r.block == nil {
		r.block = &block{}
	}
	if !r.block.add(line) {
		return nil
	}
	line, r.block = r.block.text(), nil
	return r.message(ctx, line)
}

// message acts on a whole message.
func (r *repl) message(ctx context.Context, text string) error {
	trimmed := strings.TrimSpace(text)
	switch trimmed {
	case "exit", "quit", "q":
		return r.leave(ctx)
	case "":
		if _, due := r.talk.asks.first(); r.host.Look.Leave && !due && r.talk.held == nil && r.talk.f.idle() {
			return r.leave(ctx)
		}
	}
	held := r.talk.held != nil
	o, err := r.talk.typed(ctx, text)
	if held && r.talk.held == nil {
		r.asked = "" // the question behind it is put again, if it still waits
	}
	switch {
	case err != nil && closedPipe(err):
		return err
	case err != nil:
		err, _ = command.Mistaken(err)
		r.view.tell(r.msg.Err(err))
		return nil
	case o.Leave:
		return r.leave(ctx)
	case o.Fresh:
		return r.fresh(ctx)
	}
	return nil
}

// told shows what a command beside the conversation has come to.
func (r *repl) told(x aside) error {
	r.prompted = false
	if err := r.talk.told(x); err != nil && !closedPipe(err) {
		err, _ = command.Mistaken(err)
		r.view.tell(r.msg.Err(err))
	} else if err != nil {
		return err
	}
	return nil
}

// fresh goes on with a new session; the old one stays as it is.
func (r *repl) fresh(ctx context.Context) error {
	if !r.talk.f.idle() {
		r.view.tell(r.msg.Text(msg.ReplBusy))
		return nil
	}
	t, err := join(ctx, r.host, engine.NewID(), r.view)
	if err != nil {
		return err
	}
	r.host.Tray.Move(r.talk.id, t.id)
	r.abandon()
	r.talk.leave()
	t.keys = r.talk.keys
	r.talk = t
	r.view.tell(r.msg.Text(msg.ReplFresh))
	return nil
}

// abandon cancels the commands that run beside the conversation, and says so if there are any.
func (r *repl) abandon() bool {
	if r.talk.asides.open == 0 {
		return false
	}
	r.talk.asides.cancel()
	r.view.tell(r.msg.Text(msg.RunCancelled))
	return true
}

// leave ends the conversation once the run has ended; one that waits for an answer is cancelled, since none will come.
func (r *repl) leave(ctx context.Context) error {
	r.leaving = true
	if _, due := r.talk.asks.first(); due {
		return r.talk.cancel(ctx)
	}
	return nil
}

// interrupt handles Ctrl-C and a request to end.
func (r *repl) interrupt(ctx context.Context, code int) error {
	busy := !r.talk.f.idle()
	r.prompted, r.view.mid = false, false
	r.view.put("\n")
	switch {
	case code != exitInterrupted:
		r.code, r.leaving = code, true
	case r.warned || r.leaving:
		r.code, r.leaving = exitInterrupted, true
		r.watch.leave(r.code, hurry)
		r.talk.f.open, r.talk.f.waiting = false, map[int64]bool{} // Close brings what runs to its end
		return nil
	case busy:
		r.warned = true
	case r.abandon():
		return nil
	case r.block != nil:
		r.block = nil
		return nil
	case r.host.Look.Leave:
		r.leaving = true
		return nil
	default:
		r.warned = true
		r.view.tell(r.msg.Text(msg.ReplAgain))
		return nil
	}
	if !busy {
		return nil
	}
	r.view.tell(r.msg.Text(msg.ReplCancelling))
	err := r.talk.cancel(ctx)
	if err != nil && r.host.Remote != nil { // once more leaves
		r.view.tell(r.msg.Err(err))
		return nil
	}
	return err
}
