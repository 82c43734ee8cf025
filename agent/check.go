package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CheckArgs checks arguments against what a schema of [NewTool] can say, and reports all faults at once, each with its
// path: one object, no duplicate key, required keys, types, enums, ranges and lengths. A key that is not known is refused
// where the schema says so, where it differs from a known one only in case, and where it looks like a known one that is
// not there. Keywords it does not know are passed over ([Tool.Check] is for the rest). A null is as good as an absent
// optional value.
func CheckArgs(schema, args json.RawMessage) error { return checkArgs(schema, args, false) }

// checkArgs is CheckArgs; renamed says that the tool may know keys that its schema does not show.
func checkArgs(schema, args json.RawMessage, renamed bool) error {
	var s schemaNode
	if len(schema) > 0 {
		if err := json.Unmarshal(schema, &s); err != nil {
			return fmt.Errorf("the tool's own schema is broken: %w", err)
		}
	}
	args = bytes.Trim(args, " \t\r\n")
	if len(args) == 0 || args[0] != '{' {
		return notObject(args)
	}
	var whole json.RawMessage // bounds the depth, too
	if err := json.Unmarshal(args, &whole); err != nil {
		return fmt.Errorf("arguments are not valid JSON: %w", err)
	}
	c := checker{dec: json.NewDecoder(bytes.NewReader(args)), renamed: renamed}
	c.dec.UseNumber()
	if err := c.value(&s, "", true); err != nil {
		return fmt.Errorf("arguments are not valid JSON: %w", err)
	}
	if len(c.faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(c.faults, "\n"))
}

func notObject(args json.RawMessage) error {
	var text string
	if len(args) == 0 || args[0] != '"' || json.Unmarshal(args, &text) != nil {
		return fmt.Errorf("arguments must be one JSON object, not %s", clip(string(args)))
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return fmt.Errorf("arguments are not valid JSON: %w (got %s)", err, clip(text))
	}
	return fmt.Errorf("arguments must be one JSON object, not a string: %s", clip(text))
}

// clip shortens what a message quotes; 80 runes tell the model which text is meant.
func clip(s string) string {
	r := []rune(s)
	if len(r) <= 80 {
		return s
	}
	return string(r[:80]) + "…"
}

// schemaNode is what we use of a JSON Schema. Anybody's schema may come here (true and false are schemas too, and older
// drafts give some keywords another form), so a keyword in a form we do not know is passed over like an unknown one.
type schemaNode struct {
	Type       []string
	Properties map[string]*schemaNode
	Required   []string
	Enum       []json.RawMessage
	Items      *schemaNode
	Extra      *schemaNode
	Closed     bool // no properties but the known ones
	Open       bool // any others, and it says so
	Bounds     bounds
}

// UnmarshalJSON fails on nothing.
func (s *schemaNode) UnmarshalJSON(raw []byte) error {
	var keys map[string]json.RawMessage
	get := func(key string, v any) bool {
		raw, ok := keys[key]
		return ok && string(raw) != "null" && json.Unmarshal(raw, v) == nil
	}
	_ = json.Unmarshal(raw, &keys) // no object: anything goes
	var one string
	if get("type", &one) {
		s.Type = []string{one}
	} else if !get("type", &s.Type) {
		s.Type = nil
	}
	if !get("required", &s.Required) {
		s.Required = nil
	}
	get("properties", &s.Properties)
	get("enum", &s.Enum)
	get("items", &s.Items)
	s.Bounds.read(get)
	open := true
	if get("additionalProperties", &open) {
		s.Closed, s.Open = !open, open
	} else {
		get("additionalProperties", &s.Extra)
	}
	return nil
}

type checker struct {
	dec     *json.Decoder
	renamed bool
	faults  []string
}

func (c *checker) fault(path, text string) {
	if path == "" {
		path = "arguments"
	}
	c.faults = append(c.faults, path+": "+text)
}

