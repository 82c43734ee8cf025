package memory

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/internal/msg"
)

// What comes from an export keeps when it was remembered and how often it was used; the same again changes nothing.
func TestAnImportKeepsWhatMemoriesHaveBeenThrough(t *testing.T) {
	s := both(t)
	day := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	drafts := []Draft{
		{Text: "the port is 8080", Kind: Fact, Created: day, Used: day.AddDate(0, 1, 0), Uses: 7},
		{Text: "deploys go out with make ship", Kind: Trick, Tags: []string{"deploy"}, Created: day.AddDate(-1, 0, 0)},
		{Text: "it rains in November", Created: time.Now().AddDate(5, 0, 0), Uses: -3},
	}
	if done, err := s.Import(t.Context(), drafts); err != nil || len(done) != 3 {
		t.Fatal(done, err)
	}
	first, _, err := s.List(t.Context(), Filter{})
	if err != nil || len(first) != 3 {
		t.Fatal(first, err)
	}
	if r := first[1]; r.ID != "p1" || !r.Created.Equal(day) || !r.Used.Equal(drafts[0].Used) || r.Uses != 7 {
		t.Errorf("%+v", r)
	}
	if r := first[0]; r.Created.After(time.Now()) || r.Uses != 0 || !r.Used.IsZero() {
		t.Errorf("out of the future: %+v", r)
	}
	for i := range drafts {
		drafts[i].Created, drafts[i].Uses = time.Time{}, 1
	}
	done, err := s.Import(t.Context(), drafts)
	if err != nil || slices.ContainsFunc(done, func(d Saved) bool { return !d.Same || d.Was != d.Text }) {
		t.Errorf("%+v, %v", done, err)
	}
	again, _, err := s.List(t.Context(), Filter{})
	if err != nil || !slices.EqualFunc(first, again, func(a, b Record) bool {
		return a.ID == b.ID && a.Created.Equal(b.Created) && a.Uses == b.Uses && a.Used.Equal(b.Used)
	}) {
		t.Errorf("before %+v\nafter %+v, %v", first, again, err)
	}
	changed := save(t, s, Draft{Text: "The port is 8080.", Kind: Fact})
	if changed.Same || changed.ID != "p1" || changed.Uses != 7 || !changed.Created.After(day) {
		t.Errorf("%+v", changed)
	}
}

func TestAnEmojiIsFound(t *testing.T) {
	s := both(t)
	save(t, s, Draft{Text: "releases are announced with 🚀 in the channel"})
	save(t, s, Draft{Text: "it rains in November"})
	if ids := find(t, s, " 🚀 "); len(ids) != 1 || ids[0] != "p1" {
		t.Errorf("%v", ids)
	}
	for _, nothing := range []string{"🐙", "", " "} {
		if ids := find(t, s, nothing); len(ids) != 0 {
			t.Errorf("%q: %v", nothing, ids)
		}
	}
}

func TestALinkIntoNothing(t *testing.T) {
	s := both(t)
	if err := os.MkdirAll(filepath.Dir(s.o.Project), 0o700); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Symlink(filepath.Join(gone, "memory.db"), s.o.Project); err != nil {
		t.Skip("not here: symbolic links")
	}
	_, err := s.Save(t.Context(), Draft{Text: "x"})
	if !errors.Is(err, ErrLink) || !strings.Contains(err.Error(), "is a symbolic link into a directory that does not exist") || !strings.Contains(msg.For(msg.Zh).Err(err), "符号链接") {
		t.Errorf("%v", err)
	}
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	save(t, s, Draft{Text: "x"})
}
