package yaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

// Error says what is wrong with a text and where, in lines and columns from 1; 0 is unknown.
type Error struct {
	File         string // as given, may be empty
	Line, Column int
	Text         string // one line, English
	cause        error
}

// What an [Error] may be about, for those who have words of their own for it.
var (
	// ErrSecond: a second document begins where there may be only one.
	ErrSecond = errors.New("a second document begins here, there may be only one")
	// ErrTab: a line is indented with a tab.
	ErrTab = errors.New("a tab in the indentation; YAML is indented with spaces only")
)

// Error is "FILE:3: TEXT", without a file "line 3: TEXT".
func (e *Error) Error() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
	case e.File != "":
		return e.File + ": " + e.Text
	case e.Line > 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return e.Text
}

// Unwrap gives [ErrSecond], [ErrTab] or nil.
func (e *Error) Unwrap() error { return e.cause }

// errorOf makes an [Error] of what the library says: the place is where a person has to look, the text what to do there.
func errorOf(file string, data []byte, err error) error {
	all, ok := errors.AsType[*yaml.LoadErrors](err)
	if !ok {
		if one, isOne := errors.AsType[*yaml.LoadError](err); isOne {
			return placed(file, data, one)
		}
		return &Error{File: file, Text: firstLine(err.Error())}
	}
	list := make([]error, 0, len(all.Errors))
	for _, e := range all.Errors {
		list = append(list, placed(file, data, e))
	}
	slices.SortStableFunc(list, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	return errors.Join(list...)
}

func lineOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Line
	}
	return 0
}

func placed(file string, data []byte, e *yaml.LoadError) *Error {
	at, text := e.Mark, firstLine(e.Message)
	if line := tabbed(data, at.Line+1); line > 0 && e.Stage != constructorStage { // everybody's first mistake
		return &Error{File: file, Line: line, Column: 1, Text: ErrTab.Error(), cause: ErrTab}
	}
	if strings.HasPrefix(text, "unknown anchor ") {
		text = `"*" begins a reference to an anchor, and there is none of this name: put the text in quotes`
	}
	if e.Stage == constructorStage {
		text = plainly(text)
	}
	if w, ok := words()[text]; ok {
		text = w.text
		if w.begin && e.ContextMark.Line > 0 {
			at = e.ContextMark
		}
	}
	lines := lastLine(data)
	if at.Line > lines && e.ContextMark.Line > 0 { // it only shows at the end of the text: where the open thing begins
		at = e.ContextMark
	}
	switch {
	case at.Line > lines:
		at = yaml.Mark{Line: lines}
	case at.Line == 0 && e.Stage == readerStage:
		at.Line, at.Column = badByte(data)
	}
	return &Error{File: file, Line: at.Line, Column: at.Column, Text: strings.TrimPrefix(text, "yaml: ")}
}

// The library's names of its steps.
const (
	readerStage      = "reader"
	constructorStage = "constructor"
)

// tabbed is the first of so many lines that is indented with a tab, 0 if none is.
func tabbed(data []byte, lines int) int {
	n := 0
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if n++; n > lines {
			break
		}
		rest := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimSpace(rest)) > 0 && bytes.IndexByte(line[:len(line)-len(rest)], '\t') >= 0 {
			return n
		}
	}
	return 0
}

type word struct {
	text  string
	begin bool // the place is where the thing begins, not where the library noticed
}

// words are the library's commonest texts as they help the writer of a file.
func words() map[string]word {
	return map[string]word{
		"mapping values are not allowed in this context":         {`": " cannot stand here: put the text in quotes, or mend the indentation or the line above`, false},
		"found character that cannot start any token":            {"a text cannot begin with this character: put it in quotes", false},
		"did not find expected key":                              {"a key is expected here: look at the quotes and the indentation", false},
		"did not find expected '-' indicator":                    {`"- " is expected here: look at the indentation`, false},
		"could not find expected ':'":                            {`a line "key: value" is expected here`, true},
		"found unexpected end of stream":                         {"a quote is opened here and never closed", true},
		"found unknown escape character":                         {`a backslash in double quotes: double it, or use single quotes`, false},
		"did not find expected ',' or ']'":                       {"a list that is opened with [ is not closed with ]", true},
		"did not find expected ',' or '}'":                       {"a map that is opened with { is not closed with }", true},
		"did not find expected node content":                     {"a value is expected here", false},
		"block sequence entries are not allowed in this context": {`"- " cannot stand here: put each item on a line of its own`, false},
		"did not find expected comment or line break":            {"only a comment may follow on this line", false},
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// lastLine is the number of the last line that holds anything, at least 1.
func lastLine(data []byte) int {
	return 1 + bytes.Count(bytes.TrimSpace(data), []byte("\n")) + leading(data)
}

func leading(data []byte) int {
	return bytes.Count(data[:len(data)-len(bytes.TrimLeft(data, " \t\r\n"))], []byte("\n"))
}

// badByte finds what no YAML text may hold.
func badByte(data []byte) (line, column int) {
	line, column = 1, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		column++
		switch {
		case r == '\n':
			line, column = line+1, 0
		case r == utf8.RuneError && size == 1, r < ' ' && r != '\t' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			return line, column
		}
		data = data[size:]
	}
	return 0, 0
}
