package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/store"
)

// record is what is kept of a call: which folder is its own, and how far it is. Everything else stands in that folder.
type record struct {
	Call  string `json:"call"`
	Skill string `json:"skill"`
	Query string `json:"query"`
	Slug  string `json:"slug"`
	Dir   string `json:"dir"` // absolute
	// Owner drives it while Running.
	Owner   shell.Ident `json:"owner"`
	Running bool        `json:"running,omitempty"`
	// Mark is a word that only this run has: the processes of its commands are known by it.
	Mark  string `json:"mark,omitempty"`
	Ended string `json:"ended,omitempty"` // the outcome
	// Step is the number of the step under way or done last, Before those of earlier calls for the same folder. Block is
	// its hash, Stage how many of its actions are done, Closed says that all are.
	Step   int    `json:"step"`
	Before int    `json:"before,omitempty"`
	Block  string `json:"block,omitempty"`
	Stage  int    `json:"stage,omitempty"`
	Closed bool   `json:"closed,omitempty"`
	// Under is the block of that step, where commands have to run beside its sub-agents: the program looks at their outputs
	// only, and may call the step done while these commands have not run.
	Under *Block `json:"under,omitempty"`
	// Same counts how often in a row the block came while nothing changed in the folder, Seen while nothing but its own
	// outputs did. Disk is the folder then.
	Seen int    `json:"seen,omitempty"`
	Same int    `json:"same,omitempty"`
	Disk string `json:"disk,omitempty"`
	// Idle counts the steps in a row that left the folder as it was, whatever their blocks were.
	Idle int `json:"idle,omitempty"`
	// Others is as Disk, without the files that the step itself writes.
	Others string `json:"others,omitempty"`
	// Followed says that the command of the block's note was run.
	Followed bool `json:"followed,omitempty"`
	// Usage is what sub-agents have spent, Steps how many model calls they made, those of task Counted included.
	Usage   *agent.Usage `json:"usage,omitempty"`
	Steps   int          `json:"steps,omitempty"`
	Counted string       `json:"counted,omitempty"`
}

// states keeps the records.
type states struct{ kv store.KV }

const kind = "pipeline/"

func stateKey(call string) string {
	sum := sha256.Sum256([]byte(call))
	return kind + hex.EncodeToString(sum[:12])
}

// load gives the record of a call with its revision, nil if there is none.
func (s states) load(ctx context.Context, call string) (*record, int64, error) {
	d, err := s.kv.Get(ctx, stateKey(call))
	if errors.Is(err, store.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("state of the pipeline: %w", err)
	}
	var r record
	if err := json.Unmarshal(d.Data, &r); err != nil || r.Call != call {
		return nil, d.Rev, nil //nolint:nilerr // what cannot be read is written anew
	}
	return &r, d.Rev, nil
}

// save stores a record and gives its new revision.
func (s states) save(ctx context.Context, r *record, rev int64) (int64, error) {
	data, err := agent.EncodeJSON(r)
	if err != nil {
		return rev, err
	}
	to, err := s.kv.Put(ctx, store.Doc{Key: stateKey(r.Call), Rev: rev, Data: data})
	if err != nil {
		return rev, fmt.Errorf("state of the pipeline: %w", err)
	}
	return to, nil
}

// forget drops what is known of a folder of that name that is there no more; not of the call itself.
func (s states) forget(ctx context.Context, dir, call string) error {
	var old []store.Doc
	for d, err := range s.kv.List(ctx, kind) {
		if err != nil {
			return fmt.Errorf("states of pipelines: %w", err)
		}
		var r record
		if json.Unmarshal(d.Data, &r) == nil && r.Dir == dir && r.Call != call && (!r.Running || !r.Owner.Alive()) {
			old = append(old, store.Doc{Key: d.Key, Rev: d.Rev})
		}
	}
	for _, d := range old {
		if _, err := s.kv.Put(ctx, d); err != nil && !errors.Is(err, store.ErrConflict) {
			return fmt.Errorf("state of the pipeline: %w", err)
		}
	}
	return nil
}

// ofDir looks for what calls have done in a folder: the record that is furthest, and whether one is at work there now.
func (s states) ofDir(ctx context.Context, dir, call string) (last *record, busy bool, err error) {
	for d, err := range s.kv.List(ctx, kind) {
		if err != nil {
			return nil, false, fmt.Errorf("states of pipelines: %w", err)
		}
		var r record
		if json.Unmarshal(d.Data, &r) != nil || r.Dir != dir {
			continue
		}
		busy = busy || r.Call != call && r.Running && r.Owner.Alive()
		if last == nil || r.Step > last.Step {
			last = &r
		}
	}
	return last, busy, nil
}
