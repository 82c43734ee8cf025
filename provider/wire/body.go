package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"react-agent/agent"
)

// Body writes the JSON object of a request key by key, so that equal requests give equal bytes. A key that [NewBody] was
// given as extra is left out where a wire writes it, and stands with the configured value instead.
type Body struct {
	out   []byte
	extra map[string]json.RawMessage
}

// NewBody begins a body. Of the extra fields the later maps win.
func NewBody(extra ...map[string]json.RawMessage) *Body {
	b := &Body{out: append(make([]byte, 0, 4096), '{'), extra: map[string]json.RawMessage{}}
	for _, m := range extra {
		maps.Copy(b.extra, m)
	}
	return b
}

func (b *Body) key(key string) {
	if len(b.out) > 1 {
		b.out = append(b.out, ',')
	}
	b.out = AppendString(b.out, key)
	b.out = append(b.out, ':')
}

// Raw writes a key with a JSON value.
func (b *Body) Raw(key string, v []byte) {
	if _, ok := b.extra[key]; ok {
		return
	}
	b.key(key)
	b.out = append(b.out, v...)
}

// Text writes a key with a string.
func (b *Body) Text(key, v string) { b.Raw(key, AppendString(nil, v)) }

// End writes the extra fields in the order of their names, then the last key, whose value write appends, and closes the
// object. The last key is the history, so that a longer one continues the bytes of a shorter one.
func (b *Body) End(last string, write func(out []byte) []byte) []byte {
	for _, key := range SortedKeys(b.extra) {
		if key != last {
			b.key(key)
			b.out = append(b.out, Compact(b.extra[key])...)
		}
	}
	b.key(last)
	if raw, ok := b.extra[last]; ok {
		b.out = append(b.out, Compact(raw)...)
	} else {
		b.out = write(b.out)
	}
	return append(b.out, '}')
}

// SortedKeys are the keys of a map in an order that never changes.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Compact is raw JSON without white space; what is no JSON becomes null rather than a broken body.
func Compact(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return []byte("null")
	}
	return b.Bytes()
}

// Schema is the schema of a tool's arguments as vendors take it: an object even without parameters, and lists and objects
// where a nil became null, at which some servers fail.
func Schema(t *agent.Tool) []byte {
	schema := Compact(t.Schema)
	if len(schema) == 0 || string(schema) == "null" {
		return []byte(`{"type":"object","properties":{}}`)
	}
	schema = bytes.ReplaceAll(schema, []byte(`"required":null`), []byte(`"required":[]`))
	return bytes.ReplaceAll(schema, []byte(`"properties":null`), []byte(`"properties":{}`))
}

// Object gives the arguments of a call as an object. Anything else makes servers refuse the whole history.
func Object(args json.RawMessage) []byte {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || args[0] != '{' || !json.Valid(args) {
		return []byte("{}")
	}
	return args
}

// Joined is the text of several parts; parts are paragraphs.
func Joined(parts []agent.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Kind == agent.Text && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Base64 is the data of an attachment as bodies carry it.
func Base64(b *agent.Blob) string { return base64.StdEncoding.EncodeToString(b.Data) }

// Address is where an attachment can be had: a data: URL of its bytes, else its URI, else "".
func Address(b *agent.Blob) string {
	if len(b.Data) > 0 {
		return "data:" + b.MIME + ";base64," + Base64(b)
	}
	return b.URI
}

// InWords is the attachment as text, for those that need no better form: files of text, and those whose data is lost.
func InWords(b *agent.Blob) (text string, ok bool) {
	switch {
	case strings.HasPrefix(b.MIME, "text/") && len(b.Data) > 0:
		return b.Name + "\n" + string(b.Data), true
	case Address(b) == "":
		return "[attachment " + b.Name + " (" + b.MIME + ") is not available]", true
	}
	return "", false
}

// LeftOut stands for an attachment from the time of another model: sent to one without eyes, every later request would
// fail.
func LeftOut(b *agent.Blob) string {
	return "[" + b.Name + " (" + b.MIME + ") is left out: this model is not known to see it]"
}
