package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider"
	"react-agent/provider/wire"
)

func modelErr(kind agent.ErrorKind, retryable bool, after time.Duration) error {
	return &agent.ModelError{Kind: kind, Retryable: retryable, RetryAfter: after, Err: errors.New("said the vendor")}
}

// half is an attempt that says something and then fails.
func half(text string, err error) agenttest.Reply {
	in := int64(7)
	return agenttest.Reply{Chunks: []agent.Chunk{{Part: &agent.Part{Kind: agent.Text, Text: text}, Usage: &agent.Usage{Input: &in}}}, Err: err}
}

// collect plays a model once: the message, how often it was withdrawn, and the error.
func collect(ctx context.Context, m agent.Model) (b agent.Builder, text string, resets int, err error) {
	for c, cerr := range m.Stream(ctx, &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "u")}}) {
		if cerr != nil {
			return b, "", resets, cerr
		}
		if c.Reset {
			resets++
		}
		if err := b.Add(c); err != nil {
			return b, "", resets, err
		}
	}
	msg := b.Message()
	return b, msg.Text(), resets, nil
}

func TestRetryWithdrawsAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := agenttest.NewModel(half("one", modelErr(agent.ErrServer, true, 0)), half("two", modelErr(agent.ErrRateLimit, true, 5*time.Second)), agenttest.Say("three"))
		m := provider.Retry(inner, provider.RetryPolicy{Jitter: func() float64 { return 0 }})
		start := time.Now()
		b, text, resets, err := collect(t.Context(), m)
		if err != nil || text != "three" || resets != 2 {
			t.Errorf("%q, %d resets, %v", text, resets, err)
		}
		if took := time.Since(start); took != 5500*time.Millisecond {
			t.Errorf("waited %v, want 0.5 s and the vendor's 5 s", took)
		}
		if b.Withdrawn == nil || *b.Withdrawn.Input != 14 {
			t.Errorf("what failed attempts cost is lost: %+v", b.Withdrawn)
		}
		if bodies := inner.Bodies(); !bytes.Equal(bodies[0], bodies[2]) {
			t.Error("the attempts differ")
		}
	})
}

func TestRetryGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		err      error
		policy   provider.RetryPolicy
		requests int
	}{
		"after three retries":     {modelErr(agent.ErrServer, true, 0), provider.RetryPolicy{}, 4},
		"at once, not retryable":  {modelErr(agent.ErrQuota, false, 0), provider.RetryPolicy{}, 1},
		"at once, wait too long":  {modelErr(agent.ErrRateLimit, true, time.Hour), provider.RetryPolicy{}, 1},
		"at once, no retries":     {modelErr(agent.ErrServer, true, 0), provider.RetryPolicy{Retries: -1}, 1},
		"at once, foreign error":  {errors.New("odd"), provider.RetryPolicy{}, 1},
		"after as many as wanted": {modelErr(agent.ErrServer, true, 0), provider.RetryPolicy{Retries: 1}, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			inner := &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply { return half("x", c.err) }}
			_, _, _, err := collect(t.Context(), provider.Retry(inner, c.policy))
			if n := len(inner.Requests()); n != c.requests || err == nil {
				t.Errorf("%s: %d requests, %v", name, n, err)
			}
		})
	}
}

