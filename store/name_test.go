package store_test

import (
	"errors"
	"strings"
	"testing"

	"react-agent/store"
)

func TestCleanID(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "A-b_9": "a-b_9", "_x": "_x", "20261130-041533-x7k2q": "20261130-041533-x7k2q",
		"P.1": "p.1", "p.1.22": "p.1.22", "com": "com", "com10": "com10", strings.Repeat("a", 48): strings.Repeat("a", 48),
	} {
		if got, err := store.CleanID(in); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", in, got, err, want)
		}
	}
}

// No id leads out of its folder, and cleaning twice changes nothing.
func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"session/a", "session/../x", "a/b.1.2", "lease/CON", "x/aux.1", "é/a", "a/" + strings.Repeat("b", 60)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		kind, id, err := store.CleanName(name)
		if err != nil {
			if !errors.Is(err, store.ErrName) {
				t.Fatalf("%q: %v", name, err)
			}
			return
		}
		if strings.ContainsAny(kind+id, "/\\\x00: \n") || strings.Contains(id, "..") || id == "" || len(id) > 200 || id != strings.ToLower(id) {
			t.Fatalf("%q became %q %q", name, kind, id)
		}
		if k, i, err := store.CleanName(kind + "/" + id); err != nil || k != kind || i != id {
			t.Fatalf("%q %q became %q %q (%v)", kind, id, k, i, err)
		}
		if k, err := store.CleanPrefix(kind + "/"); err != nil || k != kind {
			t.Fatalf("%q: %q %v", kind, k, err)
		}
	})
}

func TestCheckRecord(t *testing.T) {
	for in, want := range map[string]error{
		"x": nil, "": store.ErrRecord, "a\n": store.ErrRecord, "\x00": store.ErrRecord,
		strings.Repeat("x", store.MaxRecord): nil, strings.Repeat("x", store.MaxRecord+1): store.ErrTooLarge,
	} {
		if err := store.CheckRecord([]byte(in)); !errors.Is(err, want) {
			t.Errorf("%.10q: %v, want %v", in, err, want)
		}
	}
}
