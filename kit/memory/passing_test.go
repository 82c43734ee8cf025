package memory

import "testing"

// One word that two texts share in passing brings nothing in, and a search does not list what has nothing to do with it.
func TestOneWordInPassing(t *testing.T) {
	s := both(t)
	for _, m := range []string{"tabs, never spaces", "the staging database is on port 5433", "uses pnpm"} {
		save(t, s, Draft{Text: m})
	}
	for _, c := range []struct {
		said, first string
		found, like int
	}{
		{"Never touch the file X", "tabs, never spaces", 1, 0},
		{"staging database", "the staging database is on port 5433", 1, 1},
		{"where is the port", "the staging database is on port 5433", 1, 1},
		{"never", "tabs, never spaces", 1, 1},                             // all that was said
		{"install the dependencies with pnpm, please", "uses pnpm", 1, 1}, // all that is remembered
	} {
		hits, err := s.Search(t.Context(), Query{Text: c.said, K: atOnce})
		if err != nil || len(hits) != c.found || hits[0].Text != c.first || len(like(hits)) != c.like {
			t.Errorf("%q: %+v, %v", c.said, hits, err)
		}
	}
}
