package gemini

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"react-agent/provider/wire"
)

// maxSchemaDepth bounds schemas that refer to themselves, or were made to.
const maxSchemaDepth = 64

// cleanSchema makes a schema one that the API takes: of JSON Schema it knows some keywords, and what it does not know it
// may refuse with the whole request. What another keyword can say is said so; the rest is left out, since tools check
// their arguments themselves.
func cleanSchema(raw json.RawMessage) []byte {
	c := cleaner{root: gjson.ParseBytes(wire.Compact(raw))}
	root := c.root
	for range maxSchemaDepth { // the top has to be a schema that says what it is
		to := c.target(root)
		if !to.Exists() {
			break
		}
		root = to
	}
	return c.schema(nil, root, 0)
}

// bare reports whether a schema describes an object without fields.
func bare(schema []byte) bool {
	s := gjson.ParseBytes(schema)
	return (!s.Get("type").Exists() || s.Get("type").Str == "object") && len(s.Get("properties").Map()) == 0 && !s.Get("additionalProperties").IsObject() &&
		!s.Get("anyOf").Exists()
}

// cleaner remembers how much work a schema has made: parts that are all of it multiply.
type cleaner struct {
	root gjson.Result
	work int
}

const maxSchemaWork = 20_000

// target is what a reference within the schema points to.
func (c *cleaner) target(v gjson.Result) gjson.Result {
	ref := v.Get("$ref").Str
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return gjson.Result{}
	}
	at := c.root
	for part := range strings.SplitSeq(rest, "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		found := gjson.Result{}
		at.ForEach(func(key, f gjson.Result) bool {
			if key.Str == part {
				found = f
			}
			return !found.Exists()
		})
		at = found
	}
	return at
}

// fields writes an object and never a key twice.
type fields struct {
	out  []byte
	seen map[string]bool
}

func (f *fields) begin(key string) bool {
	if f.seen[key] {
		return false
	}
	if len(f.seen) > 0 {
		f.out = append(f.out, ',')
	}
	f.seen[key] = true
	f.out = append(wire.AppendString(f.out, key), ':')
	return true
}

// schema writes one schema.
func (c *cleaner) schema(out []byte, v gjson.Result, depth int) []byte {
	if c.work++; !v.IsObject() || depth > maxSchemaDepth || c.work > maxSchemaWork { // true and false are schemas, too
		return append(out, "{}"...)
	}
	f := fields{out: append(out, '{'), seen: map[string]bool{}}
	if ref := v.Get("$ref"); ref.Type == gjson.String { // nothing may stand beside it
		if f.begin("$ref") {
			f.out = wire.AppendString(f.out, strings.Replace(ref.Str, "#/definitions/", "#/$defs/", 1))
		}
		if depth == 0 {
			c.definitions(&f, c.root, depth)
		}
		return append(f.out, '}')
	}
	c.into(&f, v, depth)
	if depth == 0 {
		c.definitions(&f, c.root, depth)
	}
	return append(f.out, '}')
}

// definitions writes what references of the schema point to.
func (c *cleaner) definitions(f *fields, v gjson.Result, depth int) {
	for _, key := range [...]string{"$defs", "definitions"} {
		if defs := v.Get(gjson.Escape(key)); defs.IsObject() && f.begin("$defs") {
			f.out = c.named(f.out, defs, depth)
		}
	}
}

// into writes the keywords of a schema.
func (c *cleaner) into(f *fields, v gjson.Result, depth int) {
	v.ForEach(func(key, k gjson.Result) bool {
		switch key.Str {
		case "type", "format", "title", "description", "pattern", "default", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength",
			"minProperties", "maxProperties":
			if k.Type != gjson.Null && f.begin(key.Str) {
				f.out = append(f.out, k.Raw...)
			}
		case "required", "propertyOrdering":
			if k.IsArray() && f.begin(key.Str) {
				f.out = append(f.out, k.Raw...)
			}
		case "enum":
			c.enum(f, k)
		case "const":
			c.enum(f, gjson.Parse("["+k.Raw+"]"))
		case "exclusiveMinimum":
			c.bound(f, "minimum", k, v, 1)
		case "exclusiveMaximum":
			c.bound(f, "maximum", k, v, -1)
		case "properties", "items", "additionalProperties", "anyOf", "oneOf", "prefixItems", "allOf":
			c.nested(f, key.Str, k, depth+1)
		}
		return true
	})
}

// nested writes a keyword whose value has schemas in it.
func (c *cleaner) nested(f *fields, key string, k gjson.Result, depth int) {
	write := c.schema
	switch {
	case key == "allOf":
		c.all(f, k, depth)
		return
	case k.IsArray():
		write = c.list
		switch key {
		case "oneOf":
			key = "anyOf"
		case "items": // as older drafts had it
			key = "prefixItems"
		}
	case key == "properties" && k.IsObject():
		write = c.named
	case key == "additionalProperties" && k.IsBool():
		write = func(out []byte, v gjson.Result, _ int) []byte { return append(out, v.Raw...) }
	case !k.IsObject() || key != "items" && key != "additionalProperties":
		return
	}
	if f.begin(key) {
		f.out = write(f.out, k, depth)
	}
}

// all writes the keywords of schemas that hold together.
func (c *cleaner) all(f *fields, list gjson.Result, depth int) {
	list.ForEach(func(_, one gjson.Result) bool {
		if to := c.target(one); to.Exists() {
			one = to
		}
		if c.work++; depth <= maxSchemaDepth && c.work <= maxSchemaWork {
			c.into(f, one, depth)
		}
		return true
	})
}

func (c *cleaner) named(out []byte, v gjson.Result, depth int) []byte {
	out = append(out, '{')
	n := 0
	v.ForEach(func(name, s gjson.Result) bool {
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = append(wire.AppendString(out, name.Str), ':')
		out = c.schema(out, s, depth+1)
		return true
	})
	return append(out, '}')
}

func (c *cleaner) list(out []byte, v gjson.Result, depth int) []byte {
	out = append(out, '[')
	n := 0
	v.ForEach(func(_, s gjson.Result) bool {
		if n++; n > 1 {
			out = append(out, ',')
		}
		out = c.schema(out, s, depth+1)
		return true
	})
	return append(out, ']')
}

// enum writes the values that the API takes in a list: strings and numbers.
func (c *cleaner) enum(f *fields, v gjson.Result) {
	var values []byte
	v.ForEach(func(_, one gjson.Result) bool {
		if one.Type == gjson.String || one.Type == gjson.Number {
			values = append(append(values, ','), one.Raw...)
		}
		return true
	})
	if len(values) > 0 && f.begin("enum") {
		f.out = append(append(append(f.out, '['), values[1:]...), ']')
	}
}

// bound writes an exclusive bound as one that is not; of whole numbers it is the next one.
func (c *cleaner) bound(f *fields, key string, v, of gjson.Result, step int64) {
	if v.Type != gjson.Number || of.Get(key).Exists() || !f.begin(key) {
		return
	}
	if n := v.Int(); of.Get("type").Str == "integer" && float64(n) == v.Num {
		f.out = append(f.out, gjson.Result{Type: gjson.Number, Num: float64(n + step)}.String()...)
		return
	}
	f.out = append(f.out, v.Raw...)
}
