package providertest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
)

// Speak is a [Server] without a server: what it would send for a request, as the n-th reply (from 1). A body that no vendor
// would accept is refused just so. A reply that breaks off has a body that ends in [io.ErrUnexpectedEOF]; one that waits or
// hangs cannot be given.
func Speak(r *http.Request, n int, reply Reply) (*http.Response, error) {
	if r.Body == nil {
		return nil, errors.New("providertest: the request has no body")
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	var broken error
	if _, fault := CheckPath(r.URL.Path, body); fault != nil {
		fail(w, http.StatusBadRequest, fault.Error())
	} else if reply.Status != 0 {
		(*Server)(nil).status(w, reply)
	} else {
		broken = speak(w, r, body, n, reply)
	}
	resp := w.Result()
	resp.Request = r
	if broken != nil {
		sent, _ := io.ReadAll(resp.Body) // of a recorder
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(sent), failing{broken}))
	}
	return resp, nil
}

// speak plays a reply and reports where it breaks off.
func speak(w http.ResponseWriter, r *http.Request, body []byte, n int, reply Reply) (broken error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			broken = io.ErrUnexpectedEOF
		default:
			panic(p)
		}
	}()
	for _, part := range reply.Parts {
		if part.Verb == Wait || part.Verb == Hang {
			panic("providertest: Speak cannot wait")
		}
	}
	p := &player{w: w, ctx: r.Context(), reply: reply, n: n, model: modelOf(r.URL.Path, body)}
	p.voice = p.voiceFor(r.URL.Path)
	p.play()
	return nil
}

// failing is a reader that fails.
type failing struct{ err error }

// Read implements [io.Reader].
func (f failing) Read([]byte) (int, error) { return 0, f.err }
