package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Args collects the arguments of one call from its deltas. Vendors send them in pieces, whole, in ever longer copies, or
// in pieces and then once more whole; which it was shows only at the end. The zero value is ready.
type Args struct {
	buf    []byte
	last   int  // where the last piece begins
	pieces int  // that were not empty
	plain  bool // some piece did not begin with the piece before it: no ever longer copies

	quotes Quotes
	depth  int  // of brackets that are open
	end    int  // of the first value, behind its last bracket; 0 = it has not come
	more   bool // something but white space stands behind it
	judged bool // whether the first value is whole was looked at, once
	whole  bool
}

// Add takes the next piece.
func (a *Args) Add(piece string) {
	if piece == "" {
		return
	}
	if a.pieces > 0 && !strings.HasPrefix(piece, string(a.buf[a.last:])) {
		a.plain = true
	}
	a.last = len(a.buf)
	a.buf = append(a.buf, piece...)
	a.pieces++
	a.follow(piece)
}

// follow looks for the end of the first value.
func (a *Args) follow(piece string) {
	rest := piece
	for a.end == 0 && rest != "" {
		i := strings.IndexAny(rest, `"{}[]\`)
		if a.quotes.Open() {
			i = strings.IndexAny(rest, `"\`)
			if a.quotes.escaped {
				i = 0
			}
		}
		if i < 0 {
			return
		}
		if !a.quotes.Open() {
			a.bracket(rest[i], len(a.buf)-len(rest)+i+1)
		}
		a.quotes.Feed(rest[i : i+1])
		rest = rest[i+1:]
	}
	a.more = a.more || a.end > 0 && strings.TrimSpace(rest) != ""
}

// bracket counts a bracket that ends at a place.
func (a *Args) bracket(b byte, at int) {
	switch b {
	case '{', '[':
		a.depth++
	case '}', ']':
		if a.depth--; a.depth <= 0 {
			a.end = at
		}
	}
}

// Empty reports whether nothing has come.
func (a *Args) Empty() bool { return len(a.buf) == 0 }

// Text is everything so far, as it came.
func (a *Args) Text() string { return string(a.buf) }

// Complete reports whether what came so far is one whole object with something in it. However often it is asked, the
// arguments are read once.
func (a *Args) Complete() bool {
	if a.end == 0 || a.more {
		return false
	}
	if !a.judged {
		s := bytes.TrimSpace(a.buf[:a.end])
		a.judged, a.whole = true, len(s) > 2 && s[0] == '{' && json.Valid(s) && !emptyObject(s)
	}
	return a.whole
}

// Clean gives the arguments as one compact JSON value. False: they cannot be read without guessing and stay as they
// are. cut says that the output limit ended the message; then nothing is repaired.
func (a *Args) Clean(cut bool) (json.RawMessage, bool) {
	whole := string(a.buf)
	if v, ok := strict(whole); ok {
		return unwrap(v, cut)
	}
	if a.pieces > 1 {
		// Ever longer copies, or pieces and then everything again: the last piece stands for all before it.
		last := string(a.buf[a.last:])
		if !a.plain || strings.HasPrefix(last, string(a.buf[:a.last])) {
			if v, ok := CleanArgs(last, cut); ok {
				return v, true
			}
		}
	}
	return CleanArgs(whole, cut)
}

// CleanArgs gives arguments as one compact JSON value. It accepts nothing for {}, JSON inside a JSON string, and the same
// object several times over. Unless the message was cut, it also repairs what can be repaired without loss: trailing
// commas, raw line ends in strings, unknown escapes, Python's quotes and names, bare keys, stray tokens of the model
// around a complete object, one closing brace too many. It never adds a quote or a brace that did not come.
//
// False: there is no way to read the arguments without guessing.
func CleanArgs(raw string, cut bool) (json.RawMessage, bool) {
	if v, ok := strict(raw); ok {
		return unwrap(v, cut)
	}
	if v, ok := copies(raw); ok {
		return v, true
	}
	if cut {
		return nil, false
	}
	if v, ok := repair(raw); ok {
		return unwrap(v, cut)
	}
	return nil, false
}

// strict reads one JSON value. Nothing, and null, are {}.
func strict(raw string) (json.RawMessage, bool) {
	raw = strings.TrimSpace(raw)
	if raw == "" || raw == "null" {
		return json.RawMessage("{}"), true
	}
	return compact(raw)
}

func compact(raw string) (json.RawMessage, bool) {
	var out bytes.Buffer
	if json.Compact(&out, []byte(raw)) != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// unwrap opens a JSON string that holds JSON. Any other value is left as it is: the caller refuses what is no object.
func unwrap(v json.RawMessage, cut bool) (json.RawMessage, bool) {
	for range 3 {
		if v[0] != '"' {
			return v, true
		}
		var inner string
		if json.Unmarshal(v, &inner) != nil {
			return nil, false
		}
		next, ok := strict(inner)
		if !ok && !cut {
			next, ok = repair(inner)
		}
		if !ok {
			return nil, false
		}
		v = next
	}
	return nil, false
}

// copies reads objects that stand one behind the other: any number of {} and then the same object once or more.
func copies(raw string) (json.RawMessage, bool) {
	d := json.NewDecoder(strings.NewReader(raw))
	var found json.RawMessage
	for n := 0; ; n++ {
		var v json.RawMessage
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return found, n > 0
		}
		if err != nil {
			return nil, false
		}
		c, ok := compact(string(v))
		if !ok || c[0] != '{' {
			return nil, false
		}
		if found != nil && !emptyObject(found) && !bytes.Equal(found, c) {
			return nil, false
		}
		found = c
	}
}

func emptyObject(v []byte) bool {
	return len(v) >= 2 && v[0] == '{' && len(bytes.TrimSpace(v[1:len(v)-1])) == 0
}
