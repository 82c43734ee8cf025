package providertest

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Verb names what a [Part] of a reply does; the package comment lists them.
type Verb string

// The verbs of a script.
const (
	Say     Verb = "SAY"
	Think   Verb = "THINK"
	Call    Verb = "CALL"
	Raw     Verb = "RAW"
	Cut     Verb = "CUT"
	Break   Verb = "BREAK"
	Wait    Verb = "WAIT"
	Hang    Verb = "HANG"
	Nothing Verb = "NOTHING"
)

// Part is one step of a reply.
type Part struct {
	Verb Verb
	// Text is what is said or thought, the arguments of a call, or the bytes of a raw stream.
	Text string
	// Tool is the name in a call.
	Tool string
	// N is the request to wait for; 0 waits for [Server.Release].
	N int
}

// Reply is the answer to one request.
type Reply struct {
	Parts []Part
	// Status and Body make it an HTTP error instead of a stream.
	Status int
	Body   string
	Header http.Header
	// Finish replaces the finish reason.
	Finish string
	// Usage is what the last chunk reports: input, output, cached. nil leaves usage out.
	Usage *[3]int
	// Times is how often the reply is given: 0 counts as once, Forever without end.
	Times int
}

// Forever as [Reply.Times] repeats a reply without end.
const Forever = -1

// Script is what a [Server] plays.
type Script struct {
	Replies []Reply
	// Key, if not empty, is the only API key that is let in.
	Key string
	// Keyed picks replies by the number of assistant messages in the request.
	Keyed bool
	// Images, if not nil, refuses requests for their pictures.
	Images *Images
	// Also answers what is no request for a completion: questions about the server itself, by method and path.
	Also map[string]Answer
	// Embed answers /embeddings with vectors of so many numbers, made of the letters of each text; 0 = there is no such place.
	Embed int
	// Parts are scripts of their own for some conversations; the first that fits is played, and this one where none does.
	Parts []Conversation
	// Choose, if not nil, gives the lines of the one reply to a request instead: for agents whose words depend on what they
	// were told, however often they are killed. It is called under a lock.
	Choose func(path string, body []byte) string
}

// Answer is a fixed answer.
type Answer struct {
	Status int
	Body   string
}

// Conversation is what is played to requests whose first user message has For in it.
type Conversation struct {
	For     string
	Replies []Reply
}

// Parse reads a script. Paths in it are relative to dir. The error names the line.
func Parse(text, dir string) (Script, error) {
	p := parser{dir: dir}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			return Script{}, fmt.Errorf("script line %d: %w", i+1, err)
		}
	}
	return p.script, nil
}

// MustParse is [Parse] for scripts in Go source; it panics on an error.
func MustParse(text string) Script {
	s, err := Parse(text, ".")
	if err != nil {
		panic(err)
	}
	return s
}

type parser struct {
	dir    string
	script Script
}

func (p *parser) line(line string) error {
	replies := &p.script.Replies
	if n := len(p.script.Parts); n > 0 {
		replies = &p.script.Parts[n-1].Replies
	}
	if rest, ok := strings.CutPrefix(line, "+"); ok {
		if len(*replies) == 0 {
			return errors.New("+ has no reply to add to")
		}
		return p.part(&(*replies)[len(*replies)-1], strings.TrimSpace(rest))
	}
	if text, ok := strings.CutPrefix(line, "FOR "); ok {
		p.script.Parts = append(p.script.Parts, Conversation{For: strings.TrimSpace(text)})
		return nil
	}
	if found, err := p.directive(line); found {
		return err
	}
	r := Reply{Usage: &[3]int{10, 5, 0}}
	if times, rest, ok := strings.Cut(line, "*"); ok && !strings.ContainsAny(times, " \t{\"") {
		r.Times = Forever
		if times != "" {
			n, err := strconv.Atoi(times)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of times", times)
			}
			r.Times = n
		}
		line = strings.TrimSpace(rest)
	}
	if err := p.part(&r, line); err != nil {
		return err
	}
	*replies = append(*replies, r)
	return nil
}

