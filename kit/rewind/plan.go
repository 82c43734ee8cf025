package rewind

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// ErrNoRedo says that there is nothing to redo: no rewind, or something was said since.
var ErrNoRedo = errors.New("rewind: there is nothing to redo")

// ErrStale says that files or chat have changed since the plan was made.
var ErrStale = errors.New("rewind: something changed since this was planned; look at the plan again")

// ErrRange says that a session has no such event to go back to.
var ErrRange = errors.New("rewind: no such event")

// ErrGone says that checkpoints of the range were dropped, so that files can come back in part only.
var ErrGone = errors.New("rewind: checkpoints of this range were dropped to stay within the bound; force brings back what there is")

// StateKey is where a session keeps the rewinds that can be redone ([agent.Session.State]).
const StateKey = "rewind"

// Turn is a message of the person and what came of it.
type Turn struct {
	Seq   int64    `json:"seq"` // number of the message's event
	Text  string   `json:"text"`
	Files []string `json:"files,omitempty"` // what its calls changed, by name
	// Gone says that checkpoints of it were dropped: only the chat can be brought back in full.
	Gone bool `json:"gone,omitempty"`
}

// Action is what happens to one file.
type Action string

// What can happen to a file.
const (
	Restore Action = "restore" // it gets other bytes, another mode, or becomes something else
	Create  Action = "create"  // it is not there and comes back
	Remove  Action = "remove"  // it is there and goes
)

// File is one line of a plan.
type File struct {
	Path   string `json:"path"` // relative to the work directory, with slashes; absolute outside
	Action Action `json:"action"`
	// Kind is "file", "dir", "link" or "other": what will be there, or with Remove what is there now.
	Kind string `json:"kind"`
	Size int64  `json:"size"` // bytes of what will be there, or with Remove of what is there now
	// Conflict is why this is not done unless forced; empty: it will be done.
	Conflict string `json:"conflict,omitempty"`
	// Lost is why this cannot be done at all.
	Lost string `json:"lost,omitempty"`
}

// Plan is a preview.
type Plan struct {
	Session string       `json:"session"`
	Redo    bool         `json:"redo,omitempty"`
	Void    *agent.Range `json:"void"` // of the chat
	Files   []File       `json:"files"`
	// Others are files that only others changed since; they are left alone.
	Others []string `json:"others,omitempty"`
	// Gone says that checkpoints of this range were dropped, so that not all files can come back. Perform wants force then.
	Gone bool `json:"gone,omitempty"`

	redo  int64 // record that is taken back
	steps []step
	stack []undone // what can be redone afterwards
}

// undone is a rewind that can be redone, as the session keeps it.
type undone struct {
	ID  int64 `json:"id"`  // of its record
	Seq int64 `json:"seq"` // of its void event
}

// step is what a plan does to one path.
type step struct {
	Path     name   `json:"p"`
	Now      state  `json:"n,omitzero"`
	Then     state  `json:"t,omitzero"`
	conflict string // the reason
	job      bool   // which is a job that may go on
	lost     string
}

// Conflicts counts the files that will be left alone unless forced.
func (p *Plan) Conflicts() int {
	n := 0
	for _, f := range p.Files {
		if f.Conflict != "" {
			n++
		}
	}
	return n
}

// Sum stands for all that a plan would do: two plans with the same one do the same.
func (p *Plan) Sum() string {
	all, _ := json.Marshal(struct { // nothing in it can fail
		*Plan
		Redo  int64
		Steps []step
	}{p, p.redo, p.steps})
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:8])
}

// Result says what was done.
type Result struct {
	Done []File `json:"done"`
	// Left are files that were not touched, with the reason in Conflict or Lost.
	Left []File `json:"left,omitempty"`
	// Event is the number of the void event.
	Event int64 `json:"event"`
}

// Turns lists the turns that can be gone back to, oldest first. After a compaction older ones are missing.
func (r *Rewind) Turns(ctx context.Context, s *agent.Session) ([]Turn, error) {
	var turns []Turn
	for _, m := range s.Messages {
		if isTurn(m) {
			turns = append(turns, Turn{Seq: m.Seq, Text: m.Text()})
		}
	}
	err := r.locked(ctx, func() error {
		files := r.touched(s)
		for i := range turns {
			t := &turns[i]
			t.Gone = r.history.dropped[s.ID] >= t.Seq
			t.Files = slices.Sorted(maps.Keys(files[t.Seq]))
		}
		return nil
	})
	return turns, err
}

