package skill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"react-agent/agent"
)

// TestSkillCorpus plays every case of the directory that SKILL_CASES names, else of a corpus beside this repository.
func TestSkillCorpus(t *testing.T) {
	dir := os.Getenv("SKILL_CASES")
	if dir == "" {
		dir = "../../../shared/cases/skills"
		if _, err := os.Stat(dir); err != nil {
			t.Skip("needs ../shared beside the repository, or SKILL_CASES: no corpus to play")
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	passed, failed := 0, 0
	count := func(name string, faults []string) {
		if len(faults) == 0 {
			passed++
			return
		}
		failed++
		t.Errorf("%s: %s", name, strings.Join(faults, "; "))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "edge", "*", "expect.json"))
	for _, file := range files {
		count(filepath.Base(filepath.Dir(file)), playEdge(t, file))
	}
	index, err := os.ReadFile(filepath.Join(dir, "real", "index.json"))
	if err == nil {
		var list struct{ Skills []realSkill }
		if err := json.Unmarshal(index, &list); err != nil {
			t.Fatal(err)
		}
		set := load(t, Options{Roots: []Root{{Path: filepath.Join(dir, "real"), Scope: Project}}})
		for _, k := range list.Skills {
			count(k.Path, k.play(set, filepath.Join(dir, "real")))
		}
	}
	if passed+failed == 0 {
		t.Errorf("no case in %s", dir)
	}
	t.Logf("%d passed, %d failed, 0 skipped", passed, failed)
}

func load(t testing.TB, o Options) *Set {
	t.Helper()
	s, err := Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// realSkill is an entry of real/index.json.
type realSkill struct {
	Path, Name, Description string
	Matches                 bool     `json:"dir_matches_name"`
	Hash                    string   `json:"body_sha256"`
	Keys                    []string `json:"frontmatter_keys"`
	Chars                   int      `json:"description_chars"`
}

func (k *realSkill) play(set *Set, dir string) (faults []string) {
	file := filepath.Join(dir, filepath.FromSlash(k.Path))
	i := slices.IndexFunc(set.list, func(s *Skill) bool { return s.File == file })
	if i < 0 {
		return []string{"not loaded"}
	}
	s := set.list[i]
	if s.Name != k.Name {
		faults = append(faults, fmt.Sprintf("name %q, want %q", s.Name, k.Name))
	}
	if s.Description != strings.TrimSpace(k.Description) {
		faults = append(faults, fmt.Sprintf("description %q, want %q", s.Description, k.Description))
	}
	body, err := s.Body()
	if sum := sha256.Sum256([]byte(strings.TrimFunc(body, unicode.IsSpace))); err != nil || hex.EncodeToString(sum[:]) != k.Hash {
		faults = append(faults, fmt.Sprintf("body differs (%v)", err))
	}
	for _, key := range k.Keys {
		if _, ok := s.Fields[key]; !ok {
			faults = append(faults, "field "+key+" is lost")
		}
	}
	mismatch := slices.ContainsFunc(s.notes, func(d Diagnostic) bool { return d.Code == NameDirMismatch })
	if mismatch == k.Matches {
		faults = append(faults, fmt.Sprintf("name_dir_mismatch is %v", mismatch))
	}
	return faults
}

// edgeCase is an expect.json.
type edgeCase struct {
	Roots []struct {
		Path  string
		Scope Scope
	}
	Expect struct {
		Load []struct {
			Name, Path          string
			Description         *string
			DescriptionContains []string `json:"description_contains"`
			BodyContains        []string `json:"body_contains"`
		}
		NotLoad     []string `json:"not_load"`
		LoadOrNot   []string `json:"load_or_not"`
		Count       *int
		LoadCount   *int `json:"load_count"`
		Diagnostics []struct {
			Code     Code
			Severity Severity
			Path     string
		}
		NoDiagnostics    []Code             `json:"no_diagnostics"`
		NoDiagnosticsFor []string           `json:"no_diagnostics_for"`
		Lookup           map[string]*string `json:"lookup"`
		Catalog          []string           `json:"in_model_catalog"`
		Menu             []string           `json:"in_slash_menu"`
		CatalogNot       []string           `json:"catalog_must_not_contain"`
		CatalogMax       int                `json:"catalog_description_max"`
		MaxSeconds       float64            `json:"max_seconds"`
		MaxMiB           uint64             `json:"max_rss_growth_mib"`
		Activation       string             `json:"activation"`
		NoControl        []string           `json:"no_control_chars_in"`
		NoCR             []string           `json:"no_cr_in"`
		ValidUTF8        bool               `json:"valid_utf8_out"`
		NoOutside        bool               `json:"no_path_outside_root"`
		NoFile           string             `json:"file_must_not_exist_after_load"`
		NoFileAfter      string             `json:"file_must_not_exist_after_model_activation_without_approval"`
	}
}

// edgeRun is a case that was played.
type edgeRun struct {
	edgeCase
	dir    string
	set    *Set
	faults []string
}

func (r *edgeRun) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func playEdge(t *testing.T, file string) []string {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := edgeRun{dir: filepath.Dir(file)}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	if err := decoder.Decode(&r.edgeCase); err != nil {
		return []string{err.Error()}
	}
	if unknown := unknownKeys(t, raw); unknown != "" {
		r.fault("the runner does not know the expectation %s", unknown)
	}
	var o Options
	for _, root := range r.Roots {
		o.Roots = append(o.Roots, Root{Path: filepath.Join(r.dir, root.Path), Scope: root.Scope})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	r.set = load(t, o)
	if limit := r.Expect.MaxSeconds; limit > 0 && time.Since(start).Seconds() > limit {
		r.fault("took %v", time.Since(start))
	}
	runtime.ReadMemStats(&after)
	if limit := r.Expect.MaxMiB; limit > 0 && (after.TotalAlloc-before.TotalAlloc)>>20 > limit {
		r.fault("allocated %d MiB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
	r.loaded()
	r.diagnosed()
	r.shown()
	r.safe()
	return r.faults
}

// unknownKeys names an expectation that edgeCase has no field for, so that none is passed over in silence.
func unknownKeys(t *testing.T, raw []byte) string {
	var c struct{ Expect json.RawMessage }
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(c.Expect)))
	d.DisallowUnknownFields()
	var e edgeCase
	if err := d.Decode(&e.Expect); err != nil {
		return err.Error()
	}
	return ""
}

func (r *edgeRun) loaded() {
	for _, want := range r.Expect.Load {
		i := slices.IndexFunc(r.set.list, func(s *Skill) bool { return s.Name == want.Name })
		if i < 0 {
			r.fault("%s is not loaded", want.Name)
			continue
		}
		k := r.set.list[i]
		if want.Path != "" && k.Dir != filepath.Join(r.dir, want.Path) {
			r.fault("%s is from %s", k.Name, k.Dir)
		}
		if want.Description != nil && k.Description != *want.Description {
			r.fault("%s: description %q, want %q", k.Name, k.Description, *want.Description)
		}
		for _, part := range want.DescriptionContains {
			if !strings.Contains(k.Description, part) {
				r.fault("%s: description %q lacks %q", k.Name, k.Description, part)
			}
		}
		body, err := k.Body()
		if err != nil {
			r.fault("%s: %v", k.Name, err)
		}
		for _, part := range want.BodyContains {
			if !strings.Contains(body, part) {
				r.fault("%s: body lacks %q", k.Name, part)
			}
		}
	}
	for _, name := range r.Expect.NotLoad {
		if slices.ContainsFunc(r.set.list, func(s *Skill) bool { return s.Name == name }) {
			r.fault("%s is loaded", name)
		}
	}
	for _, n := range []*int{r.Expect.Count, r.Expect.LoadCount} {
		if n != nil && len(r.set.list) != *n {
			r.fault("%d loaded, want %d", len(r.set.list), *n)
		}
	}
	for name, want := range r.Expect.Lookup {
		k, ok := r.set.Find(name)
		if ok != (want != nil) || ok && k.Name != *want {
			r.fault("lookup of %q gives %v", name, ok)
		}
	}
}

func (r *edgeRun) diagnosed() {
	all := r.set.Diagnostics()
	rel := func(d Diagnostic) string {
		p, _ := filepath.Rel(r.dir, d.File)
		return filepath.ToSlash(p)
	}
	for _, want := range r.Expect.Diagnostics {
		if !slices.ContainsFunc(all, func(d Diagnostic) bool {
			return d.Code == want.Code && d.Severity == want.Severity && (want.Path == "" || rel(d) == want.Path)
		}) {
			r.fault("no diagnostic %s (%s) for %s among %v", want.Code, want.Severity, want.Path, all)
		}
	}
	for _, d := range all {
		if slices.Contains(r.Expect.NoDiagnostics, d.Code) {
			r.fault("unwanted: %s", d.String())
		}
		if slices.ContainsFunc(r.Expect.NoDiagnosticsFor, func(p string) bool { return inside(rel(d), p) }) {
			r.fault("unwanted: %s", d.String())
		}
		if d.Reason == nil || d.Fix == nil || d.File == "" {
			r.fault("a diagnostic without reason, fix or file: %+v", d)
		}
	}
}

func (r *edgeRun) shown() {
	names := func(list []*Skill) []string {
		var out []string
		for _, k := range list {
			out = append(out, k.Name)
		}
		return out
	}
	same := func(what string, got, want []string) {
		if want == nil {
			return
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			r.fault("%s has %v, want %v", what, got, want)
		}
	}
	same("catalogue", names(r.set.ForModel()), r.Expect.Catalog)
	same("menu", names(r.set.ForUser()), r.Expect.Menu)
	index := r.set.Index() + r.set.ListJSON()
	for _, part := range r.Expect.CatalogNot {
		if strings.Contains(index, part) {
			r.fault("the catalogue has %q", part)
		}
	}
	var items []listItem
	if err := json.Unmarshal([]byte(r.set.ListJSON()), &items); err != nil {
		r.fault("list: %v", err)
	}
	for _, item := range items {
		if limit := r.Expect.CatalogMax; limit > 0 && utf8.RuneCountInString(item.Description) > limit {
			r.fault("%s: %d characters in the catalogue", item.Name, utf8.RuneCountInString(item.Description))
		}
	}
}

// safe activates every skill as a model does, and looks at what must not have happened.
func (r *edgeRun) safe() {
	texts := map[string][]string{}
	for _, k := range r.set.list {
		texts["name"] = append(texts["name"], k.Name)
		texts["description"] = append(texts["description"], k.Description)
		for _, tool := range r.set.Tools() {
			args, _ := json.Marshal(map[string]string{"name": k.Name, "skill": k.Name})
			res, err := tool.Run(context.Background(), agent.Call{Key: "s/1.0", Name: tool.Name, Args: args})
			if err != nil {
				r.fault("%s of %s: %v", tool.Name, k.Name, err)
			}
			texts["out"] = append(texts["out"], res.Text())
			body, _ := k.Body()
			if r.Expect.Activation != "" && tool.Name == toolView && !strings.Contains(res.Text(), body[max(0, len(body)-100):]) &&
				(!strings.Contains(res.Text(), "[cut: ") || !strings.Contains(res.Text(), k.File)) {
				r.fault("%s was cut in silence", k.Name)
			}
		}
		if r.Expect.NoOutside && !slices.ContainsFunc(r.Roots, func(x struct {
			Path  string
			Scope Scope
		},
		) bool {
			return inside(k.File, filepath.Join(r.dir, x.Path))
		}) {
			r.fault("%s lies outside", k.File)
		}
	}
	for _, what := range r.Expect.NoControl {
		if slices.ContainsFunc(texts[what], func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }) {
			r.fault("control characters in %s", what)
		}
	}
	for _, what := range r.Expect.NoCR {
		if slices.ContainsFunc(texts[what], func(s string) bool { return strings.Contains(s, "\r") }) {
			r.fault("carriage returns in %s", what)
		}
	}
	if r.Expect.ValidUTF8 && !utf8.ValidString(strings.Join(slices.Concat(texts["name"], texts["description"], texts["out"]), "")) {
		r.fault("invalid UTF-8")
	}
	for _, name := range []string{r.Expect.NoFile, r.Expect.NoFileAfter} {
		if name == "" {
			continue
		}
		for _, dir := range []string{".", r.dir} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				r.fault("%s was made", name)
			}
		}
	}
}
