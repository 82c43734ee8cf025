package skill

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// value is what a field holds: text (of any scalar), a list of texts, or a map of texts. What is nested deeper is left
// out.
type value struct {
	text  string
	list  []string
	pairs map[string]string
	kind  kind
}

type kind int

const (
	null kind = iota
	scalar
	list
	mapping
)

type entry struct {
	key  string
	norm string // as names are compared
	val  value
	line int // from 1
}

// fields are the top-level fields of a header in their order.
type fields struct{ list []entry }

// get finds a field by its name; hyphens and underscores, upper and lower case are the same, and the last one counts.
func (f *fields) get(name string) (value, int) {
	for _, e := range slices.Backward(f.list) {
		if e.norm == name {
			return e.val, e.line
		}
	}
	return value{}, 0
}

// fault is what is wrong with a header's YAML.
type fault struct {
	line   int
	text   string
	notMap bool
}

// readFields reads a header. With a fault there may be fields nevertheless: those that could be saved.
func readFields(header string) (fields, *fault) {
	f, ok := simple(header)
	if ok {
		return f, nil
	}
	f, err := readYAML(header)
	if err == nil {
		return f, nil
	}
	if !err.notMap {
		f = salvage(header)
	}
	return f, err
}

// maxNesting bounds the depth of a header.
const maxNesting = 20

// readYAML reads any header with a real parser.
func readYAML(header string) (f fields, flt *fault) {
	defer func() {
		if p := recover(); p != nil { // a fault of the parser on odd input must not end the program
			f, flt = fields{}, &fault{text: fmt.Sprint(p)}
		}
	}()
	if nested(header) > maxNesting {
		return fields{}, &fault{line: 1, text: "nested too deeply"}
	}
	file, err := parser.ParseBytes([]byte(header), 0)
	if err != nil {
		return fields{}, faultOf(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return fields{}, nil
	}
	r := reader{anchors: map[string]ast.Node{}}
	switch n := file.Docs[0].Body.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			f.list = append(f.list, r.entry(v))
		}
	case *ast.MappingValueNode:
		f.list = append(f.list, r.entry(n))
	case *ast.NullNode, *ast.CommentGroupNode:
	default:
		return fields{}, &fault{line: 1, notMap: true}
	}
	return f, nil
}

func faultOf(err error) *fault {
	flt := &fault{text: err.Error()}
	if ye, ok := errors.AsType[yaml.Error](err); ok {
		flt.text = ye.GetMessage()
		if t := ye.GetToken(); t != nil && t.Position != nil {
			flt.line = t.Position.Line
		}
	}
	flt.text, _, _ = strings.Cut(flt.text, "\n")
	return flt
}

// nested bounds the depth from above without parsing: the parser's time grows with a power of it.
func nested(header string) int {
	open, deepest := 0, 0
	for line := range strings.SplitSeq(header, "\n") {
		before := byte(':') // a bracket opens a collection only behind one of these
		words := 0          // that only announce what comes behind them
		for w := range strings.FieldsSeq(line) {
			if w[0] == '&' || w[0] == '!' || w == "-" || w == "?" {
				words++
				deepest = max(deepest, words)
			} else {
				words = 0
			}
		}
		for i := range len(line) {
			switch c := line[i]; c {
			case ' ', '\t':
				continue
			case '[', '{':
				if strings.IndexByte(":,-?[{", before) >= 0 {
					open++
					deepest = max(deepest, open)
				}
			case ']', '}':
				open = max(0, open-1)
			}
			before = line[i]
		}
	}
	return deepest
}

// reader turns the parser's tree into values. Aliases are followed to scalars only, so that nothing multiplies.
type reader struct{ anchors map[string]ast.Node }

func (r *reader) entry(n *ast.MappingValueNode) entry {
	e := entry{key: r.scalar(n.Key), line: 1}
	if t := n.Key.GetToken(); t != nil && t.Position != nil {
		e.line = t.Position.Line
	}
	e.val = r.value(n.Value)
	return e
}

func (r *reader) value(n ast.Node) value {
	n = r.bare(n)
	switch v := n.(type) {
	case nil, *ast.NullNode:
		return value{}
	case *ast.SequenceNode:
		out := value{kind: list}
		for _, item := range v.Values {
			if t := r.scalar(item); t != "" {
				out.list = append(out.list, t)
			}
		}
		return out
	case *ast.MappingNode:
		out := value{kind: mapping, pairs: map[string]string{}}
		for _, p := range v.Values {
			r.pair(out.pairs, p)
		}
		return out
	case *ast.MappingValueNode:
		out := value{kind: mapping, pairs: map[string]string{}}
		r.pair(out.pairs, v)
		return out
	}
	return value{kind: scalar, text: r.scalar(n)}
}

func (r *reader) pair(to map[string]string, n *ast.MappingValueNode) {
	if v := r.value(n.Value); v.kind == scalar {
		to[r.scalar(n.Key)] = v.text
	}
}

// bare takes anchors and tags off, and follows an alias once.
func (r *reader) bare(n ast.Node) ast.Node {
	for range maxNesting {
		switch v := n.(type) {
		case *ast.AnchorNode:
			if v.Name != nil {
				r.anchors[v.Name.String()] = v.Value
			}
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		case *ast.MappingKeyNode:
			n = v.Value
		case *ast.AliasNode:
			if v.Value == nil {
				return nil
			}
			n = r.anchors[v.Value.String()]
			switch n.(type) {
			case *ast.SequenceNode, *ast.MappingNode, *ast.MappingValueNode:
				return nil
			}
		default:
			return n
		}
	}
	return nil
}

// scalar is the text of a scalar as written; empty for everything else.
func (r *reader) scalar(n ast.Node) string {
	switch v := r.bare(n).(type) {
	case *ast.StringNode:
		return v.Value
	case *ast.LiteralNode:
		return v.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return v.GetToken().Value
	}
	return ""
}
