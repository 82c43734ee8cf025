package main

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"react-agent/provider/providertest"
)

// servers are the scripted servers of a script beside the one that the environment points at, by name.
type servers struct{}

// startServer is the command
//
//	server NAME FILE       starts another scripted server; its base URL, with /v1, is in NAME_URL, in capitals
func startServer(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: server NAME FILE")
	}
	script, err := providertest.Parse(ts.ReadFile(args[1]), ts.Getenv("WORK"))
	ts.Check(err)
	s := providertest.New(context.Background(), script)
	ts.Setenv(strings.ToUpper(args[0])+"_URL", s.URL)
	named, ok := ts.Value(servers{}).(map[string]*providertest.Server)
	if !ok {
		ts.Fatalf("no place for servers")
	}
	named[args[0]] = s
	ts.Defer(func() {
		s.Close()
		if list := s.Faults(); len(list) > 0 {
			t.Errorf("%s: server %s refused requests: %s", ts.Name(), args[0], strings.Join(list, "; "))
		}
	})
}

// asked is the command
//
//	asked NAME N           N requests must have come to a server
//	asked NAME N FILE      waits for its N-th request and writes path, head and body to FILE
func asked(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: asked NAME N [FILE]")
	}
	named, ok := ts.Value(servers{}).(map[string]*providertest.Server)
	if !ok || named[args[0]] == nil {
		ts.Fatalf("no server %s", args[0])
	}
	s := named[args[0]]
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if len(args) == 2 {
		if got := len(s.Requests()); (got == n) == neg {
			ts.Fatalf("%d requests came to %s, wanted %d", got, args[0], n)
		}
		return
	}
	ts.Check(s.Arrived(patience(ts), n))
	r := s.Requests()[n-1]
	var b bytes.Buffer
	b.WriteString(r.Path + "\n")
	ts.Check(r.Header.Write(&b))
	b.WriteString("\n")
	b.Write(r.Body)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), b.Bytes(), 0o600))
}
