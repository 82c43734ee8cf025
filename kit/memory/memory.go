// Package memory keeps what an agent shall know in later conversations: preferences, commands that worked, tricks, facts.
//
// There is one SQLite file for a project and one for the person ([Project], [User]); [Store] is both. Nothing is opened
// before something is asked for, a file that is not there is empty, and it is made by the first [Store.Save], for its owner
// alone. Two processes may use a file at once: each change is one transaction that waits for its turn, and a search sees
// what others have stored before it.
//
// A search looks three ways and joins what they find by rank: words and pairs of Han characters (FTS5, bm25), pieces of
// three characters (FTS5's trigram tokenizer, for parts of names), and vectors ([Embedder]; without one those of [Ngrams],
// which need no network). What lacks a vector of the model gets it a few at a time, as memories are looked for; vectors of
// several models stand beside each other.
//
// [Store.Tools] are memory_save, memory_search and memory_delete. [Store.Hook] brings the person's preferences and what
// resembles their words into the conversation at the start of a turn, as one message, once for as long as the window holds it.
//
// A file that cannot be read is a [*FileError] that names it. It is never changed then, and moved aside only by
// [Store.SetAside]; the other scope goes on.
package memory

import (
	"context"
	"iter"
	"time"

	"react-agent/internal/msg"
)

// Kind says what sort of thing is remembered.
type Kind string

// The kinds.
const (
	Preference Kind = "preference" // what the person likes to have
	Command    Kind = "command"    // a command that worked
	Trick      Kind = "trick"      // how something is done
	Fact       Kind = "fact"       // anything else that holds
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{Preference, Command, Trick, Fact} }

// Scope says where a memory holds.
type Scope string

// The scopes: here, or wherever the person works.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// Record is one memory.
type Record struct {
	// ID is the scope's letter and a number, p12 or u3. It is never given again.
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	Text    string    `json:"text"`
	Tags    []string  `json:"tags,omitempty"`
	Scope   Scope     `json:"scope"`
	Created time.Time `json:"created"` // or last changed, UTC
	// Used is when it last entered a conversation, zero before that; Uses counts how often.
	Used time.Time `json:"used,omitzero"`
	Uses int       `json:"uses,omitempty"`
	// VectorModel made its vector; "" = there is none of a model yet, only the one of [Ngrams].
	VectorModel string `json:"vector_model,omitempty"`
}

// Draft is what shall be remembered. Kind "" is a fact. Scope "" is the person's for a preference, else the project's. The
// rest is for what comes from an export: what a new memory has been through, see [Record]; Created zero is now.
type Draft struct {
	Text  string
	Kind  Kind
	Tags  []string
	Scope Scope

	Created, Used time.Time
	Uses          int
}

// Saved is what became of a draft. Was is the earlier text when the draft said nearly the same as a memory of its kind and
// scope: then that was changed, and no new one made. Same says that the memory was just like the draft, and nothing changed.
type Saved struct {
	Record
	Was  string
	Same bool
}

// Way is how a search looks.
type Way int

// The ways; Fused, the zero value, is the one to use, the others are there to be measured.
const (
	Fused Way = iota
	ByWords
	ByVectors
)

// Query is what is looked for. K is the most hits, 0 = 5. Kind and Scope "" are all.
type Query struct {
	Text  string
	K     int
	Kind  Kind
	Scope Scope
	Way   Way
}

// Hit is a memory that was found. Score, from 0 to 1, says how much it resembles the query; hits stand in the order of the
// joined ranks, the best first.
type Hit struct {
	Record
	Score float64 `json:"score"`

	value float64 // of the joined ranks, by which hits are ordered
}

// Filter picks memories to list: newest first. Kind and Scope "" are all; Limit 0 = no bound.
type Filter struct {
	Kind   Kind
	Scope  Scope
	Limit  int
	Offset int
}

// Status is how one file stands. Err names what is wrong with it; nil also when it is not there (Exists false).
type Status struct {
	Scope  Scope
	Path   string
	Exists bool
	Count  int
	Size   int64          // bytes
	Models map[string]int // vectors by model
	Err    error
}

// Embedder makes vectors of texts. Model names what made them: those of different names are never compared. Embed gives
// one vector for each text, all of one length, within a time that somebody may wait; it may be called by many at once. That
// it fails, and is not asked for a while, it tells the person itself: here the search just goes on without it.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Options say where memories are and what they meet. Only paths are needed.
type Options struct {
	// Project and User are the files; "" = there is no such scope.
	Project, User string
	// Embedder makes vectors beside those of [Ngrams]; nil: those alone.
	Embedder Embedder
	// Mask takes secrets out of what is saved, and out of what goes to the Embedder.
	Mask func(string) string
	// Notice hears of faults that did not stop anything, each once.
	Notice func(error)
	// Budget bounds what enters at the start of a turn, in tokens; 0 = 400.
	Budget int
	// NoSync does not wait for the disk: what was saved last may be lost with the machine's power.
	NoSync bool
	// Lang is the language of what the person sees of a call: remembered, changed, forgotten, each with the id.
	Lang msg.Lang
}

// The bounds of a memory, and of their number in a scope.
const (
	MaxText   = 2000 // characters
	MaxTags   = 8
	MaxTag    = 40 // characters
	MaxNumber = 100_000
	MaxHits   = 50
)

// All lists memories one after the other, oldest first, for an export; Limit and Offset do not count. The file is free in
// between. An error is given once for each file that cannot be read.
func (s *Store) All(ctx context.Context, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { s.all(ctx, f, yield) }
}
