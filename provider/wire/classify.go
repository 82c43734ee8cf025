package wire

import (
	"net/http"
	"slices"
	"strings"

	"react-agent/agent"
)

// Failure is what a vendor said when a call failed: a reply with an error status, an error object inside a good
// reply, or an error event in a stream.
type Failure struct {
	Provider string      // preset or wire, for the error text and the meaning of numbers
	Status   int         // HTTP status; 200 for an error inside a good reply
	Header   http.Header // may be nil
	Body     []byte      // the body, or the one event that holds the error; bounded by the caller
	Request  []byte      // the body it answers, so that a place in it can be looked up; may be nil
	InStream bool        // it arrived after a 200, as an event or a JSON body
}

// Classify turns a failure into the one error type that models return. It looks at codes, at words in English and
// Chinese, at the status and at the headers, and depends on nothing else (a date in Retry-After without a Date header is
// the exception: that is held against the clock). What is tested first wins: billing, throttling, overflow, quota, content filter,
// authentication, rate limit, server, bad request. The error's text is the vendor's own, bounded, with keys masked.
func Classify(f Failure) *agent.ModelError {
	v := readFailure(&f)
	e := &agent.ModelError{Provider: f.Provider, Status: f.Status}
	e.Kind, e.Retryable = v.verdict(&f)
	switch strings.ToLower(strings.TrimSpace(f.Header.Get("X-Should-Retry"))) {
	case "false":
		e.Retryable = false
	case "true":
		e.Retryable = e.Retryable || e.Kind == agent.ErrBadRequest || e.Kind == agent.ErrInvalidResponse
	}
	if e.Retryable || e.Kind == agent.ErrRateLimit {
		e.RetryAfter = v.wait(f.Header, e.Kind)
	}
	e.Err = worded(v.message(), f.Body, f.Request)
	return e
}

// good reports whether the status says nothing about the failure.
func good(status int) bool { return status < 300 }

// verdict gives the kind, and whether the same request may succeed later.
func (v *evidence) verdict(f *Failure) (agent.ErrorKind, bool) {
	if v.html {
		return v.page(f.Status)
	}
	status := f.Status
	if good(status) {
		status = v.status
	}
	if kind := v.byMeaning(f, status); kind != "" {
		return kind, retryable(kind) || kind == agent.ErrInvalidResponse
	}
	if kind, retry := byStatus(status); kind != "" {
		return kind, retry
	}
	for _, r := range faintRules() {
		if v.matches(&r, status) {
			return r.kind, retryable(r.kind)
		}
	}
	if f.Status >= 300 && f.Status < 500 {
		return agent.ErrBadRequest, false
	}
	return agent.ErrServer, true
}

// page judges a web page: whatever it says, it comes from something in between.
func (v *evidence) page(status int) (agent.ErrorKind, bool) {
	if good(status) {
		return agent.ErrInvalidResponse, false
	}
	if kind, retry := byStatus(status); kind != "" {
		return kind, retry
	}
	return agent.ErrBadRequest, false
}

// byMeaning judges by numbers, codes and words, in the order of the rules.
func (v *evidence) byMeaning(f *Failure, status int) agent.ErrorKind {
	if status == http.StatusPaymentRequired {
		return agent.ErrQuota
	}
	number := v.numberKind(f.Provider)
	if number != "" && number != agent.ErrBadRequest && number != agent.ErrServer {
		return number
	}
	for _, r := range rules() {
		if v.matches(&r, status) {
			if r.soft && v.passing() {
				return agent.ErrRateLimit
			}
			return r.kind
		}
	}
	if number != "" {
		return number
	}
	if len(v.raw) == 0 && status == http.StatusBadRequest {
		if p, _ := Lookup(f.Provider); p.BareOverflow {
			return agent.ErrContextLength
		}
	}
	return ""
}

// passing reports whether a limit that was reached opens again soon: the vendor names a wait that one can sit out.
func (v *evidence) passing() bool {
	w := v.bodyWait()
	return w > 0 && w <= soon
}

// retryable reports whether the same request may succeed later.
func retryable(kind agent.ErrorKind) bool {
	return kind == agent.ErrRateLimit || kind == agent.ErrServer || kind == agent.ErrTimeout
}

// byStatus is what a status alone means. "" = nothing.
func byStatus(status int) (agent.ErrorKind, bool) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return agent.ErrAuth, false
	case http.StatusPaymentRequired:
		return agent.ErrQuota, false
	case http.StatusRequestTimeout:
		return agent.ErrTimeout, true
	case http.StatusRequestEntityTooLarge:
		return agent.ErrContextLength, false
	case http.StatusTooManyRequests, 420:
		return agent.ErrRateLimit, true
	case http.StatusConflict, http.StatusFailedDependency, http.StatusTooEarly, http.StatusMisdirectedRequest, 499:
		return agent.ErrServer, true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return agent.ErrBadRequest, false
	case 434:
		return agent.ErrAuth, false
	}
	switch {
	case status >= 500:
		return agent.ErrServer, true
	case status >= 400:
		return agent.ErrBadRequest, false
	}
	return "", false
}

// matches reports whether a rule fits one of the codes, or the text.
func (v *evidence) matches(r *rule, status int) bool {
	if r.only != nil && !slices.Contains(r.only, status) || slices.Contains(r.not, status) {
		return false
	}
	for _, code := range v.codes {
		for _, part := range r.codes {
			if exact, ok := strings.CutPrefix(part, "="); ok {
				if code == exact {
					return true
				}
			} else if strings.Contains(code, part) {
				return true
			}
		}
	}
	return slices.ContainsFunc(r.words, func(pattern string) bool { return says(v.text, pattern) })
}

// reach is how far apart the pieces of a pattern may stand, in bytes.
const reach = 120

// says reports whether a text holds the pieces of a pattern, which * separates, in their order and near to one another.
func says(text, pattern string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	for {
		i := strings.Index(text, first)
		if i < 0 {
			return false
		}
		text = text[i+len(first):]
		if !more || follows(text, rest) {
			return true
		}
	}
}

// follows reports whether the pieces come one after the other, the first one near to the beginning.
func follows(text, pattern string) bool {
	for piece := range strings.SplitSeq(pattern, "*") {
		i := strings.Index(text[:min(len(text), reach+len(piece))], piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return true
}
