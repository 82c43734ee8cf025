package skills_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"react-agent/kit/skill"
)

const (
	paperScripts = "paper_search/scripts"
	paperQuery   = "graph attention for traffic forecasting"
)

// paperSources are the keys of the sources, in the order of the output.
func paperSources() []string {
	return []string{"arxiv", "dblp", "open_alex", "openreview", "semantic_scholar", "crossref"}
}

// papers is a local place where all six sources answer with what is recorded, and where they can be made to fail.
type papers struct {
	*httptest.Server
	instead map[string]http.HandlerFunc // by source

	mu   sync.Mutex
	seen map[string][]*http.Request
}

func newPapers(t *testing.T, instead map[string]http.HandlerFunc) *papers {
	t.Helper()
	p := &papers{instead: instead, seen: map[string][]*http.Request{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *papers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	source, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method == http.MethodConnect { // as a proxy it leads nowhere
		source = r.Host
	}
	p.mu.Lock()
	p.seen[source] = append(p.seen[source], r.Clone(context.WithoutCancel(r.Context())))
	p.mu.Unlock()
	if h := p.instead[source]; h != nil {
		h(w, r)
		return
	}
	if r.Method == http.MethodConnect {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	http.ServeFile(w, r, recording(source))
}

func recording(source string) string {
	if source == "arxiv" {
		return "testdata/paper_search/arxiv.xml"
	}
	return "testdata/paper_search/" + source + ".json"
}

func (p *papers) requests(source string) []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen[source])
}

// env is an environment in which the sources are here and nothing waits.
func (p *papers) env(more ...string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "PAPER_SEARCH_WAIT_SECONDS=0", "NO_PROXY=*", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	for _, s := range paperSources() {
		env = append(env, "PAPER_SEARCH_"+strings.ToUpper(s)+"_URL="+p.URL+"/"+s)
	}
	return append(env, more...)
}

// command is a search in dir, which no settings of the machine reach.
func paperCommand(t *testing.T, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	script, err := filepath.Abs(paperScripts + "/search_papers.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, append([]string{script}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	return cmd
}

type paperRun struct {
	out, err string
	code     int
}

func searchIn(t *testing.T, dir string, env []string, args ...string) paperRun {
	t.Helper()
	cmd := paperCommand(t, dir, env, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if strings.Contains(errs.String(), "Traceback") {
		t.Errorf("the script crashed:\n%s", errs.String())
	}
	return paperRun{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (p *papers) search(t *testing.T, args ...string) paperRun {
	t.Helper()
	return searchIn(t, t.TempDir(), p.env(), append([]string{"--query", paperQuery, "--start-year", "2023", "--end-year", "2024"}, args...)...)
}

func TestPaperSearchRanksAndMerges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "papers.json")
	got := newPapers(t, nil).search(t, "--min-score", "1", "--json", file)
	want, err := os.ReadFile("testdata/paper_search/ranked.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.code != 0 || got.err != "" || got.out != string(want) {
		t.Errorf("exit %d, stderr %q, stdout:\n%s", got.code, got.err, got.out)
	}
	full := readPapers(t, file)
	if len(full) != 6 {
		t.Fatalf("%d records in the file", len(full))
	}
	first := full[0]
	for _, field := range []string{"title", "authors", "year", "abstract", "url", "venue", "citation_count", "publication_date", "source", "doi", "arxiv_id", "found_in"} {
		if _, ok := first[field]; !ok {
			t.Errorf("the record has no %s: %v", field, first)
		}
	}
	if first["abstract"] != "Sample words about roads." {
		t.Errorf("the abstract is not the one of the source that has one: %v", first["abstract"])
	}
}

func readPapers(t *testing.T, file string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var full []map[string]any
	if err := json.Unmarshal(data, &full); err != nil {
		t.Fatal(err)
	}
	return full
}

func TestPaperSearchRaw(t *testing.T) {
	got := newPapers(t, nil).search(t, "--raw", "--sources", "dblp,open_alex,crossref")
	heads := regexp.MustCompile(`(?m)^== .* ==$`).FindAllString(got.out, -1)
	want := []string{"== dblp (2) ==", "== open_alex (2) ==", "== crossref (2) =="}
	if got.code != 0 || !slices.Equal(heads, want) {
		t.Errorf("exit %d, groups %q", got.code, heads)
	}
	if n := strings.Count(got.out, "DOI: 10.5555/sample.1\n"); n != 3 {
		t.Errorf("the paper that all sources know is listed %d times", n)
	}
	if strings.Contains(got.out, "unique papers") || !strings.HasSuffix(got.out, "\ntotal: 6 papers\n") {
		t.Errorf("raw output:\n%s", got.out)
	}
}

func TestPaperSearchAsksWithTheYears(t *testing.T) {
	p := newPapers(t, nil)
	p.search(t, "--max-papers", "7", "--start-date", "2023-02-01", "--end-date", "2024-05-06")
	for source, want := range map[string]map[string]string{
		"arxiv": {
			"search_query": "(all:graph AND all:attention AND all:traffic AND all:forecasting) AND submittedDate:[202302010000 TO 202405062359]",
			"max_results":  "7",
		},
		"dblp":             {"q": paperQuery, "format": "json"},
		"open_alex":        {"search": paperQuery, "filter": "from_publication_date:2023-02-01,to_publication_date:2024-05-06", "per-page": "7"},
		"openreview":       {"term": paperQuery, "source": "forum"},
		"semantic_scholar": {"query": paperQuery, "year": "2023-2024", "limit": "7"},
		"crossref":         {"query.bibliographic": paperQuery, "filter": "from-pub-date:2023-02-01,until-pub-date:2024-05-06", "rows": "7"},
	} {
		asked := p.requests(source)
		if len(asked) != 1 {
			t.Errorf("%s was asked %d times", source, len(asked))
			continue
		}
		for k, v := range want {
			if got := asked[0].URL.Query().Get(k); got != v {
				t.Errorf("%s: %s is %q, not %q", source, k, got, v)
			}
		}
		if asked[0].Header.Get("Authorization") != "" || asked[0].Header.Get("X-Api-Key") != "" {
			t.Errorf("%s: asked with credentials that nobody gave", source)
		}
	}
	if path := p.requests("openreview")[0].URL.Path; path != "/openreview/notes/search" {
		t.Errorf("openreview: %s", path)
	}
}

func TestPaperSearchDates(t *testing.T) {
	got := newPapers(t, nil).search(t, "--start-date", "2024-02-10", "--end-date", "2024-02-10", "--sources", "arxiv", "openreview,dblp", "--no-parallel")
	for title, want := range map[string]bool{
		"Sample Three": true, "Sample six without a date": true, "Sample five": true,
		"sample two": false, "Sample Two": false, "before its years": false,
	} {
		if strings.Contains(got.out, title) != want {
			t.Errorf("%q listed: %v\n%s", title, !want, got.out)
		}
	}
	if !strings.HasPrefix(got.out, "arxiv: 1 hits\nopenreview: 1 hits\ndblp: 2 hits\n") {
		t.Errorf("hits:\n%s", got.out)
	}
}

func TestPaperSearchQueriesAreUnited(t *testing.T) {
	p := newPapers(t, nil)
	got := searchIn(t, t.TempDir(), p.env(), "--queries", "graph attention| |pipes|graph  attention", "--start-year", "2023", "--end-year", "2024",
		"--sources", "dblp", "model_knowledge")
	var asked []string
	for _, r := range p.requests("dblp") {
		asked = append(asked, r.URL.Query().Get("q"))
	}
	if !slices.Equal(asked, []string{"graph attention", "pipes"}) {
		t.Errorf("asked for %q", asked)
	}
	want := "dblp: 2 hits\nmodel_knowledge: recalled by the model, nothing to ask\nunique papers: 2 (0 cross-source duplicate records merged)\n"
	if got.code != 0 || !strings.HasPrefix(got.out, want) || !strings.Contains(got.out, `[score 1] Sample five on networks of "pipes"`) {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
}

func fail(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func say(body string) http.HandlerFunc { return fail(http.StatusOK, body) }

func hangUp(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// hold answers nothing, or begins to, until the client leaves.
func hold(beginning string, arrived func(r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if beginning != "" {
			fmt.Fprint(w, beginning)
			http.NewResponseController(w).Flush()
		}
		if arrived != nil {
			arrived(r)
		}
		<-r.Context().Done()
	}
}

func TestPaperSearchSourcesFailAlone(t *testing.T) {
	p := newPapers(t, map[string]http.HandlerFunc{
		"arxiv":            say(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id><summary>malformed query</summary></entry></feed>`),
		"dblp":             fail(http.StatusServiceUnavailable, "busy"),
		"open_alex":        say("<html>maintenance</html>"),
		"semantic_scholar": fail(http.StatusForbidden, "no entry"),
		"crossref":         hangUp,
	})
	got := p.search(t)
	if got.code != 0 {
		t.Errorf("exit %d though one source answered", got.code)
	}
	for source, want := range map[string]string{
		"arxiv": "malformed query", "dblp": "HTTP 503 (4 attempts)", "open_alex": "the answer is not JSON: <html>maintenance</html>",
		"semantic_scholar": "HTTP 403: no entry", "crossref": "(4 attempts)",
	} {
		line := regexp.MustCompile(`(?m)^` + source + `: 0 hits \[ERROR: .*` + regexp.QuoteMeta(want) + `\]$`)
		if !line.MatchString(got.out) {
			t.Errorf("%s: no line with %q in\n%s", source, want, got.out)
		}
		if !strings.Contains(got.err, "ERROR "+source+": ") {
			t.Errorf("%s: not on stderr:\n%s", source, got.err)
		}
	}
	for source, want := range map[string]int{"dblp": 4, "crossref": 4, "semantic_scholar": 1, "open_alex": 1} {
		if n := len(p.requests(source)); n != want {
			t.Errorf("%s was asked %d times, not %d", source, n, want)
		}
	}
	if !strings.Contains(got.out, "openreview: 2 hits\n") || !strings.HasSuffix(got.out, "\ntotal: 2 papers\n") {
		t.Errorf("the source that answered:\n%s", got.out)
	}
}

func TestPaperSearchNobodyAnswers(t *testing.T) {
	p := newPapers(t, map[string]http.HandlerFunc{"dblp": say("[]"), "crossref": say(`{"message": 3}`)})
	closed := httptest.NewServer(nil)
	closed.Close()
	env := p.env("PAPER_SEARCH_OPENREVIEW_URL=" + closed.URL)
	got := searchIn(t, t.TempDir(), env, "--query", "x", "--start-year", "2023", "--end-year", "2023", "--sources", "dblp,crossref,openreview")
	if got.code != 1 || !strings.Contains(got.out, "openreview: 0 hits [ERROR: ConnectionRefusedError") || !strings.HasSuffix(got.out, "\ntotal: 0 papers\n") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
	if n := strings.Count(got.out, "[ERROR: unexpected answer"); n != 2 {
		t.Errorf("%d answers of a wrong shape are named, not 2:\n%s", n, got.out)
	}
}

func TestPaperSearchTriesAgain(t *testing.T) {
	var mu sync.Mutex
	n := 0
	p := newPapers(t, map[string]http.HandlerFunc{"crossref": func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		first := n == 1
		mu.Unlock()
		if first {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		http.ServeFile(w, r, recording("crossref"))
	}})
	got := p.search(t, "--sources", "crossref")
	if got.code != 0 || !strings.HasPrefix(got.out, "crossref: 2 hits\n") || len(p.requests("crossref")) != 2 {
		t.Errorf("exit %d after %d requests\n%s", got.code, len(p.requests("crossref")), got.out)
	}
}

func TestPaperSearchOneQueryFails(t *testing.T) {
	p := newPapers(t, map[string]http.HandlerFunc{"crossref": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("query.bibliographic") == "bad" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		http.ServeFile(w, r, recording("crossref"))
	}})
	got := searchIn(t, t.TempDir(), p.env(), "--queries", "bad|good", "--start-year", "2023", "--end-year", "2024", "--sources", "crossref")
	if got.code != 0 || !strings.HasPrefix(got.out, "crossref: 2 hits [ERROR: 'bad': HTTP 400") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
}

func TestPaperSearchTimeouts(t *testing.T) {
	p := newPapers(t, map[string]http.HandlerFunc{"dblp": hold(`{"result":`, nil), "crossref": hold("", nil)})
	got := searchIn(t, t.TempDir(), p.env("PAPER_SEARCH_TIMEOUT_SECONDS=0.2", "PAPER_SEARCH_SOURCE_TIMEOUT_SECONDS=60"),
		"--query", "x", "--start-year", "2023", "--end-year", "2023", "--sources", "dblp", "crossref")
	if got.code != 1 || strings.Count(got.out, "[ERROR: no answer in time]") != 2 {
		t.Errorf("silence: exit %d\n%s", got.code, got.out)
	}
	got = searchIn(t, t.TempDir(), p.env("PAPER_SEARCH_SOURCE_TIMEOUT_SECONDS=60,dblp=0.5"),
		"--query", "x", "--start-year", "2023", "--end-year", "2024", "--sources", "dblp,arxiv")
	if got.code != 0 || !strings.HasPrefix(got.out, "dblp: 0 hits [ERROR: no answer within 0.5 s]\narxiv: 2 hits\n") {
		t.Errorf("budget: exit %d\n%s", got.code, got.out)
	}
}

// childrenOf counts the processes that pid has started and that still run; ok is false where it cannot be seen.
func childrenOf(pid int) (n int, ok bool) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		return 0, false
	}
	for _, file := range tasks {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that has ended
		}
		n += len(strings.Fields(string(data)))
	}
	return n, true
}

// Each source works in a child process, and all are asked before one has answered; on demand one after the other.
func TestPaperSearchInParallel(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		most int
	}{{"all at once", nil, 6}, {"one by one", []string{"--no-parallel"}, 1}} {
		t.Run(c.name, func(t *testing.T) {
			instead := map[string]http.HandlerFunc{}
			var mu sync.Mutex
			waiting, most, children := 0, 0, 0
			everybody := make(chan struct{})
			pid := make(chan int, 1)
			for _, source := range paperSources() {
				instead[source] = func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					waiting++
					most = max(most, waiting)
					if waiting == c.most {
						id := <-pid
						pid <- id
						n, _ := childrenOf(id)
						children = max(children, n)
						if c.most > 1 {
							close(everybody)
						}
					}
					mu.Unlock()
					if c.most > 1 {
						select {
						case <-everybody:
						case <-r.Context().Done():
						}
					}
					mu.Lock()
					waiting--
					mu.Unlock()
					http.ServeFile(w, r, recording(source))
				}
			}
			p := newPapers(t, instead) // it serves from here on
			cmd := paperCommand(t, t.TempDir(), p.env(), append([]string{"--query", paperQuery, "--start-year", "2023", "--end-year", "2024"}, c.args...)...)
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid <- cmd.Process.Pid
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if most != c.most || !strings.HasSuffix(out.String(), "\ntotal: 7 papers\n") {
				t.Errorf("%d sources were asked at the same time, not %d\n%s", most, c.most, out.String())
			}
			if runtime.GOOS == "linux" && children != c.most {
				t.Errorf("%d child processes, not %d", children, c.most)
			}
		})
	}
}

func TestPaperSearchStopsWithItsChildren(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not here: there is no SIGTERM to send")
	}
	arrived, left := make(chan struct{}, 6), make(chan struct{}, 6)
	instead := map[string]http.HandlerFunc{}
	for _, source := range paperSources() {
		instead[source] = func(_ http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			<-r.Context().Done()
			left <- struct{}{}
		}
	}
	p := newPapers(t, instead)
	cmd := paperCommand(t, t.TempDir(), p.env(), "--query", "x", "--start-year", "2023", "--end-year", "2023")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		<-arrived
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit %d", code)
	}
	for range 6 {
		<-left
	}
}

func TestPaperSearchBadValues(t *testing.T) {
	p := newPapers(t, nil)
	got := searchIn(t, t.TempDir(), p.env("PAPER_SEARCH_MAX_ATTEMPTS=many"), "--query", "x", "--start-year", "2023", "--end-year", "2023")
	if want := "search_papers.py: error: PAPER_SEARCH_MAX_ATTEMPTS: 'many' is not a whole number from 1 to 100\n"; got.code != 2 || got.out != "" || got.err != want {
		t.Errorf("setting: exit %d, %q, %q", got.code, got.out, got.err)
	}
	got = searchIn(t, t.TempDir(), p.env(), "--query", "x")
	if got.code != 2 || got.out != "" || !strings.Contains(got.err, "required: --start-year, --end-year") {
		t.Errorf("arguments: exit %d, %q, %q", got.code, got.out, got.err)
	}
	if len(p.seen) != 0 {
		t.Errorf("%d sources were asked", len(p.seen))
	}
}

func TestPaperSearchReadsDotenv(t *testing.T) {
	dir := t.TempDir()
	elsewhere := newPapers(t, nil)
	dotenv := "# settings\nexport PAPER_SEARCH_MAX_ATTEMPTS = '2' # fewer\nSEMANTIC_SCHOLAR_API_KEY=\"placeholder\"\n" +
		"PAPER_SEARCH_DBLP_URL=" + elsewhere.URL + "/dblp\nOPENREVIEW_USERNAME=user\nOPENREVIEW_PASSWORD=pass word\nbroken\n"
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(dotenv), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPapers(t, map[string]http.HandlerFunc{
		"crossref": fail(http.StatusInternalServerError, ""),
		"semantic_scholar": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/semantic_scholar", http.StatusFound)
		},
		"openreview": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/login") {
				fmt.Fprint(w, `{"token": "t0"}`)
				return
			}
			http.ServeFile(w, r, recording("openreview"))
		},
	})
	env := slices.DeleteFunc(p.env(), func(v string) bool { return strings.HasPrefix(v, "PAPER_SEARCH_DBLP_URL=") })
	args := []string{"--query", "x", "--start-year", "2023", "--end-year", "2024", "--sources", "crossref,semantic_scholar,openreview"}
	got := searchIn(t, dir, env, args...)
	if !strings.HasPrefix(got.out, "crossref: 0 hits [ERROR: HTTP 500 (2 attempts)]\nsemantic_scholar: 2 hits\nopenreview: 2 hits\n") {
		t.Errorf("%s%s", got.out, got.err)
	}
	if r := p.requests("semantic_scholar"); len(r) != 1 || r[0].Header.Get("X-Api-Key") != "placeholder" {
		t.Error("the key does not reach the source it is for")
	}
	if r := elsewhere.requests("semantic_scholar"); len(r) != 1 || r[0].Header.Get("X-Api-Key") != "" {
		t.Error("the key goes along to another host")
	}
	if r := p.requests("openreview"); len(r) != 2 || r[1].Header.Get("Authorization") != "Bearer t0" {
		t.Errorf("login: %d requests", len(r))
	}
	// An address of the file is not used. The true one is only asked for at a proxy, which is here.
	searchIn(t, dir, append(env, "HTTPS_PROXY="+p.URL, "NO_PROXY="), append(args[:6:6], "--sources", "dblp")...)
	if len(elsewhere.requests("dblp")) != 0 || len(p.requests("dblp.org:443")) != 1 {
		t.Error("a file of the project moved the address of a source")
	}
	got = searchIn(t, dir, append(env, "PAPER_SEARCH_MAX_ATTEMPTS=3"), append(args[:6:6], "--sources", "crossref")...)
	if !strings.Contains(got.out, "(3 attempts)") {
		t.Errorf("the environment does not win over the file:\n%s", got.out)
	}
}

func TestPaperSearchUnits(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	out, err := exec.CommandContext(t.Context(), python, "testdata/paper_search/units_test.py", paperScripts).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if m := regexp.MustCompile(`Ran (\d+) tests`).FindStringSubmatch(string(out)); m == nil {
		t.Errorf("no tests were run:\n%s", out)
	} else if n, err := strconv.Atoi(m[1]); err != nil || n < 20 {
		t.Errorf("only %s tests were run", m[1])
	}
}

// What an author promises in SKILL.md: both languages, all arguments, all sources, the order of what is shown; and nothing
// of the program that reads it.
func TestPaperSearchSkill(t *testing.T) {
	set, err := skill.Load(t.Context(), skill.Options{Strict: true, Roots: []skill.Root{{Path: abs(t, "paper_search"), Scope: skill.Project}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range set.Diagnostics() {
		t.Error(d.String())
	}
	k, ok := set.Find("paper_search")
	if !ok {
		t.Fatal("not found")
	}
	body, err := k.Body()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range append(paperSources(), "model_knowledge", "--query", "--queries", "--start-year", "--end-year", "--start-date",
		"--end-date", "--max-papers", "--sources", "--min-score", "--raw", "--no-parallel", "--json", "allinone.md",
		"| # | Title | Date | Venue | Citations | Score | Sources |") {
		if !strings.Contains(body, word) {
			t.Errorf("SKILL.md says nothing about %q", word)
		}
	}
	if k.Has("scripts/run.py") {
		t.Error("it is no pipeline")
	}
	files := map[string]bool{}
	err = filepath.WalkDir("paper_search", func(path string, d os.DirEntry, err error) error {
		files[filepath.ToSlash(path)] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range maps.Keys(files) {
		if strings.Contains(path, "__pycache__") {
			t.Errorf("%s: running leaves something in the skill's folder", path)
		}
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
