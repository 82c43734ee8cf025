package memory

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How what the ways have found is joined: each hit gets weight/(joinRank+rank) of every way that has found it. Chosen on
// one half of the retrieval set in testdata.
const (
	joinRank   = 3
	joinWords  = 1.0
	joinPieces = 0.5
	joinNgrams = 0.7
	joinModel  = 1.5
)

// The bounds of a search over many memories: a term that stands in more than commonTerm of them says little beside a rarer
// one, and bm25 is computed for at most mostMatches. Up to fewMemories nothing is left out.
const (
	fewMemories = 4000
	commonTerm  = 600
	mostMatches = 4000
	depth       = 60 // hits of one way
	spare       = 5  // hits that are read beyond those asked for: another process may have deleted some
)

// inquiry is a query, ready to be looked for.
type inquiry struct {
	Query
	ngrams *Ngrams
	said   []saying
	asked  []string
	pieces []string
	sides  []side
	// cold: vectors that are not in memory yet are not loaded for this.
	cold bool
}

// saying is the query, or one sentence of it: somebody who wants two things says neither with all words.
type saying struct {
	terms  terms
	vector []float32
}

// maxSayings bounds the sentences that are looked at by themselves.
const maxSayings = 12

func (n *Ngrams) sayings(query string) []saying {
	texts := []string{query}
	for _, s := range strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune("\n.!?;。！？；", r) }) {
		if len(texts) <= maxSayings && len(s)+1 < len(query) {
			texts = append(texts, s)
		}
	}
	list := make([]saying, 0, len(texts))
	for i, s := range texts {
		if t := n.terms(s); i == 0 || len(t.order) > 1 {
			list = append(list, saying{t, n.vector(s)})
		}
	}
	return list
}

// passing is what is left of a likeness that rests on one word, where both texts say more than that.
const passing = 0.75

// inPassing reports whether two texts share one word, or what means the same, though each has several.
func (n *Ngrams) inPassing(a, b terms) bool {
	mine, theirs := n.concepts(a), n.concepts(b)
	if len(mine) < 3 || len(theirs) < 3 {
		return false
	}
	both := 0
	for c := range mine {
		if theirs[c] {
			both++
		}
	}
	return both == 1
}

// concepts are the words of a text by what they mean. Of Han characters it is the words of the list alone: where others end
// is not known.
func (n *Ngrams) concepts(t terms) map[string]bool {
	set := map[string]bool{}
	for _, term := range t.order {
		switch group := n.words[term]; {
		case strings.HasPrefix(term, "_"):
			set[term] = true
		case group != "":
			set["_"+group] = true
		case t.weight[term] == termWord:
			set[term] = true
		}
	}
	return set
}

// resembles says how much a memory is like the query, from 0 to 1, by words and n-grams.
func (p *inquiry) resembles(r Record) (most float64) {
	body := vectorText(r.Text, r.Tags)
	terms, vector := p.ngrams.terms(body), p.ngrams.vector(body)
	for _, s := range p.said {
		like := (s.terms.shared(terms) + max(0, angle(s.vector, vector))) / 2
		if p.ngrams.inPassing(s.terms, terms) {
			like *= passing
		}
		most = max(most, like)
	}
	return most
}

// side is the query as a vector of one model. far is the cosine of texts that have nothing in common.
type side struct {
	model  string
	vector []float32
	weight float64
	local  bool // made by n-grams
	far    float64
}

// maxQuery bounds what of a query is looked at, in bytes: its beginning and its end.
const maxQuery = 4000

func clip(s string) string {
	if len(s) <= maxQuery {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuery*3/4]+" "+s[len(s)-maxQuery/4:], "")
}

// What has no word of the query, nor a piece of one, is found from leastScore and leastShare of the best one's likeness on:
// vectors have some with anything.
const (
	leastScore = 0.025
	leastShare = 0.2
)

// found is a candidate.
type found struct {
	id    int64
	value float64 // of the joined ranks
	near  float64 // the cosine of the Embedder's vectors, brought to the scale of Hit.Score
	named bool    // it has a word of the query, or a piece of one
}

