package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/app"
	"react-agent/internal/command"
	"react-agent/internal/config"
)

// ownVendors writes settings with a server and so many more vendors of the person's own.
func ownVendors(t testing.TB, url string, more int) command.Options {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	fmt.Fprintf(&b, "provider: p0\nmodel: m\npresets:\n  p0: {base_url: '%s'}\n", url)
	for i := 1; i <= more; i++ {
		fmt.Fprintf(&b, "  p%d: {like: openai, base_url: '%s', default_model: m%d}\n", i, url, i)
	}
	file := filepath.Join(dir, "own.yaml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return command.Options{
		Env:   []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Flags: map[string]string{"config": file, "state-dir": filepath.Join(dir, "state"), "cwd": dir, "mode": "yolo"}, Model: true,
	}
}

func opened(t testing.TB, o command.Options) *command.Host {
	t.Helper()
	h, err := app.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What a start costs with vendors of the person's own: from the settings to the agent of a session.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{0, 500} {
		o := ownVendors(b, "http://127.0.0.1:1/v1", n)
		b.Run(fmt.Sprintf("%d presets", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h := opened(b, o)
				if _, err := h.Agent(b.Context(), ""); err != nil {
					b.Fatal(err)
				}
				if err := h.Close(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A turn of a long session with the model it had, and with another one each time: the difference is one request that is
// built without what was cached of it.
func BenchmarkSwitch(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`)
	}))
	defer srv.Close()
	for _, every := range []bool{false, true} {
		name := map[bool]string{false: "stays", true: "switches"}[every]
		b.Run(name, func(b *testing.B) {
			h := opened(b, ownVendors(b, srv.URL, 2))
			defer func() { _ = h.Close(b.Context()) }()
			var history []agent.Message
			for i := range 200 {
				history = append(history, agent.TextMessage(agent.User, fmt.Sprint("question ", i)), agent.TextMessage(agent.Assistant, "answer"))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if every {
					if err := h.UseModel(b.Context(), "s", config.Want{Provider: fmt.Sprint("p", 1+i%2)}); err != nil {
						b.Fatal(err)
					}
				}
				a, err := h.Agent(b.Context(), "s")
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range a.Model.Stream(b.Context(), &agent.Request{Messages: append(history, agent.TextMessage(agent.User, "hi"))}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
