package memory

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNearestIsRight: whatever was set, set again and removed, the heap gives what looking at all and sorting gives.
func TestNearestIsRight(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dims := rapid.IntRange(1, 9).Draw(r, "dims")
		vector := rapid.SliceOfN(rapid.Float32Range(-1, 1), dims, dims)
		x, model := NewVectors(dims), map[int64][]float32{}
		for range rapid.IntRange(0, 40).Draw(r, "steps") {
			id := rapid.Int64Range(1, 15).Draw(r, "id")
			if rapid.IntRange(0, 3).Draw(r, "remove") == 0 {
				x.Remove(id)
				delete(model, id)
				continue
			}
			v := vector.Draw(r, "v")
			if err := x.Set(id, Pack(v)); err != nil {
				r.Fatal(err)
			}
			model[id] = v
		}
		if x.Len() != len(model) || x.Dims() != dims {
			r.Fatalf("%d of %d", x.Len(), len(model))
		}
		query, k := vector.Draw(r, "query"), rapid.IntRange(0, 20).Draw(r, "k")
		var want []Near
		for id, v := range model {
			if score := packedCosine(query, v); score > 0 {
				want = append(want, Near{id, score})
			}
		}
		slices.SortFunc(want, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
		got, err := x.Nearest(query, k)
		want = want[:min(k, len(want))]
		if err != nil || len(got) != len(want) {
			r.Fatalf("%d hits and %v, want %d", len(got), err, len(want))
		}
		for i := range got {
			if math.Abs(got[i].Score-want[i].Score) > 1e-6 {
				r.Fatalf("%v, want %v", got, want)
			}
			if i > 0 && worse(got[i-1], got[i]) {
				r.Fatalf("%v is out of order", got)
			}
		}
	})
}

// TestVectorsOverManyBlocks: what stands behind a block's end is found, moved and removed like the rest.
func TestVectorsOverManyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, all := NewVectors(7), map[int64][]float32{}
	query := make([]float32, 7)
	for id := range int64(3*blockRows + 5) {
		v := make([]float32, 7)
		for i := range v {
			v[i] = r.Float32() - 0.5
		}
		copy(query, v)
		all[id] = v
		if err := x.Set(id, Pack(v)); err != nil {
			t.Fatal(err)
		}
	}
	for len(all) > 0 {
		best := Near{}
		for id, v := range all {
			if n := (Near{id, packedCosine(query, v)}); worse(best, n) || best == (Near{}) {
				best = n
			}
		}
		got, err := x.Nearest(query, 1)
		if err != nil || best.Score > 1e-9 && (len(got) != 1 || math.Abs(got[0].Score-best.Score) > 1e-6) {
			t.Fatalf("%d left: %v %v, want %v", len(all), got, err, best)
		}
		for range min(37, len(all)) {
			for id := range all {
				x.Remove(id)
				delete(all, id)
				break
			}
		}
		if x.Len() != len(all) || len(x.blocks) != (len(all)+blockRows-1)/blockRows {
			t.Fatalf("%d vectors in %d blocks", x.Len(), len(x.blocks))
		}
	}
}

// packedCosine is the cosine of two vectors as they are stored.
func packedCosine(a, b []float32) float64 {
	var ab, aa, bb float64
	pa, pb := Pack(a), Pack(b)
	for i := range pa {
		x, y := float64(int8(pa[i])), float64(int8(pb[i]))
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// TestPackKeepsTheDirection: one byte a dimension is enough.
func TestPackKeepsTheDirection(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), 2, 64).Draw(r, "v")
		most := float32(0)
		for _, f := range v {
			most = max(most, f, -f)
		}
		if most < 1e-30 {
			return
		}
		for i, b := range Pack(v) {
			if d := math.Abs(float64(v[i]/most) - float64(int8(b))/127); d > 0.5/127+1e-6 {
				r.Fatalf("%v became %v", v, Pack(v))
			}
		}
	})
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1}
	if got := fmt.Sprintf("%d", Pack(odd)); got != "[0 127 129 127]" {
		t.Error(got)
	}
	if got := fmt.Sprintf("%d", Pack([]float32{0, 0})); got != "[0 0]" {
		t.Error(got)
	}
}

func TestVectorsRefuseOtherLengths(t *testing.T) {
	x := NewVectors(3)
	if err := x.Set(1, make([]byte, 4)); !errors.Is(err, errDims) {
		t.Error(err)
	}
	if _, err := x.Nearest(make([]float32, 2), 1); !errors.Is(err, errDims) {
		t.Error(err)
	}
	if hits, err := x.Nearest(make([]float32, 3), 5); err != nil || len(hits) != 0 {
		t.Error(hits, err)
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63}, []byte{0, 0, 128, 127})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		v, w := floats(a), floats(b)
		x := NewVectors(len(v))
		if err := x.Set(1, Pack(v)); err != nil {
			t.Fatal(err)
		}
		hits, err := x.Nearest(w, 1)
		if (err != nil) != (len(v) != len(w)) {
			t.Fatal(err)
		}
		for _, h := range hits {
			if !(h.Score > 0 && h.Score < 1.00001) {
				t.Fatal(h)
			}
		}
	})
}

func floats(b []byte) (out []float32) {
	for ; len(b) >= 4; b = b[4:] {
		out = append(out, math.Float32frombits(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24))
	}
	return out
}

// BenchmarkNearest looks among 100,000 vectors: for a short question by n-grams, most of whose places are zero, and for one
// of an embeddings model.
func BenchmarkNearest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x := NewVectors(ngramDims)
	packed := make([]byte, ngramDims)
	for id := range int64(100_000) {
		for i := range packed {
			packed[i] = byte(r.IntN(256))
		}
		if err := x.Set(id, packed); err != nil {
			b.Fatal(err)
		}
	}
	dense := make([]float32, ngramDims)
	for i := range dense {
		dense[i] = r.Float32() - 0.5
	}
	for name, q := range map[string][]float32{"ngram": NewNgrams().vector("how do I run the integration tests 怎么跑"), "dense": dense} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if hits, err := x.Nearest(q, 20); err != nil || len(hits) != 20 {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
}
