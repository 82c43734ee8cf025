//go:build !unix

package ordinary

// NonBlocking is not needed where pipes have no names among files.
const NonBlocking = 0
