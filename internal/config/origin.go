package config

import (
	"fmt"

	"react-agent/internal/msg"
)

// Layer is where a value came from, the weakest first.
type Layer int

// The layers. LayerVendor is a value of the table of vendors.
const (
	LayerDefault Layer = iota
	LayerVendor
	LayerUser
	LayerProject
	LayerDotEnv
	LayerEnv
	LayerFlag
)

// Origin is the place of a value.
type Origin struct {
	Layer Layer
	Name  string // flag or variable, as written; the vendor's name
	File  string
	Line  int
	// Column is where the text of the value begins in its line, counted from 1; 0 = unknown.
	Column int
}

// Spot is the place of a character of the value, counted from 1: "/p/config.yaml:3:12", or [Origin.In] when columns are
// unknown.
func (o Origin) Spot(c msg.Catalogue, char int) string {
	if o.Column == 0 {
		return o.In(c)
	}
	return fmt.Sprintf("%s:%d:%d", o.File, o.Line, o.Column+char-1)
}

// String is the place in English.
func (o Origin) String() string { return o.In(msg.For(msg.En)) }

// In is the place in the catalogue's language: "--model", "/p/config.yaml:3".
func (o Origin) In(c msg.Catalogue) string {
	switch o.Layer {
	case LayerFlag:
		return c.Text(msg.ConfigFromFlag, o.Name)
	case LayerEnv:
		return c.Text(msg.ConfigFromEnv, o.Name)
	case LayerDotEnv:
		return fmt.Sprintf("%s:%d (%s)", o.File, o.Line, o.Name)
	case LayerUser, LayerProject:
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	case LayerVendor:
		return c.Text(msg.ConfigFromVendor, o.Name)
	default:
		return c.Text(msg.ConfigFromDefault)
	}
}

// inWorkDir reports whether the value came from a file that may be anybody's.
func (o Origin) inWorkDir() bool { return o.Layer == LayerProject || o.Layer == LayerDotEnv }

// Value is one setting for people to read; secrets are masked.
type Value struct {
	Key, Value string
	Origin     Origin
}

// Ignored is something that was found and has no effect.
type Ignored struct {
	Key    string
	Origin Origin
	Reason error // translated, see package msg
}

// Secret is the value of a key and the variable it stands in ("" = it stands in a file).
type Secret struct{ Name, Value string }
