//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A person at a terminal sees the files and is asked; no leaves everything as it is, and so does Ctrl-C.
func TestSkillInstallAsks(t *testing.T) {
	dir := t.TempDir()
	work, src := filepath.Join(dir, "work"), filepath.Join(dir, "src")
	for path, text := range map[string]string{
		filepath.Join(work, "README"):   "x",
		filepath.Join(src, "SKILL.md"):  "---\nname: weather\ndescription: Tells the weather.\n---\n",
		filepath.Join(src, "a/run.sh"):  "#!/bin/sh\n",
		filepath.Join(src, "a/text.md"): "x",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	installed := filepath.Join(work, ".agents/skills/weather/a/run.sh")
	for _, c := range []struct {
		keys  string
		code  int
		there bool
	}{{"n\n", 2, false}, {"\n", 2, false}, {ctrlC, 130, false}, {"y\n", 0, true}} {
		p := startAt(t, work, nil, "skill", "install", src)
		p.until("+ a/run.sh")
		p.until("[script]")
		p.until("[y/N]")
		p.keys(c.keys)
		if c.there {
			p.until("installed weather in ./.agents/skills/weather")
		}
		p.ends(c.code)
		if _, err := os.Stat(installed); (err == nil) != c.there {
			t.Errorf("%q: %v", c.keys, err)
		}
	}
	p := startAt(t, work, nil, "skill", "remove", "weather")
	p.until("- ./.agents/skills/weather")
	p.until("[y/N]")
	p.keys("y\n")
	p.until("removed weather")
	p.ends(0)
	if _, err := os.Stat(filepath.Dir(installed)); err == nil {
		t.Error("it is still there")
	}
}

// Ctrl-C ends what takes too long: a download, and git.
func TestSkillInstallIsInterrupted(t *testing.T) {
	for _, path := range []string{"/x.zip", "/x.git"} {
		asked := make(chan struct{}, 4)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-r.Context().Done()
		}))
		t.Cleanup(server.Close)
		work := filepath.Join(t.TempDir(), "work")
		temp := t.TempDir()
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath("git"); err != nil && path == "/x.git" {
			t.Skip("needs git")
		}
		p := startAt(t, work, []string{"TMPDIR=" + temp}, "skill", "install", server.URL+path, "--yes")
		select {
		case <-asked:
		case <-p.done:
			t.Fatal("it ended before it asked")
		}
		p.keys(ctrlC)
		p.ends(130)
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}