// directive reads a line that is about the whole server.
func (p *parser) directive(line string) (found bool, err error) {
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "KEYED":
		p.script.Keyed = true
	case "KEY":
		p.script.Key = strings.TrimSpace(rest)
	case "ALSO":
		err = p.also(rest)
	case "EMBED":
		p.script.Embed, err = strconv.Atoi(strings.TrimSpace(rest))
	case "IMAGES":
		p.script.Images, err = parseImages(rest)
	default:
		return false, nil
	}
	return true, err
}

// also reads METHOD PATH STATUS BODY.
func (p *parser) also(rest string) error {
	fields := strings.SplitN(rest, " ", 4)
	if len(fields) < 4 {
		return errors.New("ALSO wants a method, a path, a status and a body")
	}
	status, err := strconv.Atoi(fields[2])
	if err != nil || status < 200 || status > 599 {
		return fmt.Errorf("ALSO: %q is no status", fields[2])
	}
	if p.script.Also == nil {
		p.script.Also = map[string]Answer{}
	}
	p.script.Also[fields[0]+" "+fields[1]] = Answer{status, fields[3]}
	return nil
}

func (p *parser) part(r *Reply, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "SAY", "THINK":
		text, err := unquote(rest)
		r.add(Part{Verb: Verb(verb), Text: text})
		return err
	case "SAYFILE":
		data, err := p.read(rest)
		r.add(Part{Verb: Say, Text: data})
		return err
	case "LINES":
		text, err := lines(rest)
		r.add(Part{Verb: Say, Text: text})
		return err
	case "CALL":
		name, args, _ := strings.Cut(rest, " ")
		r.add(Part{Verb: Call, Tool: name, Text: strings.TrimSpace(args)})
	case "RAW", "CUT":
		data, err := p.read(rest)
		r.add(Part{Verb: Verb(verb), Text: data})
		return err
	case "BREAK", "HANG", "NOTHING":
		r.add(Part{Verb: Verb(verb)})
	case "WAIT":
		n, err := number(rest)
		r.add(Part{Verb: Wait, N: n})
		return err
	default:
		return r.set(verb, rest)
	}
	return nil
}

func (r *Reply) add(p Part) { r.Parts = append(r.Parts, p) }

// set takes what describes the whole reply.
func (r *Reply) set(verb, rest string) error {
	switch verb {
	case "STATUS":
		code, body, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(code)
		if err != nil || n < 300 || n > 599 {
			return fmt.Errorf("STATUS wants an HTTP error code, not %q", code)
		}
		r.Status, r.Body = n, strings.TrimSpace(body)
	case "HEADER":
		name, value, ok := strings.Cut(rest, " ")
		if !ok {
			return errors.New("HEADER wants a name and a value")
		}
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set(strings.TrimSuffix(name, ":"), strings.TrimSpace(value))
	case "FINISH":
		r.Finish = rest
	case "USAGE":
		return r.usage(rest)
	default:
		return fmt.Errorf("unknown verb %q", verb)
	}
	return nil
}

func (r *Reply) usage(rest string) error {
	if rest == "none" {
		r.Usage = nil
		return nil
	}
	fields := strings.Fields(rest)
	if len(fields) < 2 || len(fields) > 3 {
		return errors.New("USAGE wants input, output and perhaps cached tokens")
	}
	r.Usage = &[3]int{}
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil {
			return fmt.Errorf("USAGE: %w", err)
		}
		r.Usage[i] = n
	}
	return nil
}

func (p *parser) read(name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	data, err := os.ReadFile(name)
	return string(data), err
}

func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	text, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf("%s is no Go string: %w", s, err)
	}
	return text, nil
}

func number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return n, nil
}

func lines(s string) (string, error) {
	n, err := number(s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String(), nil
}
