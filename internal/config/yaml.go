package config

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"react-agent/internal/msg"
	"react-agent/internal/yaml"
)

// maxFile bounds what is read as settings. Real files have a few kilobytes.
const maxFile = 64 << 10

// place is "file:line".
func place(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// parseYAML reads one mapping. An empty file is an empty mapping. origin gives layer and file; lines are filled in.
func parseYAML(data []byte, origin Origin) (node, error) {
	file := origin.File
	data, err := cleanText(data, file)
	if err != nil {
		return node{}, err
	}
	n, err := parseValue(data, origin)
	if err != nil {
		return node{}, err
	}
	switch n.kind {
	case nullNode:
		n.kind = mapNode
	case mapNode:
	default:
		return node{}, msg.Errorf(msg.ConfigNotMapping, place(file, n.origin.Line))
	}
	return n, nil
}

// cleanText takes off a byte-order mark and refuses what is no UTF-8 text.
func cleanText(data []byte, file string) ([]byte, error) {
	if len(data) > maxFile {
		return nil, msg.Errorf(msg.ConfigTooLarge, file, maxFile>>10)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, msg.Errorf(msg.ConfigUTF16, file)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 || r == 0 {
			return nil, msg.Errorf(msg.ConfigNotUTF8, place(file, line))
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
	return data, nil
}

// parseValue reads any one YAML value.
func parseValue(data []byte, origin Origin) (node, error) {
	tree, err := yaml.Parse("", data)
	if err != nil {
		return node{}, syntaxError(origin, err)
	}
	return convert(&tree, origin)
}

// syntaxError says what is wrong in the person's language as far as we know it.
func syntaxError(origin Origin, err error) error {
	e, ok := errors.AsType[*yaml.Error](err)
	if !ok {
		return msg.Errorf(msg.ConfigSyntax, at(origin, 1), err)
	}
	place := at(origin, max(1, e.Line))
	switch {
	case errors.Is(e, yaml.ErrTab):
		return msg.Errorf(msg.ConfigTab, place)
	case errors.Is(e, yaml.ErrSecond):
		return msg.Errorf(msg.ConfigTwoDocuments, place)
	}
	return msg.Errorf(msg.ConfigSyntax, place, e.Text)
}

// at is a line of a file; a flag and a variable have none.
func at(o Origin, line int) Origin {
	if o.File != "" && o.Layer != LayerDotEnv {
		o.Line = line
	}
	return o
}

// convert makes nodes of the tree. Anchors, aliases and tags are refused: no setting needs them, and what they stand for
// has no line of its own.
func convert(n *yaml.Node, origin Origin) (node, error) {
	out := node{origin: at(origin, n.Line)}
	if n.Marked {
		return out, msg.Errorf(msg.ConfigNoAnchors, out.origin)
	}
	switch n.Kind {
	case yaml.Null:
	case yaml.Scalar:
		out.kind, out.text, out.quoted = scalarNode, n.Text, n.String
		if n.String && !n.Block {
			out.origin.Column = n.Column
		}
	case yaml.List:
		out.kind = listNode
		for i := range n.Items {
			item, err := convert(&n.Items[i], origin)
			if err != nil {
				return out, err
			}
			out.list = append(out.list, item)
		}
	case yaml.Map:
		out.kind = mapNode
		for i := range n.Pairs {
			if err := out.add(&n.Pairs[i], origin); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func (n *node) add(p *yaml.Pair, origin Origin) error {
	o := at(origin, p.Key.Line)
	key := p.Key.Text
	switch {
	case p.Key.Marked || p.Key.Kind == yaml.List || p.Key.Kind == yaml.Map:
		return msg.Errorf(msg.ConfigNoAnchors, o)
	case p.Key.Kind == yaml.Null:
		key = "null"
	}
	for _, e := range n.keys {
		if e.key == key {
			return msg.Errorf(msg.ConfigDuplicate, o, key, e.origin)
		}
	}
	v, err := convert(&p.Value, origin)
	if err != nil {
		return err
	}
	if v.kind == nullNode || v.kind == scalarNode {
		if v.origin.Line == o.Line {
			o.Column = v.origin.Column
		}
		v.origin = o
	}
	n.keys = append(n.keys, entry{key: key, origin: o, value: v})
	return nil
}
