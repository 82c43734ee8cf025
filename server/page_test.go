package server_test

import (
	"strings"
	"testing"
)

// The page's files come through the whole server, not only out of their own handler.
func TestPageFiles(t *testing.T) {
	r := newRig(t, nil)
	for path, want := range map[string]string{"/": "text/html", "/js/main.js": "text/javascript", "/css/base.css": "text/css", "/lib/marked.js": "text/javascript"} {
		for _, method := range []string{"GET", "HEAD"} {
			status, head, body := r.ask(method, path, "")
			if status != 200 || !strings.HasPrefix(head.Get("Content-Type"), want) || (body != "") != (method == "GET") {
				t.Errorf("%s %s: %d %s, %d bytes", method, path, status, head.Get("Content-Type"), len(body))
			}
		}
		_, head, _ := r.ask("GET", path, "")
		if status, _, body := r.ask("GET", path, "", "If-None-Match", head.Get("ETag")); status != 304 || body != "" {
			t.Errorf("%s again: %d", path, status)
		}
	}
}
