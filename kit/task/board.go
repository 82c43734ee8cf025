package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"react-agent/internal/msg"
	"react-agent/store"
)

// Kind is the kind of the documents that are tasks.
const Kind = "task"

// Docs is where tasks are kept.
type Docs interface {
	store.KV
	store.Locker
}

// Board is the tasks of a place. It keeps nothing but the highest id it has seen, and may be used by many at once.
type Board struct {
	docs Docs
	mu   sync.Mutex
	last int
}

// New makes the board of what is kept in docs. Nothing is read or made before it is needed.
func New(docs Docs) *Board { return &Board{docs: docs} }

// Fault is a file that is no task, and why.
type Fault struct {
	ID   int    // of the task that the file would be; 0: of none
	File string // task_N.json
	Err  error  // in both languages, see [msg.Catalogue.Err]
}

// List gives the tasks in the order of their ids, and what could not be read.
func (b *Board) List(ctx context.Context) ([]Task, []Fault, error) {
	s, err := b.read(ctx, b.docs)
	if err != nil {
		return nil, nil, err
	}
	return s.tasks, s.faults, nil
}

// Get gives one task.
func (b *Board) Get(ctx context.Context, id int) (Task, error) {
	s, err := b.read(ctx, b.docs)
	if err != nil {
		return Task{}, err
	}
	return s.get(id)
}

// Ready gives the first task that is pending, nobody's and not blocked, of those that fit; ok tells whether there is one.
// With fits nil all do.
func (b *Board) Ready(ctx context.Context, fits func(Task) bool) (t Task, ok bool, err error) {
	s, err := b.read(ctx, b.docs)
	if err != nil {
		return Task{}, false, err
	}
	t, ok = s.ready(fits)
	return t, ok, nil
}

// Blockers are the ids of tasks that keep one of a list from being begun. A file that cannot be read may be one that is not
// completed.
func Blockers(t Task, list []Task, faults []Fault) []int {
	return slices.DeleteFunc(slices.Clone(t.BlockedBy), func(id int) bool {
		return !slices.ContainsFunc(list, func(o Task) bool { return o.ID == id && o.Status != Completed }) &&
			!slices.ContainsFunc(faults, func(f Fault) bool { return f.ID == id })
	})
}

func (s *state) blockers(t Task) []int { return Blockers(t, s.tasks, s.faults) }

// state is the board as it was read.
type state struct {
	tasks  []Task
	faults []Fault
	broken map[int]error   // what is wrong with the file of an id
	revs   map[int]int64   // of each file
	kv     store.KV        // to change them with
	board  *Board          // whose highest id is known
	ctx    context.Context //nolint:containedctx // the state lives as long as one call
}

// maxGap is how far behind the files an id may be that is still taken for one of a task that is gone. It is not given again,
// for the sake of those that name it; one farther behind is a slip.
const maxGap = 1000

func key(id int) string { return Kind + "/" + strconv.Itoa(id) }

func (b *Board) read(ctx context.Context, kv store.KV) (*state, error) {
	s := &state{broken: map[int]error{}, revs: map[int]int64{}, kv: kv, board: b, ctx: ctx}
	top, named := 0, 0 // the highest id of a file, and the highest that may have been one's
	for d, err := range kv.List(ctx, Kind+"/") {
		foreign := errors.Is(err, store.ErrForeign) && d.Key != ""
		if err != nil && !foreign {
			return nil, fmt.Errorf("tasks: %w", err)
		}
		name := strings.TrimPrefix(d.Key, Kind+"/")
		file := "task_" + name + ".json"
		id, err := strconv.Atoi(name)
		if err != nil || id < 1 || strconv.Itoa(id) != name {
			s.faults = append(s.faults, Fault{0, file, msg.Errorf(msg.TaskFileName)})
			continue
		}
		s.revs[id] = d.Rev
		t, err := parse(id, d.Data)
		if foreign {
			err = msg.Errorf(msg.TaskFileForeign)
		}
		if top = max(top, id); err != nil {
			s.faults, s.broken[id] = append(s.faults, Fault{id, file, err}), err
			continue
		}
		s.tasks = append(s.tasks, t)
	}
	for _, t := range s.tasks {
		for _, id := range slices.Concat(t.BlockedBy, t.Blocks) {
			if id <= top+maxGap {
				named = max(named, id)
			}
		}
	}
	slices.SortFunc(s.tasks, func(a, b Task) int { return cmp.Compare(a.ID, b.ID) })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = max(b.last, top, named)
	return s, nil
}

// change reads the board and lets fn change it while nobody else does.
func (b *Board) change(ctx context.Context, fn func(s *state) error) error {
	return b.docs.Lock(ctx, Kind+"/", func(kv store.KV) error {
		s, err := b.read(ctx, kv)
		if err != nil {
			return err
		}
		return fn(s)
	})
}

