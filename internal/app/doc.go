// Package app is the one page where everything meets. [Open] turns the command line's options into a product: the
// configuration, the face, the model, the tools, the hooks, the store and the engine. A feature is one line here and a
// folder elsewhere; to build another product from the same parts, copy app.go.
package app
