package team

import "sync"

// Bell wakes everybody who waits for a change. The zero value is ready.
type Bell struct {
	mu   sync.Mutex
	next chan struct{}
}

// Ring says that something has changed.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// Next is closed at the next change. Take it before looking, so that no change is missed.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}
