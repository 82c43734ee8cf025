package httpx_test

import (
	"net/http/httptest"
	"testing"

	"react-agent/internal/httpx"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		answer func(w *httptest.ResponseRecorder)
		status int
		body   string
	}{
		{func(w *httptest.ResponseRecorder) { httpx.Refuse(w, 413, `too "large"`) }, 413, `{"error":"too \"large\""}` + "\n"},
		{func(w *httptest.ResponseRecorder) {
			httpx.Answer(w, 200, map[string]string{"tasks": "[>] #1 a & b <c>"})
		}, 200, `{"tasks":"[>] #1 a & b <c>"}` + "\n"},
		{func(w *httptest.ResponseRecorder) { httpx.Answer(w, 202, map[string]int{"pos": 7}) }, 202, `{"pos":7}` + "\n"},
		{func(w *httptest.ResponseRecorder) { httpx.Answer(w, 200, make(chan int)) }, 500, `{"error":"the answer cannot be put into JSON"}` + "\n"},
	} {
		w := httptest.NewRecorder()
		c.answer(w)
		if w.Code != c.status || w.Body.String() != c.body || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%d %q %v, want %d %q", w.Code, w.Body, w.Header(), c.status, c.body)
		}
	}
}

func TestContent(t *testing.T) {
	for _, c := range []struct {
		method, header, value string
		status                int
		body                  string
	}{
		{"GET", "", "", 200, "all of it"},
		{"HEAD", "", "", 200, ""},
		{"GET", "Range", "bytes=0-1,3-4", 200, "all of it"},
		{"GET", "Range", "bytes=50-", 200, "all of it"},
		{"GET", "If-None-Match", `"other", W/"tag"`, 304, ""},
		{"GET", "If-None-Match", `*`, 304, ""},
		{"GET", "If-None-Match", `"other"`, 200, "all of it"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, "/x", nil)
		r.Header.Set(c.header, c.value)
		w := httptest.NewRecorder()
		httpx.Content(w, r, "tag", []byte("all of it"))
		if w.Code != c.status || w.Body.String() != c.body || w.Header().Get("ETag") != `"tag"` {
			t.Errorf("%v: %d %q %v", c, w.Code, w.Body, w.Header())
		}
		if length := w.Header().Get("Content-Length"); c.status == 200 && length != "9" {
			t.Errorf("%v: a length of %q", c, length)
		}
	}
}
