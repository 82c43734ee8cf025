package team

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/text"
)

// stateKey is where a session keeps that the end of a background child was not told yet.
func stateKey(id string) string { return Name + "/" + id }

// pendingState is what the result that starts a background child leaves.
func pendingState(id string) map[string]json.RawMessage {
	return map[string]json.RawMessage{stateKey(id): json.RawMessage(`{}`)}
}

// pendingOf lists the background children of whom a session was not told. A session that was made from another one has that
// one's in its State, too: they are not its own.
func pendingOf(x *agent.Session) map[string]bool {
	var out map[string]bool
	for key := range x.State {
		if id, ok := strings.CutPrefix(key, Name+"/"); ok && parentOf(id) == x.ID {
			if out == nil {
				out = map[string]bool{}
			}
			out[id] = true
		}
	}
	return out
}

// inject lets a child take over its parent's mode, and tells what has ended. A run that would stop waits for its
// background children: they were started for it.
func (s *Seat) inject(ctx context.Context, x *agent.Session, stopping bool) (*agent.Note, error) {
	if err := s.stopped(x.ID); err != nil {
		return nil, err
	}
	s.t.look(x)
	note := &agent.Note{State: s.inherit(ctx, x)}
	ids := pendingOf(x)
	for len(ids) > 0 {
		next := s.t.bell.Next() // before looking, so that no change is missed
		running, err := s.collect(ctx, ids, note)
		if err != nil {
			return nil, err
		}
		if len(note.Messages) > 0 || !stopping || running == 0 {
			break
		}
		if spoke, err := s.pause(ctx, x.ID, next); spoke || err != nil {
			return nil, err
		}
	}
	if len(note.Messages) == 0 && len(note.State) == 0 {
		return nil, nil
	}
	return note, nil
}

// Pull gives the event that tells an idle session what has ended, for [agent.Agent.Append]; nil: there is nothing. The
// session is then to be run, since nobody has answered the message.
func (t *Team) Pull(ctx context.Context, x *agent.Session) (*agent.Event, error) {
	var note agent.Note
	if _, err := t.seat(x.ID).collect(ctx, pendingOf(x), &note); err != nil || len(note.Messages) == 0 {
		return nil, err
	}
	return &agent.Event{Type: agent.EvMessage, Message: &note.Messages[0], State: note.State, Usage: note.Usage, Steps: note.Steps}, nil
}

// pauseStep is how often the person is looked for while nothing else happens.
const pauseStep = 100 * time.Millisecond

// pause waits for a change of any child; spoke says that the person has something to say.
func (s *Seat) pause(ctx context.Context, session string, next <-chan struct{}) (spoke bool, err error) {
	defer s.wait()()
	tick := time.NewTicker(pauseStep)
	defer tick.Stop()
	for {
		if s.waiting() {
			return true, nil
		}
		select {
		case <-next:
			return false, nil
		case <-s.t.halt(rootOf(session)):
			return false, s.stopped(session)
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// collect adds to a note what is to be told, and counts the children that are still at work.
func (s *Seat) collect(ctx context.Context, ids map[string]bool, note *agent.Note) (running int, err error) {
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		r, ended, err := s.t.outcome(ctx, id)
		if err != nil {
			return 0, err
		}
		if !ended {
			running++
			continue
		}
		lines = append(lines, "[bg:"+lastName(r.Path)+"] "+enclosed(r.told(s.t.o.Cut)))
		if note.State == nil {
			note.State = map[string]json.RawMessage{}
		}
		note.State[stateKey(id)] = json.RawMessage("null")
		if !r.Usage.IsZero() {
			if note.Usage == nil {
				note.Usage = &agent.Usage{}
			}
			note.Usage.Add(&r.Usage)
		}
		note.Steps += r.Steps
	}
	if len(lines) > 0 {
		m := agent.TextMessage(agent.User, "<background-results>\n"+strings.Join(lines, "\n")+"\n</background-results>")
		m.From = Name
		note.Messages = []agent.Message{m}
	}
	return running, nil
}

// outcome tells what a background child has come to, if it has ended. One that nobody attends is attended again.
func (t *Team) outcome(ctx context.Context, id string) (r Reply, ended bool, err error) {
	d, err := t.tree(ctx, rootOf(id))
	if err != nil {
		return r, false, err
	}
	c := d.byID(id)
	if c == nil {
		return Reply{Session: id, Path: id, State: Failed, Reason: "nothing is known of this sub-agent any more"}, true, nil
	}
	if !c.State.Final() {
		t.relaunch(ctx, c) // nothing, if it is attended
		return r, false, nil
	}
	r, err = t.reply(ctx, c)
	return r, true, err
}

// told is what is told of a background child that has ended.
func (r Reply) told(cut int) string {
	words := text.Cut(r.Text, cut, "")
	if r.State != Done {
		return string(r.State) + ": " + r.blame("", words)
	}
	if words == "" {
		words = r.words().NoWords
	}
	if r.Reason != "" {
		words += "\n[" + r.Reason + "]"
	}
	return fmt.Sprintf("%s: %s", r.State, words)
}

// enclosed keeps what a child has said from ending the enclosure.
func enclosed(s string) string {
	for _, tag := range []string{"</background-results", "<background-results"} {
		s = strings.ReplaceAll(s, tag, tag[:1]+"\u200b"+tag[1:])
	}
	return s
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
