package shellhook

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os/exec"
	"strings"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
)

const (
	defaultTimeout = time.Minute
	maxOutput      = 1 << 20 // bytes of standard output that are looked at
	maxErrors      = 64 << 10
	maxShown       = 500 // characters of it that the person is shown
)

// call runs the commands of an event beside each other and puts their answers together, in the order of the
// configuration. The person is told what went wrong.
func (h *Hooks) call(ctx context.Context, event, session string, names []string, more map[string]any) answer {
	commands := h.matching(event, names)
	if len(commands) == 0 {
		return answer{}
	}
	input, err := agent.EncodeJSON(h.input(event, session, more))
	if err != nil {
		h.say(msg.HookNotStarted, event, err)
		return answer{}
	}
	input = append(input, '\n')
	answers := make([]answer, len(commands))
	var wg sync.WaitGroup
	for i, c := range commands {
		wg.Go(func() { answers[i] = h.one(ctx, event, c, input) })
	}
	wg.Wait()
	var all answer
	for _, a := range answers {
		all.add(a)
	}
	for _, s := range all.system {
		h.notice(s)
	}
	return all
}

// matching lists the commands of an event for something with these names; equal ones run once.
func (h *Hooks) matching(event string, names []string) []Command {
	var list []Command
	seen := map[string]bool{}
	for _, g := range h.o.Config.Events[event] {
		if events()[event] && !g.match(names...) {
			continue
		}
		for _, c := range g.Commands {
			if !seen[c.Command] {
				seen[c.Command] = true
				list = append(list, c)
			}
		}
	}
	return list
}

func (h *Hooks) input(event, session string, more map[string]any) map[string]any {
	in := map[string]any{"session_id": session, "cwd": h.o.Dir, "hook_event_name": event, "transcript_path": ""}
	if h.o.Transcript != nil {
		in["transcript_path"] = h.o.Transcript(session)
	}
	if h.o.Mode != nil {
		in["permission_mode"] = h.o.Mode()
	}
	maps.Copy(in, more)
	return in
}

// one runs one command.
func (h *Hooks) one(ctx context.Context, event string, c Command, input []byte) answer {
	limit := c.Timeout
	if limit <= 0 {
		limit = h.o.Timeout
	}
	errs := &bounded{}
	r, err := shell.Run(ctx, shell.Cmd{
		Command: c.Command, Shell: h.o.Shell, Dir: h.o.Dir, Vars: h.o.Vars, Hide: h.o.Hide, Timeout: limit, Keep: maxOutput,
		Prepare: func(cmd *exec.Cmd) error {
			cmd.Stdin = bytes.NewReader(input)
			cmd.Stderr = errs
			cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR="+h.o.Dir, "AGENT_PROJECT_DIR="+h.o.Dir, "AGENT_HOOK_EVENT="+event)
			return nil
		},
	})
	name := event + " " + h.called(c)
	switch {
	case err != nil:
		h.say(msg.HookNotStarted, name, err)
		return answer{}
	case r.TimedOut:
		h.say(msg.HookTimeout, name, limit.String())
		return answer{}
	case r.Cancelled:
		return answer{}
	case r.Code == 2:
		return answer{blocked: true, reason: h.mask(strings.TrimSpace(text.Clean(errs.b))), by: h.called(c)}
	case r.Code != 0:
		h.say(msg.HookFailed, name, r.Status(), h.mask(text.Head(strings.TrimSpace(text.Clean(errs.b)), maxShown)))
		return answer{}
	}
	a := h.read(event, name, &r.Captured)
	a.by, a.permits, a.endedBy = h.called(c), h.called(c), h.called(c)
	return a
}

// maxCommand is how many characters of a command name it in messages.
const maxCommand = 60

// called is how messages name a command: by its beginning, in one line.
func (h *Hooks) called(c Command) string {
	return h.mask(text.Head(strings.Join(strings.Fields(c.Command), " "), maxCommand))
}

// read takes in what a command that succeeded has printed.
func (h *Hooks) read(event, name string, c *shell.Captured) answer {
	if c.Lost > 0 {
		h.say(msg.HookOutput, name, msg.Errorf(msg.HookTooLong))
		return answer{}
	}
	out := string(c.Head)
	a, object, err := decode(event, out)
	if err != nil {
		h.say(msg.HookOutput, name, err)
		return answer{}
	}
	if !object && (event == sessionStart || event == userPromptSubmit) {
		if plain := strings.TrimSpace(text.Clean(c.Head)); plain != "" {
			a.context = []string{plain}
		}
	}
	for i := range a.context {
		a.context[i] = h.mask(a.context[i])
	}
	a.reason, a.why, a.endText = h.mask(a.reason), h.mask(a.why), h.mask(a.endText)
	return a
}

func (h *Hooks) mask(s string) string {
	if h.o.Mask == nil {
		return s
	}
	return h.o.Mask(s)
}

func (h *Hooks) say(key msg.Key, args ...any) {
	h.notice(msg.For(msg.Lang(h.o.Lang)).Text(key, args...))
}

func (h *Hooks) notice(s string) {
	if h.o.Notice != nil {
		h.o.Notice(h.mask(s))
	}
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ b []byte }

// Write never fails.
func (w *bounded) Write(p []byte) (int, error) {
	w.b = append(w.b, p[:min(len(p), maxErrors-len(w.b))]...)
	return len(p), nil
}

// plainText is a tool's output that a hook gives: a text, or JSON as it is.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
