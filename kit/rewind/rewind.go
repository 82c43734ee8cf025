package rewind

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Options of [New]. Root and Dir are required.
type Options struct {
	// Root is the work directory, Dir the place of the checkpoints: each Root gets a directory of its own in it. Dir is made
	// when first needed and is never kept itself.
	Root, Dir string
	// Paths gives the files that a call will write, absolute and without links, none if it changes no files at all; ok is
	// false when it cannot tell, and then the whole work directory is looked at. nil: it never can.
	Paths func(t agent.Tool, c agent.Call) (paths []string, ok bool)
	// Background tells which job a call has started that works through others (agent.Tool.Resume), "" if none, and when it
	// ended, zero while it runs. It is asked before each look for the calls whose jobs were not seen to their end, in this process
	// or another; it must not use the Rewind. nil: there are no jobs.
	Background func(ctx context.Context, key string) (id string, ended time.Time)
	// Parent gives the key of the call that has started a child's session, "" if it is not known; then what the child did
	// counts where its parent was at that time. It must not use the Rewind. nil: it never is.
	Parent func(session string) (key string)
	// MaxBytes bounds the size of all that is kept, 0 = 2 GiB; MaxFile that of one file, 0 = 64 MiB.
	MaxBytes, MaxFile int64
	// MaxLook bounds what one look at the whole work directory copies, 0 = a sixteenth of MaxBytes; small files come first.
	// What is linked from git or cloned by the file system does not count. What is left out is kept when it changes
	// again, or when MaxLook was raised.
	MaxLook int64
	// Patience bounds how long one such look searches, and how long it reads after that: 0 = 1 s each. What it did not come to is
	// read by the looks that follow, a fifth of that each time.
	Patience time.Duration
	// MaxFiles bounds the number of files in the work directory, 0 = 100,000. In a larger one only the files that calls
	// name are kept.
	MaxFiles int
	// Skip are files and directories that are no part of the work directory even if they lie in it: state, logs.
	Skip []string
	// Ignored says that what git ignores is kept too.
	Ignored bool
	// NoSync leaves out waiting for the disk: then a crash of the machine, not of the process, may lose the last checkpoints.
	NoSync bool
	// Notice is told what the person should know, a line each. It may not use the Rewind. nil: nobody is told.
	Notice func(text string)
	// Lang is the language of notices and reasons, "zh" or "en"; empty is English.
	Lang string
}

// The bounds of [Options] that are zero.
const (
	defaultBytes = 2 << 30
	defaultFile  = 64 << 20
	defaultFiles = 100_000

	defaultPatience = time.Second
)

// Rewind keeps and restores one work directory. It is safe for concurrent use; any number of them, in any number of
// processes, may share a Dir.
type Rewind struct {
	o   Options
	msg msg.Catalogue

	door chan struct{} // one at a time, over what follows

	told    map[string]bool
	leave   map[string]bool // absolute paths that are no part of the work directory
	top     string          // of the repository
	rest    time.Time       // until then the work directory is not searched: it is too large
	reading time.Duration   // how long a look reads
	slow    int             // searches that were given up one after another: each may take twice as long as the one before
	git     git
	index   index
	history history
	objects objects
	running map[int64]*os.File // locks of the calls of this process
	// stepped is called after every step of a restore; tests set it.
	stepped func(n int)
}

// New makes a Rewind. It touches nothing; Root must exist.
func New(o Options) (*Rewind, error) {
	if o.Root == "" || o.Dir == "" {
		return nil, errors.New("rewind: Root and Dir are required")
	}
	root, err := filepath.Abs(o.Root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("rewind: work directory: %w", err)
	}
	o.Root = root
	leave := map[string]bool{}
	for i, path := range append([]string{o.Dir}, o.Skip...) {
		if path, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("rewind: %w", err)
		}
		path = resolve(path)
		leave[path] = true
		if i == 0 {
			o.Dir = path
		}
	}
	h := sha256.Sum256([]byte(o.Root))
	o.Dir = filepath.Join(o.Dir, filepath.Base(o.Root)+"-"+hex.EncodeToString(h[:4]))
	o.MaxBytes, o.MaxFile, o.MaxFiles = or(o.MaxBytes, defaultBytes), or(o.MaxFile, defaultFile), or(o.MaxFiles, defaultFiles)
	o.MaxLook, o.Patience = or(o.MaxLook, o.MaxBytes/16), or(o.Patience, defaultPatience)
	if o.Background == nil {
		o.Background = func(context.Context, string) (string, time.Time) { return "", time.Time{} }
	}
	r := &Rewind{
		o: o, msg: msg.For(msg.Lang(o.Lang)), door: make(chan struct{}, 1), told: map[string]bool{}, leave: leave, running: map[int64]*os.File{},
		reading: o.Patience, git: git{root: o.Root, own: filepath.Join(o.Dir, "git")},
	}
	inGit := &objectMap{file: tail{path: filepath.Join(o.Dir, "git.jsonl")}, oids: map[string]string{}}
	r.objects = objects{dir: filepath.Join(o.Dir, "object"), sync: !o.NoSync, max: o.MaxBytes, git: inGit}
	r.objects.allow(math.MaxInt64)
	r.index.file.path = filepath.Join(o.Dir, "index.jsonl")
	r.history.file.path = filepath.Join(o.Dir, "history.jsonl")
	r.history.parent = o.Parent
	return r, nil
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// resolve follows links as far as the path exists.
func resolve(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(resolve(up), filepath.Base(path))
}

// Wrap gives the tools with a checkpoint before everything that may change files. Tools that only read stay as they are.
// A tool that is Resume works through others (a sub-agent, a pipeline, a job): what calls of those change is theirs, what a
// job changes is its own.
func (r *Rewind) Wrap(tools []agent.Tool) []agent.Tool {
	wrapped := slices.Clone(tools)
	for i, t := range wrapped {
		if t.Effect == agent.Reads || t.Run == nil {
			continue
		}
		wrapped[i].Run = func(ctx context.Context, c agent.Call) (agent.Result, error) {
			sc := r.scopeOf(t, c)
			if sc.none() {
				return t.Run(ctx, c)
			}
			id, err := r.begin(ctx, t, c, sc)
			if err != nil {
				return agent.ErrorResult(fmt.Sprintf("%s was not run: no checkpoint could be made of the files before it: %v", t.Name, err)), nil
			}
			defer r.end(context.WithoutCancel(ctx), id, sc)
			return t.Run(ctx, c)
		}
	}
	return wrapped
}
