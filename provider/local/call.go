package local

import (
	"context"
	"errors"
	"net/http"
	"time"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/provider/wire"
)

// call is one call of a model with what has to be done around it.
type call struct {
	s     *Served
	ctx   context.Context //nolint:containedctx // of this call alone
	req   *agent.Request
	yield func(agent.Chunk, error) bool
	gone  bool // the consumer has left
	said  bool // something of this attempt was passed on
	told  bool // it was said that results are cut
	tries int  // after something was mended

	waits *patience // for the model to load, however often this call has to
	slow  error     // why it is waited no longer
}

// mends bounds how often a call is made again after something about it was changed.
const mends = 3

// run makes the call, again if what was wrong could be mended. A nil error: the message is whole, or the consumer left.
func (c *call) run() error {
	for {
		at, err := c.ready()
		if err != nil || c.gone {
			return err
		}
		window := c.s.window(at)
		ratio, sure := c.s.estimate()
		k := about(at.server.Kind)
		f, ok := c.s.fit(bounded(worded(c.req, at.server.Kind), at.inner.Info().MaxOutput), window, ratio, sure, k)
		if !ok {
			return &agent.ModelError{
				Kind: agent.ErrContextLength, Provider: c.provider(at),
				Err: errors.New(tooLarge(c.s.o.Msg, at.model.Name, window, f.share, ratio, k)),
			}
		}
		if f.fresh > 0 && !c.told {
			c.told = true
			c.note(c.s.o.Msg.Text(msg.LocalCut, at.model.Name, f.fresh, f.to, window))
		}
		failed := c.pass(at, &f)
		if failed == nil || c.gone {
			return nil
		}
		if c.tries++; c.tries > mends || !c.mend(at, &f, failed) {
			return c.explain(at, &f, failed)
		}
		if c.said && !c.send(agent.Chunk{Reset: true, Note: failed.Error()}) {
			return nil
		}
		c.said = false
	}
}

// worded tells of the answer's schema in words where tools are offered too: a server that holds what a model writes to a
// schema leaves it no way to call, or refuses both together. Of a server that says nothing of itself it is not known.
func worded(req *agent.Request, k Kind) *agent.Request {
	if len(req.Tools) == 0 || about(k).kind == Other {
		return req
	}
	return wire.SchemaInWords(req)
}

// bounded is the request with the model's own limit of the answer where it has none: whoever asked may not have known yet
// which model answers.
func bounded(req *agent.Request, most int) *agent.Request {
	if req.MaxOut > 0 || most <= 0 {
		return req
	}
	out := *req
	out.MaxOut = most
	return &out
}

func (c *call) send(chunk agent.Chunk) bool {
	if !c.gone && !c.yield(chunk, nil) {
		c.gone = true
	}
	return !c.gone
}

func (c *call) note(text string) bool { return c.send(agent.Chunk{Note: text}) }

// provider is what errors call the server.
func (c *call) provider(at *reading) string {
	if c.s.o.Info.Preset != "" {
		return c.s.o.Info.Preset
	}
	return string(at.server.Kind)
}

// pass passes the attempt on, and looks at what the server has counted before the message ends.
func (c *call) pass(at *reading, f *fitted) *agent.ModelError {
	counted := 0
	for chunk, err := range at.inner.Stream(c.ctx, f.req) {
		if err != nil {
			if me, ok := errors.AsType[*agent.ModelError](err); ok {
				return me
			}
			return &agent.ModelError{Kind: agent.ErrInternal, Provider: c.provider(at), Err: err}
		}
		if u := chunk.Usage; u != nil && u.Input != nil {
			counted = int(min(*u.Input, maxWindow))
		}
		if chunk.Stop != "" {
			c.count(at, f, counted)
		}
		c.said = c.said || chunk.Part != nil
		if chunk.Reset {
			c.said = false
		}
		if !c.send(chunk) {
			return nil
		}
	}
	return nil
}

// count compares what the server has read with what was sent. A server that cuts does not say so: it is seen from a
// count that is far too small.
func (c *call) count(at *reading, f *fitted, counted int) {
	sent := f.share.sum()
	if counted <= 0 || f.share.images > sent/8 { // what a picture takes differs too much
		return
	}
	if !c.s.lost(at, f, counted) {
		c.s.learn(sent, counted)
		return
	}
	k := about(at.server.Kind)
	ratio, _ := c.s.estimate()
	c.note(c.s.o.Msg.Text(msg.LocalTruncated, k.title, int(float64(sent)*ratio), counted, k.grow))
	if c.s.window(at) == 0 {
		smaller := *at
		smaller.model.Context = counted + counted/8
		c.s.swap(at, &smaller)
	}
}

