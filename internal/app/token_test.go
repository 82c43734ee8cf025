package app

import (
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
				token, where, err := newToken(path)
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
