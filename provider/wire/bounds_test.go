package wire_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/provider/wire"
)

// plainDecoder takes text, thought, args and kept of each event.
type plainDecoder struct{ *wire.Draft }

func (d plainDecoder) Event(v gjson.Result, _ string) error {
	d.Text(v.Get("text"))
	d.Thought(v.Get("thought"))
	if a := v.Get("args"); a.Exists() {
		d.Batch()
		d.Call(wire.Piece{Name: "now", Args: a, Indexed: true})
	}
	if k := v.Get("kept"); k.Exists() {
		d.Keep(len(k.Raw))
	}
	return nil
}
func (plainDecoder) Usage() *agent.Usage     { return nil }
func (plainDecoder) Thoughts() *agent.Opaque { return nil }

// endless is a stream that says the same again and again, up to a bound that no reader should reach.
type endless struct {
	event, rest string
	times       int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.times--; e.times < 0 {
			return 0, errors.New("the stream was read to its end")
		}
		e.rest = e.event
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestReplyIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about size, which a short run leaves out")
	}
	for key, say := range map[string]string{"text": "<tool_call>", "thought": "words ", "args": "words ", "kept": "words "} {
		event := `data: {"` + key + `":"` + strings.Repeat(say, 180) + `"}` + "\n\n"
		c := wire.NewClient("test", wire.Config{})
		d := wire.NewDraft(c, textTools(), func(agent.Chunk, error) bool { return true })
		err := d.Read(&endless{event: event, times: 2 * wire.MaxReply / 1000}, plainDecoder{d})
		var me *agent.ModelError
		if !errors.As(err, &me) || me.Kind != agent.ErrInvalidResponse || me.Retryable || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestDeepEvent(t *testing.T) {
	c := wire.NewClient("test", wire.Config{})
	d := wire.NewDraft(c, nil, func(agent.Chunk, error) bool { return true })
	err := d.Read(strings.NewReader(`data: {"text":`+strings.Repeat("[", 8<<20)+"\n\n"), plainDecoder{d})
	var me *agent.ModelError
	if !errors.As(err, &me) || me.Kind != agent.ErrInvalidResponse || me.Retryable {
		t.Errorf("%v", err)
	}
	deep := strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100)
	text := strings.Repeat(`[{`, 20_000) // brackets in a string nest nothing
	d = wire.NewDraft(c, nil, func(agent.Chunk, error) bool { return true })
	if err := d.Read(strings.NewReader(`data: {"text":"\"`+text+`","x":`+deep+"}\n\ndata: [DONE]\n\n"), plainDecoder{d}); err != nil {
		t.Error(err)
	}
}

// stalled is an error whose page never ends.
type stalled struct{}

func (stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{}, Request: r, Body: &halfPage{r: r}}, nil
}

type halfPage struct {
	r    *http.Request
	some bool
}

func (h *halfPage) Read(p []byte) (int, error) {
	if !h.some {
		h.some = true
		return copy(p, "out of order"), nil
	}
	<-h.r.Context().Done()
	return 0, h.r.Context().Err()
}
func (*halfPage) Close() error { return nil }

func TestStalledErrorPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		me := exchange(t, wire.Config{BaseURL: "http://h/v1", HTTP: &http.Client{Transport: stalled{}}})
		if me.Status != http.StatusInternalServerError || me.Kind != agent.ErrServer || !strings.Contains(me.Error(), "out of order") {
			t.Errorf("%+v", me)
		}
		if waited := time.Since(start); waited > 5*time.Second { // of the bubble's clock
			t.Errorf("waited %v", waited)
		}
	})
}

// exchange sends an empty request and gives the error that ends it.
func exchange(t *testing.T, c wire.Config) *agent.ModelError {
	t.Helper()
	var me *agent.ModelError
	for _, err := range wire.NewClient("test", c).Exchange(t.Context(), wire.Post{Path: "/x", Body: []byte("{}")}, nil, func(d *wire.Draft) wire.Decoder { return plainDecoder{d} }) {
		if err != nil && !errors.As(err, &me) {
			t.Fatalf("%v", err)
		}
	}
	if me == nil {
		t.Fatal("no error")
	}
	return me
}

