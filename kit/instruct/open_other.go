//go:build !unix

package instruct

// nonBlocking is not needed where pipes have no names among files.
const nonBlocking = 0
