package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"react-agent/provider/wire"
)

func TestEmbeddings(t *testing.T) {
	var got map[string]any
	var head http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head = r.Header
		_ = json.NewDecoder(r.Body).Decode(&got)
		_, _ = w.Write([]byte(`{"data":[{"embedding":[1,2]}]}`))
	}))
	defer s.Close()
	preset, _ := wire.Lookup("azure")
	e, err := Embeddings(Spec{
		API: "chat", Preset: preset, BaseURL: s.URL, Key: "k", Model: "m", Header: http.Header{"X-Own": {"1"}},
		Extra: map[string]json.RawMessage{"input_type": json.RawMessage(`"query"`)},
	}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"x"}); err != nil || head.Get("Api-Key") != "k" || head.Get("X-Own") != "1" || got["input_type"] != "query" || got["dimensions"] != 2.0 {
		t.Error(err, got, head)
	}
	anthropic, _ := wire.Lookup("anthropic")
	if _, err := Embeddings(Spec{API: "gemini", Preset: anthropic, Model: "m"}, 0, nil); err == nil || !strings.Contains(err.Error(), "does not speak gemini") {
		t.Error(err)
	}
	if _, err := Embeddings(Spec{API: "chat", Preset: preset, Model: "m"}, 0, nil); err == nil || !strings.Contains(err.Error(), "needs a base URL") {
		t.Error(err)
	}
}
