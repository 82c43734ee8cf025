package pipeline

import (
	"encoding/json"
	"slices"
	"strings"
)

// unfence gives the inside of a reply that is one code fence from its beginning to its end. Of a Markdown file (markdown)
// only a fence that says so, or nothing, is none of the text.
func unfence(reply string, markdown bool) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(reply), "```")
	if !ok {
		return "", false
	}
	mark := "```"
	for strings.HasPrefix(rest, "`") {
		mark, rest = mark+"`", rest[1:]
	}
	language, body, ok := strings.Cut(rest, "\n")
	if !ok || markdown && !slices.Contains([]string{"", "md", "markdown"}, strings.ToLower(strings.TrimSpace(language))) {
		return "", false
	}
	body, ok = strings.CutSuffix(strings.TrimRight(body, " \t\n"), mark)
	if !ok || body != "" && !strings.HasSuffix(body, "\n") {
		return "", false
	}
	inner := false // a fence within it
	for line := range strings.Lines(body) {
		switch line = strings.TrimRight(line, " \t\n"); {
		case !strings.HasPrefix(line, mark):
		case line != mark:
			inner = true
		case !inner: // this one closes the first: there are several
			return "", false
		default:
			inner = false
		}
	}
	if inner {
		return "", false
	}
	return strings.TrimRight(body, "\n"), true
}

// findJSON gives the JSON value that a reply is, or that it holds: in a code fence, or between other words.
func findJSON(reply string) (string, bool) {
	reply = strings.TrimSpace(reply)
	if json.Valid([]byte(reply)) {
		return reply, true
	}
	for rest := reply; ; {
		_, after, ok := strings.Cut(rest, "```")
		if !ok {
			break
		}
		_, after, _ = strings.Cut(after, "\n")
		body, more, closed := strings.Cut(after, "```")
		if body = strings.TrimSpace(body); body != "" && json.Valid([]byte(body)) {
			return body, true
		}
		if !closed {
			break
		}
		rest = more
	}
	for _, ends := range []string{"{}", "[]"} {
		from, to := strings.IndexByte(reply, ends[0]), strings.LastIndexByte(reply, ends[1])
		if from >= 0 && to > from && json.Valid([]byte(reply[from:to+1])) {
			return reply[from : to+1], true
		}
	}
	return "", false
}
