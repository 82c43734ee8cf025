// Command react-agent is the whole product in one binary. This file only gathers what the operating system knows and
// hands it to the command line; `react-agent --help` is the manual.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"react-agent/internal/app"
	"react-agent/internal/cli"
	"react-agent/internal/command"
	"react-agent/kit/sandbox"
)

// version is set by the linker in releases.
var version = ""

func main() {
	if handled, code := sandbox.Main(os.Args); handled {
		os.Exit(code)
	}
	os.Exit(run(app.Open))
}

func run(open command.Open) int {
	// A closed pipe shall be an error of the write, not the death of the process in the middle of a run. The signal is
	// caught rather than ignored, so that children keep the usual behaviour.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// The first process that Go starts is preceded by a probe of the system, whose short-lived child shares our memory: a
	// Ctrl-C in that moment would arrive twice. The probe is made now, before anybody can press a key (0.1 ms).
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, append(ending(), os.Interrupt)...)
	return cli.Main(context.Background(), cli.Process(app.Environ(), signals, release()), open)
}

// release is the version of the build: the linker's, the module's, or the commit's.
func release() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
