package provider_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// holds reports whether a request's body, of a wire, passes one check of an echo case.
func (k *caseCheck) holds(api string, body json.RawMessage) bool {
	var root, want any
	if json.Unmarshal(body, &root) != nil || json.Unmarshal(k.Value, &want) != nil && len(k.Value) > 0 {
		return false
	}
	switch k.Op {
	case "invariant":
		return invariant(api, root, want)
	case "contains_text", "not_contains_text":
		text, _ := want.(string)
		return contains(body, text) == (k.Op == "contains_text")
	case "order":
		return inOrder(root, want)
	}
	v, found := resolve(root, k.Path)
	switch k.Op {
	case "present":
		return found
	case "absent":
		return !found
	case "absent_or_one_of":
		list, _ := want.([]any)
		return !found || slices.ContainsFunc(list, func(w any) bool { return reflect.DeepEqual(v, w) })
	case "equals":
		return found && reflect.DeepEqual(v, want)
	case "length":
		list, ok := v.([]any)
		n, _ := want.(float64)
		return ok && float64(len(list)) == n
	}
	text, ok := v.(string)
	if !ok {
		return false
	}
	switch k.Op {
	case "matches":
		pattern, _ := want.(string)
		re, err := regexp.Compile(pattern)
		return err == nil && re.MatchString(text)
	case "json_equals":
		var parsed any
		return json.Unmarshal([]byte(text), &parsed) == nil && reflect.DeepEqual(parsed, want)
	}
	return false // no such op: the case cannot be passed by chance
}

// contains looks for a text in the compact JSON of a body, in its own order of keys and with plain characters.
func contains(body json.RawMessage, text string) bool {
	var compact bytes.Buffer
	if json.Compact(&compact, body) != nil {
		return false
	}
	escaped, err := plainJSON(text)
	if err != nil {
		return false
	}
	var root any
	_ = json.Unmarshal(body, &root) // compact above has parsed it
	sorted, err := plainJSON(root)
	if err != nil {
		return false
	}
	for _, where := range []string{compact.String(), string(sorted)} { // the second has no needless escapes
		if strings.Contains(where, text) || strings.Contains(where, string(escaped[1:len(escaped)-1])) {
			return true
		}
	}
	return false
}

func plainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// resolve follows a path: keys, indexes, and [key=value] or [key=value]#n among the elements of a list.
func resolve(v any, path string) (any, bool) {
	for seg := range strings.SplitSeq(path, "/") {
		switch at := v.(type) {
		case []any:
			i := indexOf(at, seg)
			if i < 0 {
				return nil, false
			}
			v = at[i]
		case map[string]any:
			next, ok := at[seg]
			if !ok {
				return nil, false
			}
			v = next
		default:
			return nil, false
		}
	}
	return v, true
}

// indexOf finds the element that a segment names, -1 = none.
func indexOf(list []any, seg string) int {
	if i, err := strconv.Atoi(seg); err == nil {
		return fromEnd(i, len(list))
	}
	inner, ok := strings.CutPrefix(seg, "[")
	end := strings.LastIndexByte(inner, ']')
	if !ok || end < 0 {
		return -1
	}
	key, value, _ := strings.Cut(inner[:end], "=")
	n := 0
	if rest, ok := strings.CutPrefix(inner[end+1:], "#"); ok {
		var err error
		if n, err = strconv.Atoi(rest); err != nil {
			return -1
		}
	}
	var hits []int
	for i, x := range list {
		if o, ok := x.(map[string]any); ok && o[key] == any(value) {
			hits = append(hits, i)
		}
	}
	if n = fromEnd(n, len(hits)); n < 0 {
		return -1
	}
	return hits[n]
}

func fromEnd(i, n int) int {
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return -1
	}
	return i
}

// inOrder reports whether the elements that the paths name stand in rising places of their lists.
func inOrder(root, paths any) bool {
	list, _ := paths.([]any)
	last := -1
	for _, p := range list {
		path, _ := p.(string)
		cut := strings.LastIndexByte(path, '/')
		if cut < 0 {
			return false
		}
		parent, ok := resolve(root, path[:cut])
		elements, isList := parent.([]any)
		if !ok || !isList {
			return false
		}
		i := indexOf(elements, path[cut+1:])
		if i <= last {
			return false
		}
		last = i
	}
	return len(list) > 0
}

// TestEchoChecks holds the checks of every echo case against the case's own examples: a check that passes whatever is
// sent would be worth nothing.
func TestEchoChecks(t *testing.T) {
	dirs := []string{filepath.Join("testdata", "wire"), filepath.Join("..", "..", "shared", "cases", "wire", "open")}
	if dir := os.Getenv("WIRE_CASES"); dir != "" {
		dirs[1] = dir
	}
	n := 0
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s is absent; its examples are not held against the checks", dir)
			continue
		}
		cases, err := loadCases(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.Type == "echo" {
				n++
				proveChecks(t, c)
			}
		}
	}
	if n == 0 {
		t.Error("there is no echo case at all")
	}
}

func proveChecks(t *testing.T, c *wireCase) {
	failed := func(body json.RawMessage) (ops []string) {
		for _, k := range c.ExpectRequest.Checks {
			if !k.holds(c.API, body) {
				ops = append(ops, k.Op+" "+k.Path+" "+string(k.Value))
			}
		}
		return ops
	}
	if ops := failed(c.ExpectRequest.ExampleOK); len(ops) > 0 {
		t.Errorf("%s: the good example fails %v", c.Name, ops)
	}
	if len(c.ExpectRequest.ExampleBad) == 0 {
		t.Errorf("%s has no bad example", c.Name)
	}
	for i, bad := range c.ExpectRequest.ExampleBad {
		if len(failed(bad.Body)) == 0 {
			t.Errorf("%s: bad example %d passes every check", c.Name, i)
		}
	}
}
