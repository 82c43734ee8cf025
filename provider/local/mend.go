package local

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
)

// mend changes what made a call fail, if that can be changed, and reports whether it is worth another try.
func (c *call) mend(at *reading, f *fitted, failed *agent.ModelError) bool {
	switch {
	case c.ctx.Err() != nil:
		return false
	case loading(failed):
		return c.untilLoaded(at)
	case noTools(failed) && len(c.req.Tools) > 0 && !at.tagged && c.s.o.Tags != Never:
		tagged := *at
		if c.s.open(&tagged, true) != nil {
			return false
		}
		c.s.swap(at, &tagged)
		return c.note(c.s.o.Msg.Text(msg.LocalTags, at.model.Name, firstLine(failed)))
	case failed.Kind == agent.ErrContextLength:
		return c.learnWindow(at, f)
	case failed.Status == http.StatusNotFound && !at.asked:
		return c.rebase(at)
	}
	return false
}

// rebase looks whether a server that was not asked before is a known one, whose base is another than the one that was
// named: people leave the version out.
func (c *call) rebase(at *reading) bool {
	server, err := c.s.o.Client.Ask(c.ctx, c.s.o.Base)
	if err != nil || server.Base == plain(at.server.Base) {
		return false
	}
	moved := *at
	moved.server.Base, moved.asked = server.Base, true
	if c.s.open(&moved, at.tagged) != nil {
		return false
	}
	c.s.swap(at, &moved)
	return true
}

// learnWindow reads the server again: its window may be another one by now. It is worth another try when the window was
// not known, or was thought to be larger.
func (c *call) learnWindow(at *reading, f *fitted) bool {
	before := c.s.window(at)
	now, err := c.s.read(c.ctx)
	if err != nil {
		return false
	}
	window := c.s.window(now)
	if window > 0 && (before == 0 || window < before) {
		return true
	}
	ratio, sure := c.s.estimate()
	if window > 0 && !sure { // the estimate was too low; what is counted as more may be cut to fit
		c.s.learn(f.share.sum(), max(window, int(float64(f.share.sum())*ratio*1.25)))
		return true
	}
	return false
}

// untilLoaded waits for a server that says that it loads its model.
func (c *call) untilLoaded(at *reading) bool {
	c.tries-- // waiting is no try, it has a limit of its own
	w := c.patient(c.title(at.server.Kind), at.model.Name)
	for {
		if c.slow = w.wait(); c.slow != nil || c.gone {
			return false
		}
		if _, err := c.s.read(c.ctx); err == nil {
			return true
		}
	}
}

// explain says of a failure what the person can do about it.
func (c *call) explain(at *reading, f *fitted, failed *agent.ModelError) error {
	switch {
	case c.ctx.Err() != nil:
		return failed
	case c.slow != nil:
		return c.slow
	}
	e := *failed
	switch {
	case unreachable(failed):
		c.s.swap(at, nil) // whoever answers next may be another
		return c.absent(at.server.Kind, failed)
	case failed.Kind == agent.ErrContextLength:
		ratio, _ := c.s.estimate()
		k := about(at.server.Kind)
		if w := c.s.window(at); w > 0 {
			e.Err = explained{c.then(tooLarge(c.s.o.Msg, at.model.Name, w, f.share, ratio, k), c.words(failed)), failed.Err}
		}
	case failed.Status == http.StatusNotFound || failed.Status == http.StatusBadRequest:
		if server := c.lacks(at); server != nil {
			e.Kind = agent.ErrBadRequest
			e.Err = explained{c.unknown(server, at.model.Name, failed), failed.Err}
		}
	}
	return &e
}

// title is what the person calls a server.
func (c *call) title(k Kind) string { return titled(c.s.o.Msg, k) }

func titled(texts catalogue, k Kind) string {
	if t := k.Title(); t != "" {
		return t
	}
	return texts.Text(msg.LocalServer)
}

// then puts sentences one behind the other; empty ones are left out.
func (c *call) then(sentences ...string) string {
	all := ""
	for _, one := range sentences {
		switch {
		case one == "":
		case all == "":
			all = one
		default:
			all = c.s.o.Msg.Text(msg.LocalThen, all, one)
		}
	}
	return all
}

// words are the server's own, which always stay in an error.
func (c *call) words(failed *agent.ModelError) string {
	if failed.Err == nil || failed.Err.Error() == "" {
		return ""
	}
	return c.s.o.Msg.Text(msg.LocalWords, failed.Err)
}

// unknown says that a server does not have the model, and what it has. What the server itself said comes first where the
// list may not be the reason.
func (c *call) unknown(server *Server, name string, failed *agent.ModelError) string {
	t := c.s.o.Msg
	lacks, near := t.Text(msg.LocalUnknown, c.title(server.Kind), httpx.Shown(server.Base), name, list(server.names())), ""
	if like := server.near(name); len(like) > 0 {
		near = t.Text(msg.LocalNear, list(like))
	}
	if failed.Status != http.StatusNotFound && failed.Err != nil {
		return c.then(failed.Err.Error(), lacks, near)
	}
	return c.then(lacks, near, c.bring(server.Kind), c.words(failed))
}

