package mates

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/kit/team"
	"react-agent/store"
)

// intent is what a call is about to do, written down before: a call that is run again after a crash finds out what it has
// done already.
type intent struct {
	Key  string          `json:"key"`
	ID   string          `json:"id"`             // of the request that it makes
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

// intent finds or begins what a call is about to do, and lets fn, if there is one, change it.
func (m *Mates) intent(ctx context.Context, call string, fn func(i *intent)) (out intent, err error) {
	session, _, _ := strings.Cut(call, "/")
	err = edit(ctx, m, intentKey(session), func(list *[]intent) error {
		at := slices.IndexFunc(*list, func(i intent) bool { return i.Key == call })
		if at < 0 {
			kept := (*list)[max(0, len(*list)-keptIntents+1):]
			*list, at = append(kept, intent{Key: call, ID: newID()}), len(kept)
		} else if fn == nil {
			out = (*list)[at]
			return store.ErrSame
		}
		i := &(*list)[at]
		if i.Sent == nil {
			i.Sent = map[string]sent{}
		}
		if fn != nil {
			fn(i)
		}
		out = *i
		return nil
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
	} else {
		line, err := encode(x.stamped(), "")
		if err != nil {
			return err
		}
		s.Line = string(line)
	}
	for {
		if s.After, err = m.end(ctx, key); err != nil {
			return err
		}
		if _, err = m.intent(ctx, call, func(i *intent) { i.Sent[key] = s }); err != nil {
			return err
		}
		if err = m.post(ctx, key, []byte(s.Line), s.After); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// stands reports whether a line is the first one behind its position.
func (m *Mates) stands(ctx context.Context, key string, s sent) (bool, error) {
	for rec, err := range m.lines(ctx, key, s.After) {
		return err == nil && bytes.Equal(rec.Data, []byte(s.Line)), err
	}
	return false, nil
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
