package arch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"react-agent/agent"
)

// TestEventsDocumentIsComplete: docs/events.md names every field of an event and every value of its closed sets.
func TestEventsDocumentIsComplete(t *testing.T) {
	named := words(codeSpans(readFile(t, "docs/events.md")))
	fields := map[string]bool{}
	jsonFields(reflect.TypeFor[agent.Event](), fields, map[reflect.Type]bool{})
	if !fields["seq"] || !fields["retry_after_s"] {
		t.Fatal("the walk over the event found no fields")
	}
	for f := range fields {
		if !slices.Contains(named, f) {
			t.Errorf("docs/events.md does not name the field `%s`", f)
		}
	}
	values := constants(tree(t), "agent", "EventType", "RunStop", "StopReason", "ErrorKind", "Kind", "Role")
	if len(values) < 40 {
		t.Fatalf("found only the values %q", values)
	}
	for _, v := range values {
		if !slices.Contains(named, v) {
			t.Errorf("docs/events.md does not name the value `%s`", v)
		}
	}
}

// words takes spans such as {id, key} apart.
func words(spans []string) []string {
	var out []string
	for _, s := range spans {
		out = append(out, strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '$' })...)
		out = append(out, s)
	}
	return out
}

func jsonFields(typ reflect.Type, out map[string]bool, seen map[reflect.Type]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || seen[typ] || typ.PkgPath() == "time" {
		return
	}
	seen[typ] = true
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name != "" {
			out[name] = true
		}
		jsonFields(f.Type, out, seen)
	}
}

// constants lists the string values of a package's constants of the given types.
func constants(all []source, pkg string, types ...string) []string {
	var out []string
	for _, s := range all {
		if s.pkg() != pkg || s.test() {
			continue
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				typ, ok := v.Type.(*ast.Ident)
				if !ok || !slices.Contains(types, typ.Name) {
					continue
				}
				out = append(out, literals(v.Values)...)
			}
		}
	}
	return out
}

func literals(values []ast.Expr) []string {
	var out []string
	for _, v := range values {
		lit, ok := v.(*ast.BasicLit)
		if !ok {
			continue
		}
		if s, err := strconv.Unquote(lit.Value); err == nil {
			out = append(out, s)
		}
	}
	return out
}

// TestEventExamplesAreEvents: every JSON line in docs/events.md is an event, without unknown fields, and comes out of the
// kernel's own encoder as it stands there.
func TestEventExamplesAreEvents(t *testing.T) {
	n := 0
	for _, b := range blocks(readFile(t, "docs/events.md")) {
		lines, ok := strings.CutPrefix(b, "jsonl\n")
		if !ok {
			continue
		}
		for line := range strings.Lines(lines) {
			n++
			if err := checkEvent(strings.TrimSpace(line)); err != nil {
				t.Errorf("%v:\n%s", err, line)
			}
		}
	}
	if n < 5 {
		t.Errorf("found %d example events, want at least 5", n)
	}
}

func checkEvent(line string) error {
	var e agent.Event
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return fmt.Errorf("no event: %w", err)
	}
	again, err := agent.EncodeJSON(e)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, []byte(line)) {
		return fmt.Errorf("the encoder writes it differently: %s", again)
	}
	return nil
}

func TestPlantedWrongExampleIsFound(t *testing.T) {
	for line, fine := range map[string]bool{
		`{"seq":1,"type":"end","time":"2026-01-02T03:04:05Z","stop":"end"}`:          true,
		`{"type":"end","seq":1,"time":"2026-01-02T03:04:05Z","stop":"end"}`:          false,
		`{"seq":1,"type":"end","time":"2026-01-02T03:04:05Z","stopped":"end"}`:       false,
		`{"seq":1,"type":"end","time":"2026-01-02T03:04:05Z","stop":"end","text":""`: false,
	} {
		if err := checkEvent(line); (err == nil) != fine {
			t.Errorf("%s: %v", line, err)
		}
	}
}
