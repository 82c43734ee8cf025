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
	return p.settle(ctx, in.Call, q, p.modeFor(in), fmt.Sprintf("%q", in.Command), ask)
}

// InnerFile is a file that something else than a file tool wants to read or to write for the model: a step of a pipeline.
type InnerFile struct {
	// Call is as in [Inner].
	Call string
	Path string
	// Write says that it is written, at a place that was allowed with the call itself: nothing but a deny rule stands
	// against that.
	Write bool
}

// PermitFile judges such a file as the file tools are judged, and puts the question to ask when there is one; the error is
// as that of [Policy.Permit].
func (p *Policy) PermitFile(ctx context.Context, f InnerFile, ask func(ctx context.Context, q agent.Ask) (agent.Answer, error)) error {
	raw, err := agent.EncodeJSON(map[string]string{"path": f.Path})
	if err != nil {
		return fmt.Errorf("path: %w", err)
	}
	t, mode := agent.Tool{Name: "read_file", Effect: agent.Reads}, p.modeFor(Inner{Call: f.Call})
	if f.Write {
		t, mode = agent.Tool{Name: "write_file", Effect: agent.Writes}, Yolo
	}
	q := p.subject(t, agent.Call{Key: f.Call, Name: t.Name, Args: raw})
	return p.settle(ctx, f.Call, q, mode, t.Name+" "+f.Path, ask)
}

// settle decides, and asks if that is the decision. what names the thing in errors.
func (p *Policy) settle(ctx context.Context, call string, q *subject, mode Mode, what string, ask func(context.Context, agent.Ask) (agent.Answer, error)) error {
	d := p.decide(q, mode)
	p.note(call, q, d)
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
		if a.Text != "" && a.Text != agent.Nobody {
			return fmt.Errorf("the person did not allow %s: %s", what, a.Text)
		}
		return fmt.Errorf("%s was not allowed", what)
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
