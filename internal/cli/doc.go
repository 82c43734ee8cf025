// Package cli is the command line: the commands of contract and manual, the one-shot mode (run, demo), the line REPL,
// and how events look as text, JSON or JSON lines.
//
// It talks to an [engine.Engine] and to commands, and knows no provider, tool or feature. [Main] is the whole program
// but for what only the operating system knows; that comes in as a [Std].
//
// Who prints what: the answer goes to standard output, everything else to standard error. A [view] turns the events of
// a session into output; [follower] finds the events that belong to an input, and what its run came to.
package cli
