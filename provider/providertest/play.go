package providertest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// player streams one reply.
type player struct {
	s     *Server
	w     http.ResponseWriter
	ctx   context.Context //nolint:containedctx // of this one request
	reply Reply
	n     int // number of the reply, from 1

	voice voice
	model string // the request's
	raw   bool   // a raw stream says everything itself
	calls int
}

func (p *player) play() {
	maps.Copy(p.w.Header(), p.reply.Header)
	p.w.Header().Set("Content-Type", "text/event-stream")
	p.w.WriteHeader(http.StatusOK)
	p.flush()
	for _, part := range p.reply.Parts {
		if !p.part(part) {
			return
		}
	}
	if !p.raw {
		p.voice.finish(p.reply.Finish, p.calls > 0, p.reply.Usage)
	}
}

// part plays one part; false ends the reply.
func (p *player) part(part Part) bool {
	switch part.Verb {
	case Say:
		for i, piece := range pieces(p.fill(part.Text)) {
			p.voice.text(piece, i == 0)
		}
	case Think:
		for i, piece := range pieces(p.fill(part.Text)) {
			p.voice.thought(piece, i == 0)
		}
	case Call:
		p.call(part.Tool, p.fill(part.Text))
	case Raw, Cut:
		p.raw = true
		_, _ = io.WriteString(p.w, part.Text)
		p.flush()
		if part.Verb == Cut {
			panic(http.ErrAbortHandler)
		}
	case Break:
		panic(http.ErrAbortHandler)
	case Wait, Hang:
		return p.hold(part)
	case Nothing:
		p.voice.nothing()
	}
	return true
}

// hold waits as the part says; false means that the client is gone.
func (p *player) hold(part Part) bool {
	p.count(1)
	defer p.count(-1)
	ok := func() bool { return false }
	if part.Verb == Wait {
		ok = func() bool { return part.N > 0 && len(p.s.requests) >= part.N || p.take(part) }
	}
	return p.s.until(p.ctx, ok) == nil
}

// take uses up one release; the caller holds the lock.
func (p *player) take(part Part) bool {
	if part.N > 0 || p.s.released == 0 {
		return false
	}
	p.s.released--
	return true
}

func (p *player) count(d int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.holding += d
	p.s.wake()
}

func (p *player) fill(text string) string { return strings.ReplaceAll(text, "{n}", strconv.Itoa(p.n)) }

// pieces cuts a text into pieces of three characters, at most a hundred of them: long texts into longer pieces.
func pieces(text string) (list []string) {
	runes := []rune(text)
	size := max(3, len(runes)/100)
	for len(runes) > 0 {
		n := min(size, len(runes))
		list = append(list, string(runes[:n]))
		runes = runes[n:]
	}
	return list
}

// call sends the head of a call and its arguments in two pieces.
func (p *player) call(tool, args string) {
	p.calls++
	runes := []rune(args)
	half := len(runes) / 2
	p.voice.call(fmt.Sprintf("call_%d_%d", p.n, p.calls), tool, []string{string(runes[:half]), string(runes[half:])})
}

func (p *player) flush() { _ = http.NewResponseController(p.w).Flush() }