// search looks all ways in one file; f.mu is held. What one way cannot find out the others still do; only when none
// answers, it is an error.
func (f *file) search(ctx context.Context, p *inquiry) ([]Hit, error) {
	all := map[int64]*found{}
	get := func(id int64) *found {
		if all[id] == nil {
			all[id] = &found{id: id}
		}
		return all[id]
	}
	if p.Way != ByVectors {
		for _, way := range []struct {
			table  string
			weight float64
			words  []string
		}{{"words", joinWords, p.asked}, {"pieces", joinPieces, p.pieces}} {
			ids, err := f.matches(ctx, f.db, way.table, way.words, p.Kind)
			if err != nil {
				return nil, err
			}
			for rank, id := range ids {
				hit := get(id)
				hit.value, hit.named = hit.value+way.weight/float64(joinRank+rank), true
			}
		}
	}
	if len(p.asked)+len(p.pieces) == 0 {
		ids, err := f.holding(ctx, strings.TrimSpace(p.Text), p.Kind)
		if err != nil {
			return nil, err
		}
		for rank, id := range ids {
			hit := get(id)
			hit.value, hit.named = joinWords/float64(joinRank+rank), true
		}
	}
	if p.Way != ByWords {
		for _, side := range p.sides {
			list, err := f.nearest(ctx, side, p, all)
			if err != nil {
				return nil, err
			}
			for rank, n := range list {
				hit := get(n.ID)
				hit.value += side.weight / float64(joinRank+rank)
				if side.far > 0 {
					hit.near = max(hit.near, (n.Score-side.far)/(1-side.far))
				}
			}
		}
	}
	best := make([]*found, 0, len(all))
	for _, hit := range all {
		best = append(best, hit)
	}
	slices.SortFunc(best, func(a, b *found) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.id, b.id)) })
	return f.hits(ctx, p, best[:min(len(best), p.K+spare)])
}

// matches gives the ids that a table of FTS5 finds for any of the words, the best first.
func (f *file) matches(ctx context.Context, db querier, table string, words []string, kind Kind) ([]int64, error) {
	n, err := tally(ctx, db, "")
	if err != nil || len(words) == 0 {
		return nil, err
	}
	if n <= fewMemories {
		return ids(ctx, db, table, match(words, " OR "), "rank", kind)
	}
	few, common, err := rare(ctx, db, table, words)
	if err != nil || len(few) > 0 {
		if err != nil {
			return nil, err
		}
		return ids(ctx, db, table, match(few, " OR "), "rank", kind)
	}
	// Ranking them all takes too long: the newest that have several of them will do.
	common = common[:min(len(common), 4)]
	for _, join := range []string{" AND ", " OR "} {
		if list, err := ids(ctx, db, table, match(common, join), table+".rowid DESC", kind); err != nil || len(list) > 0 {
			return list, err
		}
	}
	return nil, nil
}

// ids asks a table of FTS5. Without a query there is nothing to ask.
func ids(ctx context.Context, db querier, table, query, order string, kind Kind) ([]int64, error) {
	if query == "" {
		return nil, nil
	}
	q, args := "SELECT rowid FROM "+table+" WHERE "+table+" MATCH ? ORDER BY "+order+" LIMIT ?", []any{query, depth}
	if kind != "" {
		q = "SELECT m.id FROM " + table + " JOIN memory m ON m.id=" + table + ".rowid WHERE " + table + " MATCH ? AND m.kind=? ORDER BY " + order + " LIMIT ?"
		args = []any{query, string(kind), depth}
	}
	rows, err := db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(r *sql.Rows) (id int64, err error) { return id, r.Scan(&id) })
}

