// Package web is the page: a front end in the browser over the routes of package native, in plain files without a build
// step. It asks no other host for anything.
//
// The files are ES modules. state.js is the heart: events in, what is to be seen out, tested without a browser
// (state_test.mjs). page/VENDORED.md names what was not written here, with versions and licences.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"react-agent/internal/httpx"
)

//go:embed page
var page embed.FS

// file is one of the page's files as it is served.
type file struct {
	data []byte
	kind string
	tag  string
}

// Handler serves the page's files at the root of its path, and answers 404 to everything else. A browser asks each time
// whether it has the newest of a file, and gets it only when it has not.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		f, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Cache-Control", "no-cache")
		httpx.Content(w, r, f.tag, f.data)
	})
}

// load reads the embedded files. What a file is does not depend on what this machine knows of file names.
func load() map[string]file {
	kinds := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}
	files := map[string]file{}
	_ = fs.WalkDir(page, "page", func(name string, d fs.DirEntry, err error) error { // they are compiled in: nothing can fail
		if err != nil || d.IsDir() {
			return err
		}
		data, err := page.ReadFile(name)
		kind, ok := kinds[path.Ext(name)]
		if !ok {
			kind = "text/plain; charset=utf-8"
		}
		sum := sha256.Sum256(data)
		files[strings.TrimPrefix(name, "page/")] = file{data: data, kind: kind, tag: hex.EncodeToString(sum[:12])}
		return err
	})
	return files
}
