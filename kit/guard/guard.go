package guard

import (
	"context"
	"fmt"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Name is the hook's name, and the From of its messages to the model.
const Name = "guard"

// Options of [New]. The zero value is right for most.
type Options struct {
	// Polling names tools, as the model knows them, that may be called again and again: waiting is their work. nil is
	// [DefaultPolling].
	Polling []string
	// HintRepeat and StopRepeat count equal steps in a row: at the first the model is told, at the second the run ends.
	// 0 is 3 and 10. A pattern of 2 to 4 steps that repeats is judged alike, with HintRepeat rounds and 4 more steps for
	// each step of the pattern.
	HintRepeat, StopRepeat int
	// HintFail and StopFail count steps in a row in which every call failed. 0 is 8 and 20.
	HintFail, StopFail int
	// Cleared tells a result's text that compaction put in the place of the real one: it may have been anything. nil:
	// there are none.
	Cleared func(text string) bool
	// Lang is the language of the reason the person reads, "zh" or "en"; empty is English. The model reads English.
	Lang string
}

// DefaultPolling names the tools that wait for something.
func DefaultPolling() []string { return []string{"check_background", "job_wait", "read_inbox"} }

// New makes the guard of the lean and full faces. It looks at the steps since the person last spoke, before each model
// call; it adds a message for the model when a row is suspicious, and ends the run with stop loop when the row goes on
// nevertheless.
func New(o Options) agent.Hook {
	g := guard{o: o.withDefaults()}
	return agent.Hook{Name: Name, Inject: g.inject}
}

func (o Options) withDefaults() Options {
	if o.Polling == nil {
		o.Polling = DefaultPolling()
	}
	for _, d := range []struct {
		to    *int
		value int
	}{{&o.HintRepeat, 3}, {&o.StopRepeat, 10}, {&o.HintFail, 8}, {&o.StopFail, 20}} {
		if *d.to <= 0 {
			*d.to = d.value
		}
	}
	return o
}

type guard struct{ o Options }

// maxPeriod is the longest pattern that is looked for.
const maxPeriod = 4

// finding is a suspicious row at the end of the history.
type finding struct {
	length   int // steps in the row
	hint     string
	hintFrom int // row length at which the model is told
	stopFrom int // row length at which the run ends
	reason   msg.Key
}

func (g guard) inject(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
	if stopping {
		return nil, nil
	}
	h := recent(s.Messages, g.o)
	for _, f := range append(g.rows(h), g.failures(h)) {
		told := h.hint >= 0 && h.hint < f.length
		switch {
		case told && f.length >= f.stopFrom:
			text := msg.For(msg.Lang(g.o.Lang)).Text(f.reason, f.length)
			return nil, &agent.StopError{Stop: agent.RunLoop, Text: text}
		case !told && f.length >= f.hintFrom:
			m := agent.TextMessage(agent.User, f.hint)
			m.From = Name
			return &agent.Note{Messages: []agent.Message{m}}, nil
		}
	}
	return nil, nil
}

// rows finds the patterns that repeat up to the last step, the shortest first.
func (g guard) rows(h history) []finding {
	var out []finding
	for period := 1; period <= maxPeriod; period++ {
		n := h.repeated(period, g.o.Cleared)
		if n == 0 {
			continue
		}
		f := finding{
			length:   n + period,
			hintFrom: g.o.HintRepeat * period,
			stopFrom: g.o.StopRepeat + 4*(period-1),
			reason:   msg.GuardRepeat,
		}
		if period == 1 {
			f.hint = fmt.Sprintf("Your last %d steps were the same calls with the same results. Repeating them will not change "+
				"anything: try another way, or say what you need.", f.length)
		} else {
			f.hint = fmt.Sprintf("Your last %d steps repeat the same %d calls with the same results. Going on like this will not "+
				"change anything: try another way, or say what you need.", f.length, period)
		}
		out = append(out, f)
	}
	return out
}

// failures is the row of steps in which nothing worked.
func (g guard) failures(h history) finding {
	n := 0
	for n < len(h.steps) && h.steps[n].failed() {
		n++
	}
	return finding{
		length: n, hintFrom: g.o.HintFail, stopFrom: g.o.StopFail, reason: msg.GuardFail,
		hint: fmt.Sprintf("Every call of your last %d steps has failed. Stop and think: look at what is really there, try "+
			"another way, or say what you need.", n),
	}
}
