package memory

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestForgottenIsGone: what was forgotten stands nowhere in the file, not even in what the file does not use.
func TestForgottenIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := New(Options{Project: path, NoSync: true})
	var ids []string
	for i := range 40 {
		saved, err := s.Save(t.Context(), Draft{Text: fmt.Sprintf("the word zebracorn%d is a secret of number %d 数字密码甲%d乙", i, i, i), Tags: []string{fmt.Sprintf("tagword%d", i)}})
		if err != nil || saved.Was != "" {
			t.Fatal(err, saved.Was)
		}
		ids = append(ids, saved.ID)
	}
	for i, id := range ids {
		if i%4 != 3 {
			if _, err := s.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	hits, err := s.Search(t.Context(), Query{Text: "zebracorn3"})
	if err != nil || len(hits) == 0 || hits[0].ID != ids[3] {
		t.Error(hits, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ids {
		for _, word := range []string{fmt.Sprintf("zebracorn%d is", i), fmt.Sprintf("甲%d乙", i), fmt.Sprintf("tagword%d\"", i)} {
			if got := bytes.Contains(raw, []byte(word)); got != (i%4 == 3) {
				t.Errorf("%q is there: %v", word, got)
			}
		}
	}
	// the indexes hold words by themselves: of those that begin alike only what differs
	if bytes.Contains(raw, []byte("corn0")) || bytes.Contains(raw, []byte("zebracorn1 ")) {
		t.Error("the words of what was forgotten are still in the index")
	}
}
