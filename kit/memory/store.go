package memory

import (
	"context"

	"react-agent/agent"
)

// Store is the memories of a project and of the person. Its methods may be called by many at once.
type Store struct{ o Options }

// New makes a store; no file is touched.
func New(o Options) *Store { return &Store{o: o} }

// Save remembers a draft, or changes the memory that says nearly the same. The error says what to do about it.
func (s *Store) Save(context.Context, Draft) (Saved, error) { return Saved{}, ErrClosed }

// Search finds what resembles the query. Faults of one scope or way are noticed and the others' hits given; the error says
// that nothing could be looked at.
func (s *Store) Search(context.Context, Query) ([]Hit, error) { return nil, ErrClosed }

// Get reads one memory by its id.
func (s *Store) Get(context.Context, string) (Record, error) { return Record{}, ErrClosed }

// Delete forgets a memory and gives what it was.
func (s *Store) Delete(context.Context, string) (Record, error) { return Record{}, ErrClosed }

// List gives memories, newest first, and how many the filter meets in all.
func (s *Store) List(context.Context, Filter) (page []Record, total int, err error) {
	return nil, 0, ErrClosed
}

func (s *Store) all(context.Context, Filter, func(Record, error) bool) {}

// Status tells how the files stand, for doctor; a file that is not there is not made.
func (s *Store) Status(context.Context) []Status { return nil }

// SetAside renames the file of a scope so that the next save begins a new one, and gives its new name. It is for a file
// that is damaged or too new; nothing is deleted.
func (s *Store) SetAside(context.Context, Scope) (string, error) { return "", ErrClosed }

// Tools gives memory_save, memory_search and memory_delete.
func (s *Store) Tools() []agent.Tool { return nil }

// Hook brings memories in at the start of a turn.
func (s *Store) Hook() agent.Hook { return agent.Hook{Name: "memory"} }

// Close lets go of the files. It may be called more than once.
func (s *Store) Close() error { return nil }
