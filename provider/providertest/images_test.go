package providertest

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestImagesAreRefused(t *testing.T) {
	s := New(t.Context(), MustParse("IMAGES 20 too large\nSAY one\nSAY two"))
	defer s.Close()
	large := base64.StdEncoding.EncodeToString(make([]byte, 21))
	small := base64.StdEncoding.EncodeToString(make([]byte, 20))
	for _, c := range []struct {
		url  string
		code int
		want string
	}{
		{"data:image/png;base64," + large, 400, "too large"},
		{"data:image/png;base64," + small, 200, "one"},
		{"https://host/a.png", 200, "two"},
	} {
		body := `{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + c.url + `"}}]}]}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if closeErr := resp.Body.Close(); err != nil || closeErr != nil {
			t.Fatal(err, closeErr)
		}
		if resp.StatusCode != c.code || !strings.Contains(string(got), c.want) {
			t.Errorf("%.40s: %d %s", c.url, resp.StatusCode, got)
		}
	}
	if len(s.Faults()) != 0 {
		t.Errorf("faults: %q", s.Faults())
	}
	if i := (&Images{Most: 20, Text: "no"}); i.refuse([]byte(`{"source":{"data":"`+large+`"}}`)) != "no" || i.refuse([]byte(`{"other":"`+large+`"}`)) != "" || i.refuse([]byte("x")) != "" {
		t.Error("bytes elsewhere")
	}
	for _, bad := range []string{"IMAGES", "IMAGES x y", "IMAGES 5"} {
		if _, err := Parse(bad, ""); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
