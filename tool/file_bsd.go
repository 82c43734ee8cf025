//go:build unix && !linux

package tool

// hasAttributes is not known here.
func hasAttributes(string) bool { return false }
