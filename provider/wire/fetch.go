package wire

import (
	"context"
	"io"
	"time"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// Fetch sends a request whose reply is one JSON body, of at most limit bytes, and gives it. It is [Client.Exchange] for what
// is no message of a model. A failure of any kind is an [agent.ModelError].
func (c *Client) Fetch(ctx context.Context, p Post, limit int64) ([]byte, error) {
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := c.send(call, cancel, &p) //nolint:bodyclose // closed through the reader around it
	if err != nil {
		return nil, c.failure(ctx, call, err)
	}
	body := httpx.IdleReader(call, resp.Body, c.IdleTimeout)
	defer func() { _ = body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		wait := time.AfterFunc(errorWait, func() { cancel(errAfterError) })
		defer wait.Stop()
		page, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what of it can be read has to do
		refused := Classify(Failure{Provider: c.Name(), Status: resp.StatusCode, Header: resp.Header, Body: page, Request: p.Body})
		return nil, misplaced(refused, resp.Request.URL, page)
	}
	page, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, c.failure(ctx, call, cutError{err})
	case int64(len(page)) > limit:
		return nil, &agent.ModelError{Kind: agent.ErrInvalidResponse, Provider: c.Name(), Err: msg.Errorf(msg.ModelLong, limit)}
	}
	return page, nil
}
