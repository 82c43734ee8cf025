package memory

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"time"

	"react-agent/internal/msg"
)

// How the Embedder is asked: how long it may take, how long it is left alone after it has failed, and how many memories
// without a vector of its model go along with a query.
const (
	embedTimeout = 10 * time.Second
	embedQuick   = 2 * time.Second
	embedRest    = time.Minute
	embedMore    = 32
	embedLocal   = 500 // by n-grams, which take no network
)

var errVectors = errors.New("it gave vectors that do not fit what it was asked for")

// aboutNothing are texts that have nothing in common with what is remembered: how near they are to a query tells what a
// cosine of this model is worth.
func aboutNothing() []string {
	return []string{"The old harbour lay quiet under a pale morning sky.", "傍晚时分，老人牵着狗沿河慢慢散步。"}
}

// embed asks the Embedder. nil: there is none, or it has failed just now, which is named once.
func (s *Store) embed(ctx context.Context, texts []string, wait time.Duration) [][]float32 {
	e := s.o.Embedder
	if e == nil {
		return nil
	}
	s.mu.Lock()
	resting := time.Now().Before(s.rest)
	s.mu.Unlock()
	if resting {
		return nil
	}
	masked := make([]string, len(texts))
	for i, t := range texts {
		masked[i] = s.o.Mask(t)
	}
	ours, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	vectors, err := e.Embed(ours, masked)
	if err == nil && !fit(vectors, len(texts)) {
		err = errVectors
	}
	if err == nil {
		return vectors
	}
	if ctx.Err() == nil {
		s.mu.Lock()
		s.rest = time.Now().Add(embedRest)
		s.mu.Unlock()
		s.noticeOnce(e.Model(), msg.Errorf(msg.MemoryNoVectors, e.Model(), err))
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
	wait := embedTimeout
	if q.cold {
		wait = embedQuick
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
		v := s.embed(ctx, append(ask, texts...), wait)
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
		_ = f.with(ctx, func(f *file) (err error) { // the search itself will name a fault
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
			_ = p.f.with(ctx, func(f *file) error { return f.keep(ctx, model, s.ngrams().Model(), p.list, made) })
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

// lacking finds memories without a vector of a model. It begins where it has found them all the last time.
func (f *file) lacking(ctx context.Context, model string, most int) (list []lacking, err error) {
	all, err := tally(ctx, f.db, "")
	if err != nil {
		return nil, err
	}
	if n, err := tally(ctx, f.db, model); err != nil || n == all {
		return nil, err
	}
	const step = 1000
	for most > 0 {
		rows, err := f.db.QueryContext(ctx, `SELECT id, kind, text, tags, EXISTS(SELECT 1 FROM vector v WHERE v.id=m.id AND v.model=?)
			FROM memory m WHERE id>? ORDER BY id LIMIT ?`, model, f.whole[model], step)
		if err != nil {
			return nil, err
		}
		type row struct {
			lacking
			has bool
		}
		page, err := collect(rows, func(r *sql.Rows) (x row, err error) {
			var tags string
			err = r.Scan(&x.id, &x.kind, &x.text, &tags, &x.has)
			x.text = vectorText(x.text, readTags(tags))
			return x, err
		})
		if err != nil {
			return nil, err
		}
		for _, x := range page {
			if !x.has {
				list = append(list, x.lacking)
			}
			if len(list) == most {
				return list, nil
			}
		}
		if len(page) == 0 || len(list) > 0 {
			return list, nil
		}
		f.whole[model] = page[len(page)-1].id
	}
	return nil, nil
}

// keep stores vectors that were made; those of models that nobody uses any more go.
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
			if model != local {
				if _, err := tx.ExecContext(ctx, "DELETE FROM vector WHERE id=? AND model<>?", l.id, local); err != nil {
					return err
				}
			}
			if err := putVector(ctx, tx, l.id, l.kind, stored{model, Pack(made[i])}); err != nil {
				return err
			}
		}
		return nil
	})
}