// ready gives the reading, after the server was asked and its model is loaded, and says what there is to say about it.
func (c *call) ready() (*reading, error) {
	at := c.s.current()
	if at == nil {
		var err error
		if at, err = c.read(); err != nil || c.gone {
			return nil, err
		}
	}
	if !at.loaded {
		if err := c.load(at); err != nil || c.gone {
			return nil, err
		}
		if at = c.s.current(); at == nil {
			return c.ready()
		}
	}
	if len(at.notes) == 0 && at.why == "" {
		return at, nil
	}
	quiet := *at
	quiet.notes, quiet.why = nil, ""
	c.s.swap(at, &quiet)
	for _, n := range at.notes {
		c.note(n)
	}
	if at.why != "" {
		c.note(c.s.o.Msg.Text(msg.LocalSilent, c.title(at.server.Kind), httpx.Shown(at.server.Base), at.why))
	}
	return &quiet, nil
}

// read asks the server, and waits while it loads its model.
func (c *call) read() (*reading, error) {
	w := c.patient(LlamaCpp.Title(), c.s.o.Msg.Text(msg.LocalTheModel))
	for {
		at, err := c.s.read(c.ctx)
		switch {
		case err == nil:
			return at, nil
		case c.ctx.Err() != nil:
			return nil, c.cancelled()
		case !errors.Is(err, errLoading):
			return nil, c.unread(err)
		}
		if err := w.wait(); err != nil || c.gone {
			return nil, err
		}
	}
}

func (c *call) cancelled() *agent.ModelError {
	e := &agent.ModelError{Kind: agent.ErrNetwork, Provider: c.s.o.Info.Preset, Err: context.Cause(c.ctx)}
	if errors.Is(e.Err, context.DeadlineExceeded) {
		e.Kind = agent.ErrTimeout
	}
	return e
}

// patience waits for a model to load, in steps, and says so.
type patience struct {
	c           *call
	title, what string
	begin       time.Time
	said        time.Time
	step        time.Duration
}

func (c *call) patient(title, what string) *patience {
	if c.waits == nil {
		c.waits = &patience{c: c, begin: time.Now(), step: 500 * time.Millisecond}
	}
	c.waits.title, c.waits.what = title, what
	return c.waits
}

// often is how often it is said that the model still loads.
const often = 15 * time.Second

// wait waits one step. The error says that it took too long, or that the call was cancelled.
func (p *patience) wait() error {
	if err := p.tell(); err != nil || p.c.gone {
		return err
	}
	timer := time.NewTimer(p.step)
	defer timer.Stop()
	p.step = min(p.step*2, 4*time.Second)
	select {
	case <-timer.C:
		return nil
	case <-p.c.ctx.Done():
		return p.c.cancelled()
	}
}

// tell says that it is waited, now and then.
func (p *patience) tell() error {
	o := p.c.s.o
	took := time.Since(p.begin)
	switch {
	case p.said.IsZero():
		p.c.note(o.Msg.Text(msg.LocalLoading, p.title, p.what))
	case took >= o.Patience:
		return &agent.ModelError{
			Kind: agent.ErrTimeout, Provider: o.Info.Preset, Retryable: true,
			Err: errors.New(o.Msg.Text(msg.LocalSlow, p.title, p.what, o.Patience)),
		}
	case time.Since(p.said) < often:
		return nil
	default:
		p.c.note(o.Msg.Text(msg.LocalStill, p.title, p.what, took.Round(time.Second)))
	}
	p.said = time.Now()
	return nil
}

// load makes Ollama load the model, which the call would do anyway, so that it can be waited for and then tells its window.
func (c *call) load(at *reading) error {
	body, err := agent.EncodeJSON(map[string]string{"model": at.model.Name})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		done <- c.s.o.Client.do(ctx, http.MethodPost, under(rootOf(at.server.Base), "/api/generate"), body, 0)
	}()
	w := c.patient(c.title(at.server.Kind), at.model.Name)
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		if err := w.tell(); err != nil || c.gone {
			cancel()
			<-done
			return err
		}
		select {
		case a := <-done:
			return c.isLoaded(at, a)
		case <-tick.C:
		}
	}
}

// isLoaded reads the server again, which now knows the window. What went wrong with loading the call itself will tell.
func (c *call) isLoaded(at *reading, a answer) error {
	if c.ctx.Err() != nil {
		return c.cancelled()
	}
	now, err := c.s.read(c.ctx)
	if err != nil {
		now = at
	}
	loaded := *now
	loaded.loaded, loaded.notes = true, at.notes
	if a.err != nil {
		loaded.why = a.err.Error()
	}
	c.s.swap(now, &loaded)
	return nil
}
