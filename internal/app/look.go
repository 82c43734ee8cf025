package app

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync"

	"react-agent/agent"
)

// errLooked ends a request that was only to be looked at.
var errLooked = errors.New("only looking")

// looker is who looks at the next request: of all that would be sent it keeps the first, and then it is gone.
type looker struct {
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	body []byte
}

type lookKey struct{}

// withLook makes a context in which nothing is sent and no program is run.
func withLook(ctx context.Context) (context.Context, *looker) {
	ctx, cancel := context.WithCancelCause(ctx)
	look := &looker{cancel: cancel}
	return context.WithValue(ctx, lookKey{}, look), look
}

// lookOf finds who only looks; nil: what is asked for is meant.
func lookOf(ctx context.Context) *looker {
	look, _ := ctx.Value(lookKey{}).(*looker)
	return look
}

// looking reports whether nothing may be done or kept that others would notice.
func looking(ctx context.Context) bool { return lookOf(ctx) != nil }

// take keeps what would be sent, and ends the look.
func (l *looker) take(body []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.body == nil {
		l.body = body
	}
	l.cancel(errLooked)
}

func (l *looker) taken() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.body
}

// lookable is a transport that sends nothing for those who only look.
type lookable struct{ http.RoundTripper }

// RoundTrip sends the request, or shows it and fails.
func (l lookable) RoundTrip(r *http.Request) (*http.Response, error) {
	look := lookOf(r.Context())
	if look == nil {
		return l.RoundTripper.RoundTrip(r)
	}
	var body []byte
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		if closeErr := r.Body.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return nil, err
		}
	}
	look.take(body)
	return nil, errLooked
}

// uncounted is a metered model that counts nothing for those who only look.
type uncounted struct {
	agent.Model
	plain agent.Model
}

// Stream is the model's.
func (u uncounted) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	if looking(ctx) {
		return u.plain.Stream(ctx, req)
	}
	return u.Model.Stream(ctx, req)
}

// firstRequest is a model that is called once: nothing comes back.
type firstRequest struct {
	agent.Model
	look *looker
	req  *agent.Request
}

// Stream keeps the request, lets the real model encode it, and ends the look.
func (f *firstRequest) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		f.req = req
		for _, err := range f.Model.Stream(ctx, req) {
			if err != nil {
				break
			}
		}
		f.look.cancel(errLooked)
		yield(agent.Chunk{}, &agent.ModelError{Kind: agent.ErrNetwork, Err: errLooked})
	}
}
