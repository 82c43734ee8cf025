package mates

import (
	"context"
	"errors"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// mend goes on with the open teammates of the leads that ours names, and shuts down those whose lead is not there any more.
// Others wait for theirs.
func (m *Mates) mend(ctx context.Context, ours func(lead string) bool) error {
	r, err := m.Team(ctx) // first: whoever is spawned now stands in his document before he stands here
	if err != nil {
		return err
	}
	all, err := m.mates(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for key, x := range all {
		switch {
		case x.Ended:
		case ours(x.Lead):
			if r.find(key) < 0 {
				errs = append(errs, m.enroll(ctx, Member{x.Name, x.Role, Idle}))
			}
			_, err := m.attend(ctx, key, &x)
			errs = append(errs, err)
		case !m.known(ctx, x.Lead):
			_, err := m.retire(ctx, key, &x, left)
			errs = append(errs, err)
		}
	}
	for _, member := range r.Members {
		key, err := Clean(member.Name)
		if x, known := all[key]; err == nil && member.open() && (!known || x.Ended) {
			_, err := m.retire(ctx, key, nil, "")
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// left is why a teammate is retired with which nobody can go on.
const left = "nobody goes on with it"

// retire shuts a member down that nobody drives, with a reason for the lead unless that is ""; false: somebody does. x is nil
// for one of whom only the file knows: then only the file changes, as what it says may be anybody's word.
func (m *Mates) retire(ctx context.Context, key string, x *mate, reason string) (bool, error) {
	release, ok, err := lock(m.o.Locks, key)
	if err != nil || !ok {
		return false, err
	}
	defer release()
	if x == nil {
		return true, m.stand(ctx, key, Shutdown)
	}
	return true, m.finish(ctx, key, x, finale{reason: reason, crashed: true})
}

// Resume goes on with all open teammates of sessions that are there, and shuts down those that nobody can go on with. It is
// for a program that hosts all sessions, at its start.
func (m *Mates) Resume(ctx context.Context) error {
	m.notice(ctx)
	return m.mend(ctx, func(lead string) bool { return m.known(ctx, lead) })
}

// Repair shuts down, at the start of a program, those members that nobody can go on with. Others wait for their lead.
func (m *Mates) Repair(ctx context.Context) error {
	return m.mend(ctx, func(string) bool { return false })
}

// known reports whether a session has events.
func (m *Mates) known(ctx context.Context, session string) bool {
	status, err := m.o.Sessions.Status(ctx, session)
	return err != nil || status.Seq > 0
}

// stop ends the teammates that are driven here and that a function tells, and gives them.
func (m *Mates) stop(which func(x *mate) bool, cause error) (ended []*driver) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.drivers {
		if which(&d.mate) {
			d.cancel(cause)
			ended = append(ended, d)
		}
	}
	return ended
}

// gone waits until a teammate that was ended is driven no more.
func (d *driver) gone(ctx context.Context) error {
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stop asks a teammate to stop, in the name of the lead, and gives the request's id. With force it is not asked: it ends
// at once, or within seconds where another process drives it; one that nobody drives is shut down here.
func (m *Mates) Stop(ctx context.Context, name string, force bool) (id string, err error) {
	id = newID()
	return id, m.ask(ctx, name, id, force, m.put)
}

// put puts a message into an inbox.
func (m *Mates) put(ctx context.Context, key string, x Message) error {
	line, err := encode(x.stamped(), "")
	if err != nil {
		return err
	}
	return m.post(ctx, key, line, -1)
}

// ask writes a request to stop down and sends it.
func (m *Mates) ask(ctx context.Context, name, id string, force bool, send func(ctx context.Context, key string, x Message) error) error {
	key, err := Clean(name)
	if err != nil {
		return err
	}
	x, err := m.mate(ctx, key)
	switch {
	case err != nil:
		return err
	case x == nil:
		return msg.Errorf(msg.MateUnknown, name)
	case x.Ended:
		return msg.Errorf(msg.MateStatus, x.Name, Shutdown)
	}
	r := request{Kind: ShutdownRequest, Name: x.Name, Session: x.Session, Lead: x.Lead, Status: pending, Force: force}
	if force {
		r.Status, r.By = approved, x.Session
	}
	if err := m.newRequest(ctx, id, r); err != nil {
		return err
	}
	err = send(ctx, key, Message{Type: ShutdownRequest, From: Lead, Content: "Please finish what you are doing and shut down.", RequestID: id})
	if force && err == nil {
		m.stopForced(ctx)
		_, err = m.retire(ctx, key, x, "")
	}
	return err
}

// Send puts a message into an inbox, for a person or a program: a teammate's, the lead's, or another one that there is.
func (m *Mates) Send(ctx context.Context, from, to, content string) error {
	key, err := Clean(to)
	if err == nil {
		err = m.addressee(ctx, key, to)
	}
	if err != nil {
		return err
	}
	return m.put(ctx, key, Message{Type: Plain, From: from, Content: content})
}

// addressee is an error that names whom one can write to, when a name is nobody's and has no inbox.
func (m *Mates) addressee(ctx context.Context, key, name string) error {
	keys, err := m.inboxes(ctx)
	if err != nil || slices.Contains(keys, key) {
		return err
	}
	r, err := m.Team(ctx)
	if err != nil || r.find(key) >= 0 {
		return err
	}
	names := []string{Lead}
	for _, x := range r.Members {
		names = append(names, oneLine(x.Name))
	}
	return msg.Errorf(msg.MateNobody, name, strings.Join(names, ", "))
}

// Forget ends the teammates of a session that was removed, and drops what is kept of them and of its calls.
func (m *Mates) Forget(ctx context.Context, session string) error {
	var errs []error
	for _, d := range m.stop(func(x *mate) bool { return x.Lead == session }, errForced) {
		errs = append(errs, d.gone(ctx)) // it still writes down its end
	}
	all, err := m.mates(ctx)
	if err != nil {
		return err
	}
	for key, x := range all {
		if x.Lead != session {
			continue
		}
		if !x.Ended {
			_, err := m.retire(ctx, key, &x, "")
			errs = append(errs, err)
		}
		errs = append(errs, m.drop(ctx, mateKey(key), x.Session))
	}
	errs = append(errs, m.drop(ctx, leadKey, session), m.dropIntents(ctx, session), m.sweep(ctx, func(r *request) bool { return r.Lead == session }))
	return errors.Join(errs...)
}
