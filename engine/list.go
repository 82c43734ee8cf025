package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/store"
)

// Info implements [Engine].
func (l *Local) Info(ctx context.Context, session string) (SessionInfo, error) {
	r, err := l.enter(session)
	if err != nil {
		return SessionInfo{}, err
	}
	defer l.leave(ctx, r)
	for ctx.Err() == nil {
		if info, ok := l.busyInfo(r); ok {
			err := l.latest(ctx, &info)
			if info.Title == "" && err == nil {
				info.Title = l.findTitle(ctx, r.id)
			}
			return info, err
		}
		var info SessionInfo
		idle, err := l.view(ctx, r, func(s *agent.Session) error {
			in, err := l.pending(ctx, r, s)
			if err == nil {
				info = SessionInfo{ID: r.id, Title: r.title, Seq: s.Seq, Usage: s.Total, Queue: in.queued()}
			}
			return err
		})
		if err != nil {
			return SessionInfo{}, err
		}
		if idle {
			err := l.complete(ctx, &info)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.title = info.Title
			return info, err
		}
	}
	return SessionInfo{}, context.Cause(ctx)
}

// busyInfo tells of a session that this process works on.
func (l *Local) busyInfo(r *room) (SessionInfo, bool) {
	w := l.worker(r)
	if w == nil {
		return SessionInfo{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.in == nil {
		return SessionInfo{}, false
	}
	info := r.info
	info.Title, info.Running, info.Queue = r.title, true, w.in.queued()
	return info, true
}

// complete adds what does not need the whole log.
func (l *Local) complete(ctx context.Context, info *SessionInfo) error {
	x, rev, err := l.readLease(ctx, info.ID)
	if err != nil {
		return err
	}
	info.Running = rev != 0 && !l.dead(ctx, x.Owner)
	if err := l.latest(ctx, info); err != nil {
		return err
	}
	if info.Title == "" {
		info.Title = l.findTitle(ctx, info.ID)
	}
	return nil
}

// latest adds what the log knows: a follower may have read an event there that its worker has not told of yet.
func (l *Local) latest(ctx context.Context, info *SessionInfo) error {
	rec, err := l.lastRecord(ctx, sessionLog(info.ID))
	if err != nil || rec.Pos == 0 {
		return err
	}
	if e, err := Decode(rec.Data, nil); err == nil && e.Seq >= info.Seq {
		info.Updated, info.Seq = e.Time, e.Seq
	}
	return nil
}

// List implements [Engine]: newest first by the last change. Usage and Queue are left to Info; children are listed too.
// before is the last ID of the page before.
func (l *Local) List(ctx context.Context, before string) iter.Seq2[SessionInfo, error] {
	return func(yield func(SessionInfo, error) bool) {
		found, err := l.sessions(ctx, before)
		if err != nil {
			yield(SessionInfo{}, err)
			return
		}
		for _, e := range found {
			info := SessionInfo{ID: strings.TrimPrefix(e.Name, "session/"), Updated: e.Updated.UTC()}
			err := l.complete(ctx, &info)
			if err == nil && info.Seq == 0 && !info.Running {
				continue // nothing but damage, or deleted meanwhile
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}

func (l *Local) sessions(ctx context.Context, before string) ([]store.Entry, error) {
	names, ok := l.c.Log.(store.Names)
	if !ok {
		return nil, errors.New("engine: this store cannot list sessions")
	}
	var found []store.Entry
	for e, err := range names.Names(ctx, "session/") {
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	slices.SortFunc(found, func(a, b store.Entry) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(b.Name, a.Name))
	})
	if before == "" {
		return found, nil
	}
	id, err := store.CleanID(before)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(e store.Entry) bool { return e.Name == sessionLog(id) })
	if i < 0 {
		return nil, fmt.Errorf("session %s, where the list is to go on: %w", id, store.ErrNotFound)
	}
	return found[i+1:], nil
}
