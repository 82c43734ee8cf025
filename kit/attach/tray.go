package attach

import (
	"slices"
	"strconv"
	"sync"

	"react-agent/internal/msg"
)

// Tray keeps what waits for the next message of each session. The zero value is ready; it may be used by many at once.
type Tray struct {
	mu    sync.Mutex
	items map[string][]Item
}

// Add puts a file on a session's tray. More than a message takes are an error.
func (t *Tray) Add(session string, item Item) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.items[session]
	total := item.Size()
	for i := range list {
		total += list[i].Size()
	}
	switch {
	case len(list) >= MaxFiles:
		return msg.Errorf(msg.AttachMany, MaxFiles)
	case total > MaxTotal:
		return msg.Errorf(msg.AttachTotal, item.Path, size(int64(total)), size(MaxTotal))
	}
	if t.items == nil {
		t.items = map[string][]Item{}
	}
	t.items[session] = append(slices.Clip(list), item)
	return nil
}

// List gives what waits, in the order in which it was added.
func (t *Tray) List(session string) []Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.items[session])
}

// Remove takes off what has this number (from 1), path or name; false: there is none.
func (t *Tray) Remove(session, which string) (Item, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.items[session]
	at := slices.IndexFunc(list, func(i Item) bool { return i.Path == which || i.Name == which })
	if n, err := strconv.Atoi(which); at < 0 && err == nil && n >= 1 && n <= len(list) {
		at = n - 1
	}
	if at < 0 {
		return Item{}, false
	}
	item := list[at]
	t.items[session] = slices.Delete(slices.Clone(list), at, at+1)
	return item, true
}

// Sent takes off the first n: they have gone with a message.
func (t *Tray) Sent(session string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.items[session]
	if n >= len(list) {
		delete(t.items, session)
		return
	}
	t.items[session] = slices.Clone(list[n:])
}

// Move gives what waits to another session, behind what waits there.
func (t *Tray) Move(from, to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if list := t.items[from]; len(list) > 0 {
		t.items[to] = append(slices.Clip(t.items[to]), list...)
		delete(t.items, from)
	}
}
