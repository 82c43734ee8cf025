package app

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Of several first starts at once one makes the token, all take that one, and nothing is left beside it.
func TestTokenOfManyStarts(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		path := filepath.Join(dir, "server-token")
		var all [8]string
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() {
				token, where, err := newToken(path, os.Link)
				if err != nil || where != path {
					t.Errorf("%s %v", where, err)
				}
				all[i] = token
			})
		}
		wg.Wait()
		for _, token := range all {
			if token != all[0] || len(token) < 16 {
				t.Errorf("%q", all)
			}
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("%v %v", list, err)
		}
	}
}

// Where the file system has no links the token is kept all the same, and one that is there stays.
func TestTokenWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "server-token")
	none := func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: errors.ErrUnsupported}
	}
	first, where, err := newToken(path, none)
	if err != nil || where != path || len(first) < 16 {
		t.Fatalf("%q %s %v", first, where, err)
	}
	if again, _, err := newToken(path, none); err != nil || again != first {
		t.Errorf("%q %v", again, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}
