package yaml

import (
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// Decode fills out, a pointer to a struct with `yaml:"key"` tags. A key that out does not have, a key that stands there
// twice and a value of the wrong kind are errors; all of them are joined in the order of their lines, each an [Error] that
// names file. A text without a document leaves out as it is. time.Duration reads "90s".
func Decode(file string, data []byte, out any) error {
	doc, err := load(file, data)
	if err != nil || doc == nil {
		return err
	}
	return decode(file, data, doc, out)
}

func decode(file string, data []byte, doc *yaml.Node, out any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{File: file, Text: fmt.Sprint(p)}
		}
	}()
	if err := doc.Load(out, yaml.WithKnownFields(), yaml.WithUniqueKeys(), yaml.WithPlugin(limits{})); err != nil {
		return errorOf(file, data, err)
	}
	return nil
}

// plainly says what the library says of a value, without Go's names for it.
func plainly(text string) string {
	if rest, ok := strings.CutPrefix(text, "field "); ok {
		if key, _, ok := strings.Cut(rest, " not found in type "); ok {
			return fmt.Sprintf("unknown key %q", key)
		}
	}
	rest, ok := strings.CutPrefix(text, "cannot construct ")
	i := strings.LastIndex(rest, " into ")
	if !ok || i < 0 {
		return text
	}
	what, want := rest[:i], rest[i+len(" into "):]
	if _, value, ok := strings.Cut(what, "`"); ok {
		what = "`" + value
	} else if name, ok := map[string]string{"!!seq": "a list", "!!map": "a map", "!!str": "a text", "!!null": "nothing"}[what]; ok {
		what = name
	}
	return what + " stands here, but it must be " + wanted(want)
}

// wanted is Go's name of a type in a person's words.
func wanted(t string) string {
	t = strings.TrimLeft(t, "*")
	switch {
	case t == "time.Duration":
		return "a duration such as 90s"
	case t == "string":
		return "a text"
	case t == "bool":
		return "true or false"
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"):
		return "a whole number"
	case strings.HasPrefix(t, "float"):
		return "a number"
	case strings.HasPrefix(t, "[]"):
		return "a list"
	}
	return "a map of keys"
}
