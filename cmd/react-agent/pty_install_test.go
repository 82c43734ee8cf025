//go:build unix

package main

import (
	"os"
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
