package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fill writes n made-up memories into the project's file in large transactions: common words, as in any language, and rare
// ones.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	f := s.files[0]
	if err := f.hold(t.Context(), patience); err != nil {
		t.Fatal(err)
	}
	defer f.release()
	if _, err := f.ready(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	grams := s.ngrams()
	for from := 0; from < n; from += 5000 {
		err := f.change(t.Context(), func(tx *sql.Tx) error {
			for i := from; i < min(n, from+5000); i++ {
				if err := put(t.Context(), f, tx, grams, invented(r, i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// put writes a memory without looking for another that says the same.
func put(ctx context.Context, f *file, tx *sql.Tx, n *Ngrams, d Draft) error {
	e := entry{Draft: d, said: said(d.Text), terms: n.terms(d.Text)}
	e.vectors = []stored{{model: n.Model(), data: Pack(n.vector(d.Text))}}
	tags, err := json.Marshal(d.Tags)
	if err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO memory(kind, text, tags, said, created) VALUES(?,?,?,?,1)", string(d.Kind), d.Text, string(tags), e.said)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return f.index(ctx, tx, id, &e)
}

// invented is one of many: few words stand in most of them, most words in few.
func invented(r *rand.Rand, i int) Draft {
	common := strings.Fields("deploy the service to staging with make and check logs of server before release because test build config database migration fails")
	han := []rune("部署服务到测试环境之前先检查日志和配置数据库迁移失败时回滚构建发布分支提交代码审查性能缓存队列接口文档")
	var words []string
	for range 9 {
		words = append(words, common[r.IntN(len(common))])
	}
	for range 5 {
		words = append(words, fmt.Sprintf("%c%c%s%d", 'a'+r.IntN(26), 'a'+r.IntN(26), common[r.IntN(len(common))], r.IntN(3000)))
	}
	from := r.IntN(len(han) - 12)
	words = append(words, string(han[from:from+12]), fmt.Sprintf("item%06d", i))
	r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
	return Draft{Kind: Kinds()[i%4], Text: strings.Join(words, " ")}
}

// BenchmarkLarge is a search among 100,000 memories: by words alone, by vectors too, and the first one in a process, as at
// the start of a turn and by the tool.
func BenchmarkLarge(b *testing.B) {
	path := filepath.Join(b.TempDir(), "memory.db")
	if kept := os.Getenv("MEMORY_BENCH_FILE"); kept != "" {
		path = kept
	}
	s := New(Options{Project: path, NoSync: true})
	defer s.Close()
	if _, err := os.Stat(path); err != nil {
		fill(b, s, 100_000)
	}
	if info, err := os.Stat(path); err == nil {
		b.Logf("%d MiB", info.Size()>>20)
	}
	queries := []string{
		"how do we deploy the service to staging before a release?", "item042424", "数据库迁移失败怎么办", "测试", "check logs of server42",
		"The migration of the database fails in staging after the release; what did we do about the build config and the cache? 先回滚吗",
	}
	ask := func(b *testing.B, s *Store, q Query, cold bool) {
		b.Helper()
		if _, err := s.search(b.Context(), q, cold); err != nil {
			b.Fatal(err)
		}
	}
	for _, w := range []struct {
		name string
		way  Way
		cold bool
	}{{"words", ByWords, false}, {"turn", Fused, true}, {"fused", Fused, false}} {
		for i, q := range queries {
			b.Run(fmt.Sprintf("%s/%d", w.name, i), func(b *testing.B) {
				x := New(s.o)
				defer x.Close()
				ask(b, x, Query{Text: q, Way: w.way}, w.cold)
				for b.Loop() {
					ask(b, x, Query{Text: q, Way: w.way}, w.cold)
				}
			})
		}
	}
	for _, cold := range []bool{true, false} {
		b.Run(fmt.Sprintf("first/%v", cold), func(b *testing.B) {
			for b.Loop() {
				x := New(s.o)
				ask(b, x, Query{Text: queries[0]}, cold)
				x.Close()
			}
		})
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.Logf("heap %d MiB, from the system %d MiB", m.HeapAlloc>>20, m.Sys>>20)
}
