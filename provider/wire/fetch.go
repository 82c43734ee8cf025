package wire

import (
	"context"
	"io"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Fetch sends a request whose reply is one JSON body, of at most limit bytes, and gives it. It is [Client.Exchange] for what
// is no message of a model. A failure of any kind is an [agent.ModelError].
func (c *Client) Fetch(ctx context.Context, p Post, limit int64) ([]byte, error) {
	call, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, _, err := c.reply(call, cancel, &p)
	if err != nil {
		return nil, c.failure(ctx, call, err)
	}
	defer func() { _ = body.Close() }()
	page, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, c.failure(ctx, call, cutError{err})
	case int64(len(page)) > limit:
		return nil, &agent.ModelError{Kind: agent.ErrInvalidResponse, Provider: c.Name(), Err: msg.Errorf(msg.ModelLong, limit)}
	}
	return page, nil
}
