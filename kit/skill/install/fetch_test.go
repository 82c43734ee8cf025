package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/httpx"
)

// serve gives files by their paths.
func serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func parsed(t *testing.T, text string) Source {
	t.Helper()
	s, err := Parse(text, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fetcherFor(t *testing.T) *Fetcher {
	t.Helper()
	return &Fetcher{Env: gitEnv(t), Temp: t.TempDir(), Proxy: "off"}
}

// fetch brings a source, which must be one.
func fetch(t *testing.T, text string) *Bundle {
	t.Helper()
	f := fetcherFor(t)
	b, err := f.Fetch(t.Context(), parsed(t, text), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(f.Temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
	return b
}

// fails gives the error of a source that must not be brought, and sees that nothing stays of it.
func fails(t *testing.T, f *Fetcher, text string) string {
	t.Helper()
	b, err := f.Fetch(t.Context(), parsed(t, text), false)
	if err == nil {
		_, _, err = b.Choose(nil)
		_ = b.Close()
	}
	if err == nil {
		t.Fatalf("%s: %v", text, b.Found)
	}
	if left, err := os.ReadDir(f.Temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	return err.Error()
}

func names(b *Bundle) []string {
	var out []string
	for _, f := range b.Found {
		out = append(out, f.Name)
	}
	return out
}

func TestGitSources(t *testing.T) {
	bare, work := repo(t, map[string]string{"skills/one/SKILL.md": md("one", "first", "v1"), "skills/one/run.sh": "#!/bin/sh\n", "deep/a/SKILL.md": md("two", "second", "x")})
	first := git(t, work, "rev-parse", "HEAD")
	git(t, work, "tag", "v1")
	git(t, work, "push", "-q", "origin", "v1", "HEAD:refs/heads/feat/x")
	second := push(t, work, map[string]string{"skills/one/SKILL.md": md("one", "first", "v2")})
	git(t, bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	url := "file://" + bare
	for ref, want := range map[string]string{"": second, "#main": second, "#v1": first, "#feat/x": first, "#" + first: first} {
		b := fetch(t, url+ref)
		if b.Commit != want || !slices.Equal(names(b), []string{"one"}) {
			t.Errorf("%q: %s %v, want %s", ref, b.Commit, names(b), want)
		}
	}
	if b := fetch(t, bare); b.Commit != second || b.Source.Kind != Git {
		t.Errorf("a repository without files is read by git: %+v", b.Source)
	}
	s, err := parsed(t, work).WithRef("")
	if err == nil {
		t.Error("a folder has no branches", s)
	}
	f := fetcherFor(t)
	for text, want := range map[string]string{
		url + "#nowhere": `no branch, tag or commit "nowhere"`, "file:///nowhere/x.git": "git cannot fetch file:///nowhere/x.git",
		"file://host.example/x.git": "not used", "http://host.example/x.git": "not encrypted", "git://host.example/x.git": "not encrypted",
		"https://10.1.2.3/x.git": "private address 10.1.2.3", "https://user:secret@127.0.0.1:1/x.git": "git cannot fetch https://127.0.0.1:1/x.git",
	} {
		if got := fails(t, f, text); !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestGitSourceOfASubfolder(t *testing.T) {
	bare, _ := repo(t, map[string]string{"a/b/SKILL.md": md("deep", "d", "x"), "SKILL.md": md("top", "t", "x")})
	s := parsed(t, "file://"+bare)
	if b := fetch(t, "file://"+bare); !slices.Equal(names(b), []string{"top"}) {
		t.Error(names(b), "a skill at the top is the only one")
	}
	s.Sub = "a"
	b, err := fetcherFor(t).Fetch(t.Context(), s, false)
	if err != nil || !slices.Equal(names(b), []string{"deep"}) || b.lockPath(&b.Found[0]) != "a/b/SKILL.md" {
		t.Fatal(names(b), err)
	}
	_ = b.Close()
	s.Sub = "c"
	if _, err := fetcherFor(t).Fetch(t.Context(), s, false); err == nil || !strings.Contains(err.Error(), `no folder "c"`) {
		t.Error(err)
	}
}

// Nothing of a repository is run, and no settings of a person's that would run something.
func TestGitRunsNothingOfARepository(t *testing.T) {
	bare, work := repo(t, map[string]string{"SKILL.md": md("one", "first", "x"), ".gitattributes": "* filter=evil\n"})
	other, _ := repo(t, map[string]string{"x": "x"})
	git(t, work, "-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "sub")
	push(t, work, nil)
	ran := filepath.Join(t.TempDir(), "ran")
	hook := "#!/bin/sh\ntouch " + ran + "\n"
	for _, name := range []string{"post-checkout", "post-receive", "post-update", "reference-transaction"} {
		write(t, filepath.Join(bare, "hooks", name), hook)
		if err := os.Chmod(filepath.Join(bare, "hooks", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f := fetcherFor(t)
	template := t.TempDir()
	write(t, filepath.Join(template, "hooks", "post-checkout"), hook)
	if err := os.Chmod(filepath.Join(template, "hooks", "post-checkout"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.Env = append(f.Env, "GIT_TEMPLATE_DIR="+template, "GIT_DIR="+other, "GIT_WORK_TREE="+template)
	b, err := f.Fetch(t.Context(), parsed(t, "file://"+bare), false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook was run")
	}
	if list, err := os.ReadDir(filepath.Join(b.dir, "sub")); err != nil || len(list) > 0 {
		t.Errorf("a submodule was fetched: %v %v", list, err)
	}
}

func TestDownloads(t *testing.T) {
	skill := []byte(md("one", "first", "x"))
	url := serve(t, map[string][]byte{
		"/SKILL.md": skill, "/plain": skill, "/s.zip": zipOf(t, item{name: "one/SKILL.md", text: string(skill)}), "/page": []byte("<html>no</html>"),
		"/big.zip": make([]byte, maxDownload+1), "/no.zip": zipOf(t, item{name: "README.md", text: "x"}), "/half.zip": []byte("PK\x03\x04"),
	})
	for path, kind := range map[string]Kind{"/SKILL.md": Download, "/plain": Download, "/s.zip": Download} {
		if b := fetch(t, url+path); !slices.Equal(names(b), []string{"one"}) || b.Source.Kind != kind {
			t.Errorf("%s: %v %s", path, names(b), b.Source.Kind)
		}
	}
	f := fetcherFor(t)
	for path, want := range map[string]string{
		"/page": "neither a SKILL.md nor", "/nothing": "HTTP 404", "/big.zip": "larger than 10 MiB", "/no.zip": "no skills in", "/half.zip": "cannot be used",
	} {
		if got := fails(t, f, url+path); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// Where a download leads is nobody's choice but the person's.
func TestDownloadsGoOnlyWhereTheyMay(t *testing.T) {
	asked := []string{}
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	for path, to := range map[string]string{
		"/loop": "/loop", "/meta": "http://169.254.169.254/latest/x.zip", "/lan": "https://10.9.8.7/x.zip", "/plain": "http://192.0.2.1/x.zip",
		"/file": "file:///etc/passwd", "/ok": "/s.md", "/v6": "https://[fd00::7]/x.zip",
	} {
		mux.Handle(path, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("/s.md", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(md("one", "first", "x"))) })
	mux.HandleFunc("/bare", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) })
	f := fetcherFor(t)
	if b, err := f.Fetch(t.Context(), parsed(t, s.URL+"/ok"), false); err != nil {
		t.Error(err)
	} else {
		_ = b.Close()
	}
	for path, want := range map[string]string{
		"/loop": "more than 5 redirects", "/meta": "not encrypted", "/lan": "private address 10.9.8.7", "/plain": "not encrypted", "/file": "not used",
		"/v6": "private address fd00::7", "/bare": "HTTP 302",
	} {
		if got := fails(t, f, s.URL+path+""); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	f.Plain = true
	f.Private = func(host string, ip netip.Addr, net httpx.Net) bool {
		asked = append(asked, host+" "+ip.String()+" "+string(net))
		return false
	}
	fails(t, f, s.URL+"/meta")
	fails(t, f, s.URL+"/lan")
	if !slices.Equal(asked, []string{"169.254.169.254 169.254.169.254 link", "10.9.8.7 10.9.8.7 lan"}) {
		t.Error(asked)
	}
	for _, text := range []string{"http://example.com/x.zip", "http://10.0.0.1/x.zip"} {
		if got := fails(t, fetcherFor(t), text); !strings.Contains(got, "not encrypted") {
			t.Errorf("%s: %s", text, got)
		}
	}
	// a name that leads to this machine is no name of this machine
	c := fetcherFor(t).client("host.example")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err == nil {
		_ = resp.Body.Close()
		t.Error("a connection to this machine was made for another host")
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestWellKnownIndexes(t *testing.T) {
	one, two := []byte(md("one", "first", "x")), zipOf(t, item{name: "SKILL.md", text: md("two", "second", "x")}, item{name: "a/run.sh", text: "x", mode: 0o755})
	first := map[string][]byte{
		"/.well-known/agent-skills/index.json": []byte(`{"skills":[
			{"name":"one","description":"first\u001b[2J","files":["SKILL.md","ref/a.md"]},
			{"name":"../x","description":"bad","files":["SKILL.md"]},
			{"name":"esc","description":"bad","files":["SKILL.md","../../x"]},
			{"name":"lost","description":"gone","files":["SKILL.md","not-there"]}]}`),
		"/.well-known/agent-skills/one/SKILL.md":  one,
		"/.well-known/agent-skills/one/ref/a.md":  []byte("a"),
		"/.well-known/agent-skills/lost/SKILL.md": []byte(md("lost", "gone", "x")),
	}
	second := func(sum string) map[string][]byte {
		index, err := json.Marshal(map[string]any{"$schema": indexV2, "skills": []map[string]string{
			{"name": "one", "description": "first", "type": "skill-md", "url": "one.md", "digest": digest(one)},
			{"name": "two", "description": "second", "type": "archive", "url": "/files/two.zip", "digest": sum},
			{"name": "three", "description": "x", "type": "archive", "url": "x", "digest": "md5:1"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"/team/.well-known/skills/index.json": index, "/team/.well-known/skills/one.md": one, "/files/two.zip": two}
	}
	b := fetch(t, serve(t, first))
	if !slices.Equal(names(b), []string{"one", "lost"}) || len(b.Skipped) != 2 || strings.Contains(b.Found[0].Description, "\x1b") {
		t.Fatalf("%+v %v", b.Found, b.Skipped)
	}
	tree, err := b.tree(t.Context(), &b.Found[0])
	if err != nil || len(tree) != 2 || b.Found[0].Digest != siteDigest(tree) {
		t.Errorf("%v %v", tree, err)
	}
	if _, err := b.tree(t.Context(), &b.Found[1]); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a file that is missing makes the skill missing: %v", err)
	}
	url := serve(t, second(digest(two)))
	b = fetch(t, url+"/team")
	if !slices.Equal(names(b), []string{"one", "two"}) || len(b.Skipped) != 1 {
		t.Fatalf("%v %v", b.Found, b.Skipped)
	}
	for i := range b.Found {
		if tree, err := b.tree(t.Context(), &b.Found[i]); err != nil || len(tree) != i+1 {
			t.Errorf("%v %v", tree, err)
		}
	}
	if b := fetch(t, url+"/team/.well-known/skills/two"); b.Source.Skill != "two" {
		t.Errorf("%+v", b.Source)
	}
	b = fetch(t, serve(t, second(digest(one)))+"/team")
	if _, err := b.tree(t.Context(), &b.Found[1]); err == nil || !strings.Contains(err.Error(), digest(two)) {
		t.Errorf("another digest: %v", err)
	}
	if got := fails(t, fetcherFor(t), url); !strings.Contains(got, "404") {
		t.Error(got)
	}
	if got := fails(t, fetcherFor(t), serve(t, first)+"/team"); !strings.Contains(got, "404") {
		t.Errorf("the index of the whole site is not that of a part: %s", got)
	}
}

func TestIndexesThatAreNone(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", `{"skills":{}}`, `{"$schema":"https://other","skills":[]}`, `{"skills":[` + strings.Repeat("{},", 2001) + "{}]}"} {
		if p, err := readIndex([]byte(text)); err == nil {
			t.Errorf("%.40q: %+v", text, p)
		}
	}
}
