package policy

import (
	"context"
	"errors"
	"fmt"

	"react-agent/agent"
)

// Inner is a shell command that something else than the shell tool wants to run: a step of a pipeline, a command that
// stands in a skill's text.
type Inner struct {
	// Call is the key of the tool call that runs it, which this policy has judged; empty when a person asked for it.
	Call    string
	Command string
	// Mode of the session; empty is that of the call, without one [Options.Mode].
	Mode Mode
	// Own are rules that allow beside the configured ones, about a program that was allowed with the call itself. A command
	// of which they cover every part is not measured by [Options.Blocklist]: its arguments may be anything.
	Own []Rule
}

// Permit judges such a command as the shell tool's are judged, and puts the question to ask when there is one. nil: it
// may run. The error tells the model why it may not, or that the run is ending. Commands of one call are judged one after
// the other.
func (p *Policy) Permit(ctx context.Context, in Inner, ask func(ctx context.Context, q agent.Ask) (agent.Answer, error)) error {
	raw, err := agent.EncodeJSON(map[string]string{"command": in.Command})
	if err != nil {
		return fmt.Errorf("command: %w", err)
	}
	c := agent.Call{Key: in.Call, Name: "bash", Args: raw}
	q := p.subject(agent.Tool{Name: "bash", Effect: agent.Executes}, c)
	q.own = in.Own
	if p.blocked(in.Command) && (len(in.Own) == 0 || len(p.uncovered(q, in.Own, false)) > 0) {
		return errors.New(p.o.Blocked)
	}
	p.meet(in.Call, q)
	d := p.decide(q, p.modeFor(in))
	p.note(in.Call, q, d)
	switch d.Verdict {
	case agent.Pass:
		return nil
	case agent.Deny:
		return errors.New(d.Reason)
	case agent.AskFirst, agent.Answered: // the latter was dealt with above
	}
	a, err := ask(ctx, agent.Ask{Text: d.Reason, Rules: d.Rules})
	if err != nil {
		return err
	}
	if !a.Allow {
		if a.Text != "" {
			return fmt.Errorf("the person did not allow %q: %s", in.Command, a.Text)
		}
		return fmt.Errorf("%q was not allowed", in.Command)
	}
	return nil
}

func (p *Policy) modeFor(in Inner) Mode {
	if in.Mode != "" {
		return in.Mode
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m, ok := p.modes[in.Call]; ok {
		return m
	}
	if p.o.Mode == "" {
		return Ask
	}
	return p.o.Mode
}
