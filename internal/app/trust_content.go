package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/text"
)

// content is what the project brings along for the agent to follow or to run, and whether it may. The project may be
// anybody's. Features ask Trusted before they take texts from it, and Runs before they run a program of it; what belongs to
// the person, or is shipped, needs neither.
type content struct {
	file    config.TrustFile
	root    string // of the project, links resolved
	msg     msg.Catalogue
	flag    bool // --trust
	texts   bool
	refused bool // the person said no, for good
}

// Trusted says whether texts of the project (instructions, skills, commands, agents) may be used.
func (c *content) Trusted() bool { return c.texts }

// errUntrusted is wrapped by errors of Runs.
var errUntrusted = errors.New("the project's programs are not trusted")

// Runs says whether what is at path, a skill's folder or a single file of the project, may run programs: nil, or why not.
// What the person has not seen in its present state is asked about, by ask, or [agent.AskUser] if that is nil. It has to be
// called each time, right before something runs, with PYTHONPYCACHEPREFIX set for what runs: __pycache__ is not looked at.
func (c *content) Runs(ctx context.Context, path string, ask func(context.Context, agent.Ask) (agent.Answer, error)) error {
	if c.flag {
		return nil
	}
	now, err := config.HashContent(path)
	if err != nil {
		return &untrustedError{err}
	}
	if c.file.TrustedContent(now) {
		return nil
	}
	changed, known := c.file.Changed(now)
	names := c.changes(changed)
	question := msg.ScriptsAsk
	if known {
		question = msg.ScriptsChanged
	}
	if ask == nil {
		ask = agent.AskUser
	}
	a, err := ask(ctx, agent.Ask{ID: "trust-" + now.SHA256[:16], Text: c.msg.Text(question, text.Name(path), names)})
	if err != nil {
		return err
	}
	if !a.Allow {
		return &untrustedError{msg.Errorf(msg.ScriptsNot, text.Name(path), names)}
	}
	return c.file.AddContent(now)
}

// untrustedError is an error with a text in both languages that is errUntrusted, too.
type untrustedError struct{ error }

// Unwrap gives the text.
func (u *untrustedError) Unwrap() error { return u.error }

// Is reports what kind of error it is.
func (u *untrustedError) Is(target error) bool { return target == errUntrusted }

// openContent finds out whether the project is trusted; the person may be asked, once for each project, if it brings
// anything.
func (p *product) openContent(user string) error {
	c := &content{
		file: config.TrustFile{Path: filepath.Join(user, "trust")}, root: p.c.Project(), msg: msg.For(p.c.Language),
		flag: p.c.Trust,
	}
	p.content = c
	yes, said := c.file.Texts(c.root)
	c.texts, c.refused = yes || c.flag, said && !yes
	if c.texts || !p.o.Works {
		return nil
	}
	found := p.survey(p.o.Confirm != nil && !c.refused)
	if len(found) == 0 {
		return nil
	}
	if c.refused {
		p.warn(c.msg.Text(msg.ContentDeclined, c.told(found), c.file.Path))
		return nil
	}
	if p.o.Confirm == nil {
		p.warn(c.msg.Text(msg.ContentLeftOut, c.told(found)))
		return nil
	}
	switch p.o.Confirm(c.question(found)) {
	case command.Gone:
		return context.Canceled
	case command.Yes:
		c.texts = true
		p.unrecorded(c.accept(found))
	case command.No:
		c.refused = true
		p.unrecorded(c.file.SetTexts(c.root, false))
		p.warn(c.msg.Text(msg.ContentDeclined, c.told(found), c.file.Path))
	case command.Silent:
		p.warn(c.msg.Text(msg.ContentLeftOut, c.told(found)))
	}
	return nil
}

// unrecorded tells that an answer holds only for this time.
func (p *product) unrecorded(err error) {
	if err != nil {
		p.warn(p.content.msg.Err(err))
	}
}

