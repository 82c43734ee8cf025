package memory

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// both makes a store of two files in a fresh directory.
func both(t testing.TB, change ...func(*Options)) *Store {
	t.Helper()
	dir := t.TempDir()
	o := Options{Project: filepath.Join(dir, "state", "memory.db"), User: filepath.Join(dir, "user", "memory.db"), NoSync: true}
	for _, c := range change {
		c(&o)
	}
	s := New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func save(t testing.TB, s *Store, d Draft) Saved {
	t.Helper()
	done, err := s.Save(t.Context(), d)
	if err != nil {
		t.Fatalf("save %q: %v", d.Text, err)
	}
	return done
}

func find(t testing.TB, s *Store, query string) (ids []string) {
	t.Helper()
	hits, err := s.Search(t.Context(), Query{Text: query})
	if err != nil {
		t.Fatalf("search %q: %v", query, err)
	}
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestNothingIsTouchedBeforeTheFirstSave(t *testing.T) {
	s := both(t)
	ctx := t.Context()
	if hits, err := s.Search(ctx, Query{Text: "anything"}); err != nil || hits != nil {
		t.Errorf("search: %v, %v", hits, err)
	}
	if list, n, err := s.List(ctx, Filter{}); err != nil || n != 0 || len(list) != 0 {
		t.Errorf("list: %v, %d, %v", list, n, err)
	}
	if _, err := s.Get(ctx, "p1"); !errors.Is(err, ErrNone) {
		t.Errorf("get: %v", err)
	}
	if _, err := s.Delete(ctx, "u1"); !errors.Is(err, ErrNone) {
		t.Errorf("delete: %v", err)
	}
	for _, st := range s.Status(ctx) {
		if st.Exists || st.Err != nil || st.Count != 0 {
			t.Errorf("status: %+v", st)
		}
	}
	for _, f := range s.files {
		if _, err := os.Stat(filepath.Dir(f.path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made", filepath.Dir(f.path))
		}
	}
}

func TestARecordSurvivesARestart(t *testing.T) {
	s := both(t)
	one := save(t, s, Draft{Text: " Deploy with `make ship`\x00\x1b[31m, never by hand. ", Kind: Command, Tags: []string{"deploy", " deploy ", ""}})
	two := save(t, s, Draft{Text: "我喜欢简短的回答", Kind: Preference})
	if one.ID != "p1" || two.ID != "u1" || one.Scope != Project || two.Scope != User {
		t.Fatalf("%+v %+v", one, two)
	}
	again := New(s.o)
	defer again.Close()
	got, err := again.Get(t.Context(), " P1")
	if err != nil || got.Text != "Deploy with `make ship`[31m, never by hand." || got.Kind != Command || len(got.Tags) != 1 || got.Uses != 0 || !got.Created.Equal(one.Created) {
		t.Errorf("%+v, %v", got, err)
	}
	for query, want := range map[string]string{
		"deploy": "p1", "how do I deploy this?": "p1", "部署": "p1", "make shi": "p1", "简短": "u1", "答": "u1", "回答要简短一些": "u1", "ship": "p1",
	} {
		if ids := find(t, again, query); len(ids) == 0 || ids[0] != want {
			t.Errorf("%q finds %v, not %s", query, ids, want)
		}
	}
	for _, path := range []string{s.o.Project, s.o.User} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}
