package tool

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"react-agent/agent"
	"react-agent/internal/text"
)

const (
	maxDiffed = 512 << 10 // bytes of both texts together that are compared
	maxDiff   = 40000     // characters of a diff that are kept
)

// diffOf is the detail for the screen: a unified diff. nil: the texts are too large, no text, or equal.
func diffOf(path, old, now string) json.RawMessage {
	if len(old)+len(now) > maxDiffed || !utf8.ValidString(old) || !utf8.ValidString(now) {
		return nil
	}
	return detail(udiff.Unified(path, path, old, now))
}

// diffOfEdits is the same from edits that are known already.
func diffOfEdits(path, old string, edits []udiff.Edit) json.RawMessage {
	if len(old) > maxFile/8 {
		return nil
	}
	d, err := udiff.ToUnified(path, path, old, edits, 3)
	if err != nil {
		return nil // the edit itself has worked
	}
	return detail(strings.ToValidUTF8(d, "?"))
}

func detail(diff string) json.RawMessage {
	if diff == "" {
		return nil
	}
	b, err := agent.EncodeJSON(map[string]string{"diff": text.Cut(diff, maxDiff, "")})
	if err != nil {
		return nil
	}
	return b
}