func isTurn(m agent.Message) bool { return m.Role == agent.User && m.From == "" && m.Seq > 0 }

// touched lists by turn what calls have changed. Calls that were voided count nowhere; what children did counts where
// their parent was then.
func (r *Rewind) touched(s *agent.Session) map[int64]map[string]bool {
	turnOf := map[string]int64{} // by key of a call
	turn := int64(0)
	for _, m := range s.Messages {
		if isTurn(m) {
			turn = m.Seq
		}
		for _, c := range m.Calls() {
			turnOf[c.Key] = turn
		}
	}
	files := map[int64]map[string]bool{}
	now := int64(0)
	for _, rec := range r.history.records {
		at := int64(0)
		for _, key := range rec.keys() {
			if own, ok := r.history.lift(key, s.ID); ok {
				key = own
			}
			switch session, _ := callKey(key); {
			case session == s.ID:
				at = turnOf[key]
				if len(rec.Jobs) == 0 { // a job goes on in later turns
					now = at
				}
			case isChild(session, s.ID) && at == 0:
				at = now
			}
		}
		if at == 0 || len(rec.Changes) == 0 {
			continue
		}
		if files[at] == nil {
			files[at] = map[string]bool{}
		}
		for _, c := range rec.Changes {
			files[at][string(c.Path)] = true
		}
	}
	return files
}

// Plan says what bringing chat and files back to before event from would do; of an event inside a turn, to before that
// turn. It changes nothing but the index.
func (r *Rewind) Plan(ctx context.Context, s *agent.Session, from int64) (*Plan, error) {
	if from < 1 || from > s.Seq {
		return nil, fmt.Errorf("%w: session %s has the events 1 to %d, not %d", ErrRange, s.ID, s.Seq, from)
	}
	for _, m := range slices.Backward(s.Messages) {
		if isTurn(m) && m.Seq <= from {
			from = m.Seq
			break
		}
	}
	p := &Plan{Session: s.ID, Void: &agent.Range{From: from, To: s.Seq}}
	for _, u := range stackOf(s) {
		if !saidBetween(s, u.Seq, from) {
			p.stack = append(p.stack, u)
		}
	}
	return p, r.fill(ctx, p)
}

// PlanRedo says what taking back the last rewind would do. [ErrNoRedo]: there is none, or something was said since.
func (r *Rewind) PlanRedo(ctx context.Context, s *agent.Session) (*Plan, error) {
	stack := stackOf(s)
	if len(stack) == 0 {
		return nil, ErrNoRedo
	}
	top := stack[len(stack)-1]
	if saidBetween(s, top.Seq, s.Seq+1) {
		return nil, ErrNoRedo
	}
	p := &Plan{Session: s.ID, Redo: true, Void: &agent.Range{From: top.Seq, To: top.Seq}, redo: top.ID, stack: stack[:len(stack)-1]}
	return p, r.fill(ctx, p)
}

func stackOf(s *agent.Session) []undone {
	var stack []undone
	if json.Unmarshal(s.State[StateKey], &stack) != nil {
		return nil
	}
	return stack
}

// saidBetween reports whether anything was said behind one event and before another.
func saidBetween(s *agent.Session, after, before int64) bool {
	return slices.ContainsFunc(s.Messages, func(m agent.Message) bool { return m.Seq > after && m.Seq < before })
}

// fill finds out what happens to the files.
func (r *Rewind) fill(ctx context.Context, p *Plan) error {
	return r.locked(ctx, func() error {
		if err := r.compute(ctx, p); err != nil {
			return err
		}
		return r.save()
	})
}

// trail is what happened to a path in the range of a plan.
type trail struct {
	mine     bool
	then     state  // before the first change that is taken back
	conflict string // somebody else changed it after that
	job      bool   // or a job did
}

