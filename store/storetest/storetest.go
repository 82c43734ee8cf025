// Package storetest proves that a store keeps the promises of package store.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/store"
)

// Stores is what is put to the test. Fields may be one value.
type Stores struct {
	Log   store.Log
	KV    store.KV
	Blobs store.Blobs
	// Other is a second view of the same data, as another process has it; nil if there is none.
	Other *Stores
}

// Run runs every test on fresh stores.
func Run(t *testing.T, open func(t *testing.T) Stores) {
	t.Helper()
	for _, c := range []struct {
		name string
		fn   func(t *testing.T, s Stores)
	}{
		{"append and read", appendRead},
		{"append conflicts", appendConflict},
		{"append refuses what is no record", appendRefuses},
		{"one writer wins", oneWins},
		{"many writers", manyWriters},
		{"bad names", badNames},
		{"names without case", namesWithoutCase},
		{"read from a position", readFrom},
		{"read ends with its context", readContext},
		{"follow", follow},
		{"follow what does not exist yet", followAbsent},
		{"follow until dropped", followDropped},
		{"drop and begin anew", dropAnew},
		{"data belongs to the caller", ownData},
		{"names", names},
		{"last", last},
		{"sized", sized},
		{"sync", syncs},
		{"documents", documents},
		{"documents by one winner", documentWinner},
		{"list documents", listDocuments},
		{"several documents as one", lockDocuments},
		{"blobs", blobs},
		{"log model", models(func(t *testing.T, d Draw, s Stores, n int) { LogModel(t, t, d, s, fmt.Sprint("model/", n)) })},
		{"document model", models(func(t *testing.T, d Draw, s Stores, n int) { DocModel(t, t, d, s, fmt.Sprint("model", n)) })},
	} {
		t.Run(c.name, func(t *testing.T) { c.fn(t, open(t)) })
	}
}

// both gives the views of the data.
func (s Stores) both() []Stores {
	if s.Other == nil {
		return []Stores{s, s}
	}
	return []Stores{s, *s.Other}
}

func mustAppend(t *testing.T, l store.Log, name string, after int64, data string) int64 {
	t.Helper()
	pos, err := l.Append(t.Context(), name, after, []byte(data))
	if err != nil {
		t.Fatalf("Append(%s, %d): %v", name, after, err)
	}
	if pos <= 0 || pos <= after {
		t.Fatalf("Append(%s, %d) = %d, which does not grow", name, after, pos)
	}
	return pos
}

// All reads a log whole.
func All(t testing.TB, l store.Log, name string, after int64) []store.Record {
	t.Helper()
	var out []store.Record
	for r, err := range l.Read(t.Context(), name, after, false) {
		if err != nil {
			t.Fatalf("Read(%s, %d): %v", name, after, err)
		}
		out = append(out, r)
	}
	return out
}

func wantRecords(t *testing.T, got, want []store.Record) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b store.Record) bool { return a.Pos == b.Pos && bytes.Equal(a.Data, b.Data) }) {
		t.Fatalf("records are\n%v\nwant\n%v", show(got), show(want))
	}
}