// bring says how to bring a model to a server.
func (c *call) bring(k Kind) string {
	if get := k.Get(); get != "" {
		return c.s.o.Msg.Text(msg.LocalBring, get)
	}
	return ""
}

// lacks asks a server that refused the call whether it has the model at all, and gives it if not.
func (c *call) lacks(at *reading) *Server {
	server, err := c.s.o.Client.Ask(c.ctx, c.s.o.Base)
	if err != nil || server.Loading || len(server.Models) == 0 && server.Kind == Other {
		return nil
	}
	if _, ok := server.Find(at.model.Name); ok || about(server.Kind).alone && len(server.Models) == 1 {
		return nil
	}
	return server
}

// unread says why the server could not be read, when that keeps the call from being made.
func (c *call) unread(err error) error {
	o := c.s.o
	e := &agent.ModelError{Kind: agent.ErrConfig, Provider: o.Info.Preset, Err: err}
	var refused *refusedError
	var unfit *unfitError
	switch {
	case errors.As(err, &unfit):
		s := unfit.server
		text := c.then(o.Msg.Text(msg.LocalNoModel, c.title(s.Kind), httpx.Shown(s.Base)), c.bring(s.Kind))
		if unfit.name != "" {
			e.Kind = agent.ErrBadRequest
			text = o.Msg.Text(msg.LocalEmbeds, c.title(s.Kind), httpx.Shown(s.Base), unfit.name, list(s.names()))
		}
		e.Err = explained{text, err}
	case errors.As(err, &refused):
		e.Kind, e.Status = agent.ErrAuth, refused.status
		e.Err = explained{o.Msg.Text(msg.LocalRefused, httpx.Shown(o.Base), err), err}
	default:
		return c.absent(o.Kind, &agent.ModelError{Kind: agent.ErrNetwork, Provider: o.Info.Preset, Err: err})
	}
	return e
}

// absent is the error for a server that is not there.
func (c *call) absent(kind Kind, failed *agent.ModelError) error {
	o := c.s.o
	e := *failed
	e.Retryable = false // somebody has to start it
	if k := about(kind); k.start != "" {
		e.Err = explained{o.Msg.Text(msg.LocalAbsent, httpx.Shown(o.Base), cause(failed.Err), k.start), failed.Err}
	} else {
		e.Err = explained{o.Msg.Text(msg.LocalAbsentPlain, httpx.Shown(o.Base), cause(failed.Err)), failed.Err}
	}
	return &e
}

// explained is an error in other words.
type explained struct {
	text string
	err  error
}

// Error is the text.
func (e explained) Error() string { return e.text }

// Unwrap gives the error itself.
func (e explained) Unwrap() error { return e.err }

// cause is the innermost error, without the address that stands before it.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// loading reports whether a server says that it is not ready yet. One that says that loading has failed never will be.
func loading(e *agent.ModelError) bool {
	if e.Status != http.StatusServiceUnavailable || e.Err == nil {
		return false
	}
	said := strings.ToLower(e.Err.Error())
	return strings.Contains(said, "loading") && !slices.ContainsFunc([]string{
		"error loading", "error while loading", "error when loading", "error occurred while loading", "error during loading", "loading error",
		"failed to load", "failed loading", "failed while loading", "loading failed", "loading has failed", "loading the model failed", "loading model failed",
		"unable to load", "could not load", "cannot load", "can't load", "out of memory", "not enough memory", "insufficient memory",
	}, func(words string) bool { return strings.Contains(said, words) })
}

// unreachable reports whether no connection came about.
func unreachable(e *agent.ModelError) bool {
	return e.Kind == agent.ErrNetwork && e.Status == 0 && isDial(e.Err)
}

// noTools reports whether a server refuses a request because of its tools: Ollama for a model without them, llama.cpp and
// vLLM when they were started without what it takes.
func noTools(e *agent.ModelError) bool {
	said := strings.ToLower(e.Error())
	return e.Status >= 400 && slices.ContainsFunc([]string{
		"does not support tools", "does not support function", "doesn't support tools", "tools are not supported", "tool calling is not supported",
		"tools param requires", "requires --jinja", "enable-auto-tool-choice", "tool-call-parser", "tool use is not supported",
	}, func(words string) bool { return strings.Contains(said, words) })
}

// firstLine is the first line of what the server said.
func firstLine(e *agent.ModelError) string {
	if e.Err == nil {
		return e.Error()
	}
	line, _, _ := strings.Cut(e.Err.Error(), "\n")
	return line
}

// maxListed bounds how many models an error names.
const maxListed = 12

func list(names []string) string {
	switch {
	case len(names) == 0:
		return "-"
	case len(names) > maxListed:
		return strings.Join(names[:maxListed], ", ") + " …"
	}
	return strings.Join(names, ", ")
}
