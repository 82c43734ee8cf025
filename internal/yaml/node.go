package yaml

import (
	yaml "go.yaml.in/yaml/v4"
)

// Kind is the shape of a [Node].
type Kind int

// The shapes. An empty value and ~ are Null.
const (
	Null Kind = iota
	Scalar
	List
	Map
)

// Node is a value with its place. A list and a map keep their order.
type Node struct {
	Kind Kind
	// Text of a scalar: quotes and escapes are resolved, a number stays as it is written.
	Text string
	// String says that a scalar is a text for sure: it is quoted, a block, or no number, truth value or date.
	String bool
	// Block says that a scalar stands on the lines below its | or >.
	Block bool
	// Marked says that an anchor or a tag stands before it, or that an alias (or <<) stands in its place. What a tag says
	// is ignored. An alias of a scalar has its text; an alias of anything else is Null, so that nothing multiplies.
	Marked bool
	// Line and Column of its first character, counted from 1 in characters; that of a quoted text stands behind the quote.
	Line, Column int
	Items        []Node // of a list
	Pairs        []Pair // of a map, also those with a key that was there before
}

// Pair is a key of a map and what it stands for.
type Pair struct{ Key, Value Node }

// nodeOf copies the library's tree. Its depth is bounded by the parser.
func nodeOf(n *yaml.Node) Node {
	out := Node{Line: n.Line, Column: n.Column, Marked: n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || n.Tag == "!"}
	switch n.Kind {
	case yaml.AliasNode:
		out.Marked = true
		if t := n.Alias; t != nil && t.Kind == yaml.ScalarNode {
			out.scalar(t)
		}
	case yaml.ScalarNode:
		out.scalar(n)
	case yaml.SequenceNode:
		out.Kind = List
		out.Items = make([]Node, 0, len(n.Content))
		for _, item := range n.Content {
			out.Items = append(out.Items, nodeOf(item))
		}
	case yaml.MappingNode:
		out.Kind = Map
		out.Pairs = make([]Pair, 0, len(n.Content)/2)
		for i := 1; i < len(n.Content); i += 2 {
			out.Pairs = append(out.Pairs, Pair{Key: nodeOf(n.Content[i-1]), Value: nodeOf(n.Content[i])})
		}
	case yaml.DocumentNode, yaml.StreamNode: // these stand above the root
	}
	return out
}

func (n *Node) scalar(s *yaml.Node) {
	tag := s.ShortTag()
	quoted := s.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	n.Block = s.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	n.Marked = n.Marked || tag == "!!merge"
	if tag == "!!null" && !quoted && !n.Block {
		return
	}
	n.Kind, n.Text = Scalar, s.Value
	n.String = quoted || n.Block || tag == "!!str" || tag == "!!merge"
	if quoted {
		n.Column++
	}
}