// rare tells the words that stand in few memories from the others: the rarest first, as many as can be ranked in time. What
// stands nowhere is neither.
func rare(ctx context.Context, db querier, table string, words []string) (few, common []string, err error) {
	type counted struct {
		word string
		n    int
	}
	var list []counted
	count, err := db.PrepareContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+table+" WHERE "+table+" MATCH ? LIMIT ?)")
	if err != nil {
		return nil, nil, err
	}
	defer count.Close() //nolint:errcheck // it has been read
	for _, w := range words {
		var n int
		err := count.QueryRowContext(ctx, quoted(w), commonTerm+1).Scan(&n)
		switch {
		case err != nil:
			return nil, nil, err
		case n > commonTerm:
			common = append(common, w)
		case n > 0:
			list = append(list, counted{w, n})
		}
	}
	slices.SortStableFunc(list, func(a, b counted) int { return cmp.Compare(a.n, b.n) })
	sum := 0
	for _, c := range list {
		if sum += c.n; sum > mostMatches && len(few) > 0 {
			break
		}
		few = append(few, c.word)
	}
	return few, common, nil
}

// hits reads the candidates and says how much they resemble the query.
func (f *file) hits(ctx context.Context, p *inquiry, best []*found) ([]Hit, error) {
	wanted := make([]int64, len(best))
	for i, b := range best {
		wanted[i] = b.id
	}
	records, err := f.read(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var out []Hit
	var most float64
	for _, b := range best {
		r, ok := records[b.id]
		if !ok { // another process has deleted it
			for _, s := range f.sets {
				s.remove(b.id)
			}
			continue
		}
		if p.Kind != "" && r.Kind != p.Kind {
			continue
		}
		score := max(b.near, p.resembles(r))
		if most = max(most, score); score < max(leastScore, leastShare*most) && !b.named {
			continue
		}
		out = append(out, Hit{Record: r, Score: math.Round(1000*max(0, min(1, score))) / 1000, value: b.value})
	}
	return out, nil
}

const columns = "id, kind, text, tags, created, used, uses"

// read gives the records of ids that are there.
func (f *file) read(ctx context.Context, ids []int64) (map[int64]Record, error) {
	out := make(map[int64]Record, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	raw, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := f.db.QueryContext(ctx, "SELECT "+columns+" FROM memory WHERE id IN (SELECT value FROM json_each(?))", string(raw))
	if err != nil {
		return nil, err
	}
	list, err := collect(rows, f.scan)
	for _, r := range list {
		out[number(r.ID)] = r
	}
	return out, err
}

func (f *file) scan(rows *sql.Rows) (Record, error) { return f.record(rows.Scan) }

// record reads a row of columns.
func (f *file) record(scan func(to ...any) error) (Record, error) {
	var id, created, used int64
	var tags string
	r := Record{Scope: f.scope}
	if err := scan(&id, &r.Kind, &r.Text, &tags, &created, &used, &r.Uses); err != nil {
		return r, err
	}
	r.ID, r.Tags = f.id(id), readTags(tags)
	r.Created = time.UnixMilli(created).UTC()
	if used != 0 {
		r.Used = time.UnixMilli(used).UTC()
	}
	return r, nil
}

// readTags reads the list of tags; broken ones are none, the text is what counts.
func readTags(raw string) (tags []string) {
	if json.Unmarshal([]byte(raw), &tags) != nil {
		return nil
	}
	return tags
}

func (f *file) id(n int64) string { return string(f.scope[0]) + strconv.FormatInt(n, 10) }

// number is the number in an id, 0 if there is none.
func number(id string) int64 {
	if id == "" {
		return 0
	}
	n, err := strconv.ParseInt(id[1:], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// collect reads all rows and closes them.
func collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) (list []T, err error) {
	defer rows.Close() //nolint:errcheck // Err has what matters
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// holding finds the newest memories that hold a query without any words, an emoji say, as it stands.
func (f *file) holding(ctx context.Context, signs string, kind Kind) ([]int64, error) {
	if signs == "" {
		return nil, nil
	}
	rows, err := f.db.QueryContext(ctx, "SELECT id FROM memory WHERE instr(text, ?1) AND (?2 = '' OR kind = ?2) ORDER BY id DESC LIMIT ?3", signs, string(kind), depth)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(r *sql.Rows) (id int64, err error) { return id, r.Scan(&id) })
}
