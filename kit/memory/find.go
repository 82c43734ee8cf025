package memory

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"react-agent/internal/msg"
)

// defaultHits is how many hits a search gives when nobody says.
const defaultHits = 5

// anything reports whether one of the files is there.
func (s *Store) anything(scope Scope) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool {
		if scope != "" && scope != f.scope {
			return false
		}
		_, err := os.Stat(f.path)
		return !errors.Is(err, os.ErrNotExist)
	})
}

// Search finds what resembles the query, the best first. The error names the files that could not be
// read; the others' hits are given all the same. Without any memories nothing is opened, and nobody is asked for vectors.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) { return s.search(ctx, q, false) }

func (s *Store) search(ctx context.Context, q Query, cold bool) ([]Hit, error) {
	if q.Kind != "" && !slices.Contains(Kinds(), q.Kind) {
		return nil, msg.Errorf(msg.MemoryKind, string(q.Kind))
	}
	if q.K <= 0 {
		q.K = defaultHits
	}
	q.K = min(q.K, MaxHits)
	query := clip(q.Text)
	if !s.anything(q.Scope) {
		return nil, nil
	}
	n := s.ngrams()
	p := &inquiry{Query: q, ngrams: n, said: n.sayings(query), pieces: pieces(query), cold: cold}
	if p.asked = p.said[0].terms.asked(); q.Way != ByWords {
		s.sides(ctx, p, query)
	}
	var all []Hit
	wait := patience
	if cold {
		wait = glance
	}
	err := s.each(ctx, wait, q.Scope, func(f *file) error {
		hits, err := f.search(ctx, p)
		if err == nil {
			all = append(all, hits...)
		}
		return err
	})
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(b.Score, a.Score)) })
	return all[:min(len(all), q.K)], err
}