// TestSettledErrors: what comes from the configuration comes again, however often one asks.
func TestSettledErrors(t *testing.T) {
	away := httptest.NewServer(http.RedirectHandler("http://elsewhere.invalid/", http.StatusTemporaryRedirect))
	defer away.Close()
	round := httptest.NewServer(http.RedirectHandler("/x", http.StatusTemporaryRedirect))
	defer round.Close()
	toOther := httptest.NewServer(http.RedirectHandler("gopher://127.0.0.1/", http.StatusTemporaryRedirect))
	defer toOther.Close()
	client, err := httpx.NewClient(httpx.Options{Proxy: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	for name, c := range map[string]wire.Config{
		"another host":       {BaseURL: away.URL, HTTP: client},
		"round and round":    {BaseURL: round.URL, HTTP: client},
		"a plain client":     {BaseURL: round.URL, HTTP: round.Client()},
		"another protocol":   {BaseURL: toOther.URL, HTTP: toOther.Client()},
		"no header name":     {BaseURL: round.URL, HTTP: client, Header: http.Header{"not a name": {"x"}}},
		"no header value":    {BaseURL: round.URL, HTTP: client, Key: "a\nb"},
		"plain, not secured": {BaseURL: strings.Replace(round.URL, "http:", "https:", 1), HTTP: client},
	} {
		if me := exchange(t, c); me.Kind != agent.ErrConfig || me.Retryable {
			t.Errorf("%s: %s, retryable %v: %v", name, me.Kind, me.Retryable, me)
		}
	}
}

func TestEndpointEscapes(t *testing.T) {
	for base, want := range map[string]string{
		"https://h/v1?a=b c&d=\"é\"":        "https://h/v1/x?a=b%20c&d=%22%C3%A9%22",
		"https://h/v1?a=b%20c+d&e=/?:@!$'*": "https://h/v1/x?a=b%20c+d&e=/?:@!$'*",
	} {
		if got, err := wire.Endpoint(base, "/x", ""); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", base, got, err, want)
		}
	}
}

func TestNegativeUsage(t *testing.T) {
	for in, want := range map[string]string{
		`{"prompt_tokens":-5,"completion_tokens":-1000,"total_tokens":7}`:                              "",
		`{"prompt_tokens":-5,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":-1}}`:      "out 3",
		`{"prompt_tokens":"-5","input_tokens":4,"completion_tokens":-0.5,"cost":-1}`:                   "in 4",
		`{"prompt_tokens":5,"completion_tokens":0,"completion_tokens_details":{"reasoning_tokens":0}}`: "in 5 out 0",
	} {
		var c wire.Counts
		c.Take(gjson.Parse(in))
		if got := counted(c.Usage()); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	var c wire.Counts
	c.TakeTimings(gjson.Parse(`{"prompt_n":-1,"predicted_n":4}`))
	if u := c.Usage(); u != nil {
		t.Errorf("%+v", u)
	}
}

func counted(u *agent.Usage) string {
	if u == nil {
		return ""
	}
	var out []string
	for _, f := range []struct {
		name string
		n    *int64
	}{{"in", u.Input}, {"out", u.Output}, {"cached", u.Cached}} {
		if f.n != nil {
			out = append(out, f.name+" "+strconv.FormatInt(*f.n, 10))
		}
	}
	if u.CostUSD != nil {
		out = append(out, "cost")
	}
	return strings.Join(out, " ")
}

func TestWrappersInWrappers(t *testing.T) {
	wrapped := func(n int) string {
		return strings.Repeat("<tool_call>", n) + `{"name":"bash","arguments":{"command":"ls"}}` + strings.Repeat("</tool_call>", n)
	}
	if got := find(false, wrapped(1)); got != `|bash({"command":"ls"})` {
		t.Error(got)
	}
	// Within the brackets of tool_calls a wrapper more may stand, but there is an end to it.
	if got := find(false, "<tool_calls>"+wrapped(1)+"</tool_calls>"); got != `|bash({"command":"ls"})` {
		t.Error(got)
	}
	if got := find(false, "<tool_calls>"+wrapped(50)+"</tool_calls>"); got != "|bash(unreadable)" {
		t.Error(got)
	}
}
