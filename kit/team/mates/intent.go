package mates

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/team"
	"react-agent/store"
)

// intent is what a call is about to do, written down before: a call that is run again after a crash finds out what it has
// done already.
type intent struct {
	Key  string          `json:"key"`
	ID   string          `json:"id"` // of the request that it makes
	At   time.Time       `json:"at"`
	Sent map[string]sent `json:"sent,omitempty"` // by name
}

// sent is a line that was to stand in an inbox, as the first one behind a position.
type sent struct {
	After int64  `json:"after"`
	Line  string `json:"line"`
}

// keptIntents is how many calls of a session are remembered: those that may be run again are its last ones.
const keptIntents = 32

func intentKey(session string) string { return "intent/" + session }

// intent finds or begins what a call is about to do, and lets fn change it.
func (m *Mates) intent(ctx context.Context, call string, fn func(i *intent) error) (out intent, err error) {
	err = m.change(ctx, intentKey(sessionOf(call)), func(raw []byte) (any, error) {
		var list []intent
		if err := decode(raw, &list); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(i intent) bool { return i.Key == call })
		if at < 0 {
			if len(list) >= keptIntents {
				list = list[len(list)-keptIntents+1:]
			}
			list = append(list, intent{Key: call, ID: newID(), At: time.Now().UTC()})
			at = len(list) - 1
		} else if fn == nil {
			out = list[at]
			return nil, store.ErrSame
		}
		if fn != nil {
			if list[at].Sent == nil {
				list[at].Sent = map[string]sent{}
			}
			if err := fn(&list[at]); err != nil {
				return nil, err
			}
		}
		out = list[at]
		return list, nil
	})
	return out, err
}

// send puts a message into an inbox once for a call, however often that is run.
func (m *Mates) send(ctx context.Context, call, key string, x Message) error {
	i, err := m.intent(ctx, call, nil)
	if err != nil {
		return err
	}
	s, known := i.Sent[key]
	if known {
		if there, err := m.stands(ctx, key, s); there || err != nil {
			return err
		}
	}
	for {
		if !known {
			line, err := encode(x.stamped(), "")
			if err != nil {
				return err
			}
			s.Line = string(line)
		}
		if s.After, err = m.end(ctx, key); err != nil {
			return err
		}
		if _, err = m.intent(ctx, call, func(i *intent) error { i.Sent[key] = s; return nil }); err != nil {
			return err
		}
		if err = m.post(ctx, key, []byte(s.Line), s.After); !errors.Is(err, store.ErrConflict) {
			return err
		}
		known = true
	}
}

// stands reports whether a line is the first one behind its position.
func (m *Mates) stands(ctx context.Context, key string, s sent) (bool, error) {
	for rec, err := range m.lines(ctx, key, s.After) {
		return err == nil && bytes.Equal(rec.Data, []byte(s.Line)), err
	}
	return false, nil
}

// sessionOf is the session whose call a key is.
func sessionOf(key string) string {
	for i := range len(key) {
		if key[i] == '/' {
			return key[:i]
		}
	}
	return key
}

// IsMistake reports whether an error is one of who asked: a name that nobody has, say.
func IsMistake(err error) bool {
	_, ok := errors.AsType[*msg.Error](err)
	return ok || errors.Is(err, team.ErrRefused)
}

// result is a tool's result, or what is wrong, in the words of the protocol.
func result(text string, err error) (agent.Result, error) {
	if wrong, ok := errors.AsType[*msg.Error](err); ok { // without what stands around it
		err = wrong
	}
	if IsMistake(err) {
		return agent.ErrorResult("Error: " + err.Error()), nil
	}
	if err != nil {
		return agent.Result{}, err
	}
	return agent.TextResult(text), nil
}

// dropIntents forgets what the calls of a session and of its children have done.
func (m *Mates) dropIntents(ctx context.Context, session string) error {
	var errs []error
	for d, err := range m.o.KV.List(ctx, intentKey("")) {
		if id := strings.TrimPrefix(d.Key, intentKey("")); err == nil && (id == session || strings.HasPrefix(id, session+".")) {
			err = store.Remove(ctx, m.o.KV, d.Key)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
