package mates

import (
	"context"
	"errors"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// open goes on with the open teammates of the leads that ours names, and shuts down the others that nobody drives.
func (m *Mates) open(ctx context.Context, ours func(lead string) bool) error {
	all, err := m.mates(ctx)
	if err != nil {
		return err
	}
	r, err := m.Team(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for key, x := range all {
		if x.Ended {
			continue
		}
		if ours(x.Lead) {
			if r.find(key) < 0 {
				errs = append(errs, m.enroll(ctx, Member{x.Name, x.Role, Idle}))
			}
			_, err := m.attend(ctx, key, &x)
			errs = append(errs, err)
			continue
		}
		errs = append(errs, m.retire(ctx, key, &x))
	}
	for _, member := range r.Members {
		key, err := Clean(member.Name)
		if x, known := all[key]; err == nil && member.open() && (!known || x.Ended) {
			errs = append(errs, m.retire(ctx, key, nil))
		}
	}
	return errors.Join(errs...)
}

// retire shuts a member down that nobody drives. x is nil for one of whom only the file knows.
func (m *Mates) retire(ctx context.Context, key string, x *mate) error {
	m.mu.Lock()
	here := m.drivers[key] != nil
	m.mu.Unlock()
	if here {
		return nil
	}
	release, ok, err := lock(m.o.Locks, key)
	if err != nil || !ok {
		return err
	}
	defer release()
	if x != nil {
		return m.finish(ctx, key, x, finale{reason: "nobody goes on with it", crashed: true})
	}
	if m.o.Board != nil {
		_, err = m.o.Board.Free(ctx, key)
	}
	return errors.Join(err, m.stand(ctx, key, Shutdown))
}

// Resume goes on with all open teammates of sessions that are there, and shuts down those that nobody can go on with. It is
// for a program that hosts all sessions, at its start.
func (m *Mates) Resume(ctx context.Context) error {
	m.notice(ctx)
	return m.open(ctx, func(lead string) bool { return m.known(ctx, lead) })
}

// Repair shuts down, at the start of a program, those members that nobody can go on with. Others wait for their lead.
func (m *Mates) Repair(ctx context.Context) error {
	r, err := m.Team(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, member := range r.Members {
		key, err := Clean(member.Name)
		if err != nil || !member.open() {
			continue
		}
		x, ok, err := m.mate(ctx, key)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !ok || x.Ended:
			errs = append(errs, m.retire(ctx, key, nil))
		case !m.known(ctx, x.Lead):
			errs = append(errs, m.retire(ctx, key, &x))
		}
	}
	return errors.Join(errs...)
}

// known reports whether a session has events.
func (m *Mates) known(ctx context.Context, session string) bool {
	status, err := m.o.Sessions.Status(ctx, session)
	return err != nil || status.Seq > 0
}

// stopAll ends the teammates of a lead that are driven here.
func (m *Mates) stopAll(lead, reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.drivers {
		if d.mate.Lead == lead {
			d.cancel(errors.New(reason))
		}
	}
}

// Stop asks a teammate to stop, in the name of the lead, and gives the request's id. With force it is not asked: it ends
// at once, or within seconds where another process drives it.
func (m *Mates) Stop(ctx context.Context, name string, force bool) (id string, err error) {
	return m.ask(ctx, name, newID(), force, func(ctx context.Context, key string, x Message) error {
		line, err := encode(x.stamped(), "")
		if err == nil {
			err = m.post(ctx, key, line, -1)
		}
		return err
	})
}

// ask writes a request to stop down and sends it.
func (m *Mates) ask(ctx context.Context, name, id string, force bool, send func(ctx context.Context, key string, x Message) error) (string, error) {
	key, err := Clean(name)
	if err != nil {
		return "", err
	}
	x, ok, err := m.mate(ctx, key)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", msg.Errorf(msg.MateUnknown, name)
	}
	if x.Ended {
		return "", msg.Errorf(msg.MateStatus, x.Name, Shutdown)
	}
	r := request{Kind: ShutdownRequest, Name: x.Name, Session: x.Session, Lead: x.Lead, Status: pending, Force: force}
	if force {
		r.Status, r.By = approved, x.Session
	}
	if err := m.newRequest(ctx, id, r); err != nil {
		return "", err
	}
	msg := Message{Type: ShutdownRequest, From: Lead, Content: "Please finish what you are doing and shut down.", RequestID: id}
	err = send(ctx, key, msg)
	if force {
		m.stopForced(ctx)
	}
	return id, err
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
	line, err := encode(Message{Type: Plain, From: from, Content: content}.stamped(), "")
	if err != nil {
		return err
	}
	return m.post(ctx, key, line, -1)
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
	all, err := m.mates(ctx)
	if err != nil {
		return err
	}
	var errs []error
	m.stopAll(session, "the lead's session was removed")
	for key, x := range all {
		if x.Lead != session {
			continue
		}
		if !x.Ended {
			errs = append(errs, m.retire(ctx, key, &x))
		}
		errs = append(errs, m.remove(ctx, mateKey(key)))
	}
	errs = append(errs, m.change(ctx, leadKey, func(raw []byte) (any, error) {
		var now leadDoc
		if decode(raw, &now) != nil || now.Session != session {
			return nil, errSame
		}
		return nil, nil
	}))
	for d, err := range m.o.KV.List(ctx, "intent/") {
		if id := strings.TrimPrefix(d.Key, "intent/"); err == nil && (id == session || strings.HasPrefix(id, session+".")) {
			err = m.remove(ctx, d.Key)
		}
		errs = append(errs, err)
	}
	for d, err := range m.o.KV.List(ctx, "request/") {
		var r request
		if err == nil && decode(d.Data, &r) == nil && r.Lead == session {
			err = m.remove(ctx, d.Key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// remove removes a document.
func (m *Mates) remove(ctx context.Context, key string) error {
	return m.change(ctx, key, func(raw []byte) (any, error) {
		if len(raw) == 0 {
			return nil, errSame
		}
		return nil, nil
	})
}
