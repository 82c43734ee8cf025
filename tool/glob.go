package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"react-agent/agent"
	"react-agent/internal/text"
)

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty" doc:"directory to start in, default ."`
	All     bool   `json:"all,omitempty" doc:"also ignored files"`
	Limit   int    `json:"limit,omitempty" doc:"most results, default 200"`
}

// Glob makes the tool that finds files and directories by name, in the order of their paths. A pattern without a slash is
// about names at any depth, one with a slash about the whole path below the directory. A directory ends in a slash, a link
// shows where it leads and is not followed. What git would ignore is passed over, unless all is set or the pattern names
// its directories without a wildcard; .git is never entered. An absolute pattern, or one with .. in front, is split into
// path and pattern before anything is decided about the call. Time, order, limits and Env.Confine are as with [Grep].
func Glob(e Env) agent.Tool {
	e = e.withDefaults()
	t := agent.NewTool("glob", strings.TrimSpace(globDoc), agent.Reads,
		func(ctx context.Context, a globArgs) (agent.Result, error) {
			s, err := e.glob(ctx, a)
			if err != nil {
				return e.readFailed(err), ctx.Err()
			}
			return agent.TextResult(e.mask(s)), nil
		})
	t.Rename = splitPattern
	return t
}

// splitPattern moves the beginning of a pattern that leads elsewhere into the path, where everybody looks who wants to know
// what a call touches. Arguments that are broken are left to the check.
func splitPattern(args json.RawMessage) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	var pattern, path string
	broken := json.Unmarshal(args, &m) != nil || json.Unmarshal(m["pattern"], &pattern) != nil ||
		m["path"] != nil && json.Unmarshal(m["path"], &path) != nil
	if broken {
		return args, nil
	}
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	switch {
	case filepath.IsAbs(base):
		path = base
	case base != ".." && !strings.HasPrefix(base, "../"):
		return args, nil
	case path == "":
		path = base
	default:
		path += "/" + base
	}
	var err error
	if m["path"], err = agent.EncodeJSON(path); err != nil {
		return nil, err
	}
	if m["pattern"], err = agent.EncodeJSON("./" + rest); err != nil {
		return nil, err
	}
	return agent.EncodeJSON(m)
}

// globbing is a search by name that is going on. Its walk speaks over a channel only, so that it can be left at any time.
type globbing struct {
	*question
	tally tally
	found chan found
	err   error // of the walk, when found is closed
}

func (e Env) glob(ctx context.Context, a globArgs) (string, error) {
	if a.Path == "" {
		a.Path = "."
	}
	if a.Limit < 0 {
		return "", fmt.Errorf("limit is %d: it is a number of results from 1", a.Limit)
	}
	if a.Limit == 0 {
		a.Limit = findLimit
	}
	if a.Pattern == "" {
		return "", errors.New("pattern is empty: **/* is everything")
	}
	f, err := newFilter(a.Pattern)
	if err != nil {
		return "", fmt.Errorf("pattern: %w", err)
	}
	at, err := e.locate(a.Path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(at.real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", a.Path)
	}
	g := &globbing{question: &question{env: e, at: at, filter: f, time: searchTime, countTime: countTime}, found: make(chan found, 256)}
	g.args.All, g.args.Limit = a.All, a.Limit
	if err := g.base(); err != nil {
		return "", err
	}
	return g.search(ctx)
}

// search walks and lists. The error is that of a root that cannot be read, or of ctx.
func (g *globbing) search(ctx context.Context) (string, error) {
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	clock := time.AfterFunc(g.time, func() { stop(errSearchTime) })
	defer clock.Stop()
	go g.walk(limited)

	l := list{globbing: g, hits: g.args.Limit, chars: g.env.Cut - min(noteRoom, g.env.Cut/4)}
	for {
		select {
		case f, ok := <-g.found:
			if ok {
				l.add(f)
				if l.left == 1 {
					count := time.AfterFunc(g.countTime, func() { stop(errCountTime) })
					defer count.Stop()
				}
				continue
			}
			if g.err != nil && limited.Err() == nil {
				return "", g.err
			}
		case <-limited.Done():
		}
		break
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return l.text(context.Cause(limited)), nil
}

func (g *globbing) walk(ctx context.Context) {
	defer close(g.found)
	dirs, deep := g.filter.way()
	w := walk{root: g.at.real, top: g.top, all: g.args.All, tally: &g.tally}
	w.named = func(path string) bool {
		n := strings.Count(path, "/") + 1
		return n <= len(dirs) && path == strings.Join(dirs[:n], "/")
	}
	w.enter = func(path string) bool {
		n := strings.Count(path, "/") + 1
		if n <= len(dirs) {
			return w.named(path)
		}
		return deep < 0 || n < deep
	}
	w.visit = func(f found) bool {
		if !g.filter.match(f.path) {
			return true
		}
		select {
		case g.found <- f:
			return true
		case <-ctx.Done():
			return false
		}
	}
	g.err = w.run(ctx)
}

// way tells where a walk for the filter must go: the directories that its pattern begins with, and how many elements the
// paths have that it can match at most; -1: any number.
func (f *nameFilter) way() (dirs []string, deep int) {
	if f.names || f.except {
		return nil, -1
	}
	if strings.Contains(f.pattern, "{") { // a slash may be in it
		return nil, -1
	}
	parts := strings.Split(f.pattern, "/")
	for _, p := range parts[:len(parts)-1] {
		if strings.ContainsAny(p, `*?[\`) {
			break
		}
		dirs = append(dirs, p)
	}
	if slices.Contains(parts, "**") {
		return dirs, -1
	}
	return dirs, len(parts)
}

// list is the result as it grows.
type list struct {
	*globbing
	hits, chars int
	out         strings.Builder
	shown, left int
}

func (l *list) add(f found) {
	line := l.name(f.path)
	switch {
	case f.dir():
		line += "/"
	case f.kind&fs.ModeSymlink != 0:
		if to, err := os.Readlink(filepath.Join(l.at.real, filepath.FromSlash(f.path))); err == nil {
			line += " -> " + visible([]byte(to))
		}
	}
	size := utf8.RuneCountInString(line) + 1
	if l.left > 0 || l.shown >= l.hits || size > l.chars && l.shown > 0 {
		l.left++
		return
	}
	l.shown++
	l.chars -= size
	l.out.WriteString(line + "\n")
}

func (l *list) text(why error) string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, "["+fmt.Sprintf(format, args...)+"]") }
	if l.shown == 0 {
		notes = append(notes, "(no matches)")
	}
	if t := l.env.Texts; l.left > 0 && t.More != "" {
		notes = append(notes, fmt.Sprintf(t.More, l.left))
	}
	switch {
	case errors.Is(why, errSearchTime):
		note("this is not all: the search was stopped after %d s; narrow path or pattern", l.time/time.Second)
	case why != nil:
		note("there are more: counting was stopped; narrow path or pattern")
	}
	if n := l.tally.denied.Load(); n > 0 {
		note("%d directories could not be read", n)
	}
	if l.shown == 0 && !l.env.Texts.Bare {
		if n := l.tally.ignored.Load(); n > 0 {
			note("%d ignored files or directories were passed over: set all to see them too", n)
		}
		if n := l.tally.links.Load(); n > 0 {
			note("%d links were not followed", n)
		}
	}
	return text.Cut(strings.TrimSuffix(l.out.String()+strings.Join(notes, "\n"), "\n"), l.env.Cut, "")
}
