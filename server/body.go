package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"react-agent/internal/msg"
)

const (
	bodyLimit = 10 << 20        // bytes of one body
	bodyTime  = 2 * time.Minute // for a body to arrive
	bodiesMax = 128 << 20       // bytes of all bodies that are held at once
	drainMax  = 32 << 20        // bytes of a refused body that are taken in, for its sender to come to the answer
)

// body is what came with a request, once it is known to be what it has to be.
type body struct {
	ok   bool
	data []byte
	rest []byte // what the handler has not read
	held *atomic.Int64
}

// done lets go of the body's bytes.
func (b *body) done() {
	b.held.Add(-int64(len(b.data)))
	b.data, b.rest = nil, nil
}

// Read gives the body to its handler. What was read to its end is held no more: an answer may take for days.
func (b *body) Read(p []byte) (int, error) {
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; len(b.rest) > 0 || len(p) == 0 {
		return n, nil
	}
	b.done()
	return n, io.EOF
}

// Close is for [io.ReadCloser].
func (*body) Close() error { return nil }

// session is the id that the older interface puts into the body.
func (b *body) session() string {
	var named struct {
		Session string `json:"session_id"`
	}
	if json.Unmarshal(b.data, &named) != nil || named.Session == "" {
		return "default"
	}
	return named.Session
}

// command reports whether the body has a command, which may wait for the end of a run.
func (b *body) command() bool {
	var said struct {
		Command string          `json:"command"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(b.data, &said) != nil {
		return false
	}
	var typed string
	return said.Command != "" || json.Unmarshal(said.Message, &typed) == nil && strings.HasPrefix(strings.TrimSpace(typed), "/")
}

// body reads the whole body of a request and checks it: size, time, type, encoding, one JSON object, keys that are known.
// The handler then reads it from memory.
func (s *Server) body(c *gin.Context, x route) *body {
	w, r := c.Writer, c.Request
	b := &body{held: &s.figures.held}
	if x.method != http.MethodPost {
		if r.ContentLength != 0 { // nobody reads it
			w.Header().Set("Connection", "close")
			s.refuse(w, http.StatusBadRequest, msg.ServerNoBody, r.Method)
			return b
		}
		b.ok = true
		return b
	}
	if !s.typed(w, r) {
		return b
	}
	status, key, args := s.readBody(w, r, b)
	if status == 0 {
		if b.ok = true; len(b.data) == 0 && x.bare {
			b.data = []byte("{}")
			s.figures.held.Add(2)
		}
		if err := s.checkBody(b.data, s.keys[x.method+" "+pathOf(x.path)]); err != nil {
			status, key, args, b.ok = http.StatusBadRequest, msg.ServerInvalid, []any{err}, false
		}
	}
	switch status {
	case 0:
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout, http.StatusTooManyRequests:
		w.Header().Set("Connection", "close") // the rest of it is not wanted
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "5")
		}
		fallthrough
	default:
		s.refuse(w, status, key, args...)
		return b
	}
	b.rest = b.data
	r.Body, r.ContentLength = b, int64(len(b.data))
	return b
}

// typed refuses a body that does not say it is JSON: a form of another site's page cannot say so.
func (s *Server) typed(w http.ResponseWriter, r *http.Request) bool {
	given := r.Header.Get("Content-Type")
	if given == "" && r.ContentLength == 0 {
		return true
	}
	kind, params, err := mime.ParseMediaType(given)
	set := params["charset"]
	if err != nil || kind != "application/json" || set != "" && !strings.EqualFold(set, "utf-8") {
		s.refuse(w, http.StatusUnsupportedMediaType, msg.ServerType, given)
		return false
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		s.refuse(w, http.StatusUnsupportedMediaType, msg.ServerEncoding, e)
		return false
	}
	return true
}

// readBody takes the body in. A status other than 0 says why it could not be.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, b *body) (status int, key msg.Key, args []any) {
	if r.ContentLength > bodyLimit {
		return http.StatusRequestEntityTooLarge, msg.ServerLarge, []any{bodyLimit >> 20}
	}
	control, until := http.NewResponseController(w), time.Now().Add(s.times.body)
	const least = 512
	for {
		due := time.Now().Add(s.times.pause)
		if due.After(until) {
			due = until
		}
		_ = control.SetReadDeadline(due) // a writer without deadlines is one of a test
		b.data = slices.Grow(b.data, least)
		n, err := r.Body.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		held := b.held.Add(int64(n))
		switch {
		case len(b.data) > bodyLimit:
			return http.StatusRequestEntityTooLarge, msg.ServerLarge, []any{bodyLimit >> 20}
		case held > bodiesMax:
			return http.StatusTooManyRequests, msg.ServerRequests, nil
		case errors.Is(err, io.EOF):
			_ = control.SetReadDeadline(time.Time{}) // the connection is watched while the answer is made
			return 0, "", nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return http.StatusRequestTimeout, msg.ServerSlow, nil
		case err != nil:
			return http.StatusBadRequest, msg.ServerInvalid, []any{err}
		}
	}
}

// checkBody looks whether a body is one JSON object with known keys, none of them twice.
func (s *Server) checkBody(data []byte, keys *node) error {
	if len(data) == 0 {
		return msg.Errorf(msg.ServerEmpty)
	}
	if !utf8.Valid(data) {
		at := 0
		for r, n := utf8.DecodeRune(data); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(data[at:]) {
			at += n
		}
		return msg.Errorf(msg.ServerUTF8, at)
	}
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return msg.Errorf(msg.ServerObject)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := keys.check(d, nil, 0); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return msg.Errorf(msg.ServerCut)
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return msg.Errorf(msg.ServerBehind, d.InputOffset())
	}
	return nil
}

// drained takes in, behind a refusal, what is still under way of the body: whoever is cut off while sending sees a broken
// connection and never the answer. It has the time of a body, and a bound.
func (s *Server) drained(c *gin.Context) {
	if c.Request.ContentLength == 0 {
		return
	}
	body := &sent{ReadCloser: c.Request.Body}
	c.Request.Body = body
	c.Next()
	control := http.NewResponseController(c.Writer)
	if c.Writer.Status() < http.StatusBadRequest || body.over || s.stopping.Load() || control.Flush() != nil {
		return
	}
	until, chunk := time.Now().Add(s.times.body), make([]byte, 32<<10)
	for got := 0; got < drainMax && !body.over && time.Now().Before(until); {
		_ = control.SetReadDeadline(time.Now().Add(s.times.pause)) // a writer without deadlines is one of a test
		n, _ := body.Read(chunk)                                   // its end is seen by over
		got += n
	}
}

// sent is a body, and knows when nothing more comes of it.
type sent struct {
	io.ReadCloser
	over bool
}

func (b *sent) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.over = b.over || err != nil
	return n, err
}
