package team

// Options say what a team needs. Zero limits are the usual ones.
type Options struct {
	// Depth is how many levels of children there may be below the root; 0 = 2.
	Depth int
	// Width is how many children of one parent work at once; 0 = 4.
	Width int
	// Total is how many children models may start in a tree between two messages of the person; 0 = 16.
	Total int
	// Steps bounds the model calls of a child; 0 = 30.
	Steps int
}

// Team runs the children of all sessions of a product. It is safe for concurrent use.
type Team struct{ o Options }

// New makes a team.
func New(o Options) *Team { return &Team{o: o} }
