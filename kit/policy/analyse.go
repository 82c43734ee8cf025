package policy

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"react-agent/internal/msg"
)

// segment is one thing that a command line does: a simple command, or a redirection.
type segment struct {
	kind    segmentKind
	text    string   // as it stands
	words   []word   // of a command; nil when there are none to compare
	spelled []word   // as words, with the options that do nothing; nil when there are none
	also    [][]word // other ways to see it, for deny and ask rules
	path    word     // of a redirection
	hard    *why     // set: no rule covers it by its words
	hint    *why     // why some of its words must be spelled by a rule
	aside   bool     // seen inside another segment: deny and ask rules look at it, allow rules need not
	code    []string // program text in a language that is not the shell's
}

type segmentKind uint8

const (
	runs segmentKind = iota
	writes
	reads
)

// why is a reason that a person will read.
type why struct {
	key  msg.Key
	args []any
}

func because(key msg.Key, args ...any) *why { return &why{key: key, args: args} }

// script is what is known of a command line.
type script struct {
	segments []segment
	bad      *why // it could not be read, or not as a whole: no rule with words covers it
	moved    bool // it may change its directory, so relative paths lead anywhere
	relinks  bool // it may make links
	relinked bool // links may be made that were not there when it was judged, so any path leads anywhere
	races    bool // it may make links while another command writes files
}

// whole says why no rule about its parts can allow a command line; nil: one may.
func (s script) whole() *why {
	if s.bad == nil && s.races {
		return because(msg.PolicyWhyBeside)
	}
	return s.bad
}

// Bounds of what is looked at: beyond them a command is asked about as one that cannot be read.
const (
	maxScript   = 64 << 10 // bytes
	maxSegments = 2000
	maxDepth    = 16 // of scripts in scripts
)

// analyse reads a command line as this shell would.
func analyse(text, shell string) script {
	a := &analyser{}
	switch base := strings.TrimSuffix(path.Base(strings.ReplaceAll(shell, `\`, "/")), ".exe"); base {
	case "", ".", "bash":
		a.script(text, false)
	case "sh", "dash", "ash":
		a.script(text, true)
	default:
		a.fail(because(msg.PolicyWhyShell, base))
	}
	return a.out
}

type analyser struct {
	out   script
	src   string // of the script that is being read
	posix bool   // it is read by a plain sh
	depth int
	aside bool
	line  string // the text of the command that is being taken apart
}

func (a *analyser) fail(w *why) {
	if a.out.bad == nil {
		a.out.bad = w
	}
}

// script reads a text of the shell's language. What sh reads is not always what bash reads, so a text for sh must be
// readable, and harmless, in both ways.
func (a *analyser) script(text string, posix bool) {
	if a.depth++; a.depth > maxDepth || len(text) > maxScript {
		a.fail(because(msg.PolicyWhyLong))
	} else if r, ok := oddRune(text); ok {
		a.fail(because(msg.PolicyWhyRune, visible(string(r))))
	} else if tornLine(text) {
		a.fail(because(msg.PolicyWhyTorn))
	} else {
		a.read(text, syntax.LangBash, posix)
		if posix {
			a.read(text, syntax.LangPOSIX, posix)
		}
	}
	a.depth--
}

// oddRune finds a character that shells, terminals and people read differently.
func oddRune(s string) (rune, bool) {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return r, true
			}
		}
		if r != '\n' && r != '\t' && r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r)) {
			return r, true
		}
	}
	return 0, false
}

// tornLine reports whether a backslash at the end of a line may be read in more ways than one: it joins halves of a word
// or of an operator, stands in a comment, or in a here-document. Between words, behind a space, it is harmless.
func tornLine(s string) bool {
	documents := strings.Contains(s, "<<")
	for line := range strings.SplitSeq(s, "\n") {
		head := strings.TrimRight(line, `\`)
		backslashes := len(line) - len(head)
		if backslashes%2 == 0 {
			continue
		}
		between := backslashes == 1 && (head == "" || strings.HasSuffix(head, " ") || strings.HasSuffix(head, "\t"))
		if !between || documents || strings.Contains(line, "#") {
			return true
		}
	}
	return false
}

func (a *analyser) read(text string, lang syntax.LangVariant, posix bool) {
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
	if err != nil {
		a.fail(because(msg.PolicyWhyParse, err.Error()))
		return
	}
	src, was, line := a.src, a.posix, a.line
	a.src, a.posix = text, posix
	before := len(a.out.segments)
	syntax.Walk(file, a.node)
	if len(a.out.segments) == before {
		a.line = text
		a.harden(because(msg.PolicyWhyNothing))
	}
	a.src, a.posix, a.line = src, was, line
}

func (a *analyser) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(a.src) {
		return a.src
	}
	return a.src[from:to]
}

func (a *analyser) add(s segment) {
	if len(a.out.segments) >= maxSegments {
		a.fail(because(msg.PolicyWhyLong))
		return
	}
	s.aside = s.aside || a.aside
	a.out.segments = append(a.out.segments, s)
}

// harden adds the command that is being taken apart as one that no rule covers by its words.
func (a *analyser) harden(w *why, words ...word) {
	a.add(segment{text: a.line, words: words, hard: w})
}

// node judges one node of the syntax tree; what is inside it comes later, node by node.
func (a *analyser) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		if n.Coprocess || n.Disown {
			a.line = a.source(n)
			a.harden(because(msg.PolicyWhyNothing))
		}
		a.out.relinked = a.out.relinked || n.Background
	case *syntax.CallExpr:
		a.line = a.source(n)
		a.call(n)
	case *syntax.DeclClause:
		a.line = a.source(n)
		a.declaration(n)
	case *syntax.Redirect:
		return a.redirect(n)
	case *syntax.DblQuoted:
		a.quotes(n)
	case *syntax.Lit:
		if hidesCode(n.Value) {
			a.line = a.source(n)
			a.harden(because(msg.PolicyWhyComputed))
		}
	default:
		if w := a.trap(n); w != nil {
			a.line = a.source(n)
			a.harden(w)
		}
	}
	return true
}

// call takes a simple command apart.
func (a *analyser) call(c *syntax.CallExpr) {
	words := make([]word, 0, len(c.Args))
	for _, w := range c.Args {
		words = append(words, wordOf(w, a.posix))
	}
	for _, as := range c.Assigns {
		name := as.Name.Value
		if len(words) == 0 && shellVariable(name) || len(words) > 0 && !harmlessEnv(name) {
			a.harden(because(msg.PolicyWhySets, name), words...)
			a.asideFrom(words)
			return
		}
	}
	a.command(words)
}

// declaration is export, declare, local and their kin.
func (a *analyser) declaration(d *syntax.DeclClause) {
	words := []word{literal(d.Variant.Value)}
	var hint *why
	for _, as := range d.Args {
		w := wordOf(as.Value, a.posix)
		if as.Name != nil {
			name := as.Name.Value
			w.elems = append(literal(name+"=").elems, w.elems...)
			if as.Naked {
				w = literal(name)
			}
			if as.Array != nil {
				w.hole(false)
			}
			if !harmlessEnv(name) && (d.Variant.Value != "local" || shellVariable(name)) {
				w, hint = w.strictly(), because(msg.PolicyWhySets, name)
			}
		} else if w.mayBeOption() || strings.ContainsAny(w.start(), "[$`") {
			w, hint = w.strictly(), because(msg.PolicyWhyOption, shown(w))
		}
		words = append(words, w)
	}
	a.add(segment{text: a.line, words: words, hint: hint})
}