// compute is fill under the lock.
func (r *Rewind) compute(ctx context.Context, p *Plan) error {
	from := p.Void.From
	start := p.redo
	mine := func(rec record) bool { // and rewinds after it, which have been redone
		return rec.ID == p.redo || rec.ID > p.redo && rec.Session == p.Session
	}
	if !p.Redo {
		start = r.history.start(p.Session, from)
		mine = func(rec record) bool { return r.history.belongs(rec, p.Session, from, start) }
		p.Gone = r.history.dropped[p.Session] >= from
	} else {
		p.Gone = start > 0 && !slices.ContainsFunc(r.history.records, mine)
	}
	var sc scope
	if start > 0 {
		sc.paths = r.paths(start, mine)
		sc.all = len(r.history.open) > 0 // what jobs do is found by looking everywhere
	}
	if err := r.catchUp(ctx, sc); err != nil {
		return err
	}
	trails := map[name]*trail{}
	if start > 0 {
		trails = r.trails(start, mine)
	}
	for path, t := range trails {
		if !t.mine {
			p.Others = append(p.Others, string(path))
			continue
		}
		if now := r.index.state(path); now != t.then {
			p.steps = append(p.steps, r.step(path, now, t))
		}
	}
	slices.Sort(p.Others)
	slices.SortFunc(p.steps, func(a, b step) int { return cmp.Compare(a.Path, b.Path) })
	r.checkFolders(p.steps)
	for _, s := range p.steps {
		p.Files = append(p.Files, s.file())
	}
	return nil
}

// paths lists what was changed by records that are mine, with the directories above: those may have to be made again.
func (r *Rewind) paths(start int64, mine func(record) bool) []name {
	set := map[name]bool{}
	for _, rec := range r.history.records {
		if rec.ID >= start && mine(rec) {
			for _, c := range rec.Changes {
				for p := c.Path; p != "" && !set[p]; p = r.nameOf(filepath.Dir(r.file(p))) {
					set[p] = true
					if filepath.IsAbs(string(p)) {
						break
					}
				}
			}
		}
	}
	return slices.Collect(maps.Keys(set))
}

func (r *Rewind) trails(start int64, mine func(record) bool) map[name]*trail {
	trails := map[name]*trail{}
	for _, rec := range r.history.records {
		if rec.ID < start {
			continue
		}
		own := mine(rec)
		for _, c := range rec.Changes {
			t := trails[c.Path]
			if t == nil {
				t = &trail{}
				trails[c.Path] = t
			}
			switch {
			case own && !t.mine:
				t.mine, t.then = true, c.Before
			case !own && t.mine:
				t.conflict, t.job = r.blame(rec), len(rec.Jobs) > 0
			}
			switch {
			case own && len(rec.Jobs) > 0:
				t.conflict, t.job = r.byJob(rec), true
			case own && rec.Unsure:
				t.conflict, t.job = r.msg.Text(msg.RewindUnsure), false
			}
		}
	}
	return trails
}

// blame says who changed a file.
func (r *Rewind) blame(rec record) string {
	if rec.byOthers() {
		return r.msg.Text(msg.RewindByOthers)
	}
	if len(rec.Jobs) > 0 {
		return r.byJob(rec)
	}
	session := rec.Session
	for _, key := range rec.Keys {
		session, _ = callKey(key)
	}
	return r.msg.Text(msg.RewindByCall, session)
}

func (r *Rewind) step(path name, now state, t *trail) step {
	s := step{Path: path, Now: now, Then: t.then, conflict: t.conflict, job: t.job}
	switch {
	case t.then.Kind == isOther || now.Kind == isOther:
		s.lost = r.msg.Text(msg.RewindSpecial)
	case !t.then.kept():
		s.lost = r.msg.Text(msg.RewindNotKept)
	case t.then.Kind == isFile && !r.objects.has(t.then.Sum):
		s.lost = r.msg.Text(msg.RewindLostNow)
	}
	return s
}

// checkFolders finds the directories that are to go and will not be empty.
func (r *Rewind) checkFolders(steps []step) {
	goes := map[name]bool{}
	for _, s := range slices.Backward(steps) { // what is inside comes after its directory, so it is seen first here
		if s.conflict != "" || s.lost != "" {
			continue
		}
		goes[s.Path] = s.Then.Kind == ""
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		if s.Now.Kind != isDir || s.Then.Kind == isDir || s.lost != "" {
			continue
		}
		list, err := os.ReadDir(r.file(s.Path))
		if err != nil {
			continue // applying it will tell
		}
		for _, d := range list {
			if !goes[s.Path+name("/"+d.Name())] {
				goes[s.Path] = false
				s.conflict = r.msg.Text(msg.RewindNotEmpty)
				break
			}
		}
	}
}

func (s step) file() File {
	f := File{Path: string(s.Path), Action: Restore, Kind: s.Then.Kind, Size: s.Then.Size, Conflict: s.conflict, Lost: s.lost}
	switch {
	case s.Now.Kind == "":
		f.Action = Create
	case s.Then.Kind == "":
		f.Action, f.Kind, f.Size = Remove, s.Now.Kind, s.Now.Size
	}
	f.Path = strings.ToValidUTF8(f.Path, "\uFFFD")
	return f
}
