package compact

import (
	"context"
	"errors"
	"maps"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/weigh"
)

// Compact makes the history of one agent's sessions smaller. It may be used by one run at a time.
type Compact struct {
	o Options
	// failed is how large the request was when the last summary could not be made: it is not tried again at once.
	failed int
	told   bool // that compactions free too little, and none has helped since
}

// New makes it.
func New(o Options) *Compact { return &Compact{o: o} }

// tightOf is the part of the limit above which a compaction has freed too little, in tenths; after tightMost of them in a
// row no more are made unless the next one promises better.
const (
	tightOf   = 8
	tightMost = 2
)

// trifle is what is not worth a summary when room is needed, in tokens.
const trifle = 200

// Trim is [agent.Agent.Compact].
func (c *Compact) Trim(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
	quiet := n.Why == agent.Check && !c.o.Micro && s.State[requestKey] == nil // the usual case needs no closer look
	if quiet && c.o.Manual {
		return nil, nil //nolint:nilnil // nothing to do is what the kernel expects
	}
	req, changed := c.next(ctx, s)
	if quiet && weigh.Within(req, s.Compacted(), changed, c.Threshold()) {
		return nil, nil //nolint:nilnil // the same
	}
	h := c.look(s, measured{weigh.Window(req, s.Compacted(), changed), weigh.Fixed(req)})
	if n.Why == agent.Check {
		if focus, due := h.requested(); due {
			return c.asked(ctx, h, n.Why, focus)
		}
	}
	switch n.Why {
	case agent.Overflow:
		return c.overflow(ctx, h, n.Tries, n.Said)
	case agent.Asked:
		return c.asked(ctx, h, n.Why, n.Focus)
	case agent.Check:
	}
	return c.check(ctx, h)
}

// job is one compaction.
type job struct {
	*history
	why    agent.Why
	focus  string
	before int     // tokens of the request as it is
	ratio  float64 // of what is so to what is estimated
	limit  int     // what a request may have
	cut    int     // what stands before it leaves
	clear  map[int64]string
	bare   bool // no summary is asked for
	after  int  // tokens that are expected
	carry  carried
	texts  []string // of the sections
}

// plan finds what leaves and what that frees, with keep tokens of the newest messages.
func (h *history) plan(why agent.Why, limit, keep int) *job {
	j := &job{history: h, why: why, limit: limit, before: h.tokens, clear: map[int64]string{}, ratio: 1}
	if est := h.fixed + weigh.Messages(h.list); est > 0 {
		j.ratio = max(0.5, min(3, float64(j.before)/float64(est)))
	}
	maps.Copy(j.clear, h.clearable())
	j.cut = h.cut(int(float64(keep)/j.ratio), j.clear)
	if why == agent.Overflow && weigh.Messages(h.list[h.head:j.cut]) < trifle {
		j.cut = h.head
	}
	j.carry = h.gather(j.cut, limit)
	j.texts = h.c.sections(h.s, sectionsBudget(limit))
	j.expect()
	return j
}

// expect says how large the request will be.
func (j *job) expect() {
	x := j.carry
	head := 0
	if j.cut > 0 {
		head = weigh.Messages(j.c.head(x, j.texts, false)) + min(summaryBudget(j.limit), weigh.Messages(j.list[:j.cut])/3)
	}
	j.after = int(j.ratio * float64(j.fixed+head+j.history.after(j.cut, j.clear)))
}

// frees reports whether the compaction is worth it.
func (j *job) frees(least int) bool { return j.before-j.after >= least }

func (j *job) tight() bool { return j.after*10 > j.limit*tightOf }

// keep is how many tokens of the newest messages stay. The source systems keep nothing.
func (c *Compact) keep(limit int) int {
	if c.o.Plain && c.o.Keep == 0 {
		return 0
	}
	return min(or(c.o.Keep, min(limit/keepOf, mostKeep)), limit/2)
}

// check is asked before every call.
func (c *Compact) check(ctx context.Context, h *history) (*agent.Trim, error) {
	tokens, limit := h.tokens, c.Threshold()
	var small *agent.Trim
	if c.o.Micro {
		var freed int
		small, freed = h.micro()
		tokens -= freed
	}
	if c.o.Manual || tokens <= limit || c.failedAt(tokens, limit) {
		return small, nil
	}
	j := h.plan(agent.Check, limit, c.keep(limit))
	if !j.frees(max(limit/10, 100)) || (j.tight() && j.cut <= h.head) {
		return small, nil
	}
	if j.tight() && h.earlier().Tight >= tightMost {
		if c.told {
			return small, nil
		}
		c.told = true
		return nil, errors.New(c.text(msg.CompactNoUse, c.filled(ctx, h)))
	}
	return c.make(ctx, j)
}

// failedAt reports whether the last summary failed and little has come since.
func (c *Compact) failedAt(tokens, limit int) bool {
	return c.failed > 0 && tokens < c.failed+limit/10
}

// asked is a compaction that the person or the model wants: it takes out all but the very newest, however small that is.
func (c *Compact) asked(ctx context.Context, h *history, why agent.Why, focus string) (*agent.Trim, error) {
	limit := c.Threshold()
	j := h.plan(why, limit, min(c.keep(limit), weigh.Messages(h.list[h.head:])/keepOf))
	if j.cut <= h.head {
		return nil, nil //nolint:nilnil // nothing to do is what the kernel expects
	}
	j.focus = focus
	return c.make(ctx, j)
}

