package shell

import (
	"fmt"
	"os"
)

// Captured is a command's output. Head is all of it unless Lost is greater than 0; then Lost bytes are missing between
// Head and Tail. Both begin and end with whole characters as far as the output was UTF-8.
type Captured struct {
	Head, Tail []byte
	Lost       int64
	// Total is how many bytes there were. Log is the file that has them, when they were too many for memory; LogErr says
	// why it is not complete or not there.
	Total  int64
	Log    string
	LogErr error
}

const (
	defaultKeep = 64 << 10
	maxLog      = 256 << 20 // of a command that never stops printing
)

// capture keeps both ends of a stream in memory and, when that is too little, the whole in a file.
type capture struct {
	keep  int
	logs  string
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // oldest byte of the ring
	total int64

	file   *os.File
	logged int64
	err    error
}

func (c *capture) write(p []byte) {
	c.total += int64(len(p))
	whole := p
	if n := min(len(p), c.keep-len(c.head)); n > 0 {
		c.head = append(c.head, p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return
	}
	if c.file == nil && c.err == nil && c.logs != "" && c.total > 2*int64(c.keep) {
		c.open()
		// Everything before whole is in memory still: the ring has not lost a byte yet.
		c.log(c.head[:len(c.head)-(len(whole)-len(p))])
		c.log(c.tail)
	}
	if c.file != nil {
		c.log(whole)
	}
	c.ring(p)
}

func (c *capture) ring(p []byte) {
	if n := min(len(p), c.keep-len(c.tail)); n > 0 {
		c.tail = append(c.tail, p[:n]...)
		p = p[n:]
	}
	if len(p) > c.keep {
		p = p[len(p)-c.keep:]
	}
	for len(p) > 0 {
		n := copy(c.tail[c.next:], p)
		p = p[n:]
		c.next = (c.next + n) % c.keep
	}
}

func (c *capture) open() {
	f, err := NewLog(c.logs)
	if err != nil {
		c.err = err
		return
	}
	c.file = f
}

func (c *capture) log(p []byte) {
	if c.file == nil || c.err != nil {
		return
	}
	if room := maxLog - c.logged; int64(len(p)) > room {
		p = p[:room]
		c.err = fmt.Errorf("the file ends after %d MiB", maxLog>>20)
	}
	n, err := c.file.Write(p)
	c.logged += int64(n)
	if err != nil {
		c.err = fmt.Errorf("the file is not complete: %w", err)
	}
}

// finish gives what was captured.
func (c *capture) finish() Captured {
	out := Captured{Total: c.total, LogErr: c.err}
	if c.file != nil {
		out.Log = c.file.Name()
		if err := c.file.Close(); err != nil && out.LogErr == nil {
			out.LogErr = err
		}
	}
	tail := append(append([]byte(nil), c.tail[c.next:]...), c.tail[:c.next]...)
	if c.total == int64(len(c.head)+len(tail)) {
		out.Head = append(c.head, tail...)
		return out
	}
	out.Head, out.Tail = wholeEnd(c.head), wholeStart(tail)
	out.Lost = c.total - int64(len(out.Head)+len(out.Tail))
	return out
}

// NewLog makes a new file for an output in dir, which is made if it is not there. Only its owner may read it.
func NewLog(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory for long outputs: %w", err)
	}
	f, err := os.CreateTemp(dir, "output-*.log")
	if err != nil {
		return nil, fmt.Errorf("file for a long output: %w", err)
	}
	return f, nil
}