func show(rs []store.Record) string {
	var b strings.Builder
	for _, r := range rs {
		fmt.Fprintf(&b, "%d:%.40q ", r.Pos, r.Data)
	}
	return b.String()
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func appendRead(t *testing.T, s Stores) {
	const name = "session/a"
	if got := All(t, s.Log, name, 0); len(got) != 0 {
		t.Fatalf("an absent log has %v", show(got))
	}
	var want []store.Record
	after := int64(0)
	for _, data := range []string{`{"a":1}`, "x", strings.Repeat("y", store.MaxRecord), `{"ü":"漢字"}`, "\r\t \x01"} {
		after = mustAppend(t, s.Log, name, after, data)
		want = append(want, store.Record{Pos: after, Data: []byte(data)})
	}
	after = mustAppend(t, s.Log, name, -1, "last")
	want = append(want, store.Record{Pos: after, Data: []byte("last")})
	for _, v := range s.both() {
		wantRecords(t, All(t, v.Log, name, 0), want)
	}
	if got := All(t, s.Log, "input/a", 0); len(got) != 0 {
		t.Fatalf("another kind of log has %v", show(got))
	}
}

func appendConflict(t *testing.T, s Stores) {
	const name = "session/a"
	ctx := t.Context()
	_, err := s.Log.Append(ctx, name, 5, []byte("x"))
	wantErr(t, err, store.ErrConflict)
	p1 := mustAppend(t, s.Log, name, 0, "one")
	p2 := mustAppend(t, s.Log, name, p1, "two")
	for _, after := range []int64{0, p1, p1 - 1, p1 + 1, p2 - 1, p2 + 1, p2 + 100} {
		for _, v := range s.both() {
			_, err := v.Log.Append(ctx, name, after, []byte("x"))
			wantErr(t, err, store.ErrConflict)
		}
	}
	if got := All(t, s.Log, name, 0); len(got) != 2 {
		t.Fatalf("a refused append left %v", show(got))
	}
}

func appendRefuses(t *testing.T, s Stores) {
	_, err := s.Log.Append(t.Context(), "session/a", 0, make([]byte, store.MaxRecord+1))
	wantErr(t, err, store.ErrTooLarge)
	for _, bad := range []string{"", "a\nb", "\n", "a\x00b", "a\n"} {
		_, err := s.Log.Append(t.Context(), "session/a", 0, []byte(bad))
		wantErr(t, err, store.ErrRecord)
	}
	if got := All(t, s.Log, "session/a", 0); len(got) != 0 {
		t.Fatalf("a refused append left %v", show(got))
	}
}

func oneWins(t *testing.T, s Stores) {
	const name, rounds, writers = "session/a", 20, 6
	after := int64(0)
	for range rounds {
		var wg sync.WaitGroup
		got := make([]int64, writers)
		for w := range writers {
			wg.Go(func() {
				pos, err := s.both()[w%2].Log.Append(t.Context(), name, after, []byte(fmt.Sprint("writer ", w)))
				if err == nil {
					got[w] = pos
				} else if !errors.Is(err, store.ErrConflict) {
					t.Errorf("Append: %v", err)
				}
			})
		}
		wg.Wait()
		got = slices.DeleteFunc(got, func(p int64) bool { return p == 0 })
		if len(got) != 1 {
			t.Fatalf("%d writers won", len(got))
		}
		after = got[0]
	}
	if got := All(t, s.Log, name, 0); len(got) != rounds {
		t.Fatalf("%d records, want %d", len(got), rounds)
	}
}

func manyWriters(t *testing.T, s Stores) {
	const writers, each = 6, 30
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				data := fmt.Sprintf("%d %d %s", w, i, strings.Repeat("z", i*37))
				if _, err := s.both()[w%2].Log.Append(t.Context(), "input/a", -1, []byte(data)); err != nil {
					t.Errorf("Append: %v", err)
				}
			}
		})
	}
	wg.Wait()
	next := map[int]int{}
	for _, r := range All(t, s.Log, "input/a", 0) {
		var w, i int
		var rest string
		_, _ = fmt.Sscan(string(r.Data), &w, &i, &rest) // record 0 has no rest
		if i != next[w] || len(rest) != i*37 {
			t.Fatalf("record %.40q, want number %d of writer %d", r.Data, next[w], w)
		}
		next[w]++
	}
	for w := range writers {
		if next[w] != each {
			t.Fatalf("writer %d has %d records", w, next[w])
		}
	}
}

// BadNames are names that no store may take.
func BadNames() []string {
	return []string{
		"", "a", "/", "a/", "/a", "session/..", "session/../x", "session/a/b", "session/.", "session/a.", "session/a..1",
		"session/-a", "session/a b", "session/a\x00", "session/a\nb", `session/a\b`, "session/ä", "session/con",
		"session/NUL.1", "session/com1", "Session/a", "../a", "session/" + strings.Repeat("a", 49), "session/a.x",
		"session/a.1x", "session/a" + strings.Repeat(".1", 200), "1a/b", "con/a", "se ssion/a", "session/a/../../b",
		"session/a.1234567890", strings.Repeat("k", 33) + "/a",
	}
}

func badNames(t *testing.T, s Stores) {
	ctx := t.Context()
	for _, name := range BadNames() {
		_, err := s.Log.Append(ctx, name, -1, []byte("x"))
		wantErr(t, err, store.ErrName)
		wantErr(t, s.Log.Drop(ctx, name), store.ErrName)
		err = nil
		for _, err = range s.Log.Read(ctx, name, 0, false) {
			break
		}
		wantErr(t, err, store.ErrName)
		_, err = s.KV.Get(ctx, name)
		wantErr(t, err, store.ErrName)
		_, err = s.KV.Put(ctx, store.Doc{Key: name, Data: []byte("x")})
		wantErr(t, err, store.ErrName)
	}
	for _, prefix := range []string{"", "a", "../", "a/b/", "a//", "A/"} {
		var err error
		for _, err = range s.KV.List(ctx, prefix) {
			break
		}
		wantErr(t, err, store.ErrName)
	}
}

