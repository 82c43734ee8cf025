package mates

import (
	"context"
	"time"

	"react-agent/internal/msg"
	"react-agent/store"
)

// leadKey is the document that says which session was the last to spawn somebody.
const leadKey = "lead/session"

// leadDoc is that document.
type leadDoc struct {
	Session string `json:"session"`
}

// reign is that this process leads the team of the directory: nobody else, whatever its state is, drives anybody meanwhile.
type reign struct {
	n    int // teammates that are driven, and spawns under way
	over func()
}

// seize begins to lead, or goes on with it; false: somebody else does. It is ended with yield. m.mu is held.
func (m *Mates) seize(ctx context.Context) (bool, error) {
	if m.closed {
		return false, nil
	}
	if m.reign.n == 0 {
		release, ok, err := lock(m.o.Locks, Lead)
		if err != nil || !ok {
			return false, err
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		m.reign.over = func() {
			cancel()
			release()
		}
		m.wg.Go(func() { m.patrol(ctx) })
	}
	m.reign.n++
	return true, nil
}

// yield ends what seize began. m.mu is held.
func (m *Mates) yield() {
	if m.reign.n--; m.reign.n == 0 {
		m.reign.over()
	}
}

// leading runs fn while this process leads the team, and refuses where another one does. Its sessions come one after another,
// so that each sees whom the last one has spawned.
func (m *Mates) leading(ctx context.Context, fn func() error) error {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	m.mu.Lock()
	ok, err := m.seize(ctx)
	m.mu.Unlock()
	if err == nil && !ok {
		err = msg.Errorf(msg.MateTaken, ".team/inbox/lead.lock")
	}
	if err != nil {
		return err
	}
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.yield()
	}()
	return fn()
}

// patrol finds what other processes have written: mail for a lead that is idle, and that a teammate is to stop at once.
func (m *Mates) patrol(ctx context.Context) {
	tick := time.NewTicker(Poll)
	defer tick.Stop()
	var known int64 // the end of the mail of which the lead was told
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		m.stopForced(ctx)
		if m.o.Wake == nil {
			continue
		}
		end, err := m.end(ctx, Lead)
		if err != nil || end == known {
			continue // whoever needs it says so
		}
		if some, err := m.some(ctx, Lead, false); err == nil && some {
			known = end
			m.wakeLead(ctx)
		}
	}
}

// wakeLead wakes the lead of the open team if it is idle and this process is where it works: where its session is open, or
// its teammates are driven.
func (m *Mates) wakeLead(ctx context.Context) {
	lead, err := m.openLead(ctx)
	if err != nil || lead == "" || m.o.Wake == nil {
		return
	}
	m.mu.Lock()
	s := m.leads[lead]
	here := s != nil
	for _, d := range m.drivers {
		here = here || d.mate.Lead == lead
	}
	asleep := s == nil || !s.running && !s.stopped // a run finds it; whoever was stopped hears it when the person speaks again
	m.mu.Unlock()
	if here && asleep {
		m.o.Wake(lead)
	}
}

// stopForced ends those who are driven here and were told to stop without being asked.
func (m *Mates) stopForced(ctx context.Context) {
	all, _ := m.requests(ctx) // what cannot be read now is found at the next look
	for _, r := range all {
		if r.Force && r.Kind == ShutdownRequest {
			m.stop(func(x *mate) bool { return x.Session == r.Session }, errForced)
		}
	}
}

// reads reports whether a session may take in the lead's mail. It is that of whose team is open; else, where turns wait for
// teammates, whoever led last, as long as its session is there, and elsewhere any.
func (m *Mates) reads(ctx context.Context, session string) (bool, error) {
	lead, err := m.openLead(ctx)
	if err == nil && lead == "" && m.o.Wait {
		var last leadDoc
		if _, err = m.load(ctx, leadKey, &last); last.Session != session && last.Session != "" && m.known(ctx, last.Session) {
			lead = last.Session
		}
	}
	return lead == "" || lead == session, err
}

// led notes who leads.
func (m *Mates) led(ctx context.Context, session string) error {
	return edit(ctx, m, leadKey, func(now *leadDoc) error {
		if now.Session == session {
			return store.ErrSame
		}
		now.Session = session
		return nil
	})
}

// mildly is an error of the lead's mail that its run does not fail by: what is broken is told once, and the turn goes on
// without.
func (m *Mates) mildly(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || m.o.Closing(err) {
		return err
	}
	m.warn(err)
	return nil
}

// warn tells of an error, if there is one, once.
func (m *Mates) warn(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	again := m.said[err.Error()]
	m.said[err.Error()] = true
	m.mu.Unlock()
	if !again {
		m.o.Warn(err)
	}
}
