package tool

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/text"
)

//go:embed web_fetch.md
var fetchDoc string

type fetchArgs struct {
	URL     string `json:"url"`
	Offset  int    `json:"offset,omitempty" doc:"characters to skip"`
	Article bool   `json:"article,omitempty"`
}

const fetchTime = 30 * time.Second

// WebFetch makes the tool that shows a page of the web as Markdown, with absolute links; text that is not HTML is shown as
// it is, whatever its encoding, and of pictures, PDFs and other files only what they are. It is Shared. What holds for
// [HTTPRequest] about addresses, proxies and redirects holds here. A page may take 30 s; of one that is longer than
// 5 MiB the beginning is read. An answer with a status of 400 or more, and one that breaks off, is a failed result that shows
// what came.
func WebFetch(e Env) agent.Tool {
	e = e.withDefaults()
	known := newGrants()
	t := agent.NewTool("web_fetch", strings.TrimSpace(fetchDoc), agent.Executes,
		func(ctx context.Context, a fetchArgs) (agent.Result, error) {
			r, err := e.fetch(ctx, a, known)
			if err != nil {
				return e.failed(err), ctx.Err()
			}
			return r, nil
		})
	t.Shared = true
	return t
}

func (e Env) fetch(ctx context.Context, a fetchArgs, known *grants) (agent.Result, error) {
	if a.Offset < 0 {
		return agent.Result{}, fmt.Errorf("offset %d is negative; the first character has offset 0", a.Offset)
	}
	if strings.TrimSpace(a.URL) == "" {
		return agent.Result{}, errors.New("url is required")
	}
	r, err := e.newRequest(httpArgs{URL: a.URL, Headers: map[string]string{
		"Accept": "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5",
	}})
	if err != nil {
		return agent.Result{}, err
	}
	rep, err := e.travel(ctx, r, fetchTime, known)
	if err != nil {
		return agent.Result{}, err
	}
	body, err := rep.page(a.Article)
	if err != nil {
		return agent.Result{}, err
	}
	part, more, err := e.part(body, a.Offset)
	if err != nil {
		return agent.Result{}, err
	}
	notes := rep.notes()
	if rep.code != http.StatusOK {
		status := fmt.Sprintf("HTTP %d %s", rep.code, oneLine(rep.reason))
		if to := rep.header.Get("Location"); to != "" {
			status += ", Location: " + text.Head(oneLine(to), 500)
		}
		notes = append([]string{strings.TrimSpace(status)}, notes...)
	}
	var b strings.Builder
	for _, n := range notes {
		b.WriteString("[" + n + "]\n")
	}
	b.WriteString(part)
	if more != "" {
		b.WriteString("\n[" + more + "]")
	}
	out := agent.TextResult(b.String())
	out.Error = rep.code >= http.StatusBadRequest || rep.broken != nil
	return out, nil
}

// part is what is shown of a text from an offset on, and how to go on.
func (e Env) part(s string, offset int) (part, more string, err error) {
	total := utf8.RuneCountInString(s)
	if offset > 0 && offset >= total {
		return "", "", fmt.Errorf("offset %d is behind the end: the text has %d characters", offset, total)
	}
	s = s[len(firstRunes(s, offset)):]
	part = firstRunes(s, e.Cut)
	if len(part) == len(s) {
		return part, "", nil
	}
	// The end of a line is a better place than the middle of one, if there is one near.
	if i := strings.LastIndexByte(part, '\n'); i > len(part)/2 {
		part = part[:i+1]
	}
	to := offset + utf8.RuneCountInString(part)
	more = fmt.Sprintf("characters %d to %d of %d; go on with offset %d", offset, to, total, to)
	return strings.TrimSuffix(part, "\n"), more, nil
}

// page is the body as a model reads it.
func (rep *reply) page(article bool) (string, error) {
	kind := rep.mediaType()
	if kind == "" || kind == "application/octet-stream" {
		kind, _, _ = strings.Cut(http.DetectContentType(rep.body), ";")
	}
	switch {
	case len(rep.body) == 0:
		return "(empty)", nil
	case !isText(kind) || bytes.IndexByte(rep.body, 0) >= 0 && !wide(rep.body):
		return rep.otherFile(kind), nil
	case kind == "text/html" || kind == "application/xhtml+xml":
		s, err := toMarkdown(toUTF8(rep.body, rep.header.Get("Content-Type"), true), rep.url, article)
		if err != nil {
			return "", fmt.Errorf("turning %s into Markdown: %w", shownURL(rep.url), err)
		}
		return text.Clean([]byte(s)), nil
	}
	return rep.text(), nil
}

// wide reports a byte order mark of UTF-16, whose text is full of zeros.
func wide(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0xff, 0xfe}) || bytes.HasPrefix(b, []byte{0xfe, 0xff})
}

// isText reports that a media type is text that a person can read.
func isText(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return kind != "image/svg+xml"
	}
	switch kind {
	case "application/json", "application/x-ndjson", "application/xml", "application/javascript", "application/ecmascript",
		"application/x-javascript", "application/yaml", "application/x-yaml", "application/toml", "application/x-sh",
		"application/x-www-form-urlencoded", "application/sql", "application/graphql", "application/x-tex", "application/rtf":
		return true
	}
	return false
}

// otherFile says what a body is that was not shown.
func (rep *reply) otherFile(kind string) string {
	size := fmt.Sprintf("%d bytes", len(rep.body))
	if rep.more {
		size = fmt.Sprintf("more than %d MiB", maxBody>>20)
	}
	what := kind
	if strings.HasPrefix(kind, "text/") {
		what += " with zero bytes"
	}
	return fmt.Sprintf("[%s, %s: not text, so it is not shown. To look at it, save it to a file first, for example with curl -o FILE]",
		text.Head(oneLine(what), 100), size)
}
