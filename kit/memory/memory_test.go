package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	defer again.Close() //nolint:errcheck // it never fails
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

func TestTuneFused(t *testing.T) {
	memories, names, questions := recallSet(t)
	s := both(t)
	id := map[string]string{}
	for i, m := range memories {
		id[save(t, s, m).ID] = names[i]
	}
	t.Log(len(id), len(memories))
	for _, way := range []Way{ByWords, ByVectors, Fused} {
		f := measure(questions, func(q string) (out []string) {
			hits, err := s.Search(t.Context(), Query{Text: q, K: 10, Way: way})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				out = append(out, id[h.ID])
			}
			return out
		})
		for _, k := range []string{"half0", "half1", "all", "exact", "para", "cross", "typo", "short", "code"} {
			t.Log(way, k, f[k])
		}
	}
	var right, wrong []string
	for th := 0.1; th < 0.7; th += 0.05 {
		good, bad, asked, none, noneHit := 0, 0, 0, 0, 0
		for _, q := range questions {
			hits, _ := s.Search(context.Background(), Query{Text: q.text, K: 5})
			any := false
			for _, h := range hits {
				if h.Score < th {
					continue
				}
				any = true
				if strings.Contains(strings.Join(q.right, ","), id[h.ID]) {
					good++
				} else {
					bad++
				}
			}
			if len(q.right) == 0 {
				none++
				if any {
					noneHit++
				}
			} else {
				asked++
			}
		}
		t.Logf("%.2f good %d bad %d of %d; none %d hit %d", th, good, bad, asked, none, noneHit)
	}
	_, _ = right, wrong
}
