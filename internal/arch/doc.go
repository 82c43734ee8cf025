// Package arch holds the rules of the house as tests: who may import whom and link what, what is never linked, that
// packages and exported names are documented, that the documents name what exists, and that tests neither sleep nor skip
// in silence.
//
// The tests parse files themselves. Asking `go list` instead would be shorter, but go test caches a result by the files
// that the test itself opened: a planted violation would pass from the cache.
//
// The table of imports is in table_test.go; ARCHITECTURE.md shows it in words.
package arch
