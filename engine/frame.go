package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"sync"

	"react-agent/agent"
)

// Frame is an event on its way to those who follow: encoded at most once for all of them. Copies share that work.
type Frame struct {
	Seq  int64
	Type agent.EventType
	n    int64 // Event.N
	join bool  // shown without a look at n
	body *frameBody
}

type frameBody struct {
	once  sync.Once
	event *agent.Event // nil: only the line is known, or the delta
	delta *delta
	line  []byte
	err   error
	blob  func(sha string) ([]byte, error)
}

// FramesOf is [Local.Frames] over the events of any engine: one by one, and encoded for each who follows.
func FramesOf(e Engine) func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]Frame, error] {
	return func(ctx context.Context, session string, after int64, live bool) iter.Seq2[[]Frame, error] {
		return func(yield func([]Frame, error) bool) {
			one := make([]Frame, 1)
			for e, err := range e.Follow(ctx, session, after, live) {
				if err != nil {
					yield(nil, err)
					return
				}
				if one[0] = eventFrame(&e, nil); !yield(one, nil) {
					return
				}
			}
		}
	}
}

func eventFrame(e *agent.Event, line []byte) Frame {
	return Frame{Seq: e.Seq, Type: e.Type, n: e.N, body: &frameBody{event: e, line: line}}
}

// lineFrame reads only the beginning of a stored line.
func lineFrame(line []byte, blob func(string) ([]byte, error)) (Frame, error) {
	seq, typ, err := head(line)
	return Frame{Seq: seq, Type: typ, body: &frameBody{line: line, blob: blob}}, err
}

// Event is the event, with its bodies. It may share memory with the run: read only.
func (f Frame) Event() (agent.Event, error) {
	switch {
	case f.body.event != nil:
		return *f.body.event, nil
	case f.body.delta != nil:
		return f.body.delta.event(), nil
	}
	return Decode(f.body.line, f.body.blob)
}

// Line is the event as one line of JSON. Of a durable event these are the bytes of the log, large bodies as references.
func (f Frame) Line() ([]byte, error) {
	b := f.body
	b.once.Do(func() {
		switch {
		case b.line != nil:
		case b.delta != nil:
			b.line = b.delta.line()
		default:
			b.line, b.err = encode(b.event)
		}
	})
	return b.line, b.err
}

// head reads number and type, which stand first in a line.
func head(line []byte) (int64, agent.EventType, error) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	num, rest, found := bytes.Cut(rest, []byte(`,"type":"`))
	typ, _, closed := bytes.Cut(rest, []byte(`"`))
	if seq, err := strconv.ParseInt(string(num), 10, 64); ok && found && closed && err == nil {
		return seq, agent.EventType(typ), nil
	}
	var e struct {
		Seq  int64           `json:"seq"`
		Type agent.EventType `json:"type"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return 0, "", fmt.Errorf("no event: %w", err)
	}
	return e.Seq, e.Type, nil
}

// Decode reads one line of a stream or log; blob brings back the bodies that stand elsewhere, nil: none. A body that cannot
// be brought back stands as a short text that says so. A live event has all of its own.
func Decode(line []byte, blob func(sha string) ([]byte, error)) (agent.Event, error) {
	var e agent.Event
	if _, typ, err := head(line); err != nil || typ.Durable() {
		whole, err := agent.PutBackBodies(line, func(sha string) (data []byte, err error) {
			if blob != nil {
				data, err = blob(sha)
			}
			if err != nil {
				data = nil
			}
			return data, nil
		})
		if err != nil {
			return e, err
		}
		line = whole
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("cannot be read: %w", err)
	}
	return e, nil
}
