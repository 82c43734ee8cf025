package engine

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/store"
)

// mutex is a lock whose wait ends with a context.
type mutex chan struct{}

func (m mutex) lock(ctx context.Context) error {
	select {
	case m <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m mutex) unlock() { <-m }

// room is what this process knows about one session.
type room struct {
	id     string
	users  int           // guarded by Local.mu: calls, followers and workers
	idleAt *list.Element // likewise, in Local.idle: nobody uses it
	openAt *list.Element // likewise, in Local.open: it has loaded something, and nobody works on it
	hub    hub
	door   mutex // held while a worker comes or goes, and over work, watched

	work    *worker // nil: nobody works here; read with Local.worker
	watched bool

	mu     sync.Mutex
	fold   *agent.Session // nil: not loaded, or a worker has it
	pos    int64          // of the log's end in fold
	agent  *agent.Agent   // nil: ask the factory
	told   bool           // its hooks know that the session is open
	stale  bool           // ask it again before the next run
	lost   []string       // the bodies that loading it has not found, until somebody is told
	heard  int64          // everything in the input log up to here is used up, as fold has it
	title  string
	info   SessionInfo // while a worker has the fold
	ids    map[string]int64
	idsPos int64

	tail      *tail // nil: nobody follows
	followers int
}

func sessionLog(id string) string { return "session/" + id }
func inputLog(id string) string   { return "input/" + id }

// enter finds the room of a session; the caller calls leave.
func (l *Local) enter(session string) (*room, error) {
	id, err := store.CleanID(session)
	if err != nil {
		return nil, fmt.Errorf("session %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	r := l.rooms[id]
	if r == nil {
		r = &room{id: id, door: make(mutex, 1), hub: hub{limit: l.c.Backlog, last: agent.Event{Session: id}}}
		l.rooms[id] = r
	}
	l.idle.take(&r.idleAt)
	r.users++
	return r, nil
}

// letGo tells the hooks that the session is closed.
func (r *room) letGo(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut(ctx)
}

// shut is letGo for who holds r.mu.
func (r *room) shut(ctx context.Context) {
	a, told := r.agent, r.told
	r.agent, r.told = nil, false
	if a == nil || !told {
		return
	}
	s := r.fold
	if s == nil {
		s = agent.NewSession(r.id)
	}
	tell(ctx, a, s, false)
}

// load brings the fold up to the end of the log. The caller holds r.mu.
func (l *Local) load(ctx context.Context, r *room) error {
	if r.fold != nil {
		end, err := l.end(ctx, r)
		if err == nil && end == r.pos {
			return nil
		}
		r.fold, r.heard = nil, 0
		if err != nil {
			return err
		}
	}
	pos := int64(0)
	lines := func(yield func([]byte, error) bool) {
		for rec, err := range l.records(ctx, r.id, 0) {
			if err == nil {
				pos = rec.Pos
			}
			if !yield(rec.Data, err) {
				return
			}
		}
	}
	r.lost = nil
	s, err := agent.Load(r.id, lines, Bodies(ctx, l.c.Blobs, func(sha string) {
		if !slices.Contains(r.lost, sha) {
			l.c.Logger.Warn("a body is lost", "session", r.id, "sha256", sha)
			r.lost = append(r.lost, sha)
		}
	}))
	if err != nil {
		return err
	}
	r.fold, r.pos, r.heard = s, pos, 0
	return nil
}

// end gives the position of the log's end.
func (l *Local) end(ctx context.Context, r *room) (int64, error) {
	pos := r.pos
	for rec, err := range l.c.Log.Read(ctx, sessionLog(r.id), pos, false) {
		if errors.Is(err, store.ErrConflict) {
			return -1, nil // another log by now
		}
		if err != nil {
			return 0, err
		}
		return rec.Pos, nil
	}
	if last, ok := l.c.Log.(store.Last); ok && pos > 0 {
		rec, err := last.Last(ctx, sessionLog(r.id))
		return rec.Pos, err
	}
	return pos, nil
}

// records reads a session's log as far as its numbers are unbroken: what stands behind a gap was damaged, and the next
// append of its owner cuts it off.
func (l *Local) records(ctx context.Context, id string, after int64) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		last := int64(0)
		for rec, err := range l.c.Log.Read(ctx, sessionLog(id), after, false) {
			if err == nil {
				var seq int64
				if seq, _, err = head(rec.Data); err == nil && last > 0 && seq != last+1 {
					l.c.Logger.Warn("the log has a gap", "session", id, "after", last, "next", seq)
					return
				}
				last = seq
			}
			if err != nil {
				err = fmt.Errorf("session %s, behind event %d: %w", id, last, err)
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// blob brings back bodies for decoding.
func (l *Local) blob(ctx context.Context) func(string) ([]byte, error) {
	return Bodies(ctx, l.c.Blobs, nil)
}

// view runs fn on the fold while nobody works on it here; false when somebody does.
func (l *Local) view(ctx context.Context, r *room, fn func(s *agent.Session) error) (bool, error) {
	idle, err := l.viewed(ctx, r, fn)
	if idle {
		l.rest(ctx, r)
	}
	return idle, err
}

func (l *Local) viewed(ctx context.Context, r *room, fn func(s *agent.Session) error) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.worker(r) != nil {
		return false, nil
	}
	if err := l.load(ctx, r); err != nil {
		return true, err
	}
	return true, fn(r.fold)
}

// findTitle reads the first message of a session.
func (l *Local) findTitle(ctx context.Context, id string) (title string) {
	n := 0
	for rec, err := range l.records(ctx, id, 0) {
		if n++; err != nil || n > 20 {
			break
		}
		if _, typ, _ := head(rec.Data); typ != agent.EvMessage && n > 1 {
			continue
		}
		e, err := Decode(rec.Data, l.blob(ctx))
		if err != nil {
			continue
		}
		if e.Message != nil {
			if title = titleFrom(id, e.Agent, e.Message); title != "" {
				return title
			}
		}
	}
	return ""
}

// titleFrom is the title that a message gives to its session, "" for none: what a person says. A sub-agent's session has the
// end of the agent's path, and what it was told to do.
func titleFrom(id, path string, m *agent.Message) string {
	switch {
	case m.Role != agent.User:
		return ""
	case strings.Contains(id, ".") && path != "":
		return titleOf(path[strings.LastIndexByte(path, '/')+1:] + ": " + strings.TrimSpace(m.Text()))
	case m.From == "":
		return titleOf(m.Text())
	}
	return ""
}

func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return strings.TrimSpace(line)
}