// index finds a task.
func (s *state) index(id int) (int, error) {
	i := slices.IndexFunc(s.tasks, func(t Task) bool { return t.ID == id })
	if err := s.broken[id]; i < 0 && err != nil {
		return i, msg.Errorf(msg.TaskBroken, id, err)
	}
	if i < 0 {
		return i, msg.Errorf(msg.TaskNone, id)
	}
	return i, nil
}

func (s *state) get(id int) (Task, error) {
	i, err := s.index(id)
	if err != nil {
		return Task{}, err
	}
	return s.tasks[i], nil
}

func (s *state) ready(fits func(Task) bool) (Task, bool) {
	for _, t := range s.tasks {
		if t.Status == Pending && t.Owner == "" && len(s.blockers(t)) == 0 && (fits == nil || fits(t)) {
			return t, true
		}
	}
	return Task{}, false
}

// put writes one task, if its file is still as it was read.
func (s *state) put(t Task) error {
	data := []byte(t.String())
	if len(data) > maxFile {
		return msg.Errorf(msg.TaskTooLong, len(data)>>10, maxFile>>10)
	}
	rev, err := s.kv.Put(s.ctx, store.Doc{Key: key(t.ID), Rev: s.revs[t.ID], Data: data})
	if err != nil {
		return fmt.Errorf("task %d: %w", t.ID, err)
	}
	s.revs[t.ID] = rev
	if i, err := s.index(t.ID); err == nil {
		s.tasks[i] = t
	}
	return nil
}

// Create makes a task with the next id.
func (b *Board) Create(ctx context.Context, subject, description string) (t Task, err error) {
	if strings.TrimSpace(subject) == "" {
		return t, msg.Errorf(msg.TaskSubject)
	}
	err = b.change(ctx, func(s *state) error {
		id, err := b.next()
		if err != nil {
			return err
		}
		t = Task{ID: id, Subject: subject, Description: description, Status: Pending, BlockedBy: []int{}, Blocks: []int{}}
		return s.put(t)
	})
	return t, err
}

// next gives an id that no task has had, as far as is known.
func (b *Board) next() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last >= maxID {
		return 0, msg.Errorf(msg.TaskNumbers, b.last)
	}
	b.last++
	return b.last, nil
}

// maxID is the highest id that every reader of JSON keeps.
const maxID = 1<<53 - 1

// Claim makes a pending task its owner's, and begins it. One that is somebody else's, blocked or completed is refused; to
// claim what one has changes nothing.
func (b *Board) Claim(ctx context.Context, id int, owner string) (t Task, err error) {
	if owner == "" {
		return t, msg.Errorf(msg.TaskOwner)
	}
	if _, err := b.Get(ctx, id); err != nil { // nothing is made for what is not there
		return t, err
	}
	err = b.change(ctx, func(s *state) error {
		if t, err = s.get(id); err != nil {
			return err
		}
		switch open := s.blockers(t); {
		case t.Status == Completed:
			return msg.Errorf(msg.TaskCompleted, id)
		case t.Owner != "" && t.Owner != owner:
			return msg.Errorf(msg.TaskOwned, id, t.Owner)
		case len(open) > 0:
			return msg.Errorf(msg.TaskBlocked, id, ids(open))
		}
		return s.claim(&t, owner)
	})
	return t, err
}

func (s *state) claim(t *Task, owner string) error {
	if t.Owner == owner && t.Status == InProgress {
		return nil
	}
	t.Owner, t.Status = owner, InProgress
	return s.put(*t)
}

// Next claims the first task that is ready, as [Board.Ready] gives it; ok tells whether there was one.
func (b *Board) Next(ctx context.Context, owner string, fits func(Task) bool) (t Task, ok bool, err error) {
	if owner == "" {
		return t, false, msg.Errorf(msg.TaskOwner)
	}
	if _, ok, err := b.Ready(ctx, fits); err != nil || !ok {
		return t, false, err
	}
	err = b.change(ctx, func(s *state) error {
		if t, ok = s.ready(fits); !ok {
			return nil
		}
		return s.claim(&t, owner)
	})
	return t, ok && err == nil, err
}

// Free gives back what an owner has claimed and not completed: it is pending again, and nobody's.
func (b *Board) Free(ctx context.Context, owner string) (freed []Task, err error) {
	held := func(t Task) bool { return owner != "" && t.Owner == owner && t.Status != Completed }
	list, _, err := b.List(ctx)
	if err != nil || !slices.ContainsFunc(list, held) {
		return nil, err
	}
	err = b.change(ctx, func(s *state) error {
		for _, t := range slices.Clone(s.tasks) {
			if !held(t) {
				continue
			}
			t.Owner, t.Status = "", Pending
			if err := s.put(t); err != nil {
				return err
			}
			freed = append(freed, t)
		}
		return nil
	})
	return freed, err
}

// ids lists numbers as the model reads them: [2, 3].
func ids(list []int) string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = strconv.Itoa(id)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// IsMistake reports whether an error is one of who asked: a task that is not there, or not to be had, say.
func IsMistake(err error) bool {
	_, ok := errors.AsType[*msg.Error](err)
	return ok
}
