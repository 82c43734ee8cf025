// Package web is the page: a front end in the browser over the routes of package native, in plain files without a build
// step. It asks no other host for anything.
package web

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed page
var page embed.FS //nolint:gochecknoglobals // embedded files

// Handler serves the page's files at the root of its path.
func Handler() http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil { // the folder is compiled in
		return http.NotFoundHandler()
	}
	return http.FileServerFS(files)
}
