package tool

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"react-agent/agent"
)

//go:embed grep.md
var grepDoc string

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty" doc:"file or directory, default ."`
	Glob       string `json:"glob,omitempty" doc:"only such files: *.go, src/**/*.{ts,tsx}, !*_test.go"`
	Mode       string `json:"mode,omitempty" enum:"content,files,count" doc:"default content"`
	Context    int    `json:"context,omitempty" doc:"lines around each match"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Literal    bool   `json:"literal,omitempty" doc:"pattern is plain text"`
	All        bool   `json:"all,omitempty" doc:"also ignored files"`
	Limit      int    `json:"limit,omitempty" doc:"most results, default 200"`
}

const (
	searchTime = 20 * time.Second // for a whole search
	countTime  = time.Second      // for counting on, when everything that will be shown is known
	findLimit  = 200              // results, unless said otherwise
	maxContext = 50
)

// Grep makes the tool that searches the contents of files, line by line, with a regular expression of Go's package
// regexp. Where a pattern has no text of some length in it, and ripgrep is installed, that is used to pass over files more
// quickly; the answer is the same without it.
//
// In a directory it passes over what git would ignore (unless all is set), .git, links and binary files; UTF-16 with its
// mark is read as text. A path that names one file is searched whatever it is, and a binary one is said to be so. Results
// come in the order of the paths. What is left out because of the limit or of Env.Cut is counted and said. A search ends
// after 20 s, or at once when ctx ends, with what it has and a remark that this is not all. Memory does not grow with the
// size of files, lines or trees. Env.Secrets sees the whole result. Files outside the work directory may be searched unless
// Env.Confine is set.
func Grep(e Env) agent.Tool {
	e = e.withDefaults()
	return e.grepWith(newSieve(e))
}

func (e Env) grepWith(rg *sieve) agent.Tool {
	return agent.NewTool("grep", strings.TrimSpace(grepDoc), agent.Reads,
		func(ctx context.Context, a grepArgs) (agent.Result, error) {
			s, err := e.grep(ctx, a, rg)
			if err != nil {
				return e.readFailed(err), ctx.Err()
			}
			return agent.TextResult(e.mask(s)), nil
		})
}

func (e Env) grep(ctx context.Context, a grepArgs, rg *sieve) (string, error) {
	q, err := e.question(a)
	if err != nil {
		return "", err
	}
	return q.start(ctx, rg)
}

// start looks at what is to be searched, and searches.
func (q *question) start(ctx context.Context, rg *sieve) (string, error) {
	info, err := os.Stat(q.at.real)
	if err != nil {
		return "", err
	}
	switch {
	case info.IsDir():
		q.fast = rg.query(ctx, q.pattern)
	case info.Mode().IsRegular():
		q.file = true
	default:
		return "", regular(q.args.Path, info)
	}
	return q.answer(ctx)
}

// question makes what is asked from the arguments.
func (e Env) question(a grepArgs) (*question, error) {
	if a.Path == "" {
		a.Path = "."
	}
	switch {
	case a.Context < 0 || a.Context > maxContext:
		return nil, fmt.Errorf("context is %d: it is a number of lines from 0 to %d", a.Context, maxContext)
	case a.Limit < 0:
		return nil, fmt.Errorf("limit is %d: it is a number of results from 1", a.Limit)
	case a.Limit == 0:
		a.Limit = findLimit
	}
	switch a.Mode {
	case "":
		a.Mode = "content"
	case "content", "files", "count":
	default:
		return nil, fmt.Errorf("mode is %q: it is content, files or count", a.Mode)
	}
	p, err := compile(a)
	if err != nil {
		return nil, err
	}
	filter, err := newFilter(a.Glob)
	if err != nil {
		return nil, fmt.Errorf("glob: %w", err)
	}
	at, err := e.locate(a.Path)
	if err != nil {
		return nil, err
	}
	q := &question{env: e, args: a, at: at, filter: filter, time: searchTime, countTime: countTime}
	q.want = want{pattern: p, first: a.Mode == "files"}
	if a.Mode == "content" {
		q.context = a.Context
	}
	return q, q.base()
}

// base finds out how paths are written: below the work directory as they are from there, else from the top.
func (q *question) base() error {
	root, err := follow(q.env.Root)
	if err != nil {
		return err
	}
	q.top, q.prefix = root, q.at.real
	if rel, err := filepath.Rel(root, q.at.real); err == nil && filepath.IsLocal(rel) {
		q.prefix = rel
	}
	if q.prefix = filepath.ToSlash(q.prefix); q.prefix == "." {
		q.prefix = ""
	}
	return nil
}
