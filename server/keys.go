package server

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/text"
)

//go:embed openapi.json
var document []byte

// serveDocument gives the description of all routes.
func serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(document) // the client is gone if this fails
}

// node is what may stand at one place of a body. nil: anything.
type node struct {
	kinds []string         // nil: any
	keys  map[string]*node // nil: it is no object, or one with any keys
	items *node
}

// schema is as much of the document as bodies are checked by.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	OneOf      []schema          `json:"oneOf"`
}

// bodyKeys reads from the document which keys the bodies may have, by method and path.
func bodyKeys() (map[string]*node, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema schema `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("openapi.json: %w", err)
	}
	all := map[string]*node{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if c, ok := op.RequestBody.Content["application/json"]; ok {
				all[strings.ToUpper(method)+" "+path] = c.Schema.node(doc.Components.Schemas)
			}
		}
	}
	return all, nil
}

// pathOf is a path of Gin's as the document writes it.
func pathOf(path string) string { return strings.ReplaceAll(path, ":id", "{id}") }

func (x schema) node(named map[string]schema) *node {
	if name, ok := strings.CutPrefix(x.Ref, "#/components/schemas/"); ok {
		return named[name].node(named)
	}
	n := &node{}
	if x.Type != "" {
		n.kinds = []string{x.Type}
	}
	if x.Items != nil {
		n.items = x.Items.node(named)
	}
	for key, p := range x.Properties {
		if n.keys == nil {
			n.keys = map[string]*node{}
		}
		n.keys[key] = p.node(named)
	}
	for _, one := range x.OneOf { // a string or an object, say
		m := one.node(named)
		n.kinds = append(n.kinds, m.kinds...)
		if n.items = cmp.Or(n.items, m.items); n.keys == nil {
			n.keys = m.keys
		}
	}
	return n
}

// depthMax is how deep a body may be nested.
const depthMax = 200

// spot is where in a body a value stands: under a key, or in a list. Its path is made for an error only, as a body may have
// millions of values, and keys of megabytes.
type spot struct {
	up    *spot
	key   string
	index int // in a list; -1: under the key
}

// nameMax and pathMax are how many characters of a client's key, and of a path, are said again.
const (
	nameMax = 80
	pathMax = 400
)

// path names the spot; the whole body is "".
func (x *spot) path() string {
	var names []string
	for ; x != nil; x = x.up {
		if x.index >= 0 {
			names = append(names, fmt.Sprintf("[%d]", x.index))
		} else {
			names = append(names, "."+text.Head(x.key, nameMax))
		}
	}
	slices.Reverse(names)
	return text.Head(strings.TrimPrefix(strings.Join(names, ""), "."), pathMax)
}

// check reads one value and looks at the keys of its objects.
func (n *node) check(d *json.Decoder, at *spot, depth int) error {
	if depth > depthMax {
		return msg.Errorf(msg.ServerDeep, depthMax)
	}
	t, err := d.Token()
	if err != nil {
		return err
	}
	if kind := kindOf(t); n != nil && n.kinds != nil && !slices.Contains(n.kinds, kind) && (kind != "integer" || !slices.Contains(n.kinds, "number")) {
		return msg.Errorf(msg.ServerKind, cmp.Or(at.path(), "{}"), strings.Join(n.kinds, " | "), kind)
	}
	switch t {
	case json.Delim('{'):
		return n.checkObject(d, at, depth)
	case json.Delim('['):
		var items *node
		if n != nil {
			items = n.items
		}
		for in := (spot{up: at}); d.More(); in.index++ {
			if err := items.check(d, &in, depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

// kindOf names what a token begins, as schemas do.
func kindOf(t json.Token) string {
	switch x := t.(type) {
	case json.Delim:
		if x == '{' {
			return "object"
		}
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(x.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "null"
}

func (n *node) checkObject(d *json.Decoder, at *spot, depth int) error {
	seen := map[string]bool{}
	in := spot{up: at, index: -1}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if in.key = key; seen[key] {
			return msg.Errorf(msg.ServerTwice, in.path())
		}
		seen[key] = true
		var inner *node
		if n != nil && n.keys != nil {
			var known bool
			if inner, known = n.keys[key]; !known {
				return n.unknown(&in)
			}
		}
		if err := inner.check(d, &in, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (n *node) unknown(at *spot) error {
	names := slices.Sorted(maps.Keys(n.keys))
	if len(at.key) <= nameMax {
		if near := text.Nearest(at.key, names); near != "" {
			return msg.Errorf(msg.ServerKeyNear, at.path(), near)
		}
	}
	return msg.Errorf(msg.ServerKey, at.path(), strings.Join(names, ", "))
}