// value reads one value and checks it; s may be nil (anything goes, but duplicate keys are still found).
func (c *checker) value(s *schemaNode, path string, required bool) error {
	tok, err := c.dec.Token()
	if err != nil {
		return err
	}
	name, raw := "", ""
	switch v := tok.(type) {
	case json.Delim:
		if v == '{' {
			c.typed(s, path, "object")
			return c.object(s, path)
		}
		c.typed(s, path, "array")
		return c.array(s, path)
	case string:
		name, raw = "string", string(quote(v))
	case bool:
		name, raw = "boolean", fmt.Sprint(v)
	case json.Number:
		name, raw = "number", v.String()
		if !strings.ContainsAny(raw, ".eE") {
			name = "integer"
		}
	case nil:
		if !required {
			return nil
		}
		name, raw = "null", "null"
	}
	if c.typed(s, path, name) {
		c.enum(s, path, raw)
		if fault := s.outside(tok); fault != "" {
			c.fault(path, fault)
		}
	}
	return nil
}

// typed checks the type and reports whether it fits.
func (c *checker) typed(s *schemaNode, path, name string) bool {
	if s == nil || len(s.Type) == 0 || slices.Contains(s.Type, name) || (name == "integer" && slices.Contains(s.Type, "number")) {
		return true
	}
	c.fault(path, fmt.Sprintf("must be %s, not %s", strings.Join(s.Type, " or "), name))
	return false
}

func (c *checker) enum(s *schemaNode, path, raw string) {
	if s == nil || len(s.Enum) == 0 {
		return
	}
	all := make([]string, len(s.Enum))
	for i, e := range s.Enum {
		all[i] = string(e)
		if all[i] == raw || string(compactArgs(e)) == raw {
			return
		}
	}
	c.fault(path, fmt.Sprintf("must be one of %s, not %s", strings.Join(all, ", "), clip(raw)))
}

func (c *checker) array(s *schemaNode, path string) error {
	var items *schemaNode
	if s != nil {
		items = s.Items
	}
	n := 0
	for ; c.dec.More(); n++ {
		if err := c.value(items, fmt.Sprintf("%s[%d]", path, n), true); err != nil {
			return err
		}
	}
	if fault := s.outside(n); fault != "" {
		c.fault(path, fault)
	}
	_, err := c.dec.Token()
	return err
}

func (c *checker) object(s *schemaNode, path string) error {
	if s == nil {
		s = &schemaNode{}
	}
	seen := map[string]bool{}
	var strange []string
	for c.dec.More() {
		tok, err := c.dec.Token()
		if err != nil {
			return err
		}
		key, _ := tok.(string)
		at := join(path, key)
		if seen[key] {
			c.fault(at, "is given twice")
		}
		prop, known := s.Properties[key]
		if !known {
			prop = s.Extra
			if !seen[key] {
				strange = append(strange, key)
			}
		}
		seen[key] = true
		if err := c.value(prop, at, slices.Contains(s.Required, key)); err != nil {
			return err
		}
	}
	c.strange(s, path, strange, seen)
	for _, key := range s.Required {
		if !seen[key] {
			c.fault(join(path, key), "is required")
		}
	}
	_, err := c.dec.Token()
	return err
}

// strange judges the keys that are not known. One that a decoder which ignores case would take for a known one is always
// refused: policy and tool must read the same.
func (c *checker) strange(s *schemaNode, path string, keys []string, seen map[string]bool) {
	if len(keys) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	free := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return seen[n] })
	for _, key := range keys {
		same := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, key) })
		near := nearest(key, free)
		switch {
		case same >= 0:
			c.fault(join(path, key), fmt.Sprintf("is unknown; write %q exactly so", names[same]))
		case s.Open || s.Extra != nil || c.renamed && !s.Closed:
		case near != "":
			c.fault(join(path, key), fmt.Sprintf("is unknown; did you mean %q?", near))
		case s.Closed && len(names) > 0:
			c.fault(join(path, key), "is unknown; known are "+strings.Join(names, ", "))
		case s.Closed:
			c.fault(join(path, key), "is unknown")
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
