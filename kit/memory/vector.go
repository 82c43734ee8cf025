package memory

import (
	"errors"
	"fmt"
	"math"
)

// Near is one hit of a search by vectors. Score is the cosine, at most 1; equal ones come in the order of their ids.
type Near struct {
	ID    int64
	Score float64
}

// Vectors holds the vectors of one model and finds the nearest by looking at each. A vector takes one byte a dimension. It
// is not safe for many at once: whoever changes it must be alone; any number may search.
type Vectors struct {
	dims   int
	ids    []int64
	norm   []float32 // the inverse of each length
	blocks [][]int8
	at     map[int64]int
}

// blockRows is how many vectors stand in a block, dimension by dimension: those of a text's n-grams are mostly zeros, and a
// search passes over the dimensions in which the query has one.
const blockRows = 256

// errDims says that vectors of different length are of different models.
var errDims = errors.New("vectors differ in length")

// NewVectors makes an empty set of vectors of that length.
func NewVectors(dims int) *Vectors { return &Vectors{dims: dims, at: map[int64]int{}} }

// Len is how many there are.
func (x *Vectors) Len() int { return len(x.ids) }

// Dims is their length.
func (x *Vectors) Dims() int { return x.dims }

// Pack is a vector as it is stored: one signed byte a dimension, the largest of them 127. Only its direction is kept. What
// is no number counts as 0.
func Pack(v []float32) []byte {
	var most float64
	for _, f := range v {
		if a := math.Abs(float64(f)); a > most && !math.IsInf(a, 0) {
			most = a
		}
	}
	out := make([]byte, len(v))
	for i, f := range v {
		switch a := float64(f) / most; {
		case most == 0 || math.IsNaN(a):
		default:
			out[i] = byte(int8(math.Round(127 * max(-1, min(1, a))))) //nolint:gosec // two's complement is meant
		}
	}
	return out
}

func signed(b byte) int8 { return int8(b) } //nolint:gosec // two's complement is meant

// Set puts a packed vector in, in the place of an earlier one of that id.
func (x *Vectors) Set(id int64, packed []byte) error {
	if len(packed) != x.dims {
		return fmt.Errorf("%w: %d and %d", errDims, len(packed), x.dims)
	}
	i, ok := x.at[id]
	if !ok {
		i = len(x.ids)
		x.at[id] = i
		x.ids, x.norm = append(x.ids, id), append(x.norm, 0)
		if i%blockRows == 0 {
			x.blocks = append(x.blocks, make([]int8, blockRows*x.dims))
		}
	}
	var square int64
	block, row := x.blocks[i/blockRows], i%blockRows
	for j, b := range packed {
		w := signed(b)
		block[j*blockRows+row] = w
		square += int64(w) * int64(w)
	}
	x.norm[i] = 0
	if square > 0 {
		x.norm[i] = float32(1 / math.Sqrt(float64(square)))
	}
	return nil
}

// Remove takes a vector out. One that is not there is no error.
func (x *Vectors) Remove(id int64) {
	i, ok := x.at[id]
	if !ok {
		return
	}
	last := len(x.ids) - 1
	from, to := x.blocks[last/blockRows], x.blocks[i/blockRows]
	for j := range x.dims {
		to[j*blockRows+i%blockRows] = from[j*blockRows+last%blockRows]
	}
	x.ids[i], x.norm[i] = x.ids[last], x.norm[last]
	x.at[x.ids[i]] = i
	delete(x.at, id)
	x.ids, x.norm = x.ids[:last], x.norm[:last]
	x.blocks = x.blocks[:(last+blockRows-1)/blockRows]
}

// Nearest gives the k vectors with the greatest cosine to the query, the best first. Those at a right angle or beyond are left out: they have nothing in common with it. A query of another length is an
// error.
func (x *Vectors) Nearest(query []float32, k int) ([]Near, error) {
	if len(query) != x.dims {
		return nil, fmt.Errorf("%w: %d and %d", errDims, len(query), x.dims)
	}
	var q sparse
	var square int64
	for i, b := range Pack(query) {
		if w := int32(signed(b)); w != 0 {
			q.at, q.weight = append(q.at, i), append(q.weight, w)
			square += int64(w) * int64(w)
		}
	}
	if square == 0 || k <= 0 {
		return nil, nil
	}
	scale := 1 / math.Sqrt(float64(square))
	best := top{k: k}
	for n, block := range x.blocks {
		sums := q.dots(block)
		first := n * blockRows
		for i, id := range x.ids[first:min(first+blockRows, len(x.ids))] {
			if sums[i] <= 0 {
				continue
			}
			score := scale * float64(x.norm[first+i]) * float64(sums[i])
			if best.wants(id, score) {
				best.add(id, score)
			}
		}
	}
	return best.sorted(), nil
}

// sparse is a query without its zeros.
type sparse struct {
	at     []int
	weight []int32
}

// dots are the products with all vectors of a block. Four dimensions at a time: the sums are the dearest to reach.
func (q *sparse) dots(block []int8) (sums [blockRows]int32) {
	i := 0
	for ; i+4 <= len(q.at); i += 4 {
		a, b, c, d := column(block, q.at[i]), column(block, q.at[i+1]), column(block, q.at[i+2]), column(block, q.at[i+3])
		u, v, w, x := q.weight[i], q.weight[i+1], q.weight[i+2], q.weight[i+3]
		for j := range sums {
			sums[j] += u*int32(a[j]) + v*int32(b[j]) + w*int32(c[j]) + x*int32(d[j])
		}
	}
	for ; i < len(q.at); i++ {
		a, u := column(block, q.at[i]), q.weight[i]
		for j := range sums {
			sums[j] += u * int32(a[j])
		}
	}
	return sums
}

func column(block []int8, dim int) *[blockRows]int8 { return (*[blockRows]int8)(block[dim*blockRows:]) }

// top keeps the k best in a heap whose root is the worst of them.
type top struct {
	k    int
	heap []Near
}

// worse orders by score; of equal ones the later id is worse.
func worse(a, b Near) bool { return a.Score < b.Score || a.Score == b.Score && a.ID > b.ID }

func (t *top) wants(id int64, score float64) bool {
	return len(t.heap) < t.k || worse(t.heap[0], Near{id, score})
}

func (t *top) add(id int64, score float64) {
	n := Near{id, score}
	if len(t.heap) == t.k {
		t.heap[0] = n
		t.down()
		return
	}
	t.heap = append(t.heap, n)
	for i := len(t.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !worse(t.heap[i], t.heap[up]) {
			break
		}
		t.heap[i], t.heap[up] = t.heap[up], t.heap[i]
		i = up
	}
}

func (t *top) down() {
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(t.heap) && worse(t.heap[child], t.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}

// sorted empties the heap, the best first.
func (t *top) sorted() []Near {
	out := make([]Near, len(t.heap))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = t.heap[0]
		last := len(t.heap) - 1
		t.heap[0], t.heap = t.heap[last], t.heap[:last]
		t.down()
	}
	return out
}
