package rewind

import "react-agent/internal/msg"

// usage counts who needs which content.
type usage struct {
	needs map[string]int
	inGit map[string]string
	total int64 // bytes that are kept and needed
}

// count adds a user of a content, or with -1 takes one away.
func (u *usage) count(s state, n int) {
	if s.Sum == "" {
		return
	}
	was := u.needs[s.Sum]
	u.needs[s.Sum] += n
	if u.inGit[s.Sum] != "" {
		return
	}
	switch is := u.needs[s.Sum]; {
	case was == 0 && is > 0:
		u.total += s.Size
	case was > 0 && is == 0:
		u.total -= s.Size
	}
}

func (u *usage) record(rec record, n int) {
	for _, c := range rec.Changes {
		u.count(c.Before, n)
		u.count(c.After, n)
	}
}

// usage is that of the index and of the whole history.
func (r *Rewind) usage() *usage {
	u := &usage{needs: map[string]int{}, inGit: r.objects.git.oids}
	for _, e := range r.index.m {
		u.count(e.State, 1)
	}
	for _, rec := range r.history.records {
		u.record(rec, 1)
	}
	return u
}

// makeRoom drops the oldest records when what is kept comes near its bound, and reports whether it did.
func (r *Rewind) makeRoom() (bool, error) {
	if r.objects.size.Load() < r.o.MaxBytes-r.o.MaxBytes/16 {
		return false, nil
	}
	h, u := &r.history, r.usage()
	n, changes := 0, 0
	for ; n < len(h.records) && u.total > r.o.MaxBytes-r.o.MaxBytes/8; n++ {
		rec := h.records[n]
		if _, running := h.active[rec.ID]; running {
			break
		}
		if len(rec.Changes) > 0 {
			changes++
		}
		u.record(rec, -1)
	}
	if err := r.drop(n); err != nil {
		return false, err
	}
	if changes > 0 && r.o.Notice != nil {
		r.o.Notice(r.msg.Text(msg.RewindDropped, r.o.MaxBytes>>20, changes))
	}
	return true, r.objects.sweep(u.needs)
}

// drop forgets the first n records, and remembers of which events.
func (r *Rewind) drop(n int) error {
	h := &r.history
	var stay []record
	for _, rec := range h.records[:n] {
		if _, open := h.open[rec.ID]; open {
			stay = append(stay, rec) // what it has started may still change something
		}
		if rec.Session != "" {
			h.dropped[rec.Session] = max(h.dropped[rec.Session], rec.Seq)
		}
		for _, key := range rec.keys() {
			session, seq := callKey(key)
			h.dropped[session] = max(h.dropped[session], seq)
		}
	}
	h.records = append(stay, h.records[n:]...)
	lines := []any{record{ID: h.last, Type: recDrop, Dropped: h.dropped}}
	for _, rec := range h.records {
		lines = append(lines, rec)
		_, running := h.active[rec.ID]
		_, open := h.open[rec.ID]
		if rec.Type == recBegin && !running && !open {
			lines = append(lines, record{ID: h.last, Type: recEnd, Key: rec.Key, Seq: rec.ID})
		}
	}
	h.pending = nil
	return h.file.rewrite(!r.o.NoSync, lines)
}
