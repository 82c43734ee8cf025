package agent

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// NewTool makes a tool whose schema is read from the fields of In, a struct, and whose arguments are decoded into it.
// A field is required unless it is a pointer or has omitempty or omitzero in its json tag. The tag `doc:"…"` describes it,
// `enum:"a,b"` lists its values, `min:"1"` and `max:"9"` bound a number, the characters of a text or the items of a list.
// NewTool panics when In is no struct or has a field that JSON cannot hold: a mistake in the program.
func NewTool[In any](name, doc string, e Effect, fn func(context.Context, In) (Result, error)) Tool {
	return NewCallTool(name, doc, e, func(ctx context.Context, _ Call, in In) (Result, error) { return fn(ctx, in) })
}

// NewCallTool is [NewTool] for a function that sees the call as well: its Key is the identity of the work.
func NewCallTool[In any](name, doc string, e Effect, fn func(context.Context, Call, In) (Result, error)) Tool {
	schema, err := schemaOf(reflect.TypeFor[In]())
	if err != nil {
		panic(fmt.Sprintf("agent.NewTool(%q): %v", name, err))
	}
	return Tool{
		Name: name, Doc: doc, Schema: schema, Effect: e,
		Run: func(ctx context.Context, c Call) (Result, error) {
			var in In
			if err := json.Unmarshal(c.Args, &in); err != nil {
				return Result{}, fmt.Errorf("invalid arguments: %w", err)
			}
			return fn(ctx, c, in)
		},
	}
}

// schemas keeps what was read from a type: it is the same each time, a server makes the same tools for every session, and
// reading them took a quarter of what it costs to put an agent together.
var schemas sync.Map //nolint:gochecknoglobals // from reflect.Type to json.RawMessage; nobody can tell that it is there

// schemaOf writes the schema of a struct with its fields in their order, so that a prompt cache sees the same bytes
// from every build. All tools of a type share it.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	if known, ok := schemas.Load(t); ok {
		return known.(json.RawMessage), nil //nolint:forcetypeassert // nothing else is stored
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments must be a struct, not %s", t)
	}
	var b strings.Builder
	if err := writeSchema(&b, t, "", nil); err != nil {
		return nil, err
	}
	schema := slices.Clip(json.RawMessage(b.String()))
	schemas.Store(t, schema)
	return schema, nil
}

func writeSchema(b *strings.Builder, t reflect.Type, tag reflect.StructTag, seen []reflect.Type) error {
	doc, enum := tag.Get("doc"), tag.Get("enum")
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	b.WriteByte('{')
	kind, err := schemaType(t)
	if err != nil {
		return err
	}
	sep := ""
	field := func(key, raw string) {
		b.WriteString(sep + strconv.Quote(key) + ":" + raw)
		sep = ","
	}
	if kind != "" {
		field("type", strconv.Quote(kind))
	}
	if doc != "" {
		field("description", string(quote(doc)))
	}
	if enum != "" && kind != "array" { // of a list, each item is one of them
		raw, err := enumOf(kind, enum)
		if err != nil {
			return err
		}
		field("enum", string(raw))
	}
	for key, value := range boundTags(kind, tag) {
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return fmt.Errorf("bound %q is no whole number", value)
		}
		field(key, value)
	}
	switch kind {
	case "array":
		field("items", "")
		inner := reflect.StructTag("")
		if enum != "" {
			inner = reflect.StructTag("enum:" + strconv.Quote(enum))
		}
		err = writeSchema(b, t.Elem(), inner, seen)
	case "object":
		if slices.Contains(seen, t) {
			return fmt.Errorf("type %s contains itself", t)
		}
		if t.Kind() == reflect.Map {
			field("additionalProperties", "")
			err = writeSchema(b, t.Elem(), "", append(seen, t))
			break
		}
		field("properties", "")
		err = writeProperties(b, t, append(seen, t))
	}
	b.WriteByte('}')
	return err
}

// enumOf lists the values in the type's own form: numbers as numbers.
func enumOf(kind, enum string) (json.RawMessage, error) {
	values := strings.Split(enum, ",")
	if kind == "string" || kind == "" {
		return EncodeJSON(values)
	}
	raw := make([]json.RawMessage, len(values))
	for i, v := range values {
		if raw[i] = json.RawMessage(v); !json.Valid(raw[i]) {
			return nil, fmt.Errorf("enum value %q is no %s", v, kind)
		}
	}
	return EncodeJSON(raw)
}

func writeProperties(b *strings.Builder, t reflect.Type, seen []reflect.Type) error {
	required := []byte{'['} // never null: some servers refuse that
	b.WriteByte('{')
	sep := ""
	done := map[string]bool{}
	for _, f := range jsonFields(t) {
		name, optional, skip := fieldName(f)
		if skip || done[name] {
			continue
		}
		done[name] = true
		b.WriteString(sep + string(quote(name)) + ":")
		sep = ","
		if err := writeSchema(b, f.Type, f.Tag, seen); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		if !optional {
			if len(required) > 1 {
				required = append(required, ',')
			}
			required = append(required, quote(name)...)
		}
	}
	b.WriteString(`},"required":` + string(required) + "]")
	return nil
}

// jsonFields lists the fields that JSON sees in their order, outer ones first where an embedded struct repeats a name; an
// embedded struct that has a name in JSON is one field.
func jsonFields(t reflect.Type) []reflect.StructField {
	fields, embeds := ownFields(t)
	if !embeds {
		return fields
	}
	var named [][]int
	fields = reflect.VisibleFields(t)
	for _, f := range fields {
		if f.Anonymous && f.Tag.Get("json") != "" {
			named = append(named, f.Index)
		}
	}
	fields = slices.DeleteFunc(fields, func(f reflect.StructField) bool {
		return slices.ContainsFunc(named, func(outer []int) bool {
			return len(f.Index) > len(outer) && slices.Equal(f.Index[:len(outer)], outer)
		})
	})
	var out []reflect.StructField
	for _, f := range fields {
		name, _, skip := fieldName(f)
		if !skip && !slices.ContainsFunc(fields, func(o reflect.StructField) bool {
			other, _, skip := fieldName(o)
			return !skip && other == name && len(o.Index) < len(f.Index)
		}) {
			out = append(out, f)
		}
	}
	return out
}

// ownFields are the fields of a struct; embeds says that there are more behind them.
func ownFields(t reflect.Type) (fields []reflect.StructField, embeds bool) {
	fields = make([]reflect.StructField, t.NumField())
	for i := range fields {
		fields[i] = t.Field(i)
		embeds = embeds || fields[i].Anonymous
	}
	return fields, embeds
}

func fieldName(f reflect.StructField) (name string, optional, skip bool) {
	tag := f.Tag.Get("json")
	if !f.IsExported() || tag == "-" || (f.Anonymous && tag == "") {
		return "", false, true // an embedded struct's own fields are visible in their turn
	}
	name, options, _ := strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	return name, f.Type.Kind() == reflect.Pointer || strings.Contains(options, "omit"), false
}

func schemaType(t reflect.Type) (string, error) {
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return "", nil
	case t == reflect.TypeFor[[]byte](): // as base64
		return "string", nil
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) && t != reflect.TypeFor[time.Time]():
		return "", nil
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "string", nil
	}
	switch t.Kind() {
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "boolean", nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer", nil
	case reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.Slice, reflect.Array:
		return "array", nil
	case reflect.Struct:
		return "object", nil
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return "object", nil
		}
	default:
	}
	return "", fmt.Errorf("%s has no JSON form", t)
}
