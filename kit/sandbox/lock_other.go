//go:build !unix

package sandbox

// lockFile does nothing: here git's own locks have to do.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }
