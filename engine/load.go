package engine

import "react-agent/store"

// Load tells how many sessions this process works on, and whether the session is one of them.
func (l *Local) Load(session string) (working int, here bool) {
	id, err := store.CleanID(session)
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rooms[id]; err == nil && r != nil {
		here = r.work != nil
	}
	return len(l.live), here
}