func TestRetryNamesTheWaitItDoesNotSitOut(t *testing.T) {
	for name, cause := range map[string]error{"with words": errors.New("said the vendor"), "without": nil} {
		err := &agent.ModelError{Kind: agent.ErrRateLimit, Retryable: true, RetryAfter: time.Hour, Err: cause}
		_, _, _, got := collect(t.Context(), provider.Retry(agenttest.NewModel(half("x", err)), provider.RetryPolicy{}))
		me, ok := errors.AsType[*agent.ModelError](got)
		if !ok || me.RetryAfter != time.Hour || !strings.Contains(got.Error(), "1h0m0s") || !errors.Is(got, cause) && cause != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRetryEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply {
			return half("x", modelErr(agent.ErrRateLimit, true, 50*time.Second))
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, _, _, err := collect(ctx, provider.Retry(inner, provider.RetryPolicy{})); err == nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestRetryStopsWhenTheReaderLeaves(t *testing.T) {
	inner := agenttest.NewModel(half("x", modelErr(agent.ErrServer, true, 0)), agenttest.Say("y"))
	for range provider.Retry(inner, provider.RetryPolicy{}).Stream(t.Context(), &agent.Request{}) {
		break
	}
	if n := len(inner.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestLimitBoundsAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &agenttest.Model{Next: func(int, *agent.Request) agenttest.Reply {
			return agenttest.Reply{Text: "late", Wait: func(ctx context.Context) {
				select {
				case <-ctx.Done():
				case <-time.After(90 * time.Second):
				}
			}}
		}}
		_, _, _, err := collect(t.Context(), provider.Limit(inner, 2*time.Minute))
		if err != nil {
			t.Errorf("in time, yet %v", err)
		}
		_, _, _, err = collect(t.Context(), provider.Limit(inner, time.Minute))
		me, ok := errors.AsType[*agent.ModelError](err)
		if !ok || me.Kind != agent.ErrTimeout {
			t.Errorf("got %v, want a timeout", err)
		}
	})
}

func TestFallbackGoesOnWithTheNext(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{modelErr(agent.ErrQuota, false, 0), "second"},
		{modelErr(agent.ErrAuth, false, 0), "second"},
		{modelErr(agent.ErrContextLength, false, 0), ""},
		{modelErr(agent.ErrBadRequest, false, 0), ""},
	} {
		second := agenttest.NewModel(agenttest.Say("second"))
		_, text, _, err := collect(t.Context(), provider.Fallback(agenttest.NewModel(half("first", c.err)), second))
		if text != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c.err, text, err)
		}
	}
	one := agenttest.NewModel()
	if provider.Fallback(one) != agent.Model(one) {
		t.Error("a fallback over one model is that model")
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		s    provider.Spec
		word string
	}{
		{provider.Spec{API: "telepathy"}, "telepathy"},
		{provider.Spec{API: "chat", Preset: wire.Preset{Name: "generic"}}, "api_base"},
	} {
		if _, err := provider.Open(c.s); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
	m, err := provider.Open(provider.Spec{API: "chat", Preset: wire.Preset{Name: "p", BaseURL: "http://127.0.0.1:1", DefaultModel: "d", Context: 9}})
	if err != nil || m.Info().Name != "d" || m.Info().Context != 9 {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = provider.Open(provider.Spec{API: "offline"})
	if err != nil || m.Info().Provider != "offline" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestRecordWritesCasesThatPlayTheSame(t *testing.T) {
	const key = "sk-live-0123456789abcdef"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Set-Cookie", "who=me")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"your key is `+key+`"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	var file bytes.Buffer
	rec := provider.Record(&file, "chat", "generic", nil, key)
	m, err := provider.Open(provider.Spec{API: "chat", BaseURL: srv.URL, Key: key, Model: "m", HTTP: &http.Client{Transport: rec}})
	if err != nil {
		t.Fatal(err)
	}
	_, text, _, err := collect(t.Context(), m)
	if err != nil || !strings.Contains(text, key) {
		t.Fatalf("recording changed the call: %q, %v", text, err)
	}
	if rec.Err() != nil || strings.Contains(file.String(), key) || strings.Contains(file.String(), "who=me") {
		t.Fatalf("%v\n%s", rec.Err(), file.String())
	}
	var c struct {
		Type, API, Vendor string
		HTTP              struct {
			Status int
			Chunks []string `json:"body_chunks"`
		}
	}
	if err := json.Unmarshal(file.Bytes(), &c); err != nil || c.Type != "decode" || c.HTTP.Status != 200 {
		t.Fatalf("%+v, %v", c, err)
	}
	replay := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Join(c.HTTP.Chunks, ""))
	}))
	defer replay.Close()
	m, err = provider.Open(provider.Spec{API: "chat", BaseURL: replay.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, text, _, err := collect(t.Context(), m); err != nil || text != "your key is [key]" {
		t.Errorf("replayed: %q, %v", text, err)
	}
}

func TestRecordKeepsBytesThatAreNoText(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0xff, 0xfe}) }))
	defer srv.Close()
	var file bytes.Buffer
	client := &http.Client{Transport: provider.Record(&file, "chat", "generic", nil)}
	resp, err := client.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil || !slices.Equal(got, []byte{0xff, 0xfe}) {
		t.Errorf("%v, %v", got, err)
	}
	_ = resp.Body.Close()
	if !strings.Contains(file.String(), `{"b64":"//4="}`) || !strings.Contains(file.String(), `"end":"eof"`) {
		t.Error(file.String())
	}
}
