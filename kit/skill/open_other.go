//go:build !unix

package skill

// nonBlocking is not needed where pipes have no names among files.
const nonBlocking = 0
