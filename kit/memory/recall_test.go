package memory

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/recall/memories.txt
var recallMemories string

//go:embed testdata/recall/queries.txt
var recallQueries string

// question is one of the retrieval set, with the memories that answer it.
type question struct {
	class, text string
	right       []string
}

// recallSet reads the set: memories by their place in it, and questions.
func recallSet(t testing.TB) (memories []Draft, names []string, questions []question) {
	t.Helper()
	fields := func(line string) []string {
		f := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		if len(f) != 3 {
			t.Fatalf("%q has %d fields", line, len(f))
		}
		return f
	}
	for line := range strings.Lines(recallMemories) {
		if !strings.HasPrefix(line, "#") {
			f := fields(line)
			names = append(names, f[0])
			memories = append(memories, Draft{Kind: Kind(f[1]), Text: f[2], Scope: Project})
		}
	}
	for line := range strings.Lines(recallQueries) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := fields(line)
		q := question{class: f[0], text: f[2]}
		if f[1] != "-" {
			q.right = strings.Split(f[1], ",")
		}
		for _, r := range q.right {
			if !slices.Contains(names, r) {
				t.Fatalf("%q: there is no %s", line, r)
			}
		}
		questions = append(questions, q)
	}
	return memories, names, questions
}

// figures are of one way of searching, over some questions.
type figures struct{ asked, in1, in5, rank float64 }

func (f *figures) add(place int) {
	f.asked++
	if place == 1 {
		f.in1++
	}
	if place >= 1 && place <= 5 {
		f.in5++
	}
	if place >= 1 {
		f.rank += 1 / float64(place)
	}
}

// at5 is the share of questions that are answered among the first five, MRR the mean of 1/place.
func (f *figures) at1() float64 { return f.in1 / max(1, f.asked) }
func (f *figures) at5() float64 { return f.in5 / max(1, f.asked) }
func (f *figures) mrr() float64 { return f.rank / max(1, f.asked) }

func (f *figures) String() string {
	return fmt.Sprintf("R@1 %.3f  R@5 %.3f  MRR %.3f  (%d)", f.at1(), f.at5(), f.mrr(), int(f.asked))
}

// The halves of the set.
const (
	tuned = "even"
	held  = "odd"
)

// measure asks all questions that have an answer, and counts by class and by half: even lines were there to choose weights
// by, odd ones are reported.
func measure(questions []question, search func(q string) []string) map[string]*figures {
	out := map[string]*figures{}
	for i, q := range questions {
		if len(q.right) == 0 {
			continue
		}
		hits := search(q.text)
		place := 1 + slices.IndexFunc(hits, func(h string) bool { return slices.Contains(q.right, h) })
		for _, key := range []string{"all", q.class, [...]string{tuned, held}[i%2]} {
			if out[key] == nil {
				out[key] = &figures{}
			}
			out[key].add(place)
		}
	}
	return out
}

// searches are the three ways over a store that holds the set.
func searches(t testing.TB, memories []Draft, names []string) (*Store, func(way Way) func(q string) []string) {
	t.Helper()
	s := New(Options{Project: filepath.Join(t.TempDir(), "memory.db"), NoSync: true})
	t.Cleanup(func() { _ = s.Close() })
	name := map[string]string{}
	for i, m := range memories {
		saved, err := s.Save(t.Context(), m)
		if err != nil || saved.Was != "" {
			t.Fatalf("%q: %v, in the place of %q", m.Text, err, saved.Was)
		}
		name[saved.ID] = names[i]
	}
	return s, func(way Way) func(q string) []string {
		return func(q string) (out []string) {
			hits, err := s.Search(t.Context(), Query{Text: q, K: 10, Way: way})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				out = append(out, name[h.ID])
			}
			return out
		}
	}
}

// TestRecall measures the three ways on the set, and holds them to floors that only rise: on the half by which nothing was
// chosen, and on the whole. What joins words and vectors must be no worse than either.
func TestRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about what is found, not about races, and takes half a minute with the race detector")
	}
	memories, names, questions := recallSet(t)
	if len(questions) < 200 || len(memories) < 120 {
		t.Fatalf("%d questions about %d memories", len(questions), len(memories))
	}
	_, by := searches(t, memories, names)
	got := map[Way]map[string]*figures{}
	for _, w := range []struct {
		way                   Way
		name                  string
		at5, mrr, held, heldM float64
	}{
		{ByWords, "words", 0.865, 0.755, 0.86, 0.745},
		{ByVectors, "vectors", 0.855, 0.75, 0.875, 0.77},
		{Fused, "fused", 0.89, 0.775, 0.9, 0.775},
	} {
		f := measure(questions, by(w.way))
		got[w.way] = f
		for _, k := range []string{"all", tuned, held, "exact", "para", "cross", "typo", "short", "code"} {
			t.Logf("%-8s %-6s %v", w.name, k, f[k])
		}
		if f["all"].at5() < w.at5 || f["all"].mrr() < w.mrr || f[held].at5() < w.held || f[held].mrr() < w.heldM {
			t.Errorf("%s has fallen under its floor: all %v, held out %v", w.name, f["all"], f[held])
		}
	}
	for _, half := range []string{"all", tuned, held} {
		for _, way := range []Way{ByWords, ByVectors} {
			if one, both := got[way][half], got[Fused][half]; both.at5() < one.at5() || both.mrr() < one.mrr() {
				t.Errorf("%s: both %v, one alone %v", half, both, one)
			}
		}
	}
}

// TestWhatEnters holds the score from which memories enter a turn unasked: what answers nothing stays out.
func TestWhatEnters(t *testing.T) {
	if testing.Short() {
		t.Skip("not here: it is about what is found, not about races, and takes half a minute with the race detector")
	}
	memories, names, questions := recallSet(t)
	s, _ := searches(t, memories, names)
	var answered, entered, unfit, none float64
	for _, q := range questions {
		hits, err := s.Search(t.Context(), Query{Text: q.text, K: atOnce})
		if err != nil {
			t.Fatal(err)
		}
		if len(q.right) == 0 {
			none++
		} else {
			answered++
		}
		for _, h := range like(hits) {
			switch {
			case len(q.right) == 0:
				unfit++
				t.Logf("%q brings %q (%.3f)", q.text, h.Text, h.Score)
			case h.Text == memories[slices.Index(names, q.right[0])].Text:
				entered++
			}
		}
	}
	t.Logf("the right memory enters for %.3f of %v questions; %v enter for %v questions that nothing answers", entered/answered, answered, unfit, none)
	if entered/answered < 0.65 || unfit/none > 0.09 {
		t.Error("the score is at the wrong place")
	}
}

// BenchmarkRecall is a search among the memories of the set.
func BenchmarkRecall(b *testing.B) {
	memories, names, questions := recallSet(b)
	s, _ := searches(b, memories, names)
	for i := 0; b.Loop(); i++ {
		if _, err := s.Search(b.Context(), Query{Text: questions[i%len(questions)].text}); err != nil {
			b.Fatal(err)
		}
	}
}
