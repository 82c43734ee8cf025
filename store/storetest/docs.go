package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"react-agent/store"
)

func documents(t *testing.T, s Stores) {
	ctx := t.Context()
	const key = "todo/a"
	_, err := s.KV.Get(ctx, key)
	wantErr(t, err, store.ErrNotFound)
	_, err = s.KV.Put(ctx, store.Doc{Key: key, Rev: 7, Data: []byte("x")})
	wantErr(t, err, store.ErrConflict)
	rev := int64(0)
	for _, data := range []string{"{\"b\":1,\n \"a\":2}\r\n", "", "\x00\xff", strings.Repeat("z", 1<<20)} {
		next, err := s.KV.Put(ctx, store.Doc{Key: key, Rev: rev, Data: []byte(data)})
		if err != nil || next <= 0 || next == rev {
			t.Fatalf("Put: %d (was %d), %v", next, rev, err)
		}
		for _, v := range s.both() {
			d, err := v.KV.Get(ctx, key)
			if err != nil || d.Rev != next || string(d.Data) != data || d.Key != key {
				t.Fatalf("Get: %d %.20q %v", d.Rev, d.Data, err)
			}
			_, err = v.KV.Put(ctx, store.Doc{Key: key, Rev: rev, Data: []byte("late")})
			wantErr(t, err, store.ErrConflict)
			_, err = v.KV.Put(ctx, store.Doc{Key: key, Rev: rev})
			wantErr(t, err, store.ErrConflict)
		}
		rev = next
	}
	if rev, err := s.KV.Put(ctx, store.Doc{Key: key, Rev: rev}); err != nil || rev != 0 {
		t.Fatal(rev, err)
	}
	_, err = s.KV.Get(ctx, key)
	wantErr(t, err, store.ErrNotFound)
	if _, err := s.KV.Put(ctx, store.Doc{Key: key}); err != nil {
		t.Fatalf("deleting what is not there: %v", err)
	}
}

func documentWinner(t *testing.T, s Stores) {
	const writers, each = 4, 15
	var wg sync.WaitGroup
	for w := range writers {
		kv := s.both()[w%2].KV
		wg.Go(func() {
			for range each {
				if err := increment(t.Context(), kv, "todo/n"); err != nil {
					t.Errorf("increment: %v", err)
				}
			}
		})
	}
	wg.Wait()
	d, err := s.KV.Get(t.Context(), "todo/n")
	if err != nil || string(d.Data) != fmt.Sprint(writers*each) {
		t.Fatalf("counted to %q, want %d (%v)", d.Data, writers*each, err)
	}
}

// increment adds one to a document by compare-and-swap.
func increment(ctx context.Context, kv store.KV, key string) error {
	for {
		d, err := kv.Get(ctx, key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		n := 0
		if err == nil {
			if _, err := fmt.Sscan(string(d.Data), &n); err != nil {
				return err
			}
		}
		_, err = kv.Put(ctx, store.Doc{Key: key, Rev: d.Rev, Data: []byte(fmt.Sprint(n + 1))})
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// lockDocuments moves one from a document to another, again and again: nobody who has the lock may ever see them differ.
func lockDocuments(t *testing.T, s Stores) {
	ctx := t.Context()
	if _, ok := s.KV.(store.Locker); !ok {
		t.Skip("not here: this store has no lock over several documents")
	}
	const movers, each = 4, 10
	move := func(kv store.KV) error {
		for _, key := range []string{"pair/a", "pair/b"} {
			if err := increment(ctx, kv, key); err != nil {
				return err
			}
		}
		a, err := kv.Get(ctx, "pair/a")
		if err != nil {
			return err
		}
		b, err := kv.Get(ctx, "pair/b")
		if err == nil && string(a.Data) != string(b.Data) {
			err = fmt.Errorf("one is %q, the other %q", a.Data, b.Data)
		}
		return err
	}
	var wg sync.WaitGroup
	for m := range movers {
		l := s.both()[m%2].KV.(store.Locker)
		wg.Go(func() {
			for range each {
				if err := l.Lock(ctx, "pair/", move); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	d, err := s.KV.Get(ctx, "pair/b")
	if err != nil || string(d.Data) != fmt.Sprint(movers*each) {
		t.Fatalf("counted to %q, want %d (%v)", d.Data, movers*each, err)
	}
	l := s.KV.(store.Locker)
	failed := errors.New("failed")
	err = l.Lock(ctx, "pair/", func(kv store.KV) error {
		_, err := kv.Put(ctx, store.Doc{Key: "other/x", Data: []byte("x")})
		wantErr(t, err, store.ErrName)
		if _, err := s.KV.Put(ctx, store.Doc{Key: "elsewhere/x", Data: []byte("x")}); err != nil { // nobody else is held up
			t.Error(err)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		wantErr(t, s.both()[1].KV.(store.Locker).Lock(gone, "pair/", move), context.Canceled)
		return failed
	})
	wantErr(t, err, failed)
	wantErr(t, l.Lock(ctx, "no prefix", move), store.ErrName)
}

func listDocuments(t *testing.T, s Stores) {
	want := map[string]string{"todo/b": "1", "todo/a": "2", "todo/a-1": "3", "todo/a.1": "4"}
	for key, data := range want {
		if _, err := s.KV.Put(t.Context(), store.Doc{Key: key, Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.KV.Put(t.Context(), store.Doc{Key: "todos/x", Data: []byte("no")}); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for d, err := range s.KV.List(t.Context(), "todo/") {
		if err != nil || string(d.Data) != want[d.Key] || d.Rev == 0 {
			t.Fatalf("%v %v", d, err)
		}
		keys = append(keys, d.Key)
	}
	if !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("keys are %q", keys)
	}
	for d, err := range s.KV.List(t.Context(), "none/") {
		t.Fatal("a kind without documents has", d, err)
	}
}

func blobs(t *testing.T, s Stores) {
	ctx := t.Context()
	sums := map[string]string{
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	}
	for data, want := range sums {
		for range 2 {
			if sha, err := s.Blobs.PutBlob(ctx, []byte(data)); err != nil || sha != want {
				t.Fatal(sha, err)
			}
		}
		for _, v := range s.both() {
			if got, err := v.Blobs.GetBlob(ctx, want); err != nil || string(got) != data {
				t.Fatalf("%q %v", got, err)
			}
		}
	}
	big := bytes.Repeat([]byte("big\x00"), 1<<20)
	sha, err := s.Blobs.PutBlob(ctx, big)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Blobs.GetBlob(ctx, sha)
	if err != nil || !bytes.Equal(got, big) {
		t.Fatal(len(got), err)
	}
	_, err = s.Blobs.GetBlob(ctx, strings.Repeat("0", 64))
	wantErr(t, err, store.ErrNotFound)
	for _, bad := range []string{"", "../../etc/passwd", strings.ToUpper(sha), sha[:63], sha + "0"} {
		if _, err := s.Blobs.GetBlob(ctx, bad); err == nil {
			t.Fatalf("GetBlob(%q) worked", bad)
		}
	}
}
