package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/store"
)

// Submit implements [engine.Engine]. Attachments whose bytes are here are uploaded first.
func (c *Client) Submit(ctx context.Context, session string, in engine.Input) (engine.Receipt, error) {
	var r engine.Receipt
	id, err := store.CleanID(session)
	if err != nil {
		return r, err
	}
	if in.Message != nil {
		m := *in.Message
		if m.Parts, err = c.upload(ctx, m.Parts); err != nil {
			return r, err
		}
		in.Message = &m
	}
	own := in.ID == "" && in.Command == ""
	if own {
		in.ID = "c-" + strings.ToLower(rand.Text())
	}
	x := request{method: http.MethodPost, path: []string{"sessions", id, "input"}, body: in, again: in.Command == "", slow: in.Command != ""}
	tries, err := c.counted(ctx, x, &r)
	if e, ok := errors.AsType[*Error](err); ok {
		e.edit = in.Edit != 0
		if in.Answer != nil && e.Status == http.StatusConflict {
			return engine.Receipt{}, nil // another one was first: the engine in process takes it and drops it
		}
	}
	if own && tries > 1 {
		r.Again = false // it was there because of us
	}
	return r, err
}

// upload gives parts in which attachments are named that the server has.
func (c *Client) upload(ctx context.Context, parts []agent.Part) ([]agent.Part, error) {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if p.Blob == nil || len(p.Blob.Data) == 0 || p.Blob.SHA256 != "" {
			continue
		}
		b := *p.Blob
		var err error
		if b.SHA256, err = c.PutBlob(ctx, b.Data); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
		b.Data = nil
		parts[i].Blob = &b
	}
	return parts, nil
}

// Info implements [engine.Engine].
func (c *Client) Info(ctx context.Context, session string) (engine.SessionInfo, error) {
	id, err := store.CleanID(session)
	if err != nil {
		return engine.SessionInfo{}, err
	}
	info := engine.SessionInfo{}
	x := request{path: []string{"sessions", id}, query: url.Values{"brief": {"1"}}, again: true}
	if err = c.call(ctx, x, &info); isUnknown(err) {
		return engine.SessionInfo{ID: id}, nil
	}
	return info, err
}

// isUnknown reports whether a server of ours has said that there is no such session.
func isUnknown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound && e.Text != ""
}

// perPage is how many sessions are asked for at once.
const perPage = 200

// List implements [engine.Engine]. Sessions that change or go while it lists are listed once or not at all.
func (c *Client) List(ctx context.Context, before string) iter.Seq2[engine.SessionInfo, error] {
	return func(yield func(engine.SessionInfo, error) bool) {
		seen := map[string]bool{}
		for first, fresh := true, true; first || before != "" && fresh; first = false {
			p, err := c.page(ctx, before)
			if errors.Is(err, store.ErrNotFound) && !first {
				before = "" // where it was to go on is no more: from the top, but none twice
				p, err = c.page(ctx, before)
			}
			if err != nil {
				yield(engine.SessionInfo{}, err)
				return
			}
			fresh = false
			for _, info := range p.Sessions {
				if seen[info.ID] {
					continue
				}
				seen[info.ID], fresh = true, true
				if !yield(info, nil) {
					return
				}
			}
			before = p.Next
		}
	}
}

// page is one answer to GET /sessions.
type page struct {
	Sessions []engine.SessionInfo `json:"sessions"`
	Next     string               `json:"next"`
}

func (c *Client) page(ctx context.Context, before string) (p page, err error) {
	q := url.Values{"all": {"1"}, "limit": {fmt.Sprint(perPage)}}
	if before != "" {
		q.Set("before", before)
	}
	err = c.call(ctx, request{path: []string{"sessions"}, query: q, again: true}, &p)
	return p, err
}

// Delete implements [engine.Engine].
func (c *Client) Delete(ctx context.Context, session string) error {
	id, err := store.CleanID(session)
	if err != nil {
		return err
	}
	err = c.call(ctx, request{method: http.MethodDelete, path: []string{"sessions", id}, again: true}, nil)
	if isUnknown(err) {
		return nil // it is gone, perhaps by the same request before
	}
	return err
}

// PutBlob implements [store.Blobs].
func (c *Client) PutBlob(ctx context.Context, data []byte) (string, error) {
	var out struct {
		SHA256 string `json:"sha256"`
	}
	body := struct {
		Data []byte `json:"data"`
	}{data}
	err := c.call(ctx, request{method: http.MethodPost, path: []string{"blobs"}, body: body, again: true}, &out)
	return out.SHA256, err
}

// GetBlob implements [store.Blobs]. What comes is what the name says, or an error.
func (c *Client) GetBlob(ctx context.Context, sha string) ([]byte, error) {
	if raw, err := hex.DecodeString(sha); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("blob %q: %w", sha, store.ErrNotFound)
	}
	data, _, err := c.bytes(ctx, request{path: []string{"blobs", sha}, again: true})
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sha {
		return nil, fmt.Errorf("blob %s: the server has sent something else", sha)
	}
	return data, nil
}
