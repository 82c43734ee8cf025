package wire

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"react-agent/agent"
	"react-agent/internal/httpx"
)

// misplaced adds to a refusal that looks like one of the wrong address where was asked and what is often wrong with it. A
// server that talks of a model is the right one: its words are enough.
func misplaced(e *agent.ModelError, at *url.URL, page []byte) *agent.ModelError {
	if e.Status != http.StatusNotFound && e.Status != http.StatusMethodNotAllowed {
		return e
	}
	page = bytes.ToLower(bytes.TrimSpace(page))
	if !isPage(string(page)) && bytes.Contains(page, []byte("model")) {
		return e
	}
	hint := "is the base address right?"
	if !versioned(at.Path) {
		hint += " it usually ends in /v1"
	}
	said := ""
	if e.Err != nil && e.Err.Error() != "" {
		said = "; the answer was: " + e.Err.Error()
	}
	e.Err = placed{fmt.Sprintf("POST %s: %d; %s%s", httpx.Bare(at.String()), e.Status, hint, said), e.Err}
	return e
}

// versioned reports whether a part of a path is a version, such as v1 or v1beta.
func versioned(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9' {
			return true
		}
	}
	return false
}

// placed is an error with what is known of its place.
type placed struct {
	text string
	err  error
}

func (e placed) Error() string { return e.text }
func (e placed) Unwrap() error { return e.err }

// unreached words the error of a connection: with the address as it may be shown, and with what to look at when there was
// none.
func unreached(err error) error {
	err = httpx.ShownError(err)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return placed{err.Error() + "; is there a network, and is the base address right? (--base-url, api_base or OPENAI_BASE_URL)", err}
	}
	return err
}
