package app

import (
	"context"
	"time"

	"react-agent/internal/command"
	"react-agent/store"
)

// Parts are what another main puts in place of the product's own parts. The zero value changes nothing, and the program
// itself uses no other.
type Parts struct {
	// Log wraps the log under the engine: to watch appends, to slow them down, to make them fail. What it gives back should
	// keep the abilities of what it got (store.Syncer, Torn, Last, Names).
	Log func(store.Log) store.Log
	// Beat and Dead are those of [engine.Config]; 0 is the usual.
	Beat, Dead time.Duration
}

// Open assembles the product. Nothing is read from or written to the state directory before it is needed.
func Open(ctx context.Context, o command.Options) (*command.Host, error) {
	return With(Parts{})(ctx, o)
}

// With is [Open] with other parts.
func With(parts Parts) command.Open {
	return func(ctx context.Context, o command.Options) (*command.Host, error) {
		if o.Server != "" {
			return openRemote(ctx, o)
		}
		return open(ctx, o, parts)
	}
}

func (x Parts) log(l store.Log) store.Log {
	if x.Log == nil {
		return l
	}
	return x.Log(l)
}
