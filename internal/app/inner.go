package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
	"react-agent/kit/policy"
)

// innerCommand is a shell command that a feature runs on its own account: a step of a pipeline, a command in a skill's text.
type innerCommand struct {
	call    string // key of the tool call; "" when a person asked for it
	text    string
	before  string        // goes in front of text, and is no matter of the policy
	args    []string      // are run without a shell, text is what they mean; standard error goes apart
	own     []policy.Rule // allow it beside the configuration, see policy.Inner
	keep    int           // bytes of each end of the output; 0 is the usual
	dir     string        // "" is the world's root
	shell   string        // "" is the person's
	vars    []string      // beside the environment
	timeout time.Duration
	allowed bool              // what was decided already, for the skill's own program
	output  func(text string) // is shown while it runs; nil: nobody looks
	ask     func(ctx context.Context, q agent.Ask) (agent.Answer, error)
}

// inner asks the policy, then runs the command as the shell tool does: in the sandbox, without the agent's keys. The error
// says that it did not run, and why. What comes out is to be read with innerOutput.
func (p *product) inner(ctx context.Context, w *world, c innerCommand) (shell.Result, error) {
	if c.ask == nil {
		c.ask = agent.AskUser
	}
	if looking(ctx) {
		return shell.Result{}, msg.Errorf(msg.RequestNotRun)
	}
	if !c.allowed {
		if err := w.policy.Permit(ctx, policy.Inner{Call: c.call, Command: c.text, Own: c.own}, c.ask); err != nil {
			return shell.Result{}, err
		}
	}
	vars := p.o.Env
	if vars == nil {
		vars = Environ()
	}
	cmd := shell.Cmd{
		Command: c.before + c.text, Args: c.args, Split: len(c.args) > 0, Keep: c.keep, Shell: c.shell, Dir: or(c.dir, w.root), Vars: append(slices.Clip(vars), c.vars...),
		Hide: p.secretNames(), Timeout: or(c.timeout, or(w.env.Timeout, defaultInner)), Logs: w.env.Logs,
	}
	if w.box != nil {
		cmd.Prepare = w.box.Prepare
	}
	if c.output != nil {
		live := p.secrets.Live()
		cmd.Output = func(piece []byte) {
			if s := live(text.Clean(piece)); s != "" {
				c.output(s)
			}
		}
	}
	return shell.Run(ctx, cmd)
}

// defaultInner bounds a command for which nobody has named a limit.
const defaultInner = 2 * time.Minute

// innerOutput is what a command printed, as the model and the person may see it.
func (p *product) innerOutput(r *shell.Result) string {
	out := text.Clean(r.Head)
	if r.Lost > 0 {
		out += fmt.Sprintf("\n[%d bytes left out]\n", r.Lost)
	}
	return p.secrets.Mask(out + text.Clean(r.Tail))
}
