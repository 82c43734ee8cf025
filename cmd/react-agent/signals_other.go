//go:build !unix

package main

import (
	"os"
	"syscall"
)

// ending are the signals that ask the program to end.
func ending() []os.Signal { return []os.Signal{syscall.SIGTERM} }
