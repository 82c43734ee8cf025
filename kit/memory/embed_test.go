package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// meanings is an embedder that knows a few things and what they mean.
type meanings struct {
	mu     sync.Mutex
	model  string
	fail   error
	odd    bool // gives one vector too few
	asked  [][]string
	things []string // a thing is a list of words, separated by blanks
}

func (m *meanings) Model() string { return m.model }

func (m *meanings) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, texts)
	if m.fail != nil {
		return nil, m.fail
	}
	var out [][]float32
	for _, s := range texts {
		v := make([]float32, len(m.things)+1)
		v[len(m.things)] = 0.3 // all texts have something in common, as in real models
		for i, thing := range m.things {
			for word := range strings.FieldsSeq(thing) {
				if strings.Contains(s, word) {
					v[i] = 1
				}
			}
		}
		out = append(out, v)
	}
	if m.odd {
		out = out[1:]
	}
	return out, nil
}

func about() *meanings {
	return &meanings{model: "vendor/meanings", things: []string{"refund reimbursement 退款", "cat Mizzi feline", "harbour 老人"}}
}

func TestAModelFindsWhatNoWordDoes(t *testing.T) {
	m := about()
	s := both(t, func(o *Options) { o.Embedder = m })
	save(t, s, Draft{Text: "A refund takes three days"})
	save(t, s, Draft{Text: "Mizzi sleeps on the printer"})
	save(t, s, Draft{Text: "The moon is far away"})
	hits, err := s.Search(t.Context(), Query{Text: "reimbursement"})
	if err != nil || len(hits) == 0 || hits[0].ID != "p1" || hits[0].Score < 0.5 {
		t.Fatalf("%+v, %v", hits, err)
	}
	if got := inject(t, s, talk(person("where is the feline?"))); !strings.Contains(got, "Mizzi") || strings.Contains(got, "refund") || strings.Contains(got, "moon") {
		t.Errorf("%q", got)
	}
	st := s.Status(t.Context())[0]
	if st.Models["vendor/meanings"] != 3 || st.Models[s.ngrams().Model()] != 3 {
		t.Errorf("%+v", st.Models)
	}
}

