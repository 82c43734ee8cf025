package tool

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/internal/text"
)

//go:embed read_file.md
var readDoc string

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// ReadFile makes the tool that shows a text file as it is, so that what it shows can be given to edit_file: without line
// numbers, with LF for CRLF and without a byte order mark; remarks on that stand in a part of their own. Pictures and PDFs,
// told by their content, are given as attachments if Env.Vision and Env.Files say that the model takes them; large pictures are
// shrunk, broken ones refused. Directories, FIFOs, devices, other binary and very large files are refused with the
// reason, and it never waits. Files outside the work directory may be read unless Env.Confine is set.
func ReadFile(e Env) agent.Tool {
	e = e.withDefaults()
	turn := make(chan struct{}, 1)
	t := agent.NewTool("read_file", strings.TrimSpace(readDoc), agent.Reads,
		func(_ context.Context, a readArgs) (agent.Result, error) {
			r, err := e.read(a, turn)
			if err != nil {
				return e.readFailed(err), nil
			}
			return r, nil
		})
	t.Check = checkRead
	return t
}

// checkRead holds the ranges that the schema, which every request carries, leaves out.
func checkRead(raw json.RawMessage) error {
	var a readArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	var faults []error
	if a.Offset < 0 {
		faults = append(faults, fmt.Errorf("offset: must be at least 1, the first line, not %d", a.Offset))
	}
	if a.Limit < 0 {
		faults = append(faults, fmt.Errorf("limit: must be at least 1, not %d", a.Limit))
	}
	return errors.Join(faults...)
}

func (e Env) readFailed(err error) agent.Result {
	if worded, ok := errors.AsType[wordedError](err); ok {
		return agent.ErrorResult(string(worded))
	}
	if e.Texts.ReadError != "" {
		return agent.ErrorResult(fmt.Sprintf(e.Texts.ReadError, err.Error()))
	}
	return e.failed(err)
}

func (e Env) read(a readArgs, turn chan struct{}) (agent.Result, error) {
	p, err := e.locate(a.Path)
	if err != nil {
		return agent.Result{}, err
	}
	b, err := slurp(p.real)
	if err != nil {
		return agent.Result{}, err
	}
	if r, ok, err := e.attachment(a.Path, b, turn); ok {
		return r, err
	}
	if err := notText(b); err != nil {
		return agent.Result{}, fmt.Errorf("%s is %w", a.Path, err)
	}
	b = bytes.TrimPrefix(b, []byte(bom))
	notes, err := describe(b)
	if err != nil {
		return agent.Result{}, fmt.Errorf("%s %w", a.Path, err)
	}
	whole := e.mask(string(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")))) // before the cut: a secret may have several lines
	s, err := e.excerpt(whole, a)
	if err != nil {
		return agent.Result{}, fmt.Errorf("%s: %w", a.Path, err)
	}
	if !utf8.ValidString(s) {
		s = escapeInvalid(s)
	}
	r := agent.TextResult(s)
	if len(notes) > 0 && !e.Texts.Bare {
		r.Parts = append(r.Parts, agent.TextPart("\n["+strings.Join(notes, "; ")+"]"))
	}
	return r, nil
}

const bom = "\xef\xbb\xbf"

// describe says what the text as shown hides, or why it cannot be shown.
func describe(b []byte) ([]string, error) {
	var notes []string
	crlf, lf := bytes.Count(b, []byte("\r\n")), bytes.Count(b, []byte("\n"))
	switch crlf {
	case 0:
	case lf:
		notes = append(notes, "line ends are CRLF")
	default:
		notes = append(notes, fmt.Sprintf("mixed line ends: %d CRLF, %d LF", crlf, lf-crlf))
	}
	if bad := invalid(b); bad*4 > len(b) {
		return nil, errors.New("is not UTF-8 text, perhaps in another encoding: look at it with iconv or file")
	} else if bad > 0 {
		notes = append(notes, fmt.Sprintf(`not UTF-8: %d bytes are shown as \xNN`, bad))
	}
	if len(b) == 0 {
		notes = append(notes, "the file is empty")
	}
	return notes, nil
}

// invalid counts the bytes that are no UTF-8.
func invalid(b []byte) int {
	n := 0
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		b = b[size:]
	}
	return n
}

func escapeInvalid(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// excerpt is the lines that were asked for, as many as fit, and how many are left.
func (e Env) excerpt(s string, a readArgs) (string, error) {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	skip := max(a.Offset-1, 0)
	if skip > 0 && skip >= len(lines) {
		return "", fmt.Errorf("offset %d is behind the end: the file has %d lines", a.Offset, len(lines))
	}
	lines = lines[skip:]
	n := len(lines)
	if a.Limit > 0 {
		n = min(n, a.Limit)
	}
	var b strings.Builder
	shown, room := 0, e.Cut
	for _, line := range lines[:n] {
		size := utf8.RuneCountInString(line)
		if size > room && shown > 0 {
			break
		}
		b.WriteString(text.Cut(line, e.Cut, ""))
		room -= size
		shown++
	}
	if left := len(lines) - shown; left > 0 {
		if shown > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, e.Texts.More, left)
	}
	return b.String(), nil
}
