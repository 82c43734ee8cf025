package server

import (
	"sync"

	"react-agent/internal/msg"
)

// Limits bound what clients may ask for at once; a zero is the usual bound.
type Limits struct {
	Sessions int // that are at work, 0 = 4096
	Streams  int // of events that are open, and commands at work, 0 = 20000
	Requests int // that are being answered, streams aside, 0 = 1024
	// Each is how many streams, and how many requests, one session may have, 0 = 64: no session takes the places of the
	// others.
	Each int
}

func (l Limits) orUsual() Limits {
	for _, d := range []struct {
		to    *int
		usual int
	}{{&l.Sessions, 4096}, {&l.Streams, 20_000}, {&l.Requests, 1024}, {&l.Each, 64}} {
		if *d.to <= 0 {
			*d.to = d.usual
		}
	}
	return l
}

// rooms counts who is in.
type rooms struct {
	limits Limits

	mu       sync.Mutex
	streams  int
	requests int
	each     map[string]*[2]int // by session: streams and requests
}

// enter counts a request in, or says why it cannot be. leave has to be called.
func (m *rooms) enter(x route, session string) (leave func(), why msg.Key) {
	if x.watch {
		return func() {}, ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all, most, kind, full := &m.requests, m.limits.Requests, 1, msg.ServerRequests
	if x.stream || x.waits {
		all, most, kind, full = &m.streams, m.limits.Streams, 0, msg.ServerStreams
	}
	if *all >= most {
		return nil, full
	}
	one := m.each[session]
	if session != "" {
		if one == nil {
			one = &[2]int{}
			if m.each == nil {
				m.each = map[string]*[2]int{}
			}
			m.each[session] = one
		}
		if one[kind] >= m.limits.Each {
			return nil, msg.ServerEach
		}
		one[kind]++
	}
	*all++
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		*all--
		if session == "" {
			return
		}
		if one[kind]--; *one == [2]int{} {
			delete(m.each, session)
		}
	}, ""
}
