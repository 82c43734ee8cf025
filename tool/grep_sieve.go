package tool

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"react-agent/internal/shell"
)

// sieve is ripgrep, when there is one: it is given files and names those that may hold a match. What it names is searched
// again by the scanner, so the answer does not depend on it, as long as it names enough. nil: there is none.
type sieve struct {
	env  Env
	once sync.Once
	path string // of the program, "" when it cannot be used; for use after find

	least  int  // files; fewer are read sooner than the program starts
	always bool // also for patterns that the scanner finds as quickly itself
}

// newSieve makes a sieve that looks for the program when it is needed first.
func newSieve(e Env) *sieve { return &sieve{env: e, least: 100} }

// find gives the path of the program. The first call decides for all, so that its end does not matter.
func (s *sieve) find(ctx context.Context) string {
	s.once.Do(func() {
		path, err := shell.Find("rg")
		if err != nil {
			return
		}
		r, err := s.run(context.WithoutCancel(ctx), path, "", []string{"--no-config", "--version"}, 0)
		if err == nil && !r.Failed() && strings.HasPrefix(string(r.Head), "ripgrep ") {
			s.path = path
		}
	})
	return s.path
}

func (s *sieve) run(ctx context.Context, path, dir string, args []string, keep int) (shell.Result, error) {
	return shell.Run(ctx, shell.Cmd{
		Command: "rg",
		Shell:   path,
		Dir:     dir,
		Vars:    s.env.Vars,
		Hide:    append([]string{"RIPGREP_CONFIG_PATH"}, s.env.HideEnv...),
		Keep:    keep + 4096,
		Timeout: searchTime,
		Prepare: func(c *exec.Cmd) error {
			c.Args = append([]string{path}, args...)
			return nil
		},
	})
}

// sieveQuery is the sieve for one pattern. nil passes everything.
type sieveQuery struct {
	*sieve
	regex  string
	broken atomic.Bool
}

const (
	sieveBatch = 2000    // files that are given to the program at once
	sieveBytes = 1 << 19 // of their names
	sieveFile  = 4 << 20 // a larger file is not for the program, which holds whole lines
)

// query gives the sieve for a pattern, nil when there is none, or no use for it: texts of some length are found as quickly
// without it.
func (s *sieve) query(ctx context.Context, p *pattern) *sieveQuery {
	const enough = 3
	if s == nil || shortest(p.needles) >= enough && !s.always {
		return nil
	}
	regex, ok := rustRegex(p.tree)
	if !ok {
		return nil
	}
	if s.find(ctx) == "" {
		return nil
	}
	return &sieveQuery{sieve: s, regex: regex}
}

// filled reports whether a batch is large enough to be searched.
func (s *sieveQuery) filled(b batch) bool {
	if s == nil || s.broken.Load() {
		return len(b.files) >= batchSize
	}
	most := sieveBytes
	if runtime.GOOS == "windows" {
		most = 16 << 10
	}
	return len(b.files) >= sieveBatch || b.size >= most
}

// pass gives the files of a batch that may hold a match, in their order.
func (s *sieveQuery) pass(ctx context.Context, q *question, files []string) []string {
	if s == nil || len(files) < s.least || s.broken.Load() {
		return files
	}
	may := make(map[string]bool, len(files))
	ok := s.ask(ctx, q, files, may)
	if ctx.Err() != nil {
		return nil
	}
	if !ok {
		s.broken.Store(true)
		return files
	}
	return slices.DeleteFunc(files, func(f string) bool { return !may[f] })
}

// ask notes for each file whether it may hold a match; false: the program did not answer, or not as it should.
func (s *sieveQuery) ask(ctx context.Context, q *question, files []string, may map[string]bool) bool {
	args := []string{
		"--no-config", "--no-messages", "--files-with-matches", "--null", "--text", "--no-ignore", "--no-mmap", "--color=never",
		"--case-sensitive", "--regexp=" + s.regex, "--",
	}
	size := 0
	for _, f := range files {
		info, err := os.Lstat(filepath.Join(q.at.real, filepath.FromSlash(f)))
		may[f] = err != nil || !info.Mode().IsRegular() || info.Size() > sieveFile
		if !may[f] {
			args = append(args, f)
			size += len(f) + 1
		}
	}
	r, err := s.run(ctx, s.path, q.at.real, args, size)
	if err != nil || r.Code != 0 && r.Code != 1 || r.Lost > 0 || r.Dir != "" || r.Cancelled || r.TimedOut {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(r.Head), "\x00"), "\x00") {
		if _, ok := may[name]; !ok && name != "" {
			return false
		}
		may[name] = true
	}
	return true
}
