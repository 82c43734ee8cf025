package rewind

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"unicode/utf8"
)

// name is a path, or where a link leads. On most systems that is any bytes; those that are no text stand in JSON as a list
// with one base64 string.
type name string

// MarshalJSON keeps every byte.
func (n name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal([]string{base64.StdEncoding.EncodeToString([]byte(n))})
}

// UnmarshalJSON reads both forms.
func (n *name) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		*n = name(s)
		return err
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	if len(list) != 1 {
		return errors.New("a name is a string, or a list with one base64 string")
	}
	b, err := base64.StdEncoding.DecodeString(list[0])
	*n = name(b)
	return err
}

// What a path can be. The zero value says that nothing is there.
const (
	isFile  = "file"
	isDir   = "dir"
	isLink  = "link"
	isOther = "other" // a FIFO, a socket, a device
)

// state is what a restore brings back. Two states are the same when they are equal.
type state struct {
	Kind string      `json:"k,omitempty"`
	Mode fs.FileMode `json:"m,omitempty"` // permissions and the three special bits; 0 for links and others
	Size int64       `json:"s,omitempty"`
	Sum  string      `json:"h,omitempty"` // SHA-256 of the content; "" when it is not kept
	To   name        `json:"l,omitempty"` // of a link
	// Stamp stands for the content that is not kept: the time of its last change.
	Stamp int64 `json:"t,omitempty"`
}

func (s state) kept() bool { return s.Kind != isFile || s.Sum != "" }

// stamp is what the file system tells of a file without reading it. Equal stamps mean equal states, unless the file
// was changed too shortly before it was looked at (entry.Racy).
type stamp struct {
	Size  int64       `json:"s,omitempty"`
	MTime int64       `json:"t,omitempty"` // ns
	CTime int64       `json:"c,omitempty"` // ns; 0 where the system has none
	Ino   uint64      `json:"i,omitempty"`
	Dev   uint64      `json:"d,omitempty"`
	Mode  fs.FileMode `json:"m,omitempty"` // with the type
}

// entry is what the index knows of a path.
type entry struct {
	State state `json:"a,omitzero"`
	Stamp stamp `json:"b,omitzero"`
	// Racy: it was read so soon after its last change that a further change may have left the stamp as it is.
	Racy bool `json:"r,omitempty"`
	// Extra: a call has named it; scans do not come by.
	Extra bool `json:"x,omitempty"`
	// Skip: it is left out, with everything below.
	Skip bool `json:"g,omitempty"`

	seen int // number of the last scan that came by
}

// still reports whether a path needs no reading: nothing has changed since the entry was made.
func (e *entry) still(s stamp) bool { return e != nil && !e.Skip && !e.Racy && e.Stamp == s }

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return isFile
	case m.IsDir():
		return isDir
	case m&fs.ModeSymlink != 0:
		return isLink
	}
	return isOther
}

// fresh is how long after a change a file is read again in any case: more than the tick of a kernel's clock, and two
// seconds where times have no fractions.
func fresh(s stamp) int64 {
	const second = 1_000_000_000
	if s.MTime%second == 0 && s.CTime%second == 0 {
		return 2 * second
	}
	return second / 20
}

func racy(s stamp, now int64) bool {
	last := max(s.MTime, s.CTime)
	return last > now-fresh(s)
}

// bare gives the state that follows from the stamp alone, for everything but a link and the content of a file.
func bare(info fs.FileInfo) state {
	s := state{Kind: kindOf(info.Mode())}
	switch s.Kind {
	case isFile:
		s.Mode, s.Size = info.Mode()&modeBits, info.Size()
	case isDir:
		s.Mode = info.Mode() & modeBits
	}
	return s
}

// linkState reads a link.
func linkState(path string) (state, error) {
	to, err := os.Readlink(path)
	return state{Kind: isLink, To: name(to)}, err
}
