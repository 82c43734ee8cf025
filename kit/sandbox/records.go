package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"react-agent/internal/msg"
)

// States of a worktree in the index.
const (
	treeActive  = "active"
	treeRemoved = "removed"
)

// Events of worktrees.
const (
	treeCreateBefore = "worktree.create.before"
	treeCreateAfter  = "worktree.create.after"
	treeCreateFailed = "worktree.create.failed"
	treeRemoveBefore = "worktree.remove.before"
	treeRemoveAfter  = "worktree.remove.after"
	treeRemoveFailed = "worktree.remove.failed"
)

// treeRecord is a worktree in index.json. Times are seconds since 1970.
type treeRecord struct {
	Name      string  `json:"name"`
	Path      string  `json:"path"`
	Branch    string  `json:"branch"`
	TaskID    *int    `json:"task_id"`
	Status    string  `json:"status"`
	CreatedAt float64 `json:"created_at"`
	RemovedAt float64 `json:"removed_at,omitempty"`
	KeptAt    float64 `json:"kept_at,omitempty"`
}

// treeEvent is a line of events.jsonl.
type treeEvent struct {
	Event    string         `json:"event"`
	TS       float64        `json:"ts"`
	Task     map[string]any `json:"task"`
	Worktree treeName       `json:"worktree"`
	Error    string         `json:"error,omitempty"`
}

type treeName struct {
	Name   string `json:"name"`
	Branch string `json:"branch,omitempty"`
	Path   string `json:"path,omitempty"`
}

// records are the files beside the worktrees. They are changed under a lock only.
type records struct {
	dir string
	now func() time.Time
}

func (r records) index() string  { return filepath.Join(r.dir, "index.json") }
func (r records) events() string { return filepath.Join(r.dir, "events.jsonl") }

func (r records) seconds() float64 { return float64(r.now().UnixMilli()) / 1000 }

// open makes the directory, which git ignores, and takes the lock.
func (r records) open() (unlock func(), err error) {
	if err := os.MkdirAll(r.dir, 0o755); err != nil { //nolint:gosec // as readable as the repository it belongs to
		return nil, fmt.Errorf("directory for worktrees: %w", err)
	}
	ignore := filepath.Join(r.dir, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o600); err != nil {
			return nil, fmt.Errorf("directory for worktrees: %w", err)
		}
	}
	return lockFile(filepath.Join(r.dir, ".lock"))
}

// treeIndex is index.json.
type treeIndex struct {
	Worktrees []treeRecord `json:"worktrees"`
}

func (r records) load() (treeIndex, error) {
	x := treeIndex{Worktrees: []treeRecord{}}
	b, err := os.ReadFile(r.index())
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err != nil {
		return x, msg.Errorf(msg.TreeIndex, r.index(), err)
	}
	return x, nil
}

// put stores the record of a worktree in the place of the one with its name.
func (r records) put(one treeRecord) error {
	x, err := r.load()
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(x.Worktrees, func(t treeRecord) bool { return t.Name == one.Name }); i >= 0 {
		one.TaskID = x.Worktrees[i].TaskID
		x.Worktrees[i] = one
	} else {
		x.Worktrees = append(x.Worktrees, one)
	}
	b, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	tmp := r.index() + ".new"
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("index of worktrees: %w", err)
	}
	return os.Rename(tmp, r.index())
}

// get is the record of a worktree.
func (r records) get(name string) (treeRecord, bool, error) {
	x, err := r.load()
	for _, t := range x.Worktrees {
		if t.Name == name {
			return t, true, nil
		}
	}
	return treeRecord{}, false, err
}

// note appends an event. A line that a crash left unfinished is closed first.
func (r records) note(event string, n treeName, cause error) error {
	e := treeEvent{Event: event, TS: r.seconds(), Task: map[string]any{}, Worktree: n}
	if cause != nil {
		e.Error = cause.Error()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.events(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("events of worktrees: %w", err)
	}
	line = append(line, '\n')
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// last is the last event of a worktree, "" if there is none. Lines that cannot be read do not count.
func (r records) last(name string) string {
	b, err := os.ReadFile(r.events())
	if err != nil {
		return ""
	}
	event := ""
	for line := range linesOf(b) {
		var e treeEvent
		if json.Unmarshal(line, &e) == nil && e.Worktree.Name == name {
			event = e.Event
		}
	}
	return event
}
