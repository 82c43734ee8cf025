package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/shell"
)

// Name is the hook's name, and the From of its messages to the model.
const Name = "job"

// pending is what a session's State keeps of a job whose end was not told yet, under job/ID.
type pending struct {
	Waits int `json:"waits,omitempty"` // so many of its waits were told
}

func stateKey(id string) string { return Name + "/" + id }

// pendingState is what the result that starts a job leaves.
func pendingState(id string, p pending) map[string]json.RawMessage {
	raw, err := json.Marshal(p)
	if err != nil { // it is a number
		raw = json.RawMessage(`{}`)
	}
	return map[string]json.RawMessage{stateKey(id): raw}
}

// Hook tells the model of jobs that end. waiting reports whether the person has said something that was not taken in yet;
// nil: nobody speaks. It may be asked from any goroutine.
func (j *Jobs) Hook(waiting func() bool) agent.Hook {
	return agent.Hook{
		Name:       Name,
		OnSession:  j.onSession,
		BeforeTool: j.beforeTool,
		Inject: func(ctx context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
			return j.inject(ctx, s, stopping, waiting)
		},
	}
}

// onSession watches the jobs that a session which is opened has left running. One that is let go is only idle: its jobs go
// on, and what they come to waits for it.
func (j *Jobs) onSession(ctx context.Context, s *agent.Session, start bool) {
	if !start {
		return
	}
	for id := range pendingOf(s) {
		_, _ = j.get(ctx, id) // what is wrong is said when it is told of
	}
}

// beforeTool notes which calls are new: see start.
func (j *Jobs) beforeTool(_ context.Context, s *agent.Session, t agent.Tool, c agent.Call) (agent.Decision, error) {
	if t.Name == toolRun && !s.Started[c.Key] {
		j.mu.Lock()
		defer j.mu.Unlock()
		if len(j.fresh) > 1000 { // turned down, and forgotten
			clear(j.fresh)
		}
		j.fresh[c.Key] = time.Now().UTC().Truncate(time.Millisecond)
	}
	return agent.Decision{}, nil
}

// pendingOf lists the jobs whose end was not told yet.
func pendingOf(s *agent.Session) map[string]pending {
	var out map[string]pending
	for key, raw := range s.State {
		id, ok := strings.CutPrefix(key, Name+"/")
		if !ok {
			continue
		}
		var p pending
		if json.Unmarshal(raw, &p) != nil {
			p = pending{}
		}
		if out == nil {
			out = map[string]pending{}
		}
		out[id] = p
	}
	return out
}

func (j *Jobs) inject(ctx context.Context, s *agent.Session, stopping bool, waiting func() bool) (*agent.Note, error) {
	open := pendingOf(s)
	if len(open) == 0 {
		return nil, nil
	}
	for {
		next := j.next() // before looking, so that no change is missed
		note, running, err := j.collect(ctx, open)
		if note != nil || err != nil || !stopping || !j.o.WaitAtEnd || running == 0 {
			return note, err
		}
		if !pause(ctx, next, waiting) {
			return nil, nil
		}
	}
}

// Pull gives the events that tell an idle session what has ended, for [agent.Agent.Append]; none: there is nothing. The
// session is then to be run, since nobody has answered the message.
func (j *Jobs) Pull(ctx context.Context, s *agent.Session) ([]*agent.Event, error) {
	open := pendingOf(s)
	if len(open) == 0 {
		return nil, nil
	}
	note, _, err := j.collect(ctx, open)
	if note == nil || err != nil {
		return nil, err
	}
	var list []*agent.Event
	for i := range note.Messages {
		list = append(list, &agent.Event{Type: agent.EvMessage, Message: &note.Messages[i]})
	}
	list[0].State = note.State
	return list, nil
}

// patienceStep is how often the person is looked for while nothing else happens.
const patienceStep = 100 * time.Millisecond

// pause waits for a change; false: the person spoke, or the run is over.
func pause(ctx context.Context, changed <-chan struct{}, waiting func() bool) bool {
	tick := time.NewTicker(patienceStep)
	defer tick.Stop()
	for {
		if waiting != nil && waiting() {
			return false
		}
		select {
		case <-changed:
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// atOnce is how many notices one message has at most; the others come with the next model call.
const atOnce = 100

// notice is one line, or more, for the model.
type notice struct {
	id    string
	text  string
	state json.RawMessage
	ended time.Time
}

// collect makes a note of what is to be told, nil if there is nothing, and counts the jobs that are worth waiting for.
func (j *Jobs) collect(ctx context.Context, open map[string]pending) (note *agent.Note, running int, err error) {
	var list []notice
	for _, id := range slices.Sorted(maps.Keys(open)) {
		n, runs, err := j.noticeOf(ctx, id, open[id])
		if err != nil {
			return nil, 0, err
		}
		if runs {
			running++
		}
		if n != nil {
			list = append(list, *n)
		}
	}
	if len(list) == 0 {
		return nil, running, nil
	}
	slices.SortStableFunc(list, func(a, b notice) int { return a.ended.Compare(b.ended) })
	list = list[:min(len(list), atOnce)]
	note = &agent.Note{State: map[string]json.RawMessage{}}
	var lines []string
	for _, n := range list {
		lines = append(lines, n.text)
		note.State[stateKey(n.id)] = n.state
	}
	m := agent.TextMessage(agent.User, fmt.Sprintf(j.o.Texts.Notice, strings.Join(lines, "\n")))
	m.From = Name
	note.Messages = []agent.Message{m}
	if words := j.o.Texts.Noted; words != "" {
		ack := agent.TextMessage(agent.Assistant, words)
		ack.From, ack.Stop = Name, agent.StopEnd
		note.Messages = append(note.Messages, ack)
	}
	return note, running, nil
}

// noticeCut is how much of a result a notice has, in characters.
const noticeCut = 500

// noticeOf is what is to be told of one job, nil if nothing; runs says that its end is worth waiting for.
func (j *Jobs) noticeOf(ctx context.Context, id string, told pending) (n *notice, runs bool, err error) {
	null := json.RawMessage("null")
	x, err := j.get(ctx, id)
	if errors.Is(err, errNoJob) {
		text := j.line(id, Failed, fmt.Sprintf(j.o.Texts.Error, "nothing is known of this job any more"))
		return &notice{id: id, text: text, state: null}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ended() && x.task == nil && !j.isClosed() { // the model was told that it had started, and it does not run
		j.settle(ctx, x, shell.Exit{}, nil)
	}
	switch {
	case x.ended():
		text := j.line(id, x.end.Status, j.result(x, noticeCut))
		return &notice{id: id, text: text, state: null, ended: x.end.Time}, false, nil
	case x.why != "" && x.waits > told.Waits:
		text := j.line(id, Waiting, "needs a human: "+x.why)
		state := pendingState(id, pending{Waits: x.waits})[stateKey(id)]
		return &notice{id: id, text: text, state: state, ended: time.Now()}, false, nil
	}
	return nil, !x.start.Keep && x.why == "", nil
}

// line is a notice. What a job has printed cannot end the enclosure.
func (j *Jobs) line(id string, s Status, result string) string {
	for _, tag := range []string{"</background-results", "<background-results"} {
		result = strings.ReplaceAll(result, tag, tag[:1]+"\u200b"+tag[1:])
	}
	return fmt.Sprintf("[bg:%s] %s: %s", id, j.o.Texts.status(s), result)
}
