package chat

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/internal/sse"
	"react-agent/server/refusal"
)

// Chat answers POST /chat with the frames of one turn.
func (a *API) Chat(w http.ResponseWriter, r *http.Request) {
	o, ok := a.read(w, r, false)
	if !ok {
		return
	}
	if strings.TrimSpace(o.Message) == "" {
		httpx.Refuse(w, http.StatusBadRequest, "message is required")
		return
	}
	stream, err := refusal.Switch(r.URL.Query(), "stream", false)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	// What is said counts whether or not its sender waits for the turn.
	ctx := context.WithoutCancel(r.Context())
	info, err := a.o.Engine.Info(ctx, o.Session)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	said := agent.TextMessage(agent.User, o.Message)
	receipt, err := a.o.Engine.Submit(ctx, o.Session, engine.Input{ID: o.ID, Message: &said, Queue: true})
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if receipt.Again { // its turn may have begun long ago
		info.Seq = 0
	}
	if o.ID != "" {
		w.Header().Set("Input-Id", o.ID)
	}
	t := &turn{
		o: &a.o, w: sse.NewWriter(w), session: o.Session, pos: receipt.Pos, seq: info.Seq,
		again: o.ID != "", stream: o.Stream || stream,
	}
	defer func() { _ = t.w.Close() }() // the client is gone if this fails
	if err := t.follow(r.Context()); !t.done {
		t.left(err)
		if errors.Is(err, errLeft) && o.Cancel {
			t.abandon(ctx)
		}
	}
}

// left says why the frames end before the turn does.
func (t *turn) left(why error) {
	switch c := t.o.Msg; {
	case errors.Is(why, errLeft): // nobody is there to be told
	case errors.Is(why, httpx.ErrStopping), errors.Is(why, engine.ErrClosed):
		if t.again { // without done: it asks again
			return
		}
		t.fail(c.Text(msg.ChatStopping, t.session, t.seq))
	case errors.Is(why, errRemoved):
		t.fail(c.Text(msg.ChatRemoved))
	case why != nil:
		t.fail(c.Err(why))
	default:
		t.fail(c.Text(msg.ChatDeleted))
	}
}

var (
	errLeft    = errors.New("the client has left")
	errRemoved = errors.New("the message was taken back")
)

// turn is one request on its way.
type turn struct {
	o       *Options
	w       *sse.Writer
	session string
	pos     int64 // of the message in the session's input
	again   bool  // whoever asks can ask for the same turn again
	stream  bool

	seq     int64 // of the last event that was looked at
	begun   bool  // the message was taken in
	sure    bool  // it is known to have been, whether or not that was read yet
	thought bool  // the model call that goes on was told of
	packed  bool  // so was the compaction that goes on
	pieces  bool  // deltas were sent since the last other frame
	done    bool
	calls   []*call // of the answers so far, in their order, those that have no result or whose result waits
}

// follow sends frames until the turn is over, and says why it stopped before: nil is that the session is gone.
func (t *turn) follow(ctx context.Context) error {
	err := t.listen(ctx)
	if !errors.Is(err, errRemoved) {
		return err
	}
	if err := t.lookBack(ctx); err != nil || !t.sure {
		return cmp.Or(err, errRemoved)
	}
	return t.listen(ctx)
}

// lookBack looks whether the message was taken in after all, behind the last event that was read: a server under load may be
// seconds late with those.
func (t *turn) lookBack(ctx context.Context) error {
	t.sure = t.begun
	for frames, err := range t.o.Frames(ctx, t.session, t.seq, false) {
		if err != nil {
			return err
		}
		for _, f := range frames {
			if f.Type != agent.EvMessage && f.Type != agent.EvEnd {
				continue
			}
			e, err := f.Event()
			if err != nil {
				return err
			}
			t.sure = t.sure || t.took(&e)
		}
	}
	return nil
}

// listen is follow, but it may take a message for lost that was only not seen yet.
func (t *turn) listen(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	begun := func() {}
	if !t.sure {
		begun = t.watch(ctx, cancel)
	}
	for frames, err := range t.o.Frames(ctx, t.session, t.seq, true) {
		if err != nil {
			return err
		}
		for _, f := range frames {
			if err := t.take(&f); err != nil {
				return err
			}
			if t.done {
				break
			}
		}
		if t.begun {
			begun()
		}
		if err := t.w.Flush(); err != nil {
			return errLeft
		}
		if t.done {
			return nil
		}
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errRemoved), errors.Is(cause, httpx.ErrStopping):
		return cause
	case cause != nil:
		return errLeft
	}
	return nil
}

// lost is how often a message that waits is looked for: nothing is stored when somebody takes it back.
const lost = time.Second

// watch ends ctx when the message is neither taken in nor waiting any more. It stops when the returned function is called.
func (t *turn) watch(ctx context.Context, cancel context.CancelCauseFunc) (begun func()) {
	ctx, stop := context.WithCancel(ctx)
	gone := false
	var look *time.Timer
	look = time.AfterFunc(time.Hour, func() {
		i, err := t.o.Engine.Info(ctx, t.session)
		missing := err == nil && !i.Running && !slices.ContainsFunc(i.Queue, func(q engine.Queued) bool { return q.Pos == t.pos })
		switch {
		case ctx.Err() != nil:
		case missing && gone: // twice, since taking it in is not one moment
			cancel(errRemoved)
		default:
			gone = missing
			look.Reset(lost)
		}
	})
	look.Reset(lost)
	return func() {
		stop()
		look.Stop()
	}
}

// abandon takes the message back, or ends the turn that it has begun, and nobody else's.
func (t *turn) abandon(ctx context.Context) {
	_, _ = t.o.Engine.Submit(ctx, t.session, engine.Input{Cancel: true, Edit: t.pos}) // nobody is there to be told
}
