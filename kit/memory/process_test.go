package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// childVar makes the test binary a process that saves into the file it names, on and on, and prints each id once it is saved.
const childVar = "MEMORY_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVar); path != "" {
		os.Exit(child(path, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

// child saves memories with numbers of its own until it has saved as many as its argument says.
func child(path, arg string) int {
	name, count, _ := strings.Cut(arg, ":")
	n, err := strconv.Atoi(count)
	if err != nil {
		return 2
	}
	s := New(Options{Project: path})
	defer s.Close()
	for i := range n {
		done, err := s.Save(context.Background(), Draft{Text: fmt.Sprintf("%s found out number %d, which nobody had known before %d", name, i, i*i)})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(done.ID)
		if i%10 == 9 {
			hits, err := s.Search(context.Background(), Query{Text: fmt.Sprintf("%s number %d", name, i)})
			if err != nil || len(hits) == 0 {
				fmt.Fprintln(os.Stderr, "search:", len(hits), err)
				return 1
			}
		}
	}
	return 0
}

func start(t *testing.T, path, name string, n int) (*exec.Cmd, *bufio.Scanner, *strings.Builder) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, fmt.Sprintf("%s:%d", name, n))
	cmd.Env = append(os.Environ(), childVar+"="+path)
	said := &strings.Builder{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out), said
}

func TestThreeProcessesAtOnce(t *testing.T) {
	const each = 30
	s := both(t, func(o *Options) { o.NoSync = false })
	var wait sync.WaitGroup
	ids := make(chan string, 3*each)
	for _, name := range []string{"ada", "ben"} { // the file is not there yet: they make it
		cmd, lines, said := start(t, s.o.Project, name, each)
		wait.Go(func() {
			for lines.Scan() {
				ids <- lines.Text()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v: %s", name, err, said)
			}
		})
	}
	for i := range each {
		ids <- save(t, s, Draft{Text: fmt.Sprintf("the parent has its own number %d among them all", i)}).ID
	}
	wait.Wait()
	close(ids)
	seen := map[string]bool{}
	for id := range ids {
		if seen[id] {
			t.Errorf("%s was given twice", id)
		}
		seen[id] = true
	}
	st := s.Status(t.Context())[0]
	if st.Err != nil || st.Count != 3*each || len(seen) != 3*each || st.Models[s.ngrams().Model()] != 3*each {
		t.Errorf("%+v, %d ids", st, len(seen))
	}
	if found := find(t, s, "ben number 29"); len(found) == 0 || !seen[found[0]] {
		t.Errorf("what another process has saved is not found: %v", found)
	}
}

func TestWhatWasSavedOutlivesAKill(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	for after := range rounds {
		s := both(t, func(o *Options) { o.NoSync = false })
		cmd, lines, said := start(t, s.o.Project, "eve", 1_000_000)
		var saved []string
		for len(saved) <= after*3 && lines.Scan() {
			saved = append(saved, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil { // most likely in the middle of the next
			t.Fatal(err)
		}
		for lines.Scan() { // what it had written into the pipe
			saved = append(saved, lines.Text())
		}
		var ended *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &ended) || said.Len() > 0 {
			t.Fatalf("%v: %s", err, said)
		}
		for _, id := range saved {
			if _, err := s.Get(t.Context(), id); err != nil {
				t.Errorf("after %d: %v", after, err)
			}
		}
		if st := s.Status(t.Context())[0]; st.Err != nil || st.Count < len(saved) || st.Count > len(saved)+1 || st.Models[s.ngrams().Model()] != st.Count {
			t.Errorf("after %d: %+v, %d were saved", after, st, len(saved))
		}
		save(t, s, Draft{Text: "life goes on"})
	}
}

func TestTwoHandlesAtOnce(t *testing.T) {
	s := both(t)
	other := New(s.o)
	defer other.Close()
	var wait sync.WaitGroup
	for i, handle := range []*Store{s, other, s, other} {
		wait.Go(func() {
			for n := range 12 {
				done, err := handle.Save(t.Context(), Draft{Text: fmt.Sprintf("worker %d has written line %d of its book", i, n), Kind: Kinds()[i]})
				if err != nil {
					t.Errorf("save: %v", err)
					return
				}
				if hits, err := handle.Search(t.Context(), Query{Text: fmt.Sprintf("worker %d line %d", i, n), Kind: Kinds()[i]}); err != nil || len(hits) == 0 {
					t.Errorf("search: %v, %v", hits, err)
				}
				if n%3 == 0 {
					if _, err := handle.Delete(t.Context(), done.ID); err != nil {
						t.Errorf("delete: %v", err)
					}
				}
				for _, err := range handle.All(t.Context(), Filter{}) {
					if err != nil {
						t.Errorf("all: %v", err)
					}
				}
			}
		})
	}
	wait.Wait()
	if _, n, err := s.List(t.Context(), Filter{}); err != nil || n != 4*8 {
		t.Errorf("%d, %v", n, err)
	}
}
