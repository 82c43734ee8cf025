package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"react-agent/internal/msg"
)

// maxFile bounds what is read as settings. Real files have a few kilobytes; the parser is recursive.
const maxFile = 64 << 10

// maxDepth bounds the nesting of settings, far above what any key needs.
const maxDepth = 32

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
func parseValue(data []byte, origin Origin) (n node, err error) {
	defer func() {
		if p := recover(); p != nil { // a fault of the parser on odd input must not be a crash at start
			err = msg.Errorf(msg.ConfigSyntax, placeOf(origin, 1), fmt.Sprint(p))
		}
	}()
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if depthOf(data) > maxDepth {
		return node{}, msg.Errorf(msg.ConfigSyntax, placeOf(origin, 1), "nested too deeply")
	}
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return node{}, syntaxError(data, origin, err)
	}
	docs := f.Docs
	for len(docs) > 0 && docs[0].Body == nil {
		docs = docs[1:]
	}
	if len(docs) == 0 {
		return node{kind: nullNode, origin: at(origin, 1)}, nil
	}
	for _, d := range docs[1:] {
		if d.Body != nil {
			return node{}, msg.Errorf(msg.ConfigTwoDocuments, placeOf(origin, lineOf(d.Body)))
		}
	}
	return convert(docs[0].Body, origin, 0)
}

// depthOf bounds the nesting from above without parsing, because the parser's time grows with a power of it: brackets
// that open a flow collection, also over lines, and runs of the indicators that nest within a line (lists in lists,
// anchors, tags).
func depthOf(data []byte) int {
	open, deepest := 0, 0
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("#")) {
			continue // the rest of a line may hide a bracket from us in quotes, so it counts, comment or not
		}
		deepest = max(deepest, indicators(line))
		last := byte(':') // what stands before, spaces aside; a bracket opens a collection only behind one of these
		for _, b := range line {
			switch b {
			case ' ', '\t':
				continue
			case '[', '{':
				if strings.IndexByte(":,-?[{", last) >= 0 {
					open++
					deepest = max(deepest, open)
				}
			case ']', '}':
				open = max(0, open-1)
			}
			last = b
		}
	}
	return deepest
}

// indicators is the longest run of words that only say what comes behind them: - ? &anchor !tag.
func indicators(line []byte) int {
	run, longest := 0, 0
	for word := range bytes.FieldsSeq(line) {
		if c := word[0]; c == '&' || c == '!' || len(word) == 1 && (c == '-' || c == '?') {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

func at(o Origin, line int) Origin {
	if o.File != "" && o.Layer != LayerDotEnv {
		o.Line = line
	}
	return o
}

// placeOf is file and line, or the flag or variable that the text stood in.
func placeOf(o Origin, line int) Origin { return at(o, line) }

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// columnOf is where the text of a scalar begins, behind its quote.
func columnOf(n ast.Node) int {
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return 0
	}
	if t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType {
		return t.Position.Column + 1
	}
	return t.Position.Column
}

// syntaxError says what the parser found in one line, and knows the mistake that everybody makes once.
func syntaxError(data []byte, origin Origin, err error) error {
	line, text := 1, err.Error()
	if ye, ok := errors.AsType[yaml.Error](err); ok {
		text = ye.GetMessage()
		if t := ye.GetToken(); t != nil && t.Position != nil {
			line = t.Position.Line
		}
	}
	lines := strings.Split(string(data), "\n")
	for i := range min(line+1, len(lines)) {
		indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " \t"))]
		if strings.Contains(indent, "\t") && strings.TrimSpace(lines[i]) != "" {
			return msg.Errorf(msg.ConfigTab, placeOf(origin, i+1))
		}
	}
	if first, _, ok := strings.Cut(text, "\n"); ok {
		text = first
	}
	return msg.Errorf(msg.ConfigSyntax, placeOf(origin, line), text)
}

// convert turns the parser's tree into nodes. Anchors, aliases and tags are refused: no setting needs them, and what
// they expand to has no line of its own.
func convert(n ast.Node, origin Origin, depth int) (node, error) {
	out := node{origin: at(origin, lineOf(n))}
	if depth > maxDepth {
		return out, msg.Errorf(msg.ConfigSyntax, out.origin, "nested too deeply")
	}
	switch v := n.(type) {
	case *ast.NullNode:
	case *ast.StringNode:
		out.kind, out.text, out.quoted = scalarNode, v.Value, true
		out.origin.Column = columnOf(n)
	case *ast.LiteralNode:
		out.kind, out.text, out.quoted = scalarNode, v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text = scalarNode, n.GetToken().Value
	case *ast.SequenceNode:
		out.kind = listNode
		for _, item := range v.Values {
			c, err := convert(item, origin, depth+1)
			if err != nil {
				return out, err
			}
			out.list = append(out.list, c)
		}
	case *ast.MappingNode:
		out.kind = mapNode
		for _, mv := range v.Values {
			if err := out.add(mv, origin, depth); err != nil {
				return out, err
			}
		}
	case *ast.MappingValueNode:
		out.kind = mapNode
		return out, out.add(v, origin, depth)
	default:
		return out, msg.Errorf(msg.ConfigNoAnchors, out.origin)
	}
	return out, nil
}

func (n *node) add(mv *ast.MappingValueNode, origin Origin, depth int) error {
	o := at(origin, lineOf(mv.Key))
	var key string
	switch k := mv.Key.(type) {
	case *ast.StringNode:
		key = k.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		key = k.GetToken().Value
	default:
		return msg.Errorf(msg.ConfigNoAnchors, o)
	}
	for _, e := range n.keys {
		if e.key == key {
			return msg.Errorf(msg.ConfigDuplicate, o, key, e.origin)
		}
	}
	v, err := convert(mv.Value, origin, depth+1)
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
