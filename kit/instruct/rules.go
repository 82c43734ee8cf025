package instruct

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// isRule says whether a file stands in .claude/rules, where files may have a header.
func isRule(file string) bool {
	return strings.Contains(filepath.ToSlash(file), "/.claude/rules/")
}

// rules takes the Markdown files of .claude/rules.
func (l *loader) rules(dir string) {
	seen := 0
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error { // what is not there has no rules
		if seen++; err != nil || seen > maxRules {
			return fs.SkipAll
		}
		if !d.IsDir() && strings.EqualFold(filepath.Ext(file), ".md") {
			l.take(file, "", mention{}, 0)
		}
		return nil
	})
}

// header takes a header between lines of three dashes off a text, and gives the patterns of its field `paths`: a list, or
// words with commas between them.
func header(s string) (body string, paths []string) {
	rest, ok := strings.CutPrefix(s, "---\n")
	if !ok {
		return s, nil
	}
	head, body, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return s, nil
		}
		body = ""
	}
	in := false
	for line := range strings.SplitSeq(head, "\n") {
		trimmed := strings.TrimSpace(line)
		if value, ok := strings.CutPrefix(line, "paths:"); ok {
			in = true
			paths = append(paths, listOf(value)...)
			continue
		}
		item, dash := strings.CutPrefix(trimmed, "-")
		if in && dash {
			paths = append(paths, listOf(item)...)
		} else if trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			in = false
		}
	}
	return body, paths
}

// listOf reads words with commas between them, also in brackets and quotes. Commas in braces belong to a pattern.
func listOf(s string) (list []string) {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "["); ok {
		s = strings.TrimSuffix(inner, "]")
	}
	depth, start := 0, 0
	add := func(word string) {
		if word = strings.Trim(strings.TrimSpace(word), `"'`); word != "" {
			list = append(list, word)
		}
	}
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				add(s[start:i])
				start = i + 1
			}
		}
	}
	add(s[start:])
	return list
}

// maxBraces bounds what the braces of a pattern are worth: many groups would be very many patterns.
const maxBraces = 100

// fits says whether a path, relative and with slashes, fits one of the patterns: `*` and `?` stand for characters of a name,
// `**` for any directories, {a,b} for either.
func fits(patterns []string, name string) bool {
	for _, p := range patterns {
		for _, one := range braces(p) {
			one = strings.TrimPrefix(one, "./")
			if match(strings.Split(one, "/"), strings.Split(name, "/")) {
				return true
			}
		}
	}
	return false
}

// braces resolves the braces of a pattern.
func braces(p string) []string {
	todo, out := []string{p}, []string(nil)
	for len(todo) > 0 && len(todo)+len(out) <= maxBraces {
		p := todo[0]
		todo = todo[1:]
		from := strings.LastIndexByte(p, '{')
		if from < 0 {
			out = append(out, p)
			continue
		}
		n := strings.IndexByte(p[from:], '}')
		if n < 0 {
			out = append(out, p)
			continue
		}
		for choice := range strings.SplitSeq(p[from+1:from+n], ",") {
			todo = append(todo, p[:from]+choice+p[from+n+1:])
		}
	}
	return out
}

// match compares the names of a path with those of a pattern.
func match(pattern, names []string) bool {
	// ways[j] says whether the pattern so far fits the first j names.
	ways := make([]bool, len(names)+1)
	ways[0] = true
	for _, p := range pattern {
		next := make([]bool, len(names)+1)
		for j := range ways {
			switch {
			case p == "**":
				next[j] = ways[j] || j > 0 && next[j-1]
			case j > 0 && ways[j-1]:
				ok, err := path.Match(strings.ReplaceAll(p, "[", `\[`), names[j-1])
				next[j] = err == nil && ok
			}
		}
		ways = next
	}
	return ways[len(names)]
}
