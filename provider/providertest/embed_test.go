package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestEmbed(t *testing.T) {
	s := New(t.Context(), MustParse("KEY k\nEMBED 3\nSAY never"))
	defer s.Close()
	ask := func(key, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/embeddings", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	status, text := ask("k", `{"model":"m","input":["ab","b a"]}`)
	var got struct {
		Data []struct{ Embedding []float64 }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || len(got.Data) != 2 || len(got.Data[0].Embedding) != 3 || len(s.Requests()) != 1 {
		t.Errorf("%d %s %v", status, text, err)
	}
	if status, _ := ask("k", `{"input":"x"}`); status != 400 {
		t.Error(status)
	}
	if status, _ := ask("other", `{"model":"m","input":["x"]}`); status != 401 || len(s.Requests()) != 2 {
		t.Error(status)
	}
	if _, err := Parse("EMBED many", ""); err == nil {
		t.Error("EMBED takes no words")
	}
}