func TestAnotherModelMakesItsOwn(t *testing.T) {
	s := both(t)
	for i := range 40 {
		save(t, s, Draft{Text: fmt.Sprintf("note %d about nothing in particular %d", i, i*i), Scope: []Scope{Project, User}[i%2]})
	}
	save(t, s, Draft{Text: "A refund takes three days"})
	m := about()
	x := New(s.o)
	x.o.Embedder = m
	defer x.Close()
	for range 3 { // a few with each search
		if _, err := x.Search(t.Context(), Query{Text: "note"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.asked) != 3 || len(m.asked[0]) != 1+2+embedMore || len(m.asked[1]) != 1+41-embedMore || len(m.asked[2]) != 1 {
		for _, a := range m.asked {
			t.Error(len(a))
		}
	}
	if ids := find(t, x, "reimbursement"); len(ids) == 0 || ids[0] != "p21" {
		t.Errorf("%v", ids)
	}
	y := New(s.o)
	y.o.Embedder = &meanings{model: "vendor/other", things: append(m.things, "one more")}
	defer y.Close()
	if ids := find(t, y, "退款"); len(ids) == 0 {
		t.Error("nothing")
	}
	st := y.Status(t.Context())
	other, first, local := st[0].Models["vendor/other"]+st[1].Models["vendor/other"], st[0].Models["vendor/meanings"]+st[1].Models["vendor/meanings"], st[0].Models[s.ngrams().Model()]+st[1].Models[s.ngrams().Model()]
	if other != embedMore || first != 41 || local != 41 {
		t.Errorf("of the other model %d, of the first %d, n-grams %d", other, first, local)
	}
}

func TestOldNgramsAreMadeAnew(t *testing.T) {
	s := both(t)
	save(t, s, Draft{Text: "Deploy with make ship"})
	if _, err := s.files[0].db.Exec("UPDATE vector SET model='ngram-of-old'"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.files[0].db.Exec("UPDATE tally SET model='ngram-of-old' WHERE model<>''"); err != nil {
		t.Fatal(err)
	}
	again := New(s.o)
	defer again.Close()
	if hits, err := again.Search(t.Context(), Query{Text: "deploi with makeship", Way: ByVectors}); err != nil || len(hits) != 1 {
		t.Errorf("%v, %v", hits, err)
	}
	if st := again.Status(t.Context())[0]; st.Models[s.ngrams().Model()] != 1 {
		t.Errorf("%+v", st.Models)
	}
}

func TestWithoutTheModelWordsGoOn(t *testing.T) {
	for name, m := range map[string]*meanings{
		"refused": {model: "vendor/down", fail: errors.New("connection refused")},
		"odd":     {model: "vendor/odd", odd: true, things: []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var notes []error
			s := both(t, noted(&notes), func(o *Options) { o.Embedder = m })
			save(t, s, Draft{Text: "Deploy with make ship"})
			for range 5 {
				if ids := find(t, s, "deploy"); len(ids) != 1 {
					t.Errorf("words do not go on: %v", ids)
				}
			}
			if len(notes) != 0 {
				t.Errorf("the embedder says by itself that it failed, and yet: %v", notes)
			}
			m.mu.Lock()
			m.fail, m.odd = nil, false
			m.mu.Unlock()
			find(t, s, "deploy")
			if st := s.Status(t.Context())[0]; st.Models[m.model] != 1 {
				t.Errorf("when it works again it is not used: %v", st.Models)
			}
		})
	}
}

// Two programs that share the person's file, each with a model of its own, leave each other's vectors alone.
func TestTwoModelsShareAFile(t *testing.T) {
	s := both(t)
	for i := range 5 {
		save(t, s, Draft{Text: fmt.Sprintf("A refund takes %d days", i)})
	}
	asked := func(model string) (texts int) {
		m := about()
		m.model = model
		x := New(s.o)
		x.o.Embedder = m
		defer x.Close()
		for range 2 {
			find(t, x, "refund")
		}
		for _, a := range m.asked {
			texts += len(a) - 1 // without the question
		}
		return texts - 2 // nor what is about nothing
	}
	for range 3 {
		for _, model := range []string{"a/one", "b/two", "c/three", "d/four"} {
			asked(model)
		}
	}
	for _, model := range []string{"a/one", "b/two", "c/three", "d/four"} {
		if n := asked(model); n != 0 {
			t.Errorf("%s is asked for %d vectors that there were", model, n)
		}
	}
	asked("e/five")
	if st := s.Status(t.Context())[0].Models; st["a/one"] != 0 || st["b/two"] != 5 || st["e/five"] != 5 || st[s.ngrams().Model()] != 5 {
		t.Errorf("kept: %v", st)
	}
}

// What loses its vector of the model later, by a change of its text, gets another one.
func TestAVectorThatIsLostIsMadeAgain(t *testing.T) {
	m := about()
	s := both(t, func(o *Options) { o.Embedder = m })
	save(t, s, Draft{Text: "A refund takes three days"})
	save(t, s, Draft{Text: "Mizzi sleeps on the printer"})
	find(t, s, "refund")
	m.mu.Lock()
	m.fail = errors.New("connection refused")
	m.mu.Unlock()
	if done := save(t, s, Draft{Text: "a refund takes three days!"}); done.Was == "" {
		t.Fatal("it is a new one")
	}
	m.mu.Lock()
	m.fail = nil
	m.mu.Unlock()
	find(t, s, "refund")
	if st := s.Status(t.Context())[0]; st.Models[m.model] != 2 {
		t.Errorf("%v", st.Models)
	}
}

func TestImport(t *testing.T) {
	m := about()
	s := both(t, func(o *Options) { o.Embedder = m })
	save(t, s, Draft{Text: "Note 7 of the import, 49"})
	m.asked = nil
	var drafts []Draft
	for i := range 250 {
		drafts = append(drafts, Draft{Text: fmt.Sprintf("note %d of the import, %d", i, i*i), Kind: Fact, Scope: []Scope{Project, User}[i/7%2]})
	}
	drafts[230].Text = "" // which cannot be saved
	done, err := s.Import(t.Context(), drafts)
	if err == nil || len(done) != 230 || len(m.asked) != 0 {
		t.Fatalf("%d saved, %v, %d requests", len(done), err, len(m.asked))
	}
	if done[7].Was != "" || done[7].ID[0] != 'u' || done[0].ID != "p2" {
		t.Errorf("%+v %+v", done[7], done[0])
	}
	drafts[230].Text = "note 230 of the import, it is"
	if done, err = s.Import(t.Context(), drafts); err != nil || len(done) != 250 || done[0].Was == "" || done[249].Was != "" {
		t.Errorf("%d, %v", len(done), err)
	}
	if _, n, err := s.List(t.Context(), Filter{}); err != nil || n != 251 {
		t.Errorf("%d, %v", n, err)
	}
	find(t, s, "import")
	if len(m.asked) != 1 || len(m.asked[0]) != 1+2+embedMore {
		t.Errorf("afterwards: %d requests", len(m.asked))
	}
}

func TestNoMemoryAsksNoModel(t *testing.T) {
	m := about()
	s := both(t, func(o *Options) { o.Embedder = m })
	find(t, s, "anything")
	if got := inject(t, s, talk(person("anything"))); got != "" || len(m.asked) != 0 {
		t.Errorf("%q, asked %v", got, m.asked)
	}
}

func TestSecretsDoNotGoToTheModel(t *testing.T) {
	m := about()
	s := both(t, func(o *Options) {
		o.Embedder = m
		o.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2hunter2", "***") }
	})
	save(t, s, Draft{Text: "the password is hunter2hunter2"})
	find(t, s, "is it hunter2hunter2?")
	for _, texts := range m.asked {
		if strings.Contains(strings.Join(texts, " "), "hunter2") {
			t.Errorf("%q", texts)
		}
	}
}

// What would take too much room is looked at only where words have found something.
func TestVectorsBeyondTheBoundAreReadOneByOne(t *testing.T) {
	m := about()
	s := both(t, func(o *Options) { o.Embedder = m })
	one := save(t, s, Draft{Text: "A refund takes three days"})
	f := s.files[0]
	if _, err := f.db.Exec("UPDATE tally SET n=100000000 WHERE model<>''"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.db.Exec("UPDATE tally SET n=100000000"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"three days": one.ID, "refund": one.ID, "days of refund": one.ID, "moon": ""} {
		ids := find(t, s, query)
		if strings.Join(ids, " ") != want {
			t.Errorf("%q finds %v", query, ids)
		}
	}
	for _, set := range f.sets {
		if len(set.kinds) > 0 {
			t.Error("vectors were loaded")
		}
	}
}
