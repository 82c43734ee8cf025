package mates

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"react-agent/internal/msg"
	"react-agent/store"
)

// verdict is where a request stands.
type verdict string

const (
	pending  verdict = "pending"
	approved verdict = "approved"
	rejected verdict = "rejected"
)

func verdictOf(approve bool) verdict {
	if approve {
		return approved
	}
	return rejected
}

// request is the document of a handshake: of a lead that asks a teammate to stop, or of a teammate that submits a plan.
type request struct {
	Kind    Type      `json:"kind"` // ShutdownRequest or PlanResponse
	Name    string    `json:"name"` // the teammate, as it is written
	Session string    `json:"session"`
	Lead    string    `json:"lead,omitempty"`
	Plan    string    `json:"plan,omitempty"`
	Status  verdict   `json:"status"`
	Force   bool      `json:"force,omitempty"`
	By      string    `json:"by,omitempty"` // key of the call that has answered
	At      time.Time `json:"at"`
}

func requestKey(id string) string { return "request/" + id }

// newID is 8 hexadecimal digits.
func newID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x", b)
}

// request gives a handshake; ok is false when there is none of this kind.
func (m *Mates) request(ctx context.Context, id string, kind Type) (r request, ok bool, err error) {
	key, err := Clean(id)
	if err != nil {
		return r, false, nil //nolint:nilerr // what cannot be an id is nobody's
	}
	rev, err := m.load(ctx, requestKey(key), &r)
	return r, rev != 0 && r.Kind == kind, err
}

// decide answers a handshake. One that was answered before stays as it is, which the error says, unless the same call did
// so.
func (m *Mates) decide(ctx context.Context, id string, approve bool, by string) error {
	return edit(ctx, m, requestKey(strings.ToLower(strings.TrimSpace(id))), func(r *request) error {
		switch {
		case r.Status == pending:
		case r.By == by && by != "":
			return store.ErrSame
		default:
			return msg.Errorf(msg.MateAnswered, id, r.Status)
		}
		r.Status, r.By, r.At = verdictOf(approve), by, time.Now().UTC()
		return nil
	})
}

// lives is an error when who has submitted a plan has ended: its name may be somebody else's by now.
func (m *Mates) lives(ctx context.Context, key, session, id string) error {
	x, err := m.mate(ctx, key)
	if err == nil && (x == nil || x.Ended || x.Session != session) {
		err = msg.Errorf(msg.MateGone, id)
	}
	return err
}

// requests lists the handshakes. One that is broken is told, and nobody's.
func (m *Mates) requests(ctx context.Context) (map[string]request, error) {
	list, broken, err := all[request](ctx, m, "request")
	m.warn(broken)
	return list, err
}

// keptRequests is how long somebody may ask what became of a request.
const keptRequests = time.Hour

// sweep removes the handshakes that are over, as a function tells.
func (m *Mates) sweep(ctx context.Context, over func(r *request) bool) error {
	all, err := m.requests(ctx)
	for id, r := range all {
		if over(&r) {
			err = errors.Join(err, store.Remove(ctx, m.o.KV, requestKey(id)))
		}
	}
	return err
}

// agree answers all that asks a teammate to stop, which it does now.
func (m *Mates) agree(ctx context.Context, x *mate, reason string) error {
	all, err := m.requests(ctx)
	if err != nil {
		return err
	}
	for id, r := range all {
		if r.Session != x.Session || r.Kind != ShutdownRequest || r.Status == rejected {
			continue
		}
		if r.Status == pending {
			err = m.decide(ctx, id, true, x.Session)
		}
		if err == nil {
			err = m.respond(ctx, x.Session, id, x.Name, true, reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// respond tells the lead once what a teammate's session has answered to its request.
func (m *Mates) respond(ctx context.Context, session, id, name string, approve bool, reason string) error {
	return m.send(ctx, session+"/"+strings.ToLower(id), Lead, Message{Type: ShutdownResponse, From: name, Content: reason, RequestID: id, Approve: &approve})
}

// newRequest writes a handshake down, unless that was done before.
func (m *Mates) newRequest(ctx context.Context, id string, r request) error {
	r.At = time.Now().UTC()
	return edit(ctx, m, requestKey(id), func(now *request) error {
		if now.Kind != "" {
			return store.ErrSame
		}
		*now = r
		return nil
	})
}
