package disk_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"react-agent/store/disk"
	"react-agent/store/storetest"
)

// The model tests again, with a tool that makes a failing case small.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, disk.Options{}), open(t, dir, disk.Options{Open: 1})
	both := storetest.Stores{
		Log: s, KV: s, Blobs: s,
		Other: &storetest.Stores{Log: other, KV: other, Blobs: other},
	}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "choice") }
		storetest.LogModel(t, rt, draw, both, fmt.Sprint("model/", round))
		storetest.DocModel(t, rt, draw, both, fmt.Sprint("model", round))
	})
}
