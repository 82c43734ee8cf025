package tool

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// nameFilter chooses files by a pattern. nil chooses all.
type nameFilter struct {
	pattern string
	names   bool // without a slash it is about names, at any depth; else about the whole path
	except  bool
}

// maxBraces bounds the work of a pattern: every {a,b} may double it.
const maxBraces = 8

// newFilter makes a filter of a pattern: *.go, src/**/*.{ts,tsx}, and with ! in front everything else.
func newFilter(pattern string) (*nameFilter, error) {
	if pattern == "" {
		return nil, nil //nolint:nilnil // no filter is a filter
	}
	f := &nameFilter{pattern: pattern}
	f.pattern, f.except = strings.CutPrefix(f.pattern, "!")
	anchored := strings.HasPrefix(f.pattern, "./")
	for strings.HasPrefix(f.pattern, "./") {
		f.pattern = strings.TrimLeft(f.pattern[2:], "/")
	}
	if strings.HasSuffix(f.pattern, "/") {
		f.pattern += "**"
	}
	f.names = !anchored && !strings.Contains(f.pattern, "/")
	switch {
	case f.pattern == "":
		return nil, errors.New("the pattern is empty")
	case strings.HasPrefix(f.pattern, "/"), slices.Contains(strings.Split(f.pattern, "/"), ".."):
		return nil, fmt.Errorf("%q leads out of the directory that is searched: give that as path, and a pattern for what is below it", pattern)
	case strings.Count(f.pattern, "{") > maxBraces:
		return nil, fmt.Errorf("%q has too many braces (more than %d): use * or several calls", pattern, maxBraces)
	case len(f.pattern) > 1000:
		return nil, errors.New("the pattern is too long (more than 1000 bytes)")
	case !doublestar.ValidatePattern(f.pattern):
		return nil, fmt.Errorf(`%q is not valid: a [ or { has no end or nothing in it; write \[ or \{ for the character`, pattern)
	}
	for strings.Contains(f.pattern, "**/**/") { // the same, and quicker
		f.pattern = strings.ReplaceAll(f.pattern, "**/**/", "**/")
	}
	return f, nil
}

// match reports whether the filter chooses a path, with slashes, below the directory that is searched.
func (f *nameFilter) match(file string) bool {
	if f == nil {
		return true
	}
	if f.names {
		file = path.Base(file)
	}
	return doublestar.MatchUnvalidated(f.pattern, file) != f.except
}
