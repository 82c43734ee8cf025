//go:build !unix

package install

const openFlags = 0
