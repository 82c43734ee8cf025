package cost

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/internal/weigh"
)

// Attempt goes around a model that makes one attempt, below whatever retries. Each is counted for the session of
// [Meter.In], priced by the vendor's name and the model's id, or by the name that the vendor reports, and held to the limits.
// An attempt that a limit refuses fails with an error that wraps an [agent.StopError] and is not to be tried again.
func (m *Meter) Attempt(model agent.Model) agent.Model { return attempt{model, m} }

type attempt struct {
	agent.Model
	m *Meter
}

// Words for attempts that have no error of a model: the caller went away; what was said did not count, and the same attempt
// went on.
const (
	aborted   = "aborted"
	withdrawn = "withdrawn"
)

// maxName bounds what a vendor calls a model, in characters.
const maxName = 200

// errLeft says that nobody listens any more.
var errLeft = errors.New("nobody listens")

// Stream waits for its turn, then passes the attempt on and counts it.
func (a attempt) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		session, _ := ctx.Value(whoKey{}).(string)
		r := &reading{m: a.m, t: a.m.tree(session), req: req, info: a.Info(), session: session}
		note := func(text string) error {
			if !yield(agent.Chunk{Note: text}, nil) {
				return errLeft
			}
			return nil
		}
		err := r.begin(ctx, note)
		if errors.Is(err, errLeft) {
			return
		}
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		defer r.end(ctx, aborted) // when nothing else has ended it
		for c, err := range a.Model.Stream(ctx, req) {
			if err != nil {
				r.fail(ctx, err, yield)
				return
			}
			r.take(&c)
			if c.Reset {
				c.Usage = r.withdraw(ctx)
			}
			if c.Stop != "" {
				c.Usage = r.end(ctx, "")
				if c.Note == "" {
					c.Note = r.remark(c.Usage)
				}
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// reading is one attempt under way.
type reading struct {
	m       *Meter
	t       *tree
	req     *agent.Request
	info    agent.ModelInfo
	session string

	lane     *rate
	ticket   *ticket
	began    time.Time
	usage    agent.Usage // as reported so far
	reported string
	words    words
	spent    int64 // tokens of what was withdrawn
	said     bool  // the model has begun
	over     bool
}

// begin waits until the limits let the attempt start.
func (r *reading) begin(ctx context.Context, note func(string) error) (err error) {
	p := pause{ctx: ctx, begin: r.m.o.Paused}
	defer p.end()
	if err := r.t.enter(ctx, p.wait); err != nil {
		return err
	}
	if r.lane = r.m.rate(r.vendor()); r.lane != nil {
		r.ticket, err = r.lane.take(ctx, r.expected(), func(wait time.Duration) error {
			p.wait()
			return note(r.m.msg.Text(msg.CostWait, r.vendor(), max(time.Second, wait.Round(time.Second))))
		})
	}
	if err != nil {
		r.t.drop()
		if !errors.Is(err, errLeft) {
			err = ended(ctx)
		}
		return err
	}
	r.began = time.Now()
	return nil
}

// pause tells once that a call waits, and at the end that it does no more.
type pause struct {
	ctx    context.Context //nolint:containedctx // of the one call that this is made for
	begin  func(ctx context.Context) (resume func())
	resume func()
}

func (p *pause) wait() {
	if p.begin != nil && p.resume == nil {
		p.resume = p.begin(p.ctx)
	}
}

func (p *pause) end() {
	if p.resume != nil {
		p.resume()
	}
}

// expected are the tokens that an attempt is booked with until more is known.
func (r *reading) expected() int64 {
	if r.m.o.TokensPerMinute <= 0 {
		return 0
	}
	return int64(weigh.Request(r.req))
}

func (r *reading) vendor() string {
	if r.info.Preset != "" {
		return r.info.Preset
	}
	return r.info.Provider
}

// take notes what a chunk says of the attempt.
func (r *reading) take(c *agent.Chunk) {
	if c.Model != "" {
		r.reported = c.Model
	}
	if c.Part != nil {
		r.said = true
		r.words.add(c.Index, c.Part)
	}
	u := c.Usage
	if u == nil {
		return
	}
	r.said = true
	last(&r.usage.Input, u.Input)
	last(&r.usage.Output, u.Output)
	last(&r.usage.Cached, u.Cached)
	last(&r.usage.CacheWrite, u.CacheWrite)
	last(&r.usage.HourWrite, u.HourWrite)
	last(&r.usage.Reasoning, u.Reasoning)
	last(&r.usage.CostUSD, u.CostUSD)
	r.usage.Estimated = u.Estimated
}

// words is what the model has said so far, estimated in tokens.
type words struct {
	text  text.Tally
	other int // of what does not come in pieces
	calls map[int]*saidCall
}

// saidCall is a call as it stands.
type saidCall struct {
	name int
	args text.Tally
}

// add notes a part or a piece of one. A name or arguments of a call that come once more, in their final form, take the place
// of what came before.
func (w *words) add(index int, p *agent.Part) {
	if p.Kind != agent.CallKind {
		w.text.Add(p.Text)
		whole := *p
		whole.Text = ""
		w.other += weigh.Part(&whole)
		return
	}
	c := w.calls[index]
	if c == nil {
		if w.calls == nil {
			w.calls = map[int]*saidCall{}
		}
		c = &saidCall{}
		w.calls[index] = c
	}
	if p.Call != nil && p.Call.Name != "" {
		c.name = text.Tokens(p.Call.Name)
	}
	if p.Call != nil && len(p.Call.Args) > 0 {
		c.args = text.Tally{}
		c.args.Add(string(p.Call.Args))
	}
	c.args.Add(p.Text)
}

func (w *words) tokens() int64 {
	n := w.text.Tokens() + w.other
	for _, c := range w.calls {
		n += weigh.Frame + c.name + c.args.Tokens()
	}
	return int64(n)
}

func last[N any](to **N, n *N) {
	if n != nil {
		*to = n
	}
}

// total is what the attempt has used: what the vendor reports, estimates where it says nothing, and the cost. One that was
// cut has said more than was reported when it began.
func (r *reading) total(cut bool) *agent.Usage {
	u := &agent.Usage{}
	u.Add(&r.usage)
	if u.Input == nil {
		n := int64(weigh.Request(r.req))
		u.Input, u.Estimated = &n, true
	}
	if said := r.words.tokens(); u.Output == nil || cut && *u.Output < said {
		u.Output, u.Estimated = &said, true
	}
	m, ok := r.model()
	if own := u.CostUSD; own != nil && (*own > 0 || !ok || m.Price == nil) {
		return u // one that says 0 where there is a price has someone else send the bill
	}
	u.CostUSD, u.HourWrite = nil, r.usage.HourWrite
	if ok {
		u.CostUSD = m.Cost(u)
	}
	u.HourWrite = nil
	return u
}

// model finds what is known of the model: by the name that was asked for, else by the one that the vendor reports.
func (r *reading) model() (Model, bool) {
	m, ok := r.m.o.Prices.Lookup(r.vendor(), r.info.Name)
	if ok && m.Price != nil || r.reported == "" || r.reported == r.info.Name {
		return m, ok
	}
	if other, found := r.m.o.Prices.Lookup(r.vendor(), r.reported); found {
		return other, true
	}
	return m, ok
}

// remark says that a limit on money cannot count what has no price.
func (r *reading) remark(u *agent.Usage) string {
	if u == nil || u.CostUSD != nil || r.m.o.Prices.Unbilled(r.vendor()) || !r.m.unknown(r.vendor()+"/"+r.info.Name) {
		return ""
	}
	return r.m.msg.Text(msg.CostUnknown, cmp.Or(r.info.Name, r.vendor()))
}

// fail ends an attempt with an error; what it has used is told before.
func (r *reading) fail(ctx context.Context, err error, yield func(agent.Chunk, error) bool) {
	kind := string(agent.ErrInternal)
	if me, ok := errors.AsType[*agent.ModelError](err); ok {
		kind = string(me.Kind)
	}
	if ctx.Err() != nil {
		kind = aborted
	}
	used := r.end(ctx, kind)
	if used == nil || yield(agent.Chunk{Usage: used}, nil) {
		yield(agent.Chunk{}, err)
	}
}

// withdraw writes down what the attempt has used so far, if it was told, and begins to count anew: what is told after a
// Reset comes on top. What only was estimated is not written down: within one attempt the same is said again.
func (r *reading) withdraw(ctx context.Context) *agent.Usage {
	if r.usage.IsZero() {
		r.words = words{}
		return nil
	}
	c := r.call(withdrawn)
	r.t.count(ctx, &c)
	r.tell(ctx, &c)
	r.spent += count(c.Usage.Input) + count(c.Usage.Output)
	r.usage, r.words = agent.Usage{}, words{}
	return c.Usage
}

// end writes the attempt down, once, and gives what it has used: nothing if it failed before the model had begun.
func (r *reading) end(ctx context.Context, failed string) *agent.Usage {
	if r.over {
		return nil
	}
	r.over = true
	c := r.call(failed)
	if r.ticket != nil {
		if c.Usage != nil {
			r.spent += count(c.Usage.Input) + count(c.Usage.Output)
		}
		r.lane.settle(r.ticket, r.spent)
	}
	r.t.leave(ctx, &c)
	r.tell(ctx, &c)
	return c.Usage
}

func (r *reading) call(failed string) Call {
	c := Call{Time: now(), Session: r.session, Vendor: r.vendor(), Model: r.info.Name, Failed: failed, TookMS: time.Since(r.began).Milliseconds()}
	if r.reported != r.info.Name {
		c.Reported = text.Head(r.reported, maxName)
	}
	if failed == "" || r.said {
		c.Usage = r.total(failed != "")
	}
	return c
}

func (r *reading) tell(ctx context.Context, c *Call) {
	if r.m.o.OnCall != nil {
		r.m.o.OnCall(context.WithoutCancel(ctx), *c)
	}
}
