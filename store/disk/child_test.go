package disk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"react-agent/store"
	"react-agent/store/disk"
)

// child is what the test binary does when it is started as another process; DISK_TEST_DIR is the store.
func child(job string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := disk.Open(os.Getenv("DISK_TEST_DIR"), disk.Options{})
	if err == nil {
		switch job {
		case "append":
			err = childAppend(ctx, s)
		case "fence":
			err = childFence(ctx, s)
		case "put":
			err = childPut(ctx, s)
		default:
			err = fmt.Errorf("unknown job %q", job)
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// childAppend appends without condition, 200 times.
func childAppend(ctx context.Context, s *disk.Store) error {
	for i := range 200 {
		line := fmt.Sprintf("%d %d %s", os.Getpid(), i, strings.Repeat("x", i*50))
		if _, err := s.Append(ctx, "input/a", -1, []byte(line)); err != nil {
			return err
		}
	}
	return nil
}

// childFence appends numbered records for ever and tells of each one when it is stored.
func childFence(ctx context.Context, s *disk.Store) error {
	after, n := int64(0), 0
	for r, err := range s.Read(ctx, "session/a", 0, false) {
		if err != nil {
			return err
		}
		after, n = r.Pos, n+1
	}
	for {
		n++
		pos, err := s.Append(ctx, "session/a", after, []byte(record(n)))
		if err != nil {
			return err
		}
		after = pos
		if n%16 == 0 {
			if err := s.Sync(ctx, "session/a"); err != nil {
				return err
			}
		}
		fmt.Println("stored", n)
	}
}

// childPut counts a document up for ever and tells of each number when it is stored.
func childPut(ctx context.Context, s *disk.Store) error {
	for {
		d, err := s.Get(ctx, "todo/n")
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		n := 0
		if err == nil {
			if _, err := fmt.Sscan(string(d.Data), &n); err != nil {
				return fmt.Errorf("document %q: %w", d.Data, err)
			}
		}
		n++
		if _, err := s.Put(ctx, store.Doc{Key: "todo/n", Rev: d.Rev, Data: fmt.Append(nil, n)}); err != nil {
			return err
		}
		fmt.Println("stored", n)
	}
}

func record(n int) string { return fmt.Sprintf("%d %s", n, strings.Repeat("r", n*n%70000)) }

// start starts the test binary on a job.
func start(t *testing.T, dir, job string) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "DISK_TEST_JOB="+job, "DISK_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// killAfter reads a job's reports, kills it without warning, and gives the last number that it reported.
func killAfter(t *testing.T, dir, job string, reports int) (last int) {
	t.Helper()
	cmd, out := start(t, dir, job)
	lines := bufio.NewScanner(out)
	for i := 0; lines.Scan(); i++ {
		if _, err := fmt.Sscanf(lines.Text(), "stored %d", &last); err != nil {
			t.Fatalf("job %s says %q", job, lines.Text())
		}
		if i == reports {
			_ = cmd.Process.Kill() // what it wrote before dying is still read
		}
	}
	_ = cmd.Wait() // was killed
	return last
}
