package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
)

func get(t *testing.T, h http.Handler, path string, head map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for k, v := range head {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestFiles(t *testing.T) {
	h := Handler()
	for path, want := range map[string]string{
		"/": "text/html", "/index.html": "text/html", "/js/main.js": "text/javascript", "/css/base.css": "text/css",
		"/icon.svg": "image/svg+xml", "/lib/hljs/LICENSE": "text/plain", "/VENDORED.md": "text/plain",
	} {
		w := get(t, h, path, nil)
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), want) || w.Body.Len() == 0 {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		again := get(t, h, path, map[string]string{"If-None-Match": w.Header().Get("ETag")})
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s is sent again: %d", path, again.Code)
		}
	}
	for _, path := range []string{"/js/", "/js", "/nothing", "/web.go", "/../web.go", "/js/../index.html"} {
		if w := get(t, h, path, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// The page must work where nothing but its own host is allowed, and no script or style stands in it.
func TestNothingFromElsewhere(t *testing.T) {
	foreign := regexp.MustCompile(`(?:src|href|url|import|fetch)\s*[=(]\s*["'` + "`" + `]?\s*(?:https?:)?//`)
	for name, f := range load() {
		if strings.HasPrefix(name, "lib/") || name == "VENDORED.md" {
			continue
		}
		if m := foreign.Find(f.data); m != nil {
			t.Errorf("%s asks another host: %s", name, m)
		}
		for _, bad := range []string{"eval(", "new Function", ".innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"} {
			if strings.HasSuffix(name, ".js") && bytes.Contains(f.data, []byte(bad)) {
				t.Errorf("%s has %s", name, bad)
			}
		}
	}
	html := string(load()["index.html"].data)
	for _, bad := range []string{`<script>`, `<style`, ` style=`, ` onclick=`, `javascript:`} {
		if strings.Contains(html, bad) {
			t.Errorf("index.html has %s", bad)
		}
	}
	files := load()
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(html, -1) {
		if _, ok := files[m[1]]; !ok {
			t.Errorf("index.html wants %s, which is not there", m[1])
		}
	}
	for name, f := range files {
		if strings.HasPrefix(name, "lib/") {
			continue
		}
		for _, m := range regexp.MustCompile(`from '(\.[^']+)'`).FindAllStringSubmatch(string(f.data), -1) {
			if _, ok := files[filepath.ToSlash(filepath.Join(filepath.Dir(name), m[1]))]; !ok {
				t.Errorf("%s wants %s, which is not there", name, m[1])
			}
		}
	}
}

// What was not written here is what its list says, byte for byte, has its licences beside it, and stays small.
func TestVendored(t *testing.T) {
	listed := map[string]string{}
	files := load()
	for _, m := range regexp.MustCompile("\\| `(lib/[^`]+)` \\| (\\d+) \\| `([0-9a-f]{64})` \\|").FindAllStringSubmatch(string(files["VENDORED.md"].data), -1) {
		listed[m[1]] = m[3]
	}
	size := 0
	for name, f := range files {
		if !strings.HasPrefix(name, "lib/") {
			continue
		}
		size += len(f.data)
		sum := sha256.Sum256(f.data)
		if listed[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not what VENDORED.md says", name)
		}
		delete(listed, name)
	}
	if len(listed) > 0 {
		t.Errorf("listed, and not there: %v", slices.Sorted(maps.Keys(listed)))
	}
	if size > 400_000 {
		t.Errorf("%d bytes of libraries", size)
	}
}

func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	return path
}

// The modules that need no browser have their own tests.
func TestModules(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), node(t), "--test", "--test-reporter=tap", "state_test.mjs", "change_test.mjs", "stream_test.mjs").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// What the page makes of a log is what the agent makes of it: the same window, questions, state, totals and inputs used.
func TestFoldAsTheAgentDoes(t *testing.T) {
	logs, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(logs) == 0 {
		t.Fatal("no logs", err)
	}
	for _, path := range logs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			lines, session := durable(t, path)
			for n := 1; n <= len(lines); n++ {
				if n != len(lines) && n%7 != 0 {
					continue
				}
				sameFold(t, session, lines[:n])
			}
		})
	}
}

// durable are the lines of a log that are stored.
func durable(t *testing.T, path string) (lines [][]byte, session string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var e agent.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if session = e.Session; e.Type.Durable() {
			lines = append(lines, bytes.TrimSpace(line))
		}
	}
	return lines, session
}

// known is what testdata/fold.mjs prints.
type known struct {
	Seq      int64                      `json:"seq"`
	Open     bool                       `json:"open"`
	Steps    int                        `json:"steps"`
	Total    agent.Usage                `json:"total"`
	Usage    agent.Usage                `json:"usage"`
	State    map[string]json.RawMessage `json:"state"`
	Setup    agent.Setup                `json:"setup"`
	Asks     []string                   `json:"asks"`
	Messages int                        `json:"messages"`
	Results  int                        `json:"results"`
	Took     []int64                    `json:"took"`
}

func sameFold(t *testing.T, session string, lines [][]byte) {
	t.Helper()
	s, err := agent.Load(session, func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := known{
		Seq: s.Seq, Open: s.Open, Steps: s.Steps, Total: s.Total, Usage: s.Usage, State: s.State, Setup: s.Setup,
		Asks: slices.Sorted(maps.Keys(s.Asks)),
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		switch {
		case m.Role == agent.ToolRole:
			want.Results++
		case m.Seq != s.Compacted(): // the page shows a summary as a mark
			want.Messages++
		}
	}
	for pos := int64(1); pos <= 200; pos++ {
		if s.Taken("input/"+session, pos, "") {
			want.Took = append(want.Took, pos)
		}
	}
	cmd := exec.CommandContext(t.Context(), node(t), "testdata/fold.mjs", session)
	cmd.Stdin = bytes.NewReader(bytes.Join(lines, []byte("\n")))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got known
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if x, y := plain(t, got), plain(t, want); x != y {
		t.Errorf("after event %d the page knows\n%s\nand the agent\n%s", s.Seq, x, y)
	}
}

// plain is a value in one form: empty lists and maps are absent.
func plain(t *testing.T, k known) string {
	t.Helper()
	if len(k.State) == 0 {
		k.State = map[string]json.RawMessage{}
	}
	k.Asks, k.Took = append([]string{}, k.Asks...), append([]int64{}, k.Took...)
	b, err := agent.EncodeJSON(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
