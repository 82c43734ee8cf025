package task

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"react-agent/internal/msg"
	"react-agent/store"
)

// Change is what becomes of a task. Zero values leave things as they are.
type Change struct {
	// Status is the new one. [Deleted] removes the task; [Pending] gives it back, it is nobody's then.
	Status               string
	Subject, Description *string
	// AddBlockedBy are tasks that must be completed before; AddBlocks are tasks that wait for this one.
	AddBlockedBy, AddBlocks []int
}

func valid(status string) bool {
	return slices.Contains([]string{Pending, InProgress, Completed, Deleted}, status)
}

func statusError(status string) error { return msg.Errorf(msg.TaskStatus, status) }

// Update changes a task and gives it as it is then, or as it was when it was removed. A change with anything wrong in it
// changes nothing.
func (b *Board) Update(ctx context.Context, id int, c Change) (t Task, err error) {
	if c.Status != "" && !valid(c.Status) {
		return t, statusError(c.Status)
	}
	if c.Subject != nil && strings.TrimSpace(*c.Subject) == "" {
		return t, msg.Errorf(msg.TaskSubject)
	}
	if _, err := b.Get(ctx, id); err != nil { // nothing is made for what is not there
		return t, err
	}
	err = b.change(ctx, func(s *state) error {
		if t, err = s.get(id); err != nil {
			return err
		}
		if c.Status == Deleted {
			return s.remove(id)
		}
		return s.update(&t, c)
	})
	return t, err
}

func (s *state) update(t *Task, c Change) error {
	if c.Subject != nil {
		t.Subject = *c.Subject
	}
	if c.Description != nil {
		t.Description = *c.Description
	}
	if c.Status != "" {
		t.Status = c.Status
	}
	if c.Status == Pending {
		t.Owner = ""
	}
	others, err := s.link(t, c)
	if err != nil {
		return err
	}
	for _, o := range others { // first those that have to wait: what waits and is not named anywhere still waits
		if err := s.put(o); err != nil {
			return err
		}
	}
	if err := s.put(*t); err != nil {
		return err
	}
	if t.Status == Completed {
		return s.unlink(t.ID, false)
	}
	return nil
}

// link adds what t waits for and what waits for t, and gives the other tasks that this changes.
func (s *state) link(t *Task, c Change) (others []Task, err error) {
	for _, id := range c.AddBlockedBy {
		other, err := s.get(id)
		if err != nil {
			return nil, err
		}
		if err := s.circle(t.ID, id); err != nil {
			return nil, err
		}
		if other.Status != Completed {
			t.BlockedBy = union(t.BlockedBy, id)
		}
	}
	s.with(*t)
	for _, id := range c.AddBlocks {
		if err := s.circle(id, t.ID); err != nil {
			return nil, err
		}
		other, err := s.get(id)
		if err != nil {
			return nil, err
		}
		t.Blocks = union(t.Blocks, id)
		if t.Status == Completed || slices.Contains(other.BlockedBy, t.ID) {
			continue
		}
		other.BlockedBy = union(other.BlockedBy, t.ID)
		s.with(other)
		others = append(others, other)
	}
	return others, nil
}

// with sees a task as it is about to be.
func (s *state) with(t Task) {
	if i, err := s.index(t.ID); err == nil {
		s.tasks[i] = t
	}
}

func union(list []int, id int) []int {
	if slices.Contains(list, id) {
		return list
	}
	return append(slices.Clone(list), id)
}

// circle says that a task cannot wait for another, because that one waits for it, over however many in between.
func (s *state) circle(waits, other int) error {
	path := s.path(other, waits, map[int]bool{})
	if path == nil {
		return nil
	}
	texts := make([]string, len(path)+1)
	for i, id := range append([]int{waits}, path...) {
		texts[i] = strconv.Itoa(id)
	}
	return msg.Errorf(msg.TaskCycle, waits, other, strings.Join(texts, " -> "))
}

// path is the way from a task to another over what it waits for; nil: there is none.
func (s *state) path(from, to int, seen map[int]bool) []int {
	if from == to {
		return []int{to}
	}
	seen[from] = true
	t, err := s.get(from)
	if err != nil {
		return nil
	}
	for _, id := range t.BlockedBy {
		if seen[id] {
			continue
		}
		if rest := s.path(id, to, seen); rest != nil {
			return append([]int{from}, rest...)
		}
	}
	return nil
}

// unlink takes an id out of what others wait for; out of what they hold up, too, if it is removed.
func (s *state) unlink(id int, removed bool) error {
	for _, o := range slices.Clone(s.tasks) {
		was := len(o.BlockedBy) + len(o.Blocks)
		without := func(list []int) []int {
			return slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x == id })
		}
		o.BlockedBy = without(o.BlockedBy)
		if removed {
			o.Blocks = without(o.Blocks)
		}
		if len(o.BlockedBy)+len(o.Blocks) == was || o.ID == id {
			continue
		}
		if err := s.put(o); err != nil {
			return err
		}
	}
	return nil
}

// remove takes a task away, last of all: a process that dies before leaves it there to be removed again.
func (s *state) remove(id int) error {
	if err := s.unlink(id, true); err != nil {
		return err
	}
	if _, err := s.kv.Put(s.ctx, store.Doc{Key: key(id), Rev: s.revs[id]}); err != nil {
		return fmt.Errorf("task %d: %w", id, err)
	}
	return nil
}
