package peer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/store"
)

// ledger is what is known of the calls of a conversation, its sub-agents' included.
type ledger struct {
	Since int     `json:"since"` // calls before this one were made for earlier messages of the person
	Calls []begun `json:"calls"`
}

// begun is a call that may have been sent. ID is its name in the other program.
type begun struct {
	Key string `json:"key"`
	ID  string `json:"id"`
}

var errTooMany = errors.New("too many calls")

// errBroken is that a ledger cannot be read.
var errBroken = errors.New("the document is broken")

// maxKept bounds how many calls of earlier messages are kept: some of them may still be run again.
const maxKept = 200

func docOf(root string) string { return "peer/" + root }

// update changes a conversation's ledger; fn may be called again.
func (p *Peers) update(ctx context.Context, root string, fn func(l *ledger) error) error {
	return store.Change(ctx, p.o.KV, docOf(root), func(old []byte) ([]byte, error) {
		var l ledger
		if old != nil {
			if err := json.Unmarshal(old, &l); err != nil {
				return nil, fmt.Errorf("calls of %s: %w: %w", root, errBroken, err)
			}
		}
		if err := fn(&l); err != nil {
			return nil, err
		}
		if old := len(l.Calls) - maxKept; old > 0 && l.Since >= old {
			l.Calls, l.Since = l.Calls[old:], l.Since-old
		}
		return agent.EncodeJSON(l)
	})
}

// enter writes a call down, and gives the id it has: the same for the same key, which is a call made again then.
func (p *Peers) enter(ctx context.Context, root, key string, limit int) (id string, again bool, err error) {
	raw := make([]byte, 8)
	_, _ = rand.Read(raw) // it never fails
	err = p.update(ctx, root, func(l *ledger) error {
		again = false
		for _, b := range l.Calls {
			if b.Key == key {
				id, again = b.ID, true
				return store.ErrSame
			}
		}
		if len(l.Calls)-l.Since >= limit {
			return errTooMany
		}
		id = hex.EncodeToString(raw)
		l.Calls = append(l.Calls, begun{key, id})
		return nil
	})
	return id, again, err
}

// Hook begins a new count when the person speaks, and forgets the calls of a session of the same name that is gone.
func (p *Peers) Hook() agent.Hook {
	return agent.Hook{
		Name: Name,
		OnSession: func(ctx context.Context, s *agent.Session, start bool) {
			if start && s.Seq == 0 && !strings.Contains(s.ID, ".") {
				_ = p.Forget(ctx, s.ID) // what cannot be removed now fails when it is needed
			}
		},
		OnInput: func(ctx context.Context, s *agent.Session, _ *agent.Message) error {
			if strings.Contains(s.ID, ".") {
				return nil
			}
			err := p.update(ctx, s.ID, func(l *ledger) error {
				if l.Since == len(l.Calls) {
					return store.ErrSame
				}
				l.Since = len(l.Calls)
				return nil
			})
			if !errors.Is(err, errBroken) {
				return err
			}
			if err := p.Forget(ctx, s.ID); err != nil { // the person is not kept from speaking
				return err
			}
			p.o.Warn(msg.Errorf(msg.PeerLedger, s.ID))
			return nil
		},
	}
}

// Forget drops what is known of the calls of a session that is removed.
func (p *Peers) Forget(ctx context.Context, session string) error {
	return store.Remove(ctx, p.o.KV, docOf(session))
}
