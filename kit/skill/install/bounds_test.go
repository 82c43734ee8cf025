package install

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// fed runs git with something to read and gives its answer.
func fed(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gitEnv(t), strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// treeBomb is a repository of a few kilobytes that lists ten files to the power of levels.
func treeBomb(t *testing.T, levels, size int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bomb.git")
	git(t, t.TempDir(), "init", "-q", "--bare", "-b", "main", dir)
	id, kind := fed(t, dir, strings.Repeat("x", size), "hash-object", "-w", "--stdin"), "100644 blob"
	for range levels {
		var tree strings.Builder
		for i := range 10 {
			fmt.Fprintf(&tree, "%s %s\td%d\n", kind, id, i)
		}
		id, kind = fed(t, dir, tree.String(), "mktree"), "040000 tree"
	}
	skill := fed(t, dir, md("one", "first", "x"), "hash-object", "-w", "--stdin")
	id = fed(t, dir, fmt.Sprintf("100644 blob %s\tSKILL.md\n040000 tree %s\tdeep\n", skill, id), "mktree")
	git(t, dir, "update-ref", "refs/heads/main", fed(t, dir, "x", "commit-tree", id))
	return dir
}

func keyOf(err error) msg.Key {
	if told, ok := errors.AsType[*msg.Error](err); ok {
		return told.Key
	}
	return ""
}

// A few bytes may say that there are very many files: they are counted before one is written.
func TestRepositoriesHaveBounds(t *testing.T) {
	for _, c := range []struct {
		levels, size int
		want         msg.Key
	}{{10, 1, msg.InstallSourceTree}, {5, 1, msg.InstallSourceMany}, {2, 3 << 20, msg.InstallDownloadBig}} {
		f := fetcherFor(t)
		b, err := f.Fetch(t.Context(), parsed(t, "file://"+treeBomb(t, c.levels, c.size)), false)
		if b != nil || keyOf(err) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
		if left, err := os.ReadDir(f.Temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	bare, work := repo(t, map[string]string{"SKILL.md": md("one", "first", "x"), "a/b.txt": "b"})
	f := fetcherFor(t)
	f.most = 1
	if _, err := f.Fetch(t.Context(), parsed(t, "file://"+bare), false); keyOf(err) != msg.InstallDownloadBig {
		t.Error(err)
	}
	// what belongs to no skill is not taken, and does not count
	git(t, work, "mv", "SKILL.md", "a/SKILL.md")
	push(t, work, map[string]string{"other/x.bin": "x"})
	b := fetch(t, "file://"+bare)
	if _, err := os.Stat(filepath.Join(b.dir, "other")); err == nil || !slices.Equal(names(b), []string{"one"}) {
		t.Error(names(b), err)
	}
	if tree, err := b.tree(t.Context(), &b.Found[0]); err != nil || len(tree) != 2 {
		t.Error(tree, err)
	}
}

// The watch ends what fills the disk while it runs.
func TestWhatFillsTheDiskIsStopped(t *testing.T) {
	dir := t.TempDir()
	big := errors.New("big")
	err := bounded(t.Context(), dir, 10, big, func(ctx context.Context) error {
		write(t, filepath.Join(dir, "a", "x"), strings.Repeat("x", 11))
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if !errors.Is(err, big) {
		t.Error(err)
	}
}

// A link in a repository is a link afterwards, too, and leads nobody out.
func TestLinksOfRepositoriesAreRefused(t *testing.T) {
	bare, work := repo(t, map[string]string{"skills/a/SKILL.md": md("a", "first", "x"), "skills/b/SKILL.md": md("b", "second", "x")})
	link(t, "/etc/passwd", filepath.Join(work, "skills/b/x"))
	link(t, "../skills", filepath.Join(work, ".claude/skills"))
	push(t, work, nil)
	b := fetch(t, "file://"+bare)
	if !slices.Equal(names(b), []string{"a", "b"}) {
		t.Fatal(names(b))
	}
	if _, err := b.tree(t.Context(), &b.Found[0]); err != nil {
		t.Error(err)
	}
	if _, err := b.tree(t.Context(), &b.Found[1]); keyOf(err) != msg.InstallNotAFile {
		t.Error(err)
	}
}

// Where git goes is nobody's choice but the person's: redirects are followed by us, as those of downloads are.
func TestGitGoesOnlyWhereItMay(t *testing.T) {
	bare, _ := repo(t, map[string]string{"SKILL.md": md("one", "first", "x")})
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	mux := http.NewServeMux()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.Path)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	mux.Handle("/real/", &cgi.Handler{
		Path: program, Args: []string{"http-backend"}, Root: "/real", Env: []string{"GIT_PROJECT_ROOT=" + bare, "GIT_HTTP_EXPORT_ALL=1"},
	})
	for name, to := range map[string]string{
		"ok": "/real", "lan": "https://10.9.8.7/x", "meta": "http://169.254.169.254/x", "loop": "/loop", "file": "file:///x", "v6": "https://[fd00::7]/x",
	} {
		mux.HandleFunc("/"+name+"/info/refs", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, to+"/info/refs?"+r.URL.RawQuery, http.StatusFound)
		})
	}
	mux.Handle("/page/info/refs", http.RedirectHandler("/login", http.StatusFound))
	// only git itself is sent there: what is asked first gets an answer
	mux.HandleFunc("/sly/info/refs", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "git/") {
			http.Redirect(w, r, "/secret/info/refs", http.StatusFound)
		}
	})
	source := func(name string) Source {
		return Source{Kind: Git, URL: s.URL + "/" + name}
	}
	b, err := fetcherFor(t).Fetch(t.Context(), source("ok"), false)
	if err != nil || !slices.Equal(names(b), []string{"one"}) {
		t.Fatal(err)
	}
	_ = b.Close()
	for name, want := range map[string]msg.Key{
		"lan": msg.InstallPrivate, "meta": msg.InstallPlain, "loop": msg.InstallRedirects, "file": msg.InstallTransport, "v6": msg.InstallPrivate,
		"page": msg.InstallMoved, "sly": msg.InstallGit,
	} {
		if _, err := fetcherFor(t).Fetch(t.Context(), source(name), false); keyOf(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if slices.Contains(got, "/secret/info/refs") {
		t.Error("git followed by itself")
	}
	var asked []string
	f := fetcherFor(t)
	f.Private = func(host string, _ netip.Addr, _ httpx.Net) bool {
		asked = append(asked, host)
		return false
	}
	if _, err := f.Fetch(t.Context(), source("lan"), false); err == nil || !slices.Equal(asked, []string{"10.9.8.7"}) {
		t.Error(asked, err)
	}
}

// An archive whose end is missing is no archive, wherever it was cut.
func TestArchivesThatWereCut(t *testing.T) {
	tar := tarOf(t, item{name: "one/SKILL.md", text: md("one", "first", strings.Repeat("x", 2000))})
	for name, whole := range map[string][]byte{"tar": tar, "tgz": gzipOf(t, tar), "zip": zipOf(t, item{name: "one/SKILL.md", text: md("one", "first", "x")})} {
		if _, ok, err := unpack(t.Context(), whole); !ok || err != nil {
			t.Error(name, err)
		}
		for cut := 1; cut < len(whole)-262; cut++ {
			if _, ok, err := unpack(t.Context(), whole[:len(whole)-cut]); ok && err == nil {
				t.Errorf("%s without its last %d bytes is taken", name, cut)
				break
			}
		}
	}
	bad := gzipOf(t, tar)
	bad[len(bad)-6] ^= 1
	if _, _, err := unpack(t.Context(), bad); err == nil {
		t.Error("the check sum is not checked")
	}
}

// What a dead process left is cleared; what a living one uses, or what is no source's, stays.
func TestFoldersOfDeadProcessesAreCleared(t *testing.T) {
	dead := exec.CommandContext(t.Context(), "git", "--version")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	gone := filepath.Join(dir, fmt.Sprintf("%s%d-1", tempName, dead.Process.Pid))
	write(t, filepath.Join(gone, "source", "x"), "x")
	stay := []string{
		fmt.Sprintf("%s%d-1", tempName, os.Getpid()), fmt.Sprintf("%s%d-2", tempName, dead.Process.Pid), "skill-source-123", tempName + "x-1",
		fmt.Sprintf("%s%d-x", tempName, dead.Process.Pid),
	}
	for _, s := range stay {
		write(t, filepath.Join(dir, s, "x"), "x")
	}
	link(t, filepath.Join(dir, stay[2]), filepath.Join(dir, fmt.Sprintf("%s%d-3", tempName, dead.Process.Pid)))
	release, err := tryHold(filepath.Join(dir, stay[1])) // as a process of another box does
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	made, free, err := makeTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	if _, err := os.Stat(gone); err == nil {
		t.Error("it is still there")
	}
	for _, s := range append(stay, filepath.Base(made)) {
		if _, err := os.Stat(filepath.Join(dir, s)); err != nil {
			t.Error(err)
		}
	}
}
