package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// MaxDepth bounds the nesting of lists and maps; what people write stays far below.
const MaxDepth = 32

// Parse reads the one document of a text; file is only named in errors. A text without a document is a Null node at line
// 1. An error is an [Error].
func Parse(file string, data []byte) (Node, error) {
	doc, err := load(file, data)
	if err != nil {
		return Node{}, err
	}
	if doc == nil {
		return Node{Line: 1, Column: 1}, nil
	}
	return nodeOf(doc), nil
}

// load gives the root of the first document that holds anything, nil if none does.
func load(file string, data []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // a fault of the library on odd input must not end the program
			root, err = nil, &Error{File: file, Text: fmt.Sprint(p)}
		}
	}()
	data, breaks := keepBreaks(data)
	l, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(limits{}))
	if err != nil {
		return nil, fmt.Errorf("yaml: %w", err)
	}
	for {
		var doc yaml.Node
		switch err := l.Load(&doc); {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, errorOf(file, data, err)
		case len(doc.Content) == 0 || empty(doc.Content[0]):
		case root != nil:
			return nil, &Error{File: file, Line: doc.Content[0].Line, Column: doc.Content[0].Column, Text: ErrSecond.Error(), cause: ErrSecond}
		default:
			root = doc.Content[0]
			if breaks {
				giveBack(root)
			}
		}
	}
}

// keepBreaks hides characters that ended a line in YAML 1.1, as the library still has it, and no longer do in 1.2: they
// come into texts that are copied from web pages. What stands for them is in no text that anybody exchanges.
func keepBreaks(data []byte) (out []byte, hidden bool) {
	if !bytes.ContainsAny(data, oldBreaks) || bytes.ContainsAny(data, standIns) {
		return data, false
	}
	return []byte(pairwise(oldBreaks, standIns).Replace(string(data))), true
}

func giveBack(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Value = pairwise(standIns, oldBreaks).Replace(n.Value)
	}
	for _, c := range n.Content {
		giveBack(c)
	}
}

const (
	oldBreaks = "\u0085\u2028\u2029"
	standIns  = "\ufdd0\ufdd1\ufdd2"
)

func pairwise(from, to string) *strings.Replacer {
	f, t := strings.Split(from, ""), strings.Split(to, "")
	return strings.NewReplacer(f[0], t[0], f[1], t[1], f[2], t[2])
}

// empty says that a document holds nothing at all.
func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == "" && n.ShortTag() == "!!null"
}

// limits are the bounds of this package; the library asks at every step into a list or a map and at every alias it follows.
type limits struct{}

var (
	errDeep    = errors.New("nested too deeply")
	errAliases = errors.New("too many aliases")
)

// CheckDepth refuses what is nested deeper than [MaxDepth].
func (limits) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > MaxDepth {
		return errDeep
	}
	return nil
}

// CheckAlias refuses texts that multiply.
func (limits) CheckAlias(aliases, built int) error {
	if aliases > 1000 && aliases > built/10 {
		return errAliases
	}
	return nil
}
