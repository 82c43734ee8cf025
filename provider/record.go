package provider

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"react-agent/agent"
)

// Recorder writes every reply of a transport down as a case of the wire tests, one JSON object a line: status, headers,
// the bytes as they came, how they ended. What must come of a reply is left to whoever makes a test of it: expect is
// empty. Keys are removed. It is safe for concurrent use.
type Recorder struct {
	API, Vendor string
	Next        http.RoundTripper // nil = [http.DefaultTransport]
	Secrets     []string          // exact texts that must not be written, such as the key

	keys *regexp.Regexp // what looks like a key
	mu   sync.Mutex
	out  io.Writer
	n    int
	err  error
}

// Record makes a recorder that writes to out. The caller closes out when no request is under way.
func Record(out io.Writer, api, vendor string, next http.RoundTripper, secrets ...string) *Recorder {
	return &Recorder{
		API: api, Vendor: vendor, Next: next, Secrets: secrets, out: out,
		keys: regexp.MustCompile(`\b(?:sk|pk|gsk|xai|AIza|ghp|hf)[-_][A-Za-z0-9_-]{16,}|(?i:bearer) [A-Za-z0-9._-]{16,}`),
	}
}

// Err gives the first error of writing: recording never disturbs the call.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// RoundTrip passes the request on and records the reply when its body is closed or has ended.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	next := r.Next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	resp.Body = &tape{body: resp.Body, rec: r, status: resp.StatusCode, header: resp.Header.Clone(), end: "hang"}
	return resp, nil
}

// tape is a body that is written down while it is read.
type tape struct {
	body   io.ReadCloser
	rec    *Recorder
	status int
	header http.Header
	chunks [][]byte
	end    string // as the case format names it; a body that is left before its end counts as one that hung
	once   sync.Once
}

// Read reads and remembers.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	if n > 0 {
		t.chunks = append(t.chunks, bytes.Clone(p[:n]))
	}
	if errors.Is(err, io.EOF) {
		t.end = "eof"
	} else if err != nil {
		t.end = "cut"
	}
	return n, err
}

// Close closes the body and writes the case.
func (t *tape) Close() error {
	t.once.Do(func() { t.rec.write(t) })
	return t.body.Close()
}

type wireCase struct {
	Format int      `json:"format"`
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	API    string   `json:"api"`
	Vendor string   `json:"vendor"`
	Kind   string   `json:"kind"`
	Why    string   `json:"why"`
	Source []string `json:"source"`
	Basis  string   `json:"basis"`
	HTTP   wireBody `json:"http"`
	Expect struct{} `json:"expect"`
}

type wireBody struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Chunks  []any             `json:"body_chunks"`
	End     string            `json:"end"`
}

func (r *Recorder) write(t *tape) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	c := wireCase{
		Format: 1, Type: "decode", API: r.API, Vendor: r.Vendor, Kind: "recorded", Basis: "reported",
		Name:   fmt.Sprintf("recorded-%s-%d", time.Now().UTC().Format("20060102-150405"), r.n),
		Why:    "A recorded reply; fill in expect and say what is odd about it.",
		Source: []string{"recorded"},
		HTTP:   wireBody{Status: t.status, Headers: r.headers(t.header), Chunks: r.chunks(t.chunks), End: t.end},
	}
	line, err := agent.EncodeJSON(c)
	if err == nil {
		_, err = r.out.Write(append(line, '\n'))
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("recording: %w", err)
	}
}

// headers keeps what matters for decoding, classifying and waiting; cookies and account names do not.
func (r *Recorder) headers(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		name = strings.ToLower(name)
		switch {
		case name == "content-type", name == "date", strings.HasPrefix(name, "retry-after"), strings.Contains(name, "ratelimit"),
			strings.Contains(name, "rate-limit"):
			out[name] = r.clean(strings.Join(values, ", "))
		}
	}
	return out
}

// chunks are strings where the bytes are text. A secret that the reads have cut in two is found in the joined text; then
// the text goes out in one piece.
func (r *Recorder) chunks(pieces [][]byte) []any {
	whole := string(bytes.Join(pieces, nil))
	if cleaned := r.clean(whole); cleaned != whole {
		pieces = [][]byte{[]byte(cleaned)}
	}
	out := []any{}
	for _, p := range pieces {
		if utf8.Valid(p) {
			out = append(out, string(p))
			continue
		}
		out = append(out, map[string]string{"b64": base64.StdEncoding.EncodeToString(p)})
	}
	return out
}

// clean removes known secrets, and what looks like a key.
func (r *Recorder) clean(s string) string {
	for _, secret := range r.Secrets {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "[key]")
		}
	}
	return r.keys.ReplaceAllString(s, "[key]")
}
