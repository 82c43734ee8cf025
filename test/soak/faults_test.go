package soak_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

const stream = "text/event-stream; charset=utf-8"

// fault is one way to answer; good ones are among them.
type fault struct {
	name   string
	weight int
	play   func(p *play)
}

// faults is the mix.
func faults() []fault {
	return []fault{
		{"good", 40, func(p *play) { p.head(200, stream); p.send(p.whole()) }},
		{"good in pieces", 10, inPieces},
		{"good as plain text", 2, func(p *play) { p.head(200, "text/plain"); p.send(p.whole()) }},
		{"good as JSON", 2, func(p *play) { p.head(200, "application/json"); p.send(p.whole()) }},
		{"429", 4, func(p *play) { p.refuse(429, "slow down", "rate_limit_error") }},
		{"429 retry-after-ms", 4, func(p *play) {
			p.w.Header().Set("Retry-After-Ms", "15")
			p.refuse(429, "slow down", "rate_limit_error")
		}},
		{"429 retry-after 1 s", 1, func(p *play) { p.w.Header().Set("Retry-After", "1"); p.refuse(429, "slow down", "rate_limit_error") }},
		{"429 retry-after an hour", 1, func(p *play) { p.w.Header().Set("Retry-After", "3600"); p.refuse(429, "slow down", "rate_limit_error") }},
		{"500", 3, func(p *play) { p.refuse(500, "internal error", "api_error") }},
		{"502 page", 2, func(p *play) { p.head(502, "text/html"); p.send("<html><body>Bad Gateway</body></html>") }},
		{"503", 2, func(p *play) { p.refuse(503, "unavailable", "api_error") }},
		{"529", 2, func(p *play) { p.refuse(529, "overloaded", "overloaded_error") }},
		{"401", 1, func(p *play) { p.refuse(401, "invalid api key", "authentication_error") }},
		{"402", 1, func(p *play) { p.refuse(402, "insufficient balance", "billing_error") }},
		{"400", 1, func(p *play) { p.refuse(400, "messages: bad", "invalid_request_error") }},
		{"cut", 6, func(p *play) { p.head(200, stream); p.send(p.some()); p.drop() }},
		{"ended early", 4, func(p *play) { p.head(200, stream); p.send(p.some()) }},
		{"shorter than its length", 2, func(p *play) {
			p.w.Header().Set("Content-Length", strconv.Itoa(len(p.whole())+100))
			p.head(200, stream)
			p.send(p.some())
		}},
		{"no reply", 2, func(p *play) { p.drop() }},
		{"not HTTP", 1, notHTTP},
		{"stall before the head", 1, func(p *play) { p.stall() }},
		{"stall in the body", 3, func(p *play) { p.head(200, stream); p.send(p.some()); p.stall() }},
		{"stall in an error", 1, func(p *play) { p.head(500, "application/json"); p.send(`{"error":`); p.stall() }},
		{"nothing", 2, func(p *play) { p.head(200, stream) }},
		{"garbage", 3, func(p *play) { p.head(200, stream); p.send(p.garbage()) }},
		{"garbage in the middle", 3, func(p *play) { p.head(200, stream); p.send(p.some() + "\n\ndata: " + p.garbage() + "\n\n") }},
		{"page instead", 2, func(p *play) { p.head(200, "text/html"); p.send("<!doctype html><title>Sign in</title>") }},
		{"error in 200", 4, func(p *play) { p.head(200, "application/json"); p.send(p.failure("overloaded", "overloaded_error")) }},
		{"error in the stream", 4, func(p *play) {
			p.head(200, stream)
			p.send(p.someFrames() + "event: error\ndata: " + p.failure("overloaded", "overloaded_error") + "\n\n")
		}},
	}
}

// pick chooses by weight.
func pick(random *rand.Rand) fault {
	list := faults()
	sum := 0
	for _, f := range list {
		sum += f.weight
	}
	n := random.IntN(sum)
	for _, f := range list {
		if n -= f.weight; n < 0 {
			return f
		}
	}
	return list[0]
}

// some is the reply up to a random byte before its terminal signal.
func (p *play) some() string {
	all := p.whole()
	return all[:p.random.IntN(terminal(all))]
}

// someFrames is the reply up to the end of a random frame before the terminal one.
func (p *play) someFrames() string {
	return strings.Join(p.frames[:p.random.IntN(len(p.frames)-1)], "")
}

// terminal is where the first signal begins after which a reply may count as whole.
func terminal(all string) int {
	at := len(all)
	for _, signal := range []string{`"finish_reason":"`, `"stop_reason":"`, `"finishReason":"`, `"response.completed"`, "[DONE]"} {
		if i := strings.Index(all, signal); i >= 0 {
			at = min(at, i)
		}
	}
	return at
}

// garbage is bytes that mean nothing; sometimes they look as if they did.
func (p *play) garbage() string {
	raw := make([]byte, 1+p.random.IntN(400))
	for i := range raw {
		raw[i] = byte(p.random.Uint32())
	}
	switch p.random.IntN(4) {
	case 0:
		return `{"choices":[{"delta":{"content":"` + base64.StdEncoding.EncodeToString(raw)
	case 1:
		return "{" + base64.StdEncoding.EncodeToString(raw)
	}
	return string(raw)
}

// failure is an error in the words of the wire.
func (p *play) failure(text, kind string) string {
	switch p.api {
	case "anthropic":
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, text)
	case "gemini":
		return fmt.Sprintf(`{"error":{"code":503,"status":"UNAVAILABLE","message":%q}}`, text)
	case "responses":
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"code":"server_is_overloaded","message":%q}}`, kind, text)
	}
	return fmt.Sprintf(`{"error":{"type":%q,"message":%q}}`, kind, text)
}

func (p *play) refuse(status int, text, kind string) {
	p.head(status, "application/json")
	p.send(p.failure(text, kind))
}

func inPieces(p *play) {
	p.head(200, stream)
	for all := p.whole(); all != ""; {
		n := min(len(all), 1+p.random.IntN(200))
		p.send(all[:n])
		all = all[n:]
		p.pause()
	}
}

func notHTTP(p *play) {
	conn, _, err := http.NewResponseController(p.w).Hijack()
	if err != nil {
		p.drop()
	}
	_, _ = conn.Write([]byte("EHLO there\r\n\r\n")) // the client may have gone
	_ = conn.Close()
}
