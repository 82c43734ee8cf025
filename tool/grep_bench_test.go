package tool

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
)

// forest makes a tree of 10,000 files of text, some 60 MB, a tenth of it ignored.
func forest(b *testing.B) Env {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+i%26)), 1+i%3) + fmt.Sprintf("%x", i) + "_name"[:i%6]
	}
	write(b, filepath.Join(dir, ".git", "HEAD"), "")
	write(b, filepath.Join(dir, ".gitignore"), "*.o\n/build/\nnode_modules\n!keep.o\n**/gen/**/*.txt\ntmp*\n")
	for i := range 10000 {
		var t strings.Builder
		for lines := 20 + rnd.IntN(300); lines > 0; lines-- {
			t.WriteString("\t")
			for range rnd.IntN(9) {
				t.WriteString(words[rnd.IntN(len(words))] + " ")
			}
			t.WriteString("= 1;\n")
		}
		if i%100 == 0 {
			t.WriteString("func handleRequest(ctx Context) error {\n")
		}
		ext := []string{"go", "go", "go", "ts", "ts", "md", "md", "md", "json", "o"}[i%10]
		write(b, filepath.Join(dir, fmt.Sprintf("d%d/e%d/f%d.%s", i%20, i/20%25, i, ext)), t.String())
	}
	return Env{Root: dir}
}

// BenchmarkSearch compares both ways of grep with ripgrep itself, and glob.
//
//	go test ./tool -run '^$' -bench Search -count 7
func BenchmarkSearch(b *testing.B) {
	e := forest(b)
	run := func(b *testing.B, t agent.Tool, a args) {
		raw, err := json.Marshal(a)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if r, err := t.Run(b.Context(), agent.Call{Args: raw}); err != nil || r.Error || strings.Contains(r.Text(), "no matches") {
				b.Fatal(r.Text(), err)
			}
		}
	}
	for name, pattern := range map[string]string{
		"literal": `handleRequest`, "regex": `handle\w+\(ctx`, "no-needle": `[A-Z][a-z]+\([a-z]+ [A-Z]`, "fold": `(?i)HANDLEREQUEST`, "common": "name", "rare": `\b[0-9]{4}[A-Z][a-z]\b|\b[h-j][a]n\w+[Q-S]`, "none": `[a-c][67][0-9a-f]{2}\s`,
	} {
		b.Run(name+"/go", func(b *testing.B) { run(b, e.withDefaults().grepWith(nil), args{"pattern": pattern}) })
		b.Run(name+"/sieve", func(b *testing.B) {
			if _, err := exec.LookPath("rg"); err != nil {
				b.Skip("needs rg")
			}
			rg := newSieve(e)
			rg.always = true
			run(b, e.withDefaults().grepWith(rg), args{"pattern": pattern})
		})
		b.Run(name+"/rg", func(b *testing.B) {
			if _, err := exec.LookPath("rg"); err != nil {
				b.Skip("needs rg")
			}
			for b.Loop() {
				if out, err := exec.CommandContext(b.Context(), "rg", "--no-config", "-n", "--hidden", "-e", pattern, e.Root).Output(); err != nil || len(out) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("glob", func(b *testing.B) { run(b, Glob(e), args{"pattern": "**/*8.json"}) })
	b.Run("rg-files", func(b *testing.B) {
		if _, err := exec.LookPath("rg"); err != nil {
			b.Skip("needs rg")
		}
		for b.Loop() {
			if out, err := exec.CommandContext(b.Context(), "rg", "--no-config", "--files", "--hidden", "-g", "*8.json", e.Root).Output(); err != nil || len(out) == 0 {
				b.Fatal(err)
			}
		}
	})
}
