package client

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/store"
)

// ErrUnreachable is wrapped by errors about a server that cannot be reached.
var ErrUnreachable = errors.New("client: the server cannot be reached")

// ErrToken is wrapped by errors about a token that is missing or wrong.
var ErrToken = errors.New("client: the server wants its token")

// errLate is why a request ends to whose answer nobody has seen a beginning.
var errLate = errors.New("no answer came in time")

// Error is what a server has refused. For errors.Is it is what the engine's own error would be: [engine.ErrInput],
// [engine.ErrGone], [engine.ErrClosed], [store.ErrNotFound], [store.ErrTooLarge], [store.ErrFull], or [ErrToken].
type Error struct {
	Status int
	// Text is what the server says, in its language; "" if it does not speak as ours do.
	Text string
	// RetryAfter is how long the server asks to wait, 0 if it does not say.
	RetryAfter time.Duration

	url, to string
	edit    bool // a change of what waits was refused
}

// Error is the server's text, or English.
func (e *Error) Error() string { return e.In(msg.For(msg.En)) }

// In is the server's text, or what the status means, in a language.
func (e *Error) In(c msg.Catalogue) string {
	switch {
	case e.Status == http.StatusUnauthorized:
		return c.Text(msg.ClientToken, e.url)
	case e.to != "":
		return c.Text(msg.ClientElsewhere, e.url, e.to)
	case e.Text != "":
		return e.Text
	}
	return c.Text(msg.ClientStatus, e.url, e.Status, http.StatusText(e.Status))
}

// Is tells what the engine would say.
func (e *Error) Is(target error) bool {
	switch target {
	case engine.ErrInput:
		return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity || e.edit && e.Status == http.StatusConflict
	case engine.ErrGone:
		return e.edit && e.Status == http.StatusConflict
	case engine.ErrClosed:
		return e.Status == http.StatusServiceUnavailable
	case store.ErrNotFound:
		return e.Status == http.StatusNotFound
	case store.ErrTooLarge:
		return e.Status == http.StatusRequestEntityTooLarge
	case store.ErrFull:
		return e.Status == http.StatusInsufficientStorage
	case ErrToken:
		return e.Status == http.StatusUnauthorized
	}
	return false
}

// busy reports whether the server, or what stands before it, may take later what it has not answered now.
func (e *Error) busy() bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// passing reports whether a stream that ended like this may be taken up again.
func passing(err error) bool {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.busy() || e.Status >= http.StatusInternalServerError
	}
	return errors.Is(err, ErrUnreachable)
}

// unreachableError is a failure of the connection.
type unreachableError struct {
	error
	cause error
}

func (e *unreachableError) Unwrap() []error { return []error{e.error, ErrUnreachable, e.cause} }

// In says it in a language.
func (e *unreachableError) In(c msg.Catalogue) string { return c.Err(e.error) }

func (c *Client) unreachable(err error) error {
	cause := err
	if u, ok := errors.AsType[*url.Error](err); ok {
		cause = u.Err // the address stands before it anyway, without its query
	}
	return &unreachableError{error: msg.Errorf(msg.ClientUnreachable, c.URL(), cause), cause: cause}
}
