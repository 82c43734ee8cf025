package disk_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/store/disk"
	"react-agent/store/storetest"
)

func TestMain(m *testing.M) {
	if job := os.Getenv("DISK_TEST_JOB"); job != "" {
		os.Exit(child(job))
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, dir string, o disk.Options) *disk.Store {
	t.Helper()
	s, err := disk.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	for name, o := range map[string]disk.Options{
		"disk":         {Poll: 4 * time.Millisecond},
		"process":      {Poll: 4 * time.Millisecond, Durability: disk.Process},
		"in a project": {Poll: 4 * time.Millisecond},
		"one file":     {Poll: 4 * time.Millisecond, Open: 1},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Stores {
				dir := t.TempDir()
				if name == "in a project" {
					for _, kind := range []string{"a", "input", "none", "other", "pair", "session", "sessions", "todo", "todos"} {
						o.Logs = append(o.Logs, disk.Place{Kind: kind, Dir: filepath.Join(dir, "log", kind), Within: dir})
						o.Docs = append(o.Docs, disk.Place{Kind: kind, Dir: filepath.Join(dir, "kv", kind), Within: dir})
					}
				}
				s, other := open(t, dir, o), open(t, dir, o)
				return storetest.Stores{
					Log: s, KV: s, Blobs: s,
					Other: &storetest.Stores{Log: other, KV: other, Blobs: other},
				}
			})
		})
	}
}
