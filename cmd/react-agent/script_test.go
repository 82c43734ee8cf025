package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"react-agent/kit/sandbox"
	"react-agent/provider/providertest"
)

func TestMain(m *testing.M) {
	if handled, code := sandbox.Main(os.Args); handled { // the sandbox runs this program again
		os.Exit(code)
	}
	// These tests mostly wait for other processes and for the disk. What the command line says still counts.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // the flag takes any number
	testscript.Main(m, map[string]func(){"react-agent": main, "react-agent-parts": partsMain})
}

// atOnce is an environment variable for every process that tests start: a binary with the race detector sleeps a second
// before it exits, unless it is told not to.
const atOnce = "GORACE=atexit_sleep_ms=0"

// built is what the environment of a process has to say for the way in which the test binary was built: one that counts what it
// covers complains where it is not told a place for that. Scripts are given that by testscript.
func built() []string {
	if testing.CoverMode() == "" {
		return []string{atOnce}
	}
	return []string{atOnce, "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
}

// TestScripts runs the manual's examples: each file is one behaviour of the real binary with a scripted model.
//
// Commands beside those of testscript:
//
//	model [-faults] FILE   starts a scripted server (package providertest) and points the environment at it; at the end
//	                       of the script no request may have been refused, unless -faults is given
//	server, asked          more servers, see startServer
//	requests N             N requests must have come in
//	request N FILE         waits for the N-th request and writes its body to FILE
//	holding                waits until the server stands at a WAIT or HANG
//	release                lets one WAIT go on
//	exits CODE CMD ARG...  runs a command that must end with CODE
//	bytes FILE HEX         the file must consist of these bytes
//	chop FILE N            cuts N bytes off the end of a file
//	lines N FILE           the file must have N lines
//	picture FILE W H [HOW] writes a picture, see picture
//	gone PATTERN           no process may have PATTERN in its command line
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "internal", "cli", "testdata", "script"),
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"model":    func(ts *testscript.TestScript, neg bool, args []string) { startModel(t, ts, neg, args) },
			"server":   func(ts *testscript.TestScript, neg bool, args []string) { startServer(t, ts, neg, args) },
			"asked":    asked,
			"requests": countRequests, "request": writeRequest, "holding": holding, "release": releaseOne,
			"exits": exits, "bytes": sameBytes, "chop": chop, "lines": countLines, "gone": gone, "picture": picture,
		},
	})
}

// setup gives each script a home of its own and no key. Scripts speak English unless they say otherwise.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	work := filepath.Join(env.WorkDir, "work")
	env.Cd = work
	env.Values[modelKey{}], env.Values[servers{}] = &box{}, map[string]*providertest.Server{}
	for _, dir := range []string{home, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for _, v := range []string{
		"HOME=" + home, "STATE=" + filepath.Join(env.WorkDir, "state"), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "LC_ALL=", "LANG=C.UTF-8",
		"REACT_AGENT_STATE_DIR=" + filepath.Join(env.WorkDir, "state"), atOnce,
	} {
		name, value, _ := strings.Cut(v, "=")
		env.Setenv(name, value)
	}
	return nil
}

type modelKey struct{}

// box is what a script has running.
type box struct{ server *providertest.Server }

func startModel(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	faults := len(args) > 0 && args[0] == "-faults"
	if faults {
		args = args[1:]
	}
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model [-faults] FILE")
	}
	script, err := providertest.Parse(ts.ReadFile(args[0]), ts.Getenv("WORK"))
	ts.Check(err)
	s := providertest.New(context.Background(), script)
	for _, v := range s.Env() {
		name, value, _ := strings.Cut(v, "=")
		ts.Setenv(name, value)
	}
	if b, ok := ts.Value(modelKey{}).(*box); ok {
		b.server = s
	}
	ts.Defer(func() {
		s.Close()
		if list := s.Faults(); len(list) > 0 && !faults {
			t.Errorf("%s: the model refused requests: %s", ts.Name(), strings.Join(list, "; "))
		}
	})
}

func server(ts *testscript.TestScript) *providertest.Server {
	b, ok := ts.Value(modelKey{}).(*box)
	if !ok || b.server == nil {
		ts.Fatalf("no model: start one with `model FILE`")
	}
	return b.server
}

func patience(ts *testscript.TestScript) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	ts.Defer(cancel)
	return ctx
}

func countRequests(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := len(server(ts).Requests()); (got == n) == neg {
		ts.Fatalf("%d requests came, wanted %d", got, n)
	}
}

func writeRequest(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(server(ts).Arrived(patience(ts), n))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), server(ts).Requests()[n-1].Body, 0o600))
}

func holding(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(server(ts).Holding(patience(ts)))
}

func releaseOne(ts *testscript.TestScript, _ bool, _ []string) { server(ts).Release() }

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var ee *exec.ExitError
	switch {
	case errors.As(err, &ee):
		code = ee.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("%s ended with %d, wanted %d", strings.Join(args[1:], " "), code, want)
	}
}

func sameBytes(ts *testscript.TestScript, neg bool, args []string) {
	var want []byte
	for _, h := range args[1:] {
		b, err := strconv.ParseUint(h, 16, 8)
		ts.Check(err)
		want = append(want, byte(b))
	}
	got := []byte(ts.ReadFile(args[0]))
	if bytes.Equal(got, want) == neg {
		ts.Fatalf("%s is % x", args[0], got)
	}
}

func chop(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-n))
}

func countLines(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[1]), "\n"); (got == n) == neg {
		ts.Fatalf("%s has %d lines, wanted %d", args[1], got, n)
	}
}

// gone reads the process table; elsewhere than on Linux there is none to read, and the check is left out.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	ts.Check(err)
	for _, f := range files {
		line, err := os.ReadFile(f)
		if err == nil && strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), args[0]) {
			ts.Fatalf("still there: %s", fmt.Sprintf("%q", line))
		}
	}
}