// accept records trust in the project's texts, and in the programs that were shown, as they are now.
func (c *content) accept(found []brought) error {
	for _, b := range found {
		if len(b.runs) == 0 {
			continue
		}
		now, err := config.HashContent(b.path)
		if err != nil {
			continue // it is asked about, and the reason told, when it is to run
		}
		if err := c.file.AddContent(now); err != nil {
			return err
		}
	}
	return c.file.SetTexts(c.root, true)
}

// question lists what was found, programs apart.
func (c *content) question(found []brought) string {
	var b strings.Builder
	b.WriteString(c.msg.Text(msg.ContentFound, text.Name(c.root)))
	for _, kind := range kindsOf(found) {
		names := namesOf(found, kind)
		b.WriteString("\n  " + c.msg.Text(kind) + " (" + itoa(len(names)) + "): " + c.few(names))
	}
	var runs []string
	for _, f := range found {
		runs = append(runs, f.runs...)
	}
	if len(runs) > 0 {
		b.WriteString("\n  " + c.msg.Text(msg.ContentScripts) + " (" + itoa(len(runs)) + "): " + c.few(runs))
	}
	return b.String() + "\n" + c.msg.Text(msg.ContentQuestion)
}

// told is the same on one line.
func (c *content) told(found []brought) string {
	var parts []string
	for _, kind := range kindsOf(found) {
		names := namesOf(found, kind)
		parts = append(parts, c.msg.Text(kind)+" ("+itoa(len(names))+"): "+c.few(names))
	}
	return strings.Join(parts, "; ")
}

// few names as many as a person reads. Whoever chose them cannot make them look like anything else.
func (c *content) few(names []string) string {
	const most = 12
	var shown []string
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, text.Name(n))
	}
	if len(names) > most {
		shown = append(shown, c.msg.Text(msg.ContentMore, len(names)-most))
	}
	return strings.Join(shown, ", ")
}

func kindsOf(found []brought) (kinds []msg.Key) {
	for _, f := range found {
		if !slices.Contains(kinds, f.kind) {
			kinds = append(kinds, f.kind)
		}
	}
	return kinds
}

func namesOf(found []brought, kind msg.Key) (names []string) {
	for _, f := range found {
		if f.kind == kind {
			names = append(names, f.name)
		}
	}
	return names
}

// contentFacts are doctor's lines about it.
func (p *product) contentFacts() (facts []command.Fact) {
	c := p.content
	if c == nil {
		return nil
	}
	state := command.Fact{Group: "trust", Name: "project content"}
	found := p.survey(true)
	switch {
	case len(found) == 0:
		state.Value = c.msg.Text(msg.ContentNothing)
	case c.flag:
		state.Value = c.msg.Text(msg.ContentTrusted, "--trust")
	case c.texts:
		state.Value = c.msg.Text(msg.ContentTrusted, c.msg.Text(msg.ContentByPerson, c.file.Path))
	case c.refused:
		state.Value, state.Fix, state.Bad = c.msg.Text(msg.ContentRefused, c.file.Path), c.msg.Text(msg.ContentFixRefused), true
	default:
		state.Value, state.Fix, state.Bad = c.msg.Text(msg.ContentNot), c.msg.Text(msg.ContentFix), true
	}
	facts = append(facts, state)
	for _, b := range found {
		f := command.Fact{Group: "trust", Name: c.msg.Text(b.kind), Value: text.Name(b.name)}
		if len(b.runs) > 0 {
			f.Value += " (" + c.few(b.runs) + ")"
			f.Fix = p.content.programs(b.path)
		}
		facts = append(facts, f)
	}
	return facts
}

// programs says why the programs at path would not run without a question; "" if they would.
func (c *content) programs(path string) string {
	if c.flag {
		return ""
	}
	now, err := config.HashContent(path)
	if err != nil {
		return c.msg.Err(err)
	}
	if c.file.TrustedContent(now) {
		return ""
	}
	changed, known := c.file.Changed(now)
	if !known {
		changed = now.Names()
	}
	return c.msg.Text(msg.ScriptsNot, text.Name(path), c.changes(changed))
}

// changes names the files that are not as they were trusted.
func (c *content) changes(names []string) string {
	if len(names) == 0 {
		return c.msg.Text(msg.ScriptsGone)
	}
	return c.few(names)
}
