package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The disk is full while the second turn runs, and has room again before the third: the person is told, the conversation
// lives on, and what is on the disk is whole.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	g := newRig(t, `SAY a
		WAIT
		+ LINES 4000
		SAY c
		SAY d`)
	if err := os.Mkdir(g.state(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", g.state(), "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("needs root to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(g.state(), syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	cmd := g.command(nil, "--plain", "--session", "s")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	type_ := func(line string) {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	screen := &screen{t: t, r: out}
	type_("one")
	screen.until("\na\n")
	type_("two")
	if err := g.srv.Holding(soon(t)); err != nil {
		t.Fatal(err)
	}
	filler := g.state("filler")
	fillUp(t, filler)
	g.srv.Release()
	screen.until("disk full")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	type_("three")
	screen.until("\nc\n")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	screen.rest()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the conversation: %v\n%s", err, screen.text.String())
	}
	wholeFiles(t, g.state())
	if log := strings.Join(g.log(), "\n"); !strings.Contains(log, `"text":"three"`) || !strings.Contains(log, `"text":"two"`) {
		t.Errorf("a message is lost:\n%.3000s", log)
	}
	if text, err := g.command(nil, "run", "--resume", "s", "four").Output(); err != nil || string(text) != "d\n" {
		t.Errorf("after the restart: %q %v", text, err)
	}
	bodies := g.srv.Bodies()
	if last := bodies[len(bodies)-1]; !strings.Contains(last, `"three"`) || !strings.Contains(last, `"c"`) || !strings.Contains(last, `"four"`) {
		t.Errorf("the last request is %.3000s", last)
	}
	g.check()
}

// screen is what a conversation has printed.
type screen struct {
	t    *testing.T
	r    io.Reader
	text bytes.Buffer
	seen int
}

// until reads on to a text that was not there before.
func (s *screen) until(want string) {
	s.t.Helper()
	buf := make([]byte, 4096)
	for {
		if i := strings.Index(s.text.String()[s.seen:], want); i >= 0 {
			s.seen += i + len(want)
			return
		}
		n, err := s.r.Read(buf)
		s.text.Write(buf[:n])
		if err != nil {
			s.t.Fatalf("no %q came: %v\n%.3000s", want, err, s.text.String())
		}
	}
}

func (s *screen) rest() {
	s.t.Helper()
	if _, err := io.Copy(&s.text, s.r); err != nil {
		s.t.Fatal(err)
	}
}

// fillUp takes all the room that is left.
func fillUp(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 16; size > 0; {
		_, err := f.Write(make([]byte, size))
		switch {
		case errors.Is(err, syscall.ENOSPC):
			size /= 2
		case err != nil:
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// wholeFiles finds empty files, other than locks, and lines that are no JSON.
func wholeFiles(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			t.Errorf("%s is empty (%v)", path, err)
		}
		if !strings.HasSuffix(path, ".jsonl") {
			return nil
		}
		for line := range strings.Lines(string(data)) {
			if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
				t.Errorf("%s: bad line %.100q", path, line)
			}
		}
		return nil
	})
	if err != nil || files < 4 {
		t.Errorf("%d files (%v)", files, err)
	}
}