func namesWithoutCase(t *testing.T, s Stores) {
	p := mustAppend(t, s.Log, "session/Abc_-9.12.3", 0, "one")
	mustAppend(t, s.Log, "session/aBC_-9.12.3", p, "two")
	if got := All(t, s.Log, "session/abc_-9.12.3", 0); len(got) != 2 {
		t.Fatalf("records are %v", show(got))
	}
	if _, err := s.KV.Put(t.Context(), store.Doc{Key: "todo/A", Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	_, err := s.KV.Put(t.Context(), store.Doc{Key: "todo/a", Data: []byte("x")})
	wantErr(t, err, store.ErrConflict)
}

func readFrom(t *testing.T, s Stores) {
	var want []store.Record
	after := int64(0)
	for i := range 50 {
		data := strings.Repeat("r", 1+i*997)
		after = mustAppend(t, s.Log, "session/a", after, data)
		want = append(want, store.Record{Pos: after, Data: []byte(data)})
	}
	for i, r := range want {
		wantRecords(t, All(t, s.Log, "session/a", r.Pos), want[i+1:])
	}
	for _, pos := range []int64{want[0].Pos - 1, want[3].Pos + 1, after + 1} {
		var err error
		for _, err = range s.Log.Read(t.Context(), "session/a", pos, false) {
			break
		}
		wantErr(t, err, store.ErrConflict)
	}
	n := 0
	for _, err := range s.Log.Read(t.Context(), "session/a", 0, false) {
		if n++; n == 2 {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func readContext(t *testing.T, s Stores) {
	mustAppend(t, s.Log, "session/a", 0, "one")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, last = range s.Log.Read(ctx, "session/a", 0, false) {
		break
	}
	wantErr(t, last, context.Canceled)
	_, err := s.Log.Append(ctx, "session/a", -1, []byte("x"))
	if err != nil {
		wantErr(t, err, context.Canceled)
	}
	for r, err := range s.Log.Read(ctx, "session/none", 0, true) {
		t.Fatal("nothing is there to read, and yet", r, err)
	}
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

func follow(t *testing.T, s Stores) {
	for i, v := range s.both() {
		name := fmt.Sprint("session/f", i)
		first := mustAppend(t, s.Log, name, 0, "0")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		n := 0
		after := first
		for r, err := range v.Log.Read(ctx, name, 0, true) {
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Data) != fmt.Sprint(n) {
				t.Fatalf("record %q, want %d", r.Data, n)
			}
			if n++; n == 5 {
				break
			}
			after = mustAppend(t, s.Log, name, after, fmt.Sprint(n)) // the reader has seen all there was
		}
		cancel()
		if n != 5 {
			t.Fatalf("followed %d records", n)
		}
	}
}

func followAbsent(t *testing.T, s Stores) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i, v := range s.both() {
		name := fmt.Sprint("session/g", i)
		got := make(chan store.Record)
		var wg sync.WaitGroup
		wg.Go(func() {
			for r, err := range v.Log.Read(ctx, name, 0, true) {
				if err != nil {
					t.Errorf("Read: %v", err)
				}
				got <- r
				break
			}
			close(got)
		})
		mustAppend(t, s.Log, name, 0, "one")
		if r := <-got; string(r.Data) != "one" {
			t.Fatalf("followed %q", r.Data)
		}
		wg.Wait()
	}
}

func followDropped(t *testing.T, s Stores) {
	for i, v := range s.both() {
		name := fmt.Sprint("session/h", i)
		mustAppend(t, s.Log, name, 0, "one")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		n := 0
		for _, err := range v.Log.Read(ctx, name, 0, true) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if err := s.Log.Drop(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		if ctx.Err() != nil || n != 1 {
			t.Fatalf("%d records, then %v; want the end of the log after 1", n, ctx.Err())
		}
		cancel()
	}
}

func dropAnew(t *testing.T, s Stores) {
	const name = "session/a"
	for _, v := range s.both() {
		p1 := mustAppend(t, s.Log, name, 0, "one")
		p2 := mustAppend(t, v.Log, name, p1, "two")
		if err := v.Log.Drop(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if err := s.Log.Drop(t.Context(), name); err != nil {
			t.Fatalf("dropping an absent log: %v", err)
		}
		_, err := s.Log.Append(t.Context(), name, p2, []byte("x"))
		wantErr(t, err, store.ErrConflict)
		if got := All(t, s.Log, name, 0); len(got) != 0 {
			t.Fatalf("a dropped log has %v", show(got))
		}
		mustAppend(t, s.Log, name, 0, "new")
		if got := All(t, v.Log, name, 0); len(got) != 1 || string(got[0].Data) != "new" {
			t.Fatalf("records are %v", show(got))
		}
		if err := s.Log.Drop(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}

func ownData(t *testing.T, s Stores) {
	data := []byte("mine")
	if _, err := s.Log.Append(t.Context(), "session/a", 0, data); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s.Log, "session/a", -1, "next")
	copy(data, "xxxx")
	for range 2 {
		got := All(t, s.Log, "session/a", 0)
		if string(got[0].Data) != "mine" || string(got[1].Data) != "next" {
			t.Fatalf("records are %v", show(got))
		}
		_ = append(got[0].Data, "over the next"...)
		copy(got[0].Data, "yyyy")
		if string(got[1].Data) != "next" {
			t.Fatalf("records share memory: %v", show(got))
		}
	}
	rev, err := s.KV.Put(t.Context(), store.Doc{Key: "todo/a", Data: []byte("doc")})
	if err != nil || rev == 0 {
		t.Fatal(rev, err)
	}
	for range 2 {
		d, err := s.KV.Get(t.Context(), "todo/a")
		if err != nil || string(d.Data) != "doc" || d.Rev != rev {
			t.Fatal(d, err)
		}
		copy(d.Data, "xxx")
	}
}

func names(t *testing.T, s Stores) {
	n, ok := s.Log.(store.Names)
	if !ok {
		t.Skip("the store does not list names")
	}
	want := []string{"session/a", "session/a-1", "session/a.1", "session/a_b", "session/b"}
	for _, name := range append([]string{"sessions/x", "input/a"}, want...) {
		mustAppend(t, s.Log, name, 0, "x")
	}
	var got []string
	for e, err := range n.Names(t.Context(), "session/") {
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(e.Updated); d < -time.Minute || d > time.Hour {
			t.Errorf("%s was changed %v ago", e.Name, d)
		}
		got = append(got, e.Name)
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Fatalf("names are %q, want %q", got, want)
	}
	for e, err := range n.Names(t.Context(), "none/") {
		t.Fatal("a kind without logs has", e, err)
	}
}

func last(t *testing.T, s Stores) {
	l, ok := s.Log.(store.Last)
	if !ok {
		t.Skip("the store does not find the last record by itself")
	}
	if r, err := l.Last(t.Context(), "session/a"); err != nil || r.Pos != 0 || r.Data != nil {
		t.Fatal(r, err)
	}
	after := int64(0)
	for _, data := range []string{"one", strings.Repeat("2", 20000), "three"} {
		after = mustAppend(t, s.Log, "session/a", after, data)
		if r, err := l.Last(t.Context(), "session/a"); err != nil || r.Pos != after || string(r.Data) != data {
			t.Fatalf("%d %.20q %v", r.Pos, r.Data, err)
		}
	}
}

// sized: the size changes with every append, is the position of the last record, and 0 where there is no log.
func sized(t *testing.T, s Stores) {
	l, ok := s.Log.(store.Sized)
	if !ok {
		t.Skip("not here: the store does not tell the size of a log")
	}
	want := func(size int64) {
		t.Helper()
		if got, err := l.Size(t.Context(), "session/a"); err != nil || got != size {
			t.Fatalf("size %d (%v), want %d", got, err, size)
		}
	}
	want(0)
	after := int64(0)
	for _, data := range []string{"one", strings.Repeat("2", 20000), "three"} {
		after = mustAppend(t, s.Log, "session/a", after, data)
		want(after)
	}
	if err := s.Log.Drop(t.Context(), "session/a"); err != nil {
		t.Fatal(err)
	}
	want(0)
	if _, err := l.Size(t.Context(), "session/../a"); !errors.Is(err, store.ErrName) {
		t.Fatal("a bad name:", err)
	}
}

func syncs(t *testing.T, s Stores) {
	l, ok := s.Log.(store.Syncer)
	if !ok {
		t.Skip("not here: a store without a disk has nothing to sync")
	}
	if err := l.Sync(t.Context(), "session/none"); err != nil {
		t.Fatal(err)
	}
	p := mustAppend(t, s.Log, "session/a", 0, "one")
	for range 2 {
		if err := l.Sync(t.Context(), "session/a"); err != nil {
			t.Fatal(err)
		}
	}
	mustAppend(t, s.Log, "session/a", p, "two")
	wantErr(t, l.Sync(t.Context(), "../x"), store.ErrName)
}
