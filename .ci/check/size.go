package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// aims are the code lines that parts of the tree want to stay near, tests not counted. A part that outgrows its figure is
// a question to answer in the commit, not a number to squeeze.
func aims() map[string]int {
	return map[string]int{"agent": 1000, "agent/agenttest": 150, "engine": 600, "cmd/react-agent": 60}
}

// lines of a package: code, tests, and its longest file.
type lines struct {
	code, test, longest int
	file                string
}

// size prints the code lines of every package below root. Blank lines and comments do not count.
func size(root string, out io.Writer) error {
	pkgs := map[string]lines{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(p))
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(rel)
		pkgs[dir] = pkgs[dir].add(name, codeLines(src))
		return nil
	})
	if err != nil {
		return err
	}
	printSizes(pkgs, out)
	return nil
}

func (l lines) add(name string, n int) lines {
	if strings.HasSuffix(name, "_test.go") {
		l.test += n
		return l
	}
	l.code += n
	if n > l.longest {
		l.longest, l.file = n, name
	}
	return l
}

func printSizes(pkgs map[string]lines, out io.Writer) {
	total := lines{}
	fmt.Fprintf(out, "%-26s %6s %6s %6s  %s\n", "package", "code", "aim", "tests", "longest file")
	for _, dir := range sortedKeys(pkgs) {
		l := pkgs[dir]
		total.code += l.code
		total.test += l.test
		aim := ""
		if n := aims()[dir]; n > 0 {
			aim = fmt.Sprint(n)
		}
		fmt.Fprintf(out, "%-26s %6d %6s %6d  %s %d\n", dir, l.code, aim, l.test, l.file, l.longest)
	}
	fmt.Fprintf(out, "%-26s %6d %6s %6d\n", "together", total.code, "", total.test)
}

// codeLines counts the lines on which a token begins or ends.
func codeLines(src []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	seen := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(seen)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(lit, "\n") {
			seen[first+i] = true
		}
	}
}
