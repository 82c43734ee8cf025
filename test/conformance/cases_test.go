package conformance

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A wireCase is what is needed here of one file in provider/testdata/wire.
type wireCase struct {
	Name, Type, API, Vendor, Why string
	Client                       struct{ Tools *[]string }
	HTTP                         struct {
		Status int
		Chunks []chunk `json:"body_chunks"`
	}
	Expect struct {
		Text   *string
		Calls  *[]expectedCall `json:"tool_calls"`
		Finish *string
		Usage  map[string]*int64
		Error  json.RawMessage
	}
}

type expectedCall struct {
	Name      string
	Arguments json.RawMessage
	Invalid   bool `json:"arguments_invalid"`
}

// chunk is a piece of a body, in one of its forms.
type chunk string

// UnmarshalJSON reads text, {"b64"} and {"repeat","times"}; a pause is nothing.
func (c *chunk) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = chunk(text)
		return nil
	}
	var o struct {
		B64, Repeat string
		Times       int
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(o.B64)
	*c = chunk(string(data) + strings.Repeat(o.Repeat, o.Times))
	return err
}

func (c *wireCase) body() string {
	var b strings.Builder
	for _, p := range c.HTTP.Chunks {
		b.WriteString(string(p))
	}
	return b.String()
}

// decodeCases are the replies that come to an answer, of this repository and of a corpus.
func decodeCases(t *testing.T) []*wireCase {
	t.Helper()
	corpus := os.Getenv("WIRE_CASES")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "..", "shared", "cases", "wire", "open")
	}
	var out []*wireCase
	for _, dir := range []string{filepath.Join("..", "..", "provider", "testdata", "wire"), corpus} {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("no cases in %s", dir)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := new(wireCase)
			if err := json.Unmarshal(data, c); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if c.Type == "decode" && c.HTTP.Status == http.StatusOK && c.Expect.Error == nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// server is a client's transport that gives every request one reply, and keeps what it was sent.
type server struct {
	status int
	body   string
	sent   []byte
}

// RoundTrip answers.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.sent = sent
	}
	kind := "text/event-stream"
	if first := strings.TrimSpace(strings.TrimPrefix(s.body, "\ufeff")); first != "" && slices.Contains([]byte("{["), first[0]) {
		kind = "application/json"
	}
	return &http.Response{
		StatusCode: s.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1,
		Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(s.body)),
	}, nil
}

func (s *server) client() *http.Client { return &http.Client{Transport: s} }
