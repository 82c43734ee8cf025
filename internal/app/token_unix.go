//go:build unix

package app

import "io/fs"

// exposes reports whether others may read or write a file with this mode.
func exposes(m fs.FileMode) bool { return m.Perm()&0o077 != 0 }
