//go:build !unix

package app

import "io/fs"

// exposes reports whether others may read a file; there the mode does not say.
func exposes(fs.FileMode) bool { return false }
