package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// nodeKind is the shape of a node.
type nodeKind int

const (
	nullNode nodeKind = iota // also an empty value: as good as an absent key
	scalarNode
	listNode
	mapNode
)

// node is a value as somebody wrote it, whatever the layer: a flag's text, a variable's, a piece of YAML.
type node struct {
	kind   nodeKind
	text   string // of a scalar
	quoted bool   // a scalar that is surely a string
	list   []node
	keys   []entry
	origin Origin
}

type entry struct {
	key    string
	origin Origin
	value  node
}

func text(s string, o Origin) node { return node{kind: scalarNode, text: s, quoted: true, origin: o} }

// What a value should have been; the words are translated where the error is made.
var (
	errNotText     = errors.New("a text")
	errNotBool     = errors.New("true or false")
	errNotInt      = errors.New("a whole number")
	errNotPositive = errors.New("a whole number of 1 or more")
	errNotNumber   = errors.New("a number above 0")
	errNegative    = errors.New("a number, 0 or more")
	errNotDuration = errors.New("a duration such as 10s, 2m or plain seconds")
	errNotList     = errors.New("a list of texts")
	errNotMap      = errors.New("a mapping")
)

func (n node) str() (string, error) {
	if n.kind != scalarNode {
		return "", errNotText
	}
	return n.text, nil
}

func (n node) boolean() (bool, error) {
	if n.kind == scalarNode {
		switch strings.ToLower(strings.TrimSpace(n.text)) {
		case "true", "yes", "on", "1":
			return true, nil
		case "false", "no", "off", "0":
			return false, nil
		}
	}
	return false, errNotBool
}

// integer reads decimal digits only: in a settings file 010 is a mistake or ten, never eight.
func (n node) integer() (int, error) {
	if n.kind != scalarNode {
		return 0, errNotInt
	}
	v, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(n.text), "_", ""))
	if err != nil {
		return 0, errNotInt
	}
	return v, nil
}

func (n node) number() (float64, error) {
	if n.kind != scalarNode {
		return 0, errNotNumber
	}
	v, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(n.text), "$"), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errNotNumber
	}
	return v, nil
}

// duration reads Go's form and plain seconds. It is never negative.
func (n node) duration() (time.Duration, error) {
	if n.kind != scalarNode {
		return 0, errNotDuration
	}
	s := strings.TrimSpace(n.text)
	d, err := time.ParseDuration(s)
	if err != nil {
		sec, numErr := strconv.ParseFloat(s, 64)
		if numErr != nil || !(sec >= 0 && sec < math.MaxInt64/float64(time.Second)) {
			return 0, errNotDuration
		}
		d = time.Duration(sec * float64(time.Second))
	}
	if d < 0 {
		return 0, errNotDuration
	}
	return d, nil
}

// strings reads a list; a single text is a list of one.
func (n node) strings() ([]string, error) {
	if n.kind == scalarNode {
		return []string{n.text}, nil
	}
	if n.kind != listNode {
		return nil, errNotList
	}
	list := make([]string, 0, len(n.list))
	for _, item := range n.list {
		s, err := item.str()
		if err != nil {
			return nil, errNotList
		}
		list = append(list, s)
	}
	return list, nil
}

func (n node) stringMap() (map[string]string, error) {
	if n.kind != mapNode {
		return nil, errNotMap
	}
	m := make(map[string]string, len(n.keys))
	for _, e := range n.keys {
		if e.value.kind == nullNode {
			m[e.key] = ""
			continue
		}
		s, err := e.value.str()
		if err != nil {
			return nil, errNotMap
		}
		m[e.key] = s
	}
	return m, nil
}

// any gives plain Go values: map[string]any, []any, string, bool, int, float64, nil.
func (n node) any() any {
	switch n.kind {
	case mapNode:
		m := make(map[string]any, len(n.keys))
		for _, e := range n.keys {
			m[e.key] = e.value.any()
		}
		return m
	case listNode:
		list := make([]any, 0, len(n.list))
		for _, item := range n.list {
			list = append(list, item.any())
		}
		return list
	case scalarNode:
		return n.plain()
	default:
		return nil
	}
}

func (n node) plain() any {
	if n.quoted {
		return n.text
	}
	if n.text == "true" || n.text == "false" {
		return n.text == "true"
	}
	if v, err := n.integer(); err == nil {
		return v
	}
	if v, err := strconv.ParseFloat(n.text, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v
	}
	return n.text
}
