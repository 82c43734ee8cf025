package skill

import (
	"errors"
	"slices"

	"react-agent/internal/yaml"
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

// readYAML reads any header with a real parser.
func readYAML(header string) (fields, *fault) {
	root, err := yaml.Parse("", []byte(header))
	if err != nil {
		e, ok := errors.AsType[*yaml.Error](err)
		if !ok {
			e = &yaml.Error{Text: err.Error()}
		}
		return fields{}, &fault{line: e.Line, text: e.Text}
	}
	var f fields
	switch root.Kind {
	case yaml.Null:
	case yaml.Map:
		for i := range root.Pairs {
			p := &root.Pairs[i]
			f.list = append(f.list, entry{key: p.Key.Text, line: p.Key.Line, val: valueOf(&p.Value)})
		}
	default:
		return fields{}, &fault{line: root.Line, notMap: true}
	}
	return f, nil
}

func valueOf(n *yaml.Node) value {
	switch n.Kind {
	case yaml.Scalar:
		return value{kind: scalar, text: n.Text}
	case yaml.List:
		out := value{kind: list}
		for i := range n.Items {
			if t := n.Items[i].Text; t != "" {
				out.list = append(out.list, t)
			}
		}
		return out
	case yaml.Map:
		out := value{kind: mapping, pairs: map[string]string{}}
		for i := range n.Pairs {
			if p := &n.Pairs[i]; p.Value.Kind == yaml.Scalar {
				out.pairs[p.Key.Text] = p.Value.Text
			}
		}
		return out
	case yaml.Null:
	}
	return value{}
}
