package store_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/mem"
)

func TestChange(t *testing.T) {
	onDisk, err := disk.Open(t.TempDir(), disk.Options{Durability: disk.Process})
	if err != nil {
		t.Fatal(err)
	}
	for name, kv := range map[string]store.KV{"mem": mem.New(), "disk": onDisk} {
		t.Run(name, func(t *testing.T) { change(t, kv) })
	}
}

func change(t *testing.T, kv store.KV) {
	ctx := t.Context()
	const writers, times = 8, 10
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range times {
				if err := store.Change(ctx, kv, "kind/n", plusOne); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if d, err := kv.Get(ctx, "kind/n"); err != nil || string(d.Data) != strconv.Itoa(writers*times) {
		t.Errorf("%d writers, each %d times: %s, %v", writers, times, d.Data, err)
	}
	same := func([]byte) ([]byte, error) { return []byte("not this"), store.ErrSame }
	if err := store.Change(ctx, kv, "kind/n", same); err != nil {
		t.Error(err)
	}
	mine := errors.New("mine")
	if err := store.Change(ctx, kv, "kind/n", func([]byte) ([]byte, error) { return []byte("not this"), mine }); err != mine { //nolint:errorlint // as it is
		t.Error(err)
	}
	if d, err := kv.Get(ctx, "kind/n"); err != nil || string(d.Data) != strconv.Itoa(writers*times) {
		t.Errorf("nothing was to change: %s, %v", d.Data, err)
	}
	for range 2 { // the second time there is none
		if err := store.Remove(ctx, kv, "kind/n"); err != nil {
			t.Error(err)
		}
	}
	if d, err := kv.Get(ctx, "kind/n"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("removed: %s, %v", d.Data, err)
	}
	if err := store.Change(ctx, kv, "no kind", plusOne); !errors.Is(err, store.ErrName) {
		t.Error(err)
	}
}

func plusOne(old []byte) ([]byte, error) {
	n, _ := strconv.Atoi(string(old)) // none is 0
	return []byte(strconv.Itoa(n + 1)), nil
}

// losing is a KV in which somebody else is always first.
type losing struct{ store.KV }

func (losing) Put(context.Context, store.Doc) (int64, error) { return 0, store.ErrConflict }

func TestChangeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why, tries := errors.New("enough"), 0
	err := store.Change(ctx, losing{mem.New()}, "kind/n", func(old []byte) ([]byte, error) {
		if tries++; tries == 3 {
			cancel(why)
		}
		return plusOne(old)
	})
	if !errors.Is(err, why) || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
