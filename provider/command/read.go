package command

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"
)

// document is a JSON object or list in an output.
type document struct {
	value gjson.Result
	alone bool // nothing but white space stands before and behind it
	last  bool // nothing but white space stands behind it
}

// maxFailed is how many beginnings that turn out to be no JSON are tried.
const maxFailed = 200

// documents finds the objects and lists of an output, each of which begins a line: all of it, a line for each, or something
// among lines of a log.
func documents(all []byte) []document {
	all = clean(all)
	if v, n := value(all); n > 0 && len(bytes.TrimSpace(all[n:])) == 0 {
		return []document{{v, true, true}}
	}
	var list []document
	failed := 0
	for at := 0; at < len(all) && failed < maxFailed; {
		line := all[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		body := bytes.TrimLeft(line, " \t")
		if len(body) == 0 || body[0] != '{' && body[0] != '[' {
			at += len(line)
			continue
		}
		start := at + len(line) - len(body)
		v, n := value(all[start:])
		if n == 0 {
			failed++
			at += len(line)
			continue
		}
		at = start + n
		list = append(list, document{value: v, last: len(bytes.TrimSpace(all[at:])) == 0})
	}
	return list
}

// clean takes off what is no text around an output.
func clean(all []byte) []byte { return bytes.TrimSpace(bytes.TrimPrefix(all, []byte("\xef\xbb\xbf"))) }

// value reads the object or list that b begins with, and how many bytes it has; 0 = there is none.
func value(b []byte) (v gjson.Result, n int) {
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return v, 0
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return v, 0
	}
	return gjson.ParseBytes(raw), int(dec.InputOffset())
}

// begun reports whether an output looks like the beginning of JSON that never came to its end.
func begun(all []byte) bool {
	all = clean(all)
	if len(all) < 2 || all[0] != '{' && all[0] != '[' {
		return len(all) == 1 && (all[0] == '{' || all[0] == '[')
	}
	rest := bytes.TrimLeft(all[1:], " \t\r\n")
	switch {
	case len(rest) == 0:
		return true
	case all[0] == '{':
		return rest[0] == '"'
	}
	return rest[0] == '{'
}
