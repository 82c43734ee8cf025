package rewind

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Options of [New]. Root and Dir are required.
type Options struct {
	// Root is the work directory, Dir the place of the checkpoints. Dir is made when first needed and is never kept itself.
	Root, Dir string
	// Paths gives the files that a call will write, absolute and without links; ok is false when it cannot tell, and then
	// the whole work directory is looked at. nil: it never can.
	Paths func(t agent.Tool, c agent.Call) (paths []string, ok bool)
	// MaxBytes bounds the size of all that is kept, 0 = 2 GiB; MaxFile that of one file, 0 = 64 MiB.
	MaxBytes, MaxFile int64
	// MaxFiles bounds the number of files in the work directory, 0 = 200,000. In a larger one only the files that calls
	// name are kept.
	MaxFiles int
	// Ignored says that what git ignores is kept too.
	Ignored bool
	// NoSync leaves out waiting for the disk: then a crash of the machine, not of the process, may lose the last checkpoints.
	NoSync bool
	// Notice is told what the person should know, a line each; it may be called by many calls at once. nil: nobody is told.
	Notice func(text string)
	// Lang is the language of notices and reasons, "zh" or "en"; empty is English.
	Lang string
}

// The bounds of [Options] that are zero.
const (
	defaultBytes = 2 << 30
	defaultFile  = 64 << 20
	defaultFiles = 200_000
)

// Rewind keeps and restores one work directory. It is safe for concurrent use; any number of them, in any number of
// processes, may share a Dir.
type Rewind struct {
	o   Options
	msg msg.Catalogue

	mu   sync.Mutex // over what follows, and over the lock file
	told map[string]bool
}

// New makes a Rewind. It touches nothing.
func New(o Options) (*Rewind, error) {
	if o.Root == "" || o.Dir == "" {
		return nil, errors.New("rewind: Root and Dir are required")
	}
	var err error
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return nil, fmt.Errorf("rewind: work directory %s: %w", o.Root, err)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, fmt.Errorf("rewind: directory %s: %w", o.Dir, err)
	}
	return &Rewind{o: o, msg: msg.For(msg.Lang(o.Lang)), told: map[string]bool{}}, nil
}

// Wrap gives the tools with a checkpoint before everything that may change files. Tools that only read stay as they are.
// A tool that is Resume works through others (a sub-agent, a pipeline, a job): what they change is theirs.
func (r *Rewind) Wrap(tools []agent.Tool) []agent.Tool {
	return append([]agent.Tool(nil), tools...)
}

// Turns lists the turns that can be gone back to, oldest first. After a compaction older ones are missing.
func (r *Rewind) Turns(_ context.Context, _ *agent.Session) ([]Turn, error) {
	return nil, errors.ErrUnsupported
}

// Plan says what bringing chat and files back to before event from would do. It changes nothing but the index.
func (r *Rewind) Plan(_ context.Context, _ *agent.Session, _ int64) (*Plan, error) {
	return nil, errors.ErrUnsupported
}

// PlanRedo says what taking back the last rewind would do. [ErrNoRedo]: there is none, or something was said since.
func (r *Rewind) PlanRedo(_ context.Context, _ *agent.Session) (*Plan, error) {
	return nil, errors.ErrUnsupported
}

// Perform does what a plan says, files first, then the chat: it appends the void event with a. Call it inside
// engine.Local.Do, with the plan made in the same call or shown to the person before; a plan that no longer fits gives [ErrStale] and
// nothing is changed. With force, conflicts are overwritten; their content before can be had back by a redo.
func (r *Rewind) Perform(_ context.Context, _ *agent.Agent, _ *agent.Session, _ *Plan, _ bool) (Result, error) {
	return Result{}, errors.ErrUnsupported
}
