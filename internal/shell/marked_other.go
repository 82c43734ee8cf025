//go:build !linux

package shell

// EndMarked ends every process that has a mark in its environment. This system does not tell that: there are none.
func EndMarked(string) int { return 0 }
