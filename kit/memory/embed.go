package memory

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"
)

// How the Embedder is asked: how long it may take while a turn waits, and how many memories without a vector of its model go
// along with a query.
const (
	embedQuick = 2 * time.Second
	embedMore  = 32
	embedLocal = 500 // by n-grams, which take no network
)

// aboutNothing are texts that have nothing in common with what is remembered: how near they are to a query tells what a
// cosine of this model is worth.
func aboutNothing() []string {
	return []string{"The old harbour lay quiet under a pale morning sky.", "傍晚时分，老人牵着狗沿河慢慢散步。"}
}

// embed asks the Embedder. nil: there is none, it has failed, or what it gave does not fit.
func (s *Store) embed(ctx context.Context, texts []string) [][]float32 {
	if s.o.Embedder == nil {
		return nil
	}
	masked := make([]string, len(texts))
	for i, t := range texts {
		masked[i] = s.o.Mask(t)
	}
	if v, err := s.o.Embedder.Embed(ctx, masked); err == nil && fit(v, len(texts)) {
		return v
	}
	return nil
}

func fit(vectors [][]float32, n int) bool {
	return len(vectors) == n && !slices.ContainsFunc(vectors, func(v []float32) bool { return len(v) == 0 || len(v) != len(vectors[0]) })
}

// sides makes the vectors of a query. Memories that lack one get theirs on the way.
func (s *Store) sides(ctx context.Context, q *inquiry, query string) {
	n := s.ngrams()
	s.renew(ctx, n.Model(), embedLocal, func(texts []string) [][]float32 {
		v, _ := n.Embed(ctx, texts) // it never fails
		return v
	})
	q.sides = []side{{model: n.Model(), vector: q.said[0].vector, weight: joinNgrams, local: true}}
	if s.o.Embedder == nil {
		return
	}
	if q.cold {
		quick, cancel := context.WithTimeout(ctx, embedQuick)
		defer cancel()
		ctx = quick
	}
	s.mu.Lock()
	far := s.far
	s.mu.Unlock()
	ask := []string{query}
	if far == nil {
		ask = append(ask, aboutNothing()...)
	}
	var mine []float32
	asked := s.renew(ctx, s.o.Embedder.Model(), embedMore, func(texts []string) [][]float32 {
		v := s.embed(ctx, append(ask, texts...))
		if v == nil {
			return nil
		}
		mine = v[0]
		if far == nil {
			far = v[1:len(ask)]
			s.mu.Lock()
			s.far = far
			s.mu.Unlock()
		}
		return v[len(ask):]
	})
	if !asked || mine == nil {
		return
	}
	least := 0.0
	for _, v := range far {
		least = max(least, angle(mine, v))
	}
	q.sides = append(q.sides, side{model: s.o.Embedder.Model(), vector: mine, weight: joinModel, far: min(least, 0.95)})
}

// angle is the cosine between two vectors of one length.
func angle(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// renew gives vectors of a model to memories that have none, up to most in all files, and always asks for them, so that
// whoever makes them can do other work on the way. What cannot be stored is made again another time.
func (s *Store) renew(ctx context.Context, model string, most int, vectors func(texts []string) [][]float32) (asked bool) {
	type part struct {
		f    *file
		list []lacking
	}
	var parts []part
	var texts []string
	for _, f := range s.files {
		var list []lacking
		_ = f.with(ctx, glance, func(f *file) (err error) { // the search itself will name a fault
			list, err = f.lacking(ctx, model, most-len(texts))
			return err
		})
		for _, l := range list {
			texts = append(texts, l.text)
		}
		parts = append(parts, part{f, list})
	}
	if len(texts) == 0 && s.o.Embedder == nil {
		return false
	}
	made := vectors(texts)
	for _, p := range parts {
		if len(made) < len(p.list) {
			return true
		}
		if len(p.list) > 0 {
			_ = p.f.with(ctx, glance, func(f *file) error { return f.keep(ctx, model, s.ngrams().Model(), p.list, made) })
		}
		made = made[len(p.list):]
	}
	return true
}

// lacking is a memory without a vector of a model.
type lacking struct {
	id   int64
	kind Kind
	text string
}

// lacking finds memories without a vector of a model.
func (f *file) lacking(ctx context.Context, model string, most int) (list []lacking, err error) {
	all, err := tally(ctx, f.db, "")
	if err != nil {
		return nil, err
	}
	if n, err := tally(ctx, f.db, model); err != nil || n == all || most <= 0 {
		return nil, err
	}
	rows, err := f.db.QueryContext(ctx, `SELECT id, kind, text, tags FROM memory
		WHERE id IN (SELECT id FROM memory EXCEPT SELECT id FROM vector WHERE model=? ORDER BY id LIMIT ?)`, model, most)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(r *sql.Rows) (x lacking, err error) {
		var tags string
		err = r.Scan(&x.id, &x.kind, &x.text, &tags)
		x.text = vectorText(x.text, readTags(tags))
		return x, err
	})
}

// keep stores vectors that were made, beside those of the models that were asked lately: two programs with a model each may
// share a file.
func (f *file) keep(ctx context.Context, model, local string, list []lacking, made [][]float32) error {
	return f.change(ctx, func(tx *sql.Tx) error {
		for i, l := range list {
			var there bool // it may have been deleted, or done by another process
			err := tx.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM memory WHERE id=?) AND NOT EXISTS(SELECT 1 FROM vector WHERE id=? AND model=?)`,
				l.id, l.id, model).Scan(&there)
			if err != nil {
				return err
			}
			if !there {
				continue
			}
			if err := putVector(ctx, tx, l.id, l.kind, stored{model, Pack(made[i])}); err != nil {
				return err
			}
		}
		return forgetModels(ctx, tx, local)
	})
}

// The models whose vectors are kept beside those of n-grams, and how many of another one go with one change.
const (
	keptModels = 4
	goAtOnce   = 2000
)

// forgetModels takes out vectors of the models beyond keptModels for which none was made for the longest time, some at a time.
func forgetModels(ctx context.Context, tx *sql.Tx, local string) error {
	_, err := tx.ExecContext(ctx, `WITH old AS (SELECT model, (SELECT max(rev) FROM vector v WHERE v.model=t.model) AS made FROM tally t
			WHERE model NOT IN ('', ?) AND n>0 ORDER BY made DESC LIMIT -1 OFFSET ?)
		DELETE FROM vector WHERE (model, rev) IN (SELECT v.model, v.rev FROM old JOIN vector v ON v.model=old.model ORDER BY v.rev LIMIT ?)`, local, keptModels, goAtOnce)
	return err
}
