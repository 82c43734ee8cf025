package config

import (
	"strconv"
	"strings"
	"unicode"
)

// maxPreview is how many characters of a value are shown to whoever is asked to trust it.
const maxPreview = 200

// preview is what a value would set, on one line: a scalar as it stands, lists and mappings as JSON in the order they
// were written. What could hide text (control characters, line ends, marks of direction) is escaped, secrets are masked.
// more is the number of characters that are left out behind it.
func preview(key string, n node) (line string, more int) {
	var b strings.Builder
	if n.kind == scalarNode {
		b.WriteString(escaped(unsecret(key, n.text)))
	} else {
		compact(&b, key, n)
	}
	if r := []rune(b.String()); len(r) > maxPreview {
		return string(r[:maxPreview]), len(r) - maxPreview
	}
	return b.String(), 0
}

// compact writes a value as JSON.
func compact(b *strings.Builder, key string, n node) {
	switch n.kind {
	case listNode:
		for i, item := range n.list {
			b.WriteString([]string{"[", ", "}[min(i, 1)])
			compact(b, key, item)
		}
		b.WriteString([]string{"[]", "]"}[min(len(n.list), 1)])
	case mapNode:
		for i, e := range n.keys {
			b.WriteString([]string{"{", ", "}[min(i, 1)])
			b.WriteString(quoted(e.key) + ": ")
			compact(b, e.key, e.value)
		}
		b.WriteString([]string{"{}", "}"}[min(len(n.keys), 1)])
	case scalarNode:
		if s := unsecret(key, n.text); n.quoted || s != n.text {
			b.WriteString(quoted(s))
		} else {
			b.WriteString(escaped(s))
		}
	case nullNode:
		b.WriteString("null")
	}
}

func quoted(s string) string {
	return `"` + escaped(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)) + `"`
}

// escaped makes visible what a terminal would not show as itself.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// unsecret masks the value of a key whose name says that it is a secret, and passwords in addresses.
func unsecret(key, value string) string {
	name := strings.ToLower(key)
	for _, end := range []string{"key", "token", "secret", "password", "passwd", "pass", "authorization", "cookie", "credentials"} {
		if strings.HasSuffix(name, end) && value != "" {
			return Mask(value)
		}
	}
	return Redacted(value)
}
