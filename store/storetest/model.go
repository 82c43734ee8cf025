package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"react-agent/store"
)

// Draw chooses a number from 0 to n-1. A model test is the same for the same draws, so a tool that makes failing cases
// small can drive it.
type Draw func(n int) int

// TB is what a model test needs of a test; testing.T and the tools' own types have it.
type TB interface {
	Fatalf(format string, args ...any)
}

// models runs a model test with many series of draws.
func models(fn func(t *testing.T, d Draw, s Stores, round int)) func(t *testing.T, s Stores) {
	return func(t *testing.T, s Stores) {
		for round := range 60 {
			t.Run(fmt.Sprint("seed ", round), func(t *testing.T) {
				fn(t, rand.New(rand.NewPCG(uint64(round), 7)).IntN, s, round)
			})
		}
	}
}

// LogModel does drawn things to one log, which must be fresh, and compares it with a list after each.
func LogModel(t *testing.T, tb TB, draw Draw, s Stores, name string) {
	ctx := t.Context()
	view := func() store.Log { return s.both()[draw(2)].Log }
	var model []store.Record
	for range 5 + draw(40) {
		after := int64(0)
		if len(model) > 0 {
			after = model[len(model)-1].Pos
		}
		if draw(25) == 0 {
			if err := view().Drop(ctx, name); err != nil {
				tb.Fatalf("Drop: %v", err)
			}
			model = nil
		} else {
			data := bytes.Repeat([]byte{byte(' ' + draw(90))}, 1+draw(40))
			at := []int64{-1, after, after, 0, after + 3, after / 2}[draw(6)]
			pos, err := view().Append(ctx, name, at, data)
			switch {
			case at != -1 && at != after:
				if !errors.Is(err, store.ErrConflict) {
					tb.Fatalf("Append after %d at %d: %v", at, after, err)
				}
			case err != nil || pos <= after:
				tb.Fatalf("Append after %d: %d %v", at, pos, err)
			default:
				model = append(model, store.Record{Pos: pos, Data: data})
			}
		}
		i, from := draw(len(model)+1), int64(0)
		if i > 0 {
			from = model[i-1].Pos
		}
		got := All(t, view(), name, from)
		same := slices.EqualFunc(got, model[i:], func(a, b store.Record) bool { return a.Pos == b.Pos && bytes.Equal(a.Data, b.Data) })
		if !same {
			tb.Fatalf("records are %v, want %v", show(got), show(model[i:]))
		}
	}
}

// DocModel does drawn things to the documents of a kind, which must be fresh, and compares them with a map after each.
func DocModel(t *testing.T, tb TB, draw Draw, s Stores, kind string) {
	ctx := t.Context()
	view := func() store.KV { return s.both()[draw(2)].KV }
	model := map[string]store.Doc{}
	for range 5 + draw(30) {
		key := kind + "/" + []string{"a", "b", "c.1"}[draw(3)]
		old := model[key]
		rev := []int64{old.Rev, old.Rev, 0, old.Rev + 1}[draw(4)]
		data := [][]byte{nil, {}, []byte("x"), []byte("y\n")}[draw(4)]
		next, err := view().Put(ctx, store.Doc{Key: key, Rev: rev, Data: data})
		switch {
		case rev != old.Rev:
			if !errors.Is(err, store.ErrConflict) {
				tb.Fatalf("Put at %d instead of %d: %v", rev, old.Rev, err)
			}
		case err != nil:
			tb.Fatalf("Put: %v", err)
		case data == nil:
			delete(model, key)
		default:
			model[key] = store.Doc{Key: key, Rev: next, Data: data}
		}
		n := 0
		for d, err := range view().List(ctx, kind+"/") {
			want := model[d.Key]
			if err != nil || d.Rev != want.Rev || d.Rev == 0 || !bytes.Equal(d.Data, want.Data) {
				tb.Fatalf("document %v, want %v (%v)", d, want, err)
			}
			n++
		}
		if n != len(model) {
			tb.Fatalf("%d documents, want %d", n, len(model))
		}
	}
}
