package shell

import (
	"bytes"
	"errors"
	"os"
	"time"
)

const (
	showEvery   = 50 * time.Millisecond // between two pieces for Cmd.Output
	showMax     = 8 << 10               // bytes of a piece; older ones are skipped
	promptAfter = 3 * time.Second       // a question that stands so long waits for somebody
)

// reader drains the pipe. It is one goroutine; deadlines on the pipe are its only clock.
type reader struct {
	j     *job
	out   capture
	human func() // called when somebody has to type a password

	pending []byte // not shown yet
	showAt  time.Time
	askAt   time.Time // when a question at the end of the output is taken for one
}

func newReader(j *job, human func()) *reader {
	keep := j.c.Keep
	if keep <= 0 {
		keep = defaultKeep
	}
	return &reader{j: j, human: human, out: capture{keep: keep, logs: j.c.Logs}}
}

func (r *reader) loop() {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.j.pipe.Read(buf)
		if n > 0 {
			r.take(buf[:n])
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
		default:
			return // the end, or the pipe was closed
		}
		r.clock()
	}
}

func (r *reader) take(p []byte) {
	r.out.write(p)
	if r.j.c.Stream != nil {
		r.j.c.Stream(p)
	}
	now := time.Now()
	r.askAt = time.Time{}
	if looksLikeQuestion(p) {
		r.askAt = now.Add(promptAfter)
	}
	if r.j.c.Output == nil {
		return
	}
	r.pending = append(r.pending, p...)
	if extra := len(r.pending) - showMax; extra > 0 {
		r.pending = append(r.pending[:0], wholeStart(r.pending[extra:])...)
	}
	if r.showAt.IsZero() {
		r.showAt = now.Add(showEvery)
	}
}

// clock does what is due and sets the pipe's deadline to what is due next.
func (r *reader) clock() {
	if r.showAt.IsZero() && r.askAt.IsZero() {
		_ = r.j.pipe.SetReadDeadline(time.Time{})
		return
	}
	now := time.Now()
	if !r.showAt.IsZero() && !now.Before(r.showAt) {
		r.show()
	}
	if !r.askAt.IsZero() && !now.Before(r.askAt) {
		r.askAt = time.Time{}
		if r.j.onOwnTerminal() {
			r.human()
		}
	}
	next := r.showAt
	if next.IsZero() || !r.askAt.IsZero() && r.askAt.Before(next) {
		next = r.askAt
	}
	_ = r.j.pipe.SetReadDeadline(next)
}

func (r *reader) show() {
	r.showAt = time.Time{}
	whole := wholeEnd(r.pending)
	if len(whole) == 0 {
		return
	}
	r.j.c.Output(whole)
	r.pending = append(r.pending[:0], r.pending[len(whole):]...)
}

// looksLikeQuestion reports that p ends in the middle of a line that asks for something secret.
func looksLikeQuestion(p []byte) bool {
	if len(p) == 0 || p[len(p)-1] == '\n' {
		return false
	}
	line := bytes.TrimRight(p[max(0, len(p)-200):], " ")
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	if !bytes.HasSuffix(line, []byte(":")) && !bytes.HasSuffix(line, []byte("：")) && !bytes.HasSuffix(line, []byte("?")) {
		return false
	}
	line = bytes.ToLower(line)
	for _, word := range [...]string{"password", "passphrase", "passcode", "pin", "密码", "口令", "passwort", "mot de passe", "contraseña", "(yes/no"} {
		if bytes.Contains(line, []byte(word)) {
			return true
		}
	}
	return false
}
