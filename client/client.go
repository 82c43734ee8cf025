// Package client is an engine on another machine: [engine.Engine] and [store.Blobs] over the routes of package
// server/native.
package client
