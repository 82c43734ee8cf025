package pipeline

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
)

// journal is where a run is noted: the skill's own log, or the main one where that cannot be written.
type journal struct {
	log  *slog.Logger
	path string // of the own log; empty: there is none
	file io.Closer
	mask func(string) string
}

// openJournal opens a skill's log, which is kept over its runs. A log that cannot be written is no reason not to run: the
// fault is noted in the main log, and everything else too.
func openJournal(o *Options, rel, skill string) *journal {
	main, mask := o.Log, o.Mask
	if mask == nil {
		mask = func(s string) string { return s }
	}
	if main == nil {
		main = slog.New(slog.DiscardHandler)
	}
	f, err := openAppend(o.WorkDir, rel)
	if err != nil {
		main.Warn("the log of the pipeline cannot be written, its lines are here", "skill", skill, "log", rel, "error", err)
		return &journal{log: main.With("pipeline", skill), mask: mask}
	}
	return &journal{log: slog.New(slog.NewTextHandler(f, nil)), path: filepath.Join(o.WorkDir, rel), file: f, mask: mask}
}

func openAppend(work, rel string) (*os.File, error) {
	root, err := os.OpenRoot(work)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return nil, err
	}
	return root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
}

// info notes something; args are names and values in turn, without the secrets in them.
func (j *journal) info(what string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok && i%2 == 1 {
			args[i] = j.mask(s)
		}
	}
	j.log.Info(what, args...)
}

func (j *journal) close() {
	if j.file != nil {
		_ = j.file.Close()
	}
}
