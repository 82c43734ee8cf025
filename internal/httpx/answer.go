package httpx

import (
	"encoding/json"
	"errors"
	"net/http"
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
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be put into JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client is gone if this fails
}
