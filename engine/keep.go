package engine

import (
	"container/list"
	"context"
)

// shelf is a list of rooms, the one that was put there first in front. Taking one out costs the same however many there are.
// It is guarded by Local.mu.
type shelf struct{ rooms list.List }

func (s *shelf) put(at **list.Element, r *room) {
	s.take(at)
	*at = s.rooms.PushBack(r)
}

func (s *shelf) take(at **list.Element) {
	if *at != nil {
		s.rooms.Remove(*at)
		*at = nil
	}
}

// over gives the room in front, if there are more than keep.
func (s *shelf) over(keep int) *room {
	if s.rooms.Len() <= keep {
		return nil
	}
	r, _ := s.rooms.Front().Value.(*room)
	return r
}

// leave lets a room go; beyond Keep the one that was idle longest is forgotten.
func (l *Local) leave(ctx context.Context, r *room) {
	l.mu.Lock()
	var old *room
	if r.users--; r.users == 0 {
		l.idle.put(&r.idleAt, r)
		if old = l.idle.over(l.c.Keep); old != nil {
			l.idle.take(&old.idleAt)
			l.open.take(&old.openAt)
			delete(l.rooms, old.id)
		}
	}
	l.mu.Unlock()
	if old != nil {
		old.letGo(ctx)
	}
}

// rest is called when a room has its session loaded and nobody works on it. Beyond Keep the one that has rested longest
// gives up what was loaded, however many follow it: an agent is larger than all else that a follower needs.
func (l *Local) rest(ctx context.Context, r *room) {
	l.mu.Lock()
	if r.work == nil {
		l.open.put(&r.openAt, r)
	}
	old := l.open.over(l.c.Keep)
	if old != nil {
		l.open.take(&old.openAt)
	}
	l.mu.Unlock()
	if old != nil {
		l.unload(ctx, old)
	}
}

// unload gives up what a room has loaded, unless somebody works on it by now.
func (l *Local) unload(ctx context.Context, r *room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.worker(r) != nil {
		return
	}
	r.shut(ctx)
	r.fold, r.pos, r.heard, r.ids, r.idsPos = nil, 0, 0, nil, 0
}
