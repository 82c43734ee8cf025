//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ending are the signals that ask the program to end. Started with nohup it outlives its terminal: SIGHUP is then caught
// and dropped rather than ignored, so that commands have the usual behaviour and a nohup of theirs means something.
func ending() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
}