// overflow makes room after the model has refused a request as too long.
func (c *Compact) overflow(ctx context.Context, h *history, tries int, refusal string) (*agent.Trim, error) {
	tokens, limit := h.tokens, c.Threshold()
	if tokens <= limit || tries > 0 { // the window is smaller than it is said to be
		limit = max(min(limit, tokens/2), 1)
	}
	keep := c.keep(limit)
	if tries > 0 {
		keep = 0
	}
	j := h.plan(agent.Overflow, limit, keep)
	j.bare = tries > 0 || c.failedAt(tokens, limit)
	if j.after > limit {
		h.tooLarge(j.cut, limit-(int(float64(j.after)/j.ratio)-j.history.after(j.cut, j.clear)), j.clear)
		j.expect()
	}
	if tries >= 2 || !j.frees(max(tokens/20, 50)) || (j.tight() && h.earlier().Tight >= tightMost) {
		text := c.text(msg.CompactFull, c.filled(ctx, h), refusal)
		return nil, &agent.StopError{Stop: agent.RunOverflow, Text: text, Cause: &agent.Error{Kind: agent.ErrContextLength, Message: text}}
	}
	return c.make(ctx, j)
}

// make carries a plan out.
func (c *Compact) make(ctx context.Context, j *job) (*agent.Trim, error) {
	if c.o.Before != nil {
		if err := c.o.Before(ctx, j.s, j.why, j.focus); err != nil {
			c.failed = j.before
			return nil, c.refused(err)
		}
	}
	agent.Progress(ctx, Name)
	used, err := c.summary(ctx, j)
	if err != nil {
		return &agent.Trim{Usage: used}, err
	}
	c.keepTranscript(ctx, j)
	switch tight := j.tightNow(); {
	case !tight:
		c.told = false
	case j.why != agent.Asked:
		j.carry.Tight = j.earlier().Tight + 1
	}
	return c.trim(j, used), nil
}

// summary puts a summary into the job, or at an overflow what there is in its place.
func (c *Compact) summary(ctx context.Context, j *job) (*agent.Usage, error) {
	old := fitted(j.earlier().Summary, summaryBudget(j.limit))
	if j.cut <= j.head { // nothing leaves that an earlier one does not know
		j.carry.Summary = old
		return nil, nil
	}
	used, fault := c.summarise(ctx, j)
	_, stops := errors.AsType[*agent.StopError](fault)
	switch {
	case ctx.Err() != nil:
		return used, context.Cause(ctx)
	case fault == nil:
		c.failed = 0
		return used, nil
	}
	c.failed = j.before
	if stops || j.why != agent.Overflow {
		return used, fault
	}
	j.carry.Summary, j.carry.Fault = old, fault.Error()
	return used, nil
}

// trim is the outcome.
func (c *Compact) trim(j *job, used *agent.Usage) *agent.Trim {
	t := &agent.Trim{From: j.from(j.cut), Before: j.before, Usage: used}
	if j.cut > 0 { // else there is nothing for it to stand for
		ack := j.cut == len(j.list) || j.list[j.cut].Role != agent.Assistant
		t.Head = c.head(j.carry, j.texts, ack)
	}
	for i := j.cut; i < len(j.list); i++ {
		if text, ok := j.clear[j.list[i].Seq]; ok {
			if t.Clear == nil {
				t.Clear = map[int64]string{}
			}
			t.Clear[j.list[i].Seq] = text
		}
	}
	t.After = int(j.ratio * float64(j.fixed+weigh.Messages(t.Head)+j.history.after(j.cut, t.Clear)))
	return t
}

// tightNow is tight with the summary that there is.
func (j *job) tightNow() bool {
	head := weigh.Messages(j.c.head(j.carry, j.texts, false))
	j.after = int(j.ratio * float64(j.fixed+head+j.history.after(j.cut, j.clear)))
	return j.tight()
}

// keepTranscript keeps what leaves where the agent can read it. Where that fails the log still has it, and the person is told.
func (c *Compact) keepTranscript(ctx context.Context, j *job) {
	j.carry.Path = j.earlier().Path
	if c.o.Transcript == nil || j.cut <= j.head {
		return
	}
	path, err := c.o.Transcript(ctx, j.s.ID, j.list[:j.cut])
	if err != nil {
		j.carry.Note = c.text(msg.CompactNoTranscript, err)
	}
	j.carry.Path = path
}

// refused is what a hook's no means.
func (c *Compact) refused(err error) error {
	if _, ok := errors.AsType[*agent.StopError](err); ok {
		return err
	}
	return errors.New(c.text(msg.CompactRefused, err))
}

func (c *Compact) text(k msg.Key, args ...any) string {
	return msg.For(msg.Lang(c.o.Lang)).Text(k, args...)
}

// Hook tells Options.After of compactions.
func (c *Compact) Hook() agent.Hook {
	hook := agent.Hook{Name: Name}
	if c.o.After != nil {
		hook.OnEvent = func(ctx context.Context, e agent.Event) {
			if e.Type == agent.EvCompact && e.Trim != nil && len(e.Trim.Head) > 0 {
				if x, ok := read(&e.Trim.Head[0]); ok {
					c.o.After(ctx, e.Session, agent.Why(e.Text), x.Summary)
				}
			}
		}
	}
	return hook
}
