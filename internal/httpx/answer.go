package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ErrStopping is the cause of the end of a request's context when the server stops: the client is still there, and may
// come again later.
var ErrStopping = errors.New("the server stops")

// Refuse answers a request with what is wrong with it: {"error": text}. It says what, where, and what to do, in the
// server's language.
func Refuse(w http.ResponseWriter, status int, text string) {
	Answer(w, status, map[string]string{"error": text})
}

// Answer answers a request with v as JSON. A v that cannot be JSON is a fault of the program, and a status 500.
func Answer(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body) // with a line's end behind it
	enc.SetEscapeHTML(false)      // it is no page, and people read it
	if err := enc.Encode(v); err != nil {
		status = http.StatusInternalServerError
		body.Reset()
		_, _ = body.WriteString(`{"error":"the answer cannot be put into JSON"}` + "\n")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len())) // it is whole before its handler has ended
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client is gone if this fails
}

// Content answers a GET or HEAD request with data whose tag, without quotes, changes whenever it does; who has it already
// gets 304. The header has its type. Always all of it: parts are no use for what is this small, and counting many small
// ones out of a hostile Range header is work (GO-2026-6609).
func Content(w http.ResponseWriter, r *http.Request, tag string, data []byte) {
	tag = `"` + tag + `"`
	w.Header().Set("ETag", tag)
	for have := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if have = strings.TrimPrefix(strings.TrimSpace(have), "W/"); have == tag || have == "*" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(http.StatusOK) // said, as a router may have noted another one
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // the client is gone if this fails
	}
}
