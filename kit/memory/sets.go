package memory

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
)

// set is the vectors of one model in memory, by kind. rev is how far they have been read.
type set struct {
	kinds map[Kind]*Vectors
	rev   int64
	read  bool
}

// The bounds of vectors in memory, in bytes of a file: beyond maxInMemory they are not loaded, and only those of what words
// have found are looked at, read one by one. A search that must be quick does that from maxCold on, unless they are there
// already. n-grams find little that words and pieces do not, so for them maxLocal is the bound.
const (
	maxInMemory = 96 << 20
	maxCold     = 6 << 20
	maxLocal    = 10 << 20
)

func (s *set) put(kind Kind, id int64, data []byte) error {
	v := s.kinds[kind]
	if v == nil {
		v = NewVectors(len(data))
		s.kinds[kind] = v
	}
	return v.Set(id, data)
}

func (s *set) remove(id int64) {
	for _, v := range s.kinds {
		v.Remove(id)
	}
}

// nearest gives the memories whose vectors of a model are nearest to the query's.
func (f *file) nearest(ctx context.Context, q side, p *inquiry, words map[int64]*found) ([]Near, error) {
	s := f.sets[q.model]
	if s == nil {
		s = &set{kinds: map[Kind]*Vectors{}}
		f.sets[q.model] = s
	}
	small, err := f.fits(ctx, q, p.cold && !s.read)
	if err != nil {
		return nil, err
	}
	if !small {
		*s = set{kinds: map[Kind]*Vectors{}} // it has outgrown the bound
		return f.nearWords(ctx, q, words)
	}
	if err := f.catchUp(ctx, q.model, s); err != nil {
		return nil, err
	}
	var list []Near
	for kind, v := range s.kinds {
		if p.Kind != "" && p.Kind != kind || v.Len() == 0 || v.Dims() != len(q.vector) {
			continue
		}
		near, err := v.Nearest(q.vector, max(depth, p.K))
		if err != nil {
			return nil, err
		}
		list = append(list, near...)
	}
	return best(list, max(depth, p.K)), nil
}

func best(list []Near, n int) []Near {
	slices.SortFunc(list, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return list[:min(len(list), n)]
}

// fits says whether the vectors of a model may be loaded.
func (f *file) fits(ctx context.Context, q side, cold bool) (bool, error) {
	n, err := tally(ctx, f.db, q.model)
	if err != nil {
		return false, err
	}
	most := maxInMemory
	if q.local {
		most = maxLocal
	}
	if cold {
		most = min(most, maxCold)
	}
	return n*len(q.vector) <= most, nil
}

// catchUp reads what has changed since the set was last read.
func (f *file) catchUp(ctx context.Context, model string, s *set) error {
	rows, err := f.db.QueryContext(ctx, "SELECT rev, id, kind, data FROM vector WHERE model=? AND rev>? ORDER BY rev", model, s.rev)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err has what matters
	var rev, id int64
	var kind string
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&rev, &id, &kind, &data); err != nil {
			return err
		}
		if err := s.put(Kind(kind), id, data); err != nil && !errors.Is(err, errDims) { // one of another length counts as none
			return err
		}
		s.rev = rev
	}
	s.read = true
	return rows.Err()
}

// nearWords looks at the vectors of those memories only that words have found.
func (f *file) nearWords(ctx context.Context, q side, words map[int64]*found) ([]Near, error) {
	v := NewVectors(len(q.vector))
	for id := range words {
		var data []byte
		err := f.db.QueryRowContext(ctx, "SELECT data FROM vector INDEXED BY vector_id WHERE id=? AND model=?", id, q.model).Scan(&data)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, err
		default:
			_ = v.Set(id, data) // one of another length counts as none
		}
	}
	return v.Nearest(q.vector, depth)
}
