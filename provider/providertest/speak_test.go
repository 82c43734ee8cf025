package providertest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"react-agent/provider/providertest"
)

// What is spoken without a server is what a server would send.
func TestSpeak(t *testing.T) {
	script := providertest.MustParse("SAY hello\nSAY half\n+ BREAK\nSTATUS 503 later")
	ask := func(body string, n int) (string, int, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x.invalid/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := providertest.Speak(r, n, script.Replies[n-1])
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		return string(data), resp.StatusCode, err
	}
	const hi = `{"messages":[{"role":"user","content":"hi"}]}`
	if text, code, err := ask(hi, 1); err != nil || code != http.StatusOK || !strings.Contains(text, `"hel"`) || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Errorf("%d %v %s", code, err, text)
	}
	if text, _, err := ask(hi, 2); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(text, `"hal"`) || strings.Contains(text, "DONE") {
		t.Errorf("%v %s", err, text)
	}
	if text, code, _ := ask(hi, 3); code != http.StatusServiceUnavailable || !strings.Contains(text, "later") {
		t.Errorf("%d %s", code, text)
	}
	if text, code, _ := ask(`{"messages":[]}`, 1); code != http.StatusBadRequest || !strings.Contains(text, "empty") {
		t.Errorf("%d %s", code, text)
	}
}
