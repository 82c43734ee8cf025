package team

// Texts are the words of a result where a child has not said what was hoped for.
type Texts struct {
	NoWords string // it succeeded and said nothing
	Failed  string // it did not succeed
	// Bare leaves it at that: neither who it was, nor why, nor what it said last. Usage and log have the rest.
	Bare bool
}

// Lean are the words of every face but server: whatever happened can be seen.
func Lean() Texts { return Texts{NoWords: "(no summary)", Failed: "(subagent failed)"} }

// Server are the words of the server face.
func Server() Texts {
	t := Lean()
	t.Bare = true
	return t
}

// Named finds a set by the name that profiles use; every name but "server" is [Lean].
func Named(name string) Texts {
	if name == "server" {
		return Server()
	}
	return Lean()
}
