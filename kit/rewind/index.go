package rewind

import "strings"

// index knows the state of every file when it was last looked at. What differs from it has changed since.
type index struct {
	file  tail
	full  bool   // a whole scan was made: what is not here is not there, or left out
	rules string // of the repository at the last scan
	bound int64  // Options.MaxLook of the last scan
	m     map[name]*entry
	lines int
	scans int

	pending []any
}

// indexLine is one line of the index: an entry, the end of one, or, without a path, what holds for all.
type indexLine struct {
	Path  name   `json:"p,omitempty"`
	Entry *entry `json:"e,omitempty"`
	Full  bool   `json:"full,omitempty"`
	Rules string `json:"rules,omitempty"`
	Bound int64  `json:"bound,omitempty"`
}

func (x *index) read() error {
	return x.file.read(func() {
		x.m, x.lines, x.full, x.rules, x.bound = map[name]*entry{}, 0, false, "", 0
	}, func(raw []byte) error {
		var l indexLine
		if err := decode(raw, &l); err != nil {
			return err
		}
		x.lines++
		switch {
		case l.Path == "":
			x.full, x.rules, x.bound = l.Full, l.Rules, l.Bound
		case l.Entry == nil:
			delete(x.m, l.Path)
		default:
			x.m[l.Path] = l.Entry
		}
		return nil
	})
}

func (x *index) set(p name, e *entry) {
	x.m[p] = e
	x.pending = append(x.pending, indexLine{Path: p, Entry: e})
}

func (x *index) remove(p name) {
	delete(x.m, p)
	x.pending = append(x.pending, indexLine{Path: p})
}

// scanned notes that everything was looked at, under these rules.
func (x *index) scanned(rules string, bound int64) {
	if x.full && x.rules == rules && x.bound == bound {
		return
	}
	x.full, x.rules, x.bound = true, rules, bound
	x.pending = append(x.pending, indexLine{Full: true, Rules: rules, Bound: bound})
}

// save writes what has changed; now and then everything anew.
func (x *index) save(sync bool) error {
	defer func() { x.pending = nil }()
	if x.lines+len(x.pending) <= 2*len(x.m)+1000 {
		x.lines += len(x.pending)
		return x.file.add(x.pending...)
	}
	all := make([]any, 0, len(x.m)+1)
	all = append(all, indexLine{Full: x.full, Rules: x.rules, Bound: x.bound})
	for p, e := range x.m {
		all = append(all, indexLine{Path: p, Entry: e})
	}
	x.lines = len(all)
	return x.file.rewrite(sync, all)
}

// state is what is known of a path now.
func (x *index) state(p name) state {
	if e := x.m[p]; e != nil {
		return e.State
	}
	return state{}
}

// hidden reports whether a path, or a directory above it, is left out.
func (x *index) hidden(p name) bool {
	for q := string(p); q != ""; {
		if e := x.m[name(q)]; e != nil && e.Skip {
			return true
		}
		i := strings.LastIndexByte(q, '/')
		if i < 0 {
			break
		}
		q = q[:i]
	}
	return false
}
