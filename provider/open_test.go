package provider_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider"
	"react-agent/provider/wire"
)

// seen is a request as a server got it.
type seen struct {
	path string
	head http.Header
	body map[string]json.RawMessage
}

// server answers every request with a short text, and keeps the last one.
func server(t *testing.T) (url string, last func() seen) {
	t.Helper()
	got := make(chan seen, 16)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		x := seen{path: r.URL.RequestURI(), head: r.Header}
		if err == nil {
			err = json.Unmarshal(raw, &x.body)
		}
		if err != nil {
			t.Error(err)
		}
		got <- x
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() seen { return <-got }
}

func TestOpenSendsWhatThePresetSays(t *testing.T) {
	url, last := server(t)
	preset := wire.Preset{
		Name: "p", API: "chat", BaseURL: url, KeyHeader: "api-key", Path: "/models/{model}:go",
		Header: map[string]string{"X-One": "preset", "X-Two": "preset"},
		Body:   map[string]json.RawMessage{"one": json.RawMessage(`"preset"`), "two": json.RawMessage(`"preset"`)},
	}
	around := false
	m, err := provider.Open(provider.Spec{
		Preset: preset, Key: "k", Model: "m", Header: http.Header{"X-Two": {"own"}}, Extra: map[string]json.RawMessage{"two": json.RawMessage(`"own"`)},
		Around: func(m agent.Model) agent.Model { around = true; return m },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, text, _, err := collect(t.Context(), m); err != nil || text != "hello" || !around {
		t.Fatalf("%q, %v, around %t", text, err, around)
	}
	x := last()
	if x.path != "/models/m:go" || x.head.Get("Api-Key") != "k" || x.head.Get("Authorization") != "" {
		t.Errorf("%s %v", x.path, x.head)
	}
	if x.head.Get("X-One") != "preset" || x.head.Get("X-Two") != "own" || string(x.body["one"]) != `"preset"` || string(x.body["two"]) != `"own"` {
		t.Errorf("%v %v", x.head, x.body)
	}
	if preset.Header["X-Two"] != "preset" || string(preset.Body["two"]) != `"preset"` {
		t.Error("the preset was changed")
	}
}

// Azure by deployment, as it was before its version 1: the version stands in the address.
func TestOpenKeepsTheQueryOfAnAddress(t *testing.T) {
	url, last := server(t)
	preset, _ := wire.Lookup("azure")
	m, err := provider.Open(provider.Spec{Preset: preset, BaseURL: url + "/openai/deployments/d?api-version=2024-10-21", Key: "k", Model: "d"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := collect(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if x := last(); x.path != "/openai/deployments/d/chat/completions?api-version=2024-10-21" || x.head.Get("Api-Key") != "k" {
		t.Errorf("%s %v", x.path, x.head)
	}
}

func TestOpenAnotherWireOfAVendor(t *testing.T) {
	preset := wire.Preset{
		Name: "p", API: "telepathy", BaseURL: "http://127.0.0.1:1/t", KeyHeader: "X-T",
		Also: map[string]wire.Variant{"chat": {BaseURL: "http://127.0.0.1:1/c"}},
	}
	if m, err := provider.Open(provider.Spec{API: "chat", Preset: preset, Model: "m"}); err != nil || m.Info().Origin() != "chat/p/m" {
		t.Errorf("%v, %v", m, err)
	}
	for _, c := range []struct {
		spec  provider.Spec
		words []string
	}{
		{provider.Spec{Preset: preset}, []string{"telepathy", "unknown", "chat", "offline"}},
		{provider.Spec{API: "chat", Preset: wire.Preset{Name: "p", API: "telepathy"}}, []string{"p does not speak chat", "telepathy"}},
		{provider.Spec{API: "chat", Preset: wire.Preset{Name: "p", Form: "https://HOST/v9"}}, []string{"api_base", "https://HOST/v9"}},
	} {
		_, err := provider.Open(c.spec)
		for _, word := range c.words {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%q is missing: %v", word, err)
			}
		}
	}
	url, last := server(t)
	m, err := provider.Open(provider.Spec{API: "chat", Preset: wire.Preset{Name: "p", API: "telepathy", KeyHeader: "X-T"}, BaseURL: url, Key: "k", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := collect(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if x := last(); x.path != "/chat/completions" || x.head.Get("Authorization") != "Bearer k" || x.head.Get("X-T") != "" {
		t.Errorf("a named server: %s %v", x.path, x.head)
	}
}
