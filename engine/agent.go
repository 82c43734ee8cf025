package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"

	"react-agent/agent"
)

// agent asks the factory, once and after a Refresh, and puts the engine's own parts in. The hooks are told of the session
// when it is to run: what they go on with then is not for a look at it.
func (w *worker) agent(ctx context.Context, run bool) error {
	r := w.room
	r.mu.Lock()
	a, stale, told := r.agent, r.stale, r.told
	r.stale = false
	if stale {
		r.agent, r.told = nil, false
	}
	r.mu.Unlock()
	if a != nil && stale {
		if told {
			tell(ctx, a, w.s, false)
		}
		a = nil
	}
	if a == nil {
		var err error
		if a, err = w.make(ctx); a == nil || err != nil {
			return err
		}
	}
	if w.a == nil {
		w.a = w.equip(a)
	}
	if !run {
		return nil
	}
	r.mu.Lock()
	told, r.told = r.told, true
	r.mu.Unlock()
	if !told {
		tell(ctx, a, w.s, true)
	}
	return nil
}

// make asks the factory. Without an agent and an error the session has one that only says why there is none.
func (w *worker) make(ctx context.Context) (*agent.Agent, error) {
	r := w.room
	state := map[string]json.RawMessage{}
	maps.Copy(state, w.s.State)
	a, err := w.l.c.Factory(ctx, Spec{
		Session: r.id, State: state, Waiting: func() bool { return w.l.isWaiting(r) },
		Ask: func(ctx context.Context, q agent.Ask) (agent.Answer, error) { return w.l.ask(ctx, r, q) },
		Answered: func(id string) (agent.Answer, bool) {
			if w := w.l.worker(r); w != nil {
				return w.in.answer(id)
			}
			return agent.Answer{}, false
		},
		Idle: func(n int) {
			if w := w.l.worker(r); w != nil {
				w.waits(n)
			}
		},
	})
	if ctx.Err() != nil { // what was made meanwhile may lack something
		return nil, context.Cause(ctx)
	}
	if err != nil {
		if w.blocked() != nil || len(w.s.OpenCalls()) > 0 {
			return nil, fmt.Errorf("session %s cannot be opened: %w", r.id, err)
		}
		w.a = w.equip(&agent.Agent{Model: broken{err}})
		return nil, nil
	}
	r.mu.Lock()
	r.agent, r.told = a, false
	r.mu.Unlock()
	w.a = w.equip(a)
	return a, nil
}

// tell tells the hooks that the session is opened or let go.
func tell(ctx context.Context, a *agent.Agent, s *agent.Session, start bool) {
	for _, h := range a.Hooks {
		if h.OnSession != nil {
			h.OnSession(ctx, s, start)
		}
	}
}

func (w *worker) equip(a *agent.Agent) *agent.Agent {
	own := *a
	own.Journal, own.Waiting = w.journal, w.in.waiting
	hook := agent.Hook{Name: "engine", Inject: func(ctx context.Context, _ *agent.Session, _ bool) (*agent.Note, error) {
		// What another process has handed in before counts, however late the follower of the log is.
		if err := w.hear(ctx, w.in); err != nil && ctx.Err() == nil {
			return nil, err
		}
		first := w.in.steer()
		for n := first; n != nil; n = n.Next {
			w.l.FetchBlobs(ctx, n.Messages)
		}
		return first, nil
	}}
	own.Hooks = append([]agent.Hook{hook}, a.Hooks...)
	return &own
}

// broken is the model of an agent that could not be made: the message is kept, and the run says why it ends.
type broken struct{ err error }

// Info implements [agent.Model].
func (broken) Info() agent.ModelInfo { return agent.ModelInfo{Name: "none"} }

// Stream implements [agent.Model].
func (b broken) Stream(context.Context, *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrConfig, Err: b.err})
	}
}

// ask waits for the answer in whichever worker has the session now.
func (l *Local) ask(ctx context.Context, r *room, q agent.Ask) (agent.Answer, error) {
	w := l.worker(r)
	if w == nil {
		return agent.Answer{}, errors.New("the session is not running")
	}
	w.waits(1)
	defer w.waits(-1)
	for {
		changed := w.in.wait()
		if a, ok := w.in.answer(q.ID); ok {
			return a, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return agent.Answer{}, context.Cause(ctx)
		}
	}
}

func (w *worker) waits(n int) {
	w.mu.Lock()
	w.asking += n
	w.mu.Unlock()
	if n > 0 && w.l.isClosing() && !w.isEnding() {
		w.stop(ErrClosed)
	}
}

func (l *Local) isWaiting(r *room) bool {
	w := l.worker(r)
	return w != nil && w.in.waiting()
}

// show hands events to those who follow.
func (w *worker) show(events iter.Seq2[agent.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		w.publish(e)
	}
	w.flush()
	return nil
}

func (w *worker) publish(e agent.Event) {
	if !e.Type.Durable() {
		w.room.hub.publish(liveFrame(&e))
		return
	}
	w.flush()
}

// flush shows what is stored and was not shown yet. Info knows it first: who has seen an event asks for no older state.
func (w *worker) flush() {
	if len(w.waiting) > 0 {
		w.report()
	}
	for _, f := range w.waiting {
		w.room.hub.publish(f)
	}
	if len(w.waiting) > 0 {
		w.noteDamage()
	}
	w.waiting = w.waiting[:0]
}

// report keeps what Info tells while the session runs.
func (w *worker) report() {
	r := w.room
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 0; i < len(w.s.Messages) && r.title == "" && !strings.Contains(r.id, "."); i++ { // a sub-agent's has more to it, see titleFrom
		r.title = titleFrom(r.id, "", &w.s.Messages[i])
	}
	r.info.Seq, r.info.Usage, r.info.Updated = w.s.Seq, w.s.Total, now()
}

// noteDamage says what the session's log lacks.
func (w *worker) noteDamage() {
	if w.torn {
		w.torn = false
		w.room.hub.say(agent.Event{Type: agent.EvNotice, Text: w.l.c.Texts.TailRepaired})
	}
	if n := len(w.lost); n > 0 {
		const most = 5
		text := w.l.c.Texts.BodyLost + ": " + strings.Join(w.lost[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" (+%d)", n-most)
		}
		w.lost = nil
		w.room.hub.say(agent.Event{Type: agent.EvNotice, Text: text})
	}
}
