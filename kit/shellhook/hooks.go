package shellhook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Name is the hook's name, and the From of its messages to the model.
const Name = "hook"

// Options of [New].
type Options struct {
	Config Config
	// Dir is the project's directory, where the commands start. It must be set.
	Dir string
	// Shell runs them; empty: bash, else sh.
	Shell string
	// Vars is their environment as "NAME=value", nil is this process's own; Hide takes variables out of it by name.
	Vars, Hide []string
	// Timeout of a command that names none; 0 is 60 s.
	Timeout time.Duration
	// Lang is the language of what the person reads, "zh" or "en"; empty is English.
	Lang string
	// Notice shows a text to the person. nil: nobody sees them. It may be called from several goroutines.
	Notice func(text string)
	// Transcript gives the file of a session's log, Mode the permission mode; nil: the commands are not told.
	Transcript func(session string) string
	Mode       func() string
	// Mask hides secrets in what the commands printed; nil: nothing is hidden.
	Mask func(text string) string
}

// Hooks runs the commands. It may be used by many sessions at once.
type Hooks struct {
	o Options

	mu       sync.Mutex
	sessions map[string]*state
	judged   map[string]verdict // of calls whose arguments a hook has changed, and their context, by the call's key
}

// state is what a session waits for.
type state struct {
	context []string // for the model, before its next call
	end     string   // why the run must not call the model
	ends    bool
	again   int // how often in a row a Stop hook has asked to go on
}

// verdict is what hooks said about a call.
type verdict struct {
	args     json.RawMessage // as they made them
	decision agent.Decision
	context  []string
}

// New makes the hooks.
func New(o Options) *Hooks {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	for _, groups := range o.Config.Events {
		for i := range groups {
			if groups[i].match == nil { // made by hand
				groups[i].match, _ = matcher(groups[i].Matcher)
			}
			if groups[i].match == nil {
				groups[i].match = func(...string) bool { return false }
			}
		}
	}
	return &Hooks{o: o, sessions: map[string]*state{}, judged: map[string]verdict{}}
}

// Hook gives the feature for an agent. Points without commands stay empty. It has to stand before hooks that mask
// results, so that they see what commands add.
func (h *Hooks) Hook() agent.Hook {
	hook := agent.Hook{Name: Name}
	has := func(events ...string) bool {
		for _, e := range events {
			if len(h.o.Config.Events[e]) > 0 {
				return true
			}
		}
		return false
	}
	if has(sessionStart, sessionEnd) {
		hook.OnSession = h.onSession
	}
	if has(userPromptSubmit, stop) {
		hook.OnInput = h.onInput
	}
	if has(sessionStart, userPromptSubmit, stop) {
		hook.Inject = h.inject
	}
	if has(userPromptSubmit) {
		hook.BeforeModel = h.beforeModel
	}
	if has(preToolUse) {
		hook.BeforeTool = h.beforeTool
	}
	if has(preToolUse, postToolUse, postToolUseFailure) {
		hook.AfterTool = h.afterTool
	}
	return hook
}

// with works on a session's state.
func (h *Hooks) with(session string, f func(*state)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[session]
	if s == nil {
		s = &state{}
		h.sessions[session] = s
	}
	f(s)
}

// endGrace bounds what runs when a session is let go: somebody waits for the end of the process.
const endGrace = 10 * time.Second

func (h *Hooks) onSession(ctx context.Context, s *agent.Session, start bool) {
	if !start {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endGrace)
		defer cancel()
		h.call(ctx, sessionEnd, s.ID, []string{"other"}, map[string]any{"reason": "other"})
		h.mu.Lock()
		delete(h.sessions, s.ID)
		h.mu.Unlock()
		return
	}
	source := "startup"
	if len(s.Messages) > 0 {
		source = "resume"
	}
	a := h.call(ctx, sessionStart, s.ID, []string{source}, map[string]any{"source": source})
	h.with(s.ID, func(st *state) { st.context = append(st.context, a.context...) })
}

func (h *Hooks) onInput(ctx context.Context, s *agent.Session, m *agent.Message) error {
	h.with(s.ID, func(st *state) { st.again = 0 })
	a := h.call(ctx, userPromptSubmit, s.ID, nil, map[string]any{"prompt": m.Text()})
	if a.blocked || a.ends {
		by, why := a.by, a.reason
		if !a.blocked {
			by, why = a.endedBy, a.endText
		}
		// The message is used up, so it has to stand in the log in some way.
		m.Parts = []agent.Part{agent.TextPart("[the person's message was held back by a hook]")}
		h.with(s.ID, func(st *state) { st.ends, st.end = true, msg.For(msg.Lang(h.o.Lang)).Text(msg.HookPrompt, by, why) })
		return nil
	}
	h.with(s.ID, func(st *state) { st.context = append(st.context, a.context...) })
	return nil
}

// beforeModel ends the run whose prompt was held back.
func (h *Hooks) beforeModel(_ context.Context, s *agent.Session, _ *agent.Request) error {
	var err error
	h.with(s.ID, func(st *state) {
		if st.ends {
			err = &agent.StopError{Stop: agent.RunDenied, Text: st.end}
		}
		st.ends, st.end = false, ""
	})
	return err
}

func (h *Hooks) inject(ctx context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
	if stopping {
		return h.stopping(ctx, s), nil
	}
	var context []string
	h.with(s.ID, func(st *state) { context, st.context = st.context, nil })
	if len(context) == 0 {
		return nil, nil //nolint:nilnil // no note is what the kernel asks for
	}
	return note(strings.Join(context, "\n\n")), nil
}

// note is a message from the hooks to the model.
func note(text string) *agent.Note {
	m := agent.TextMessage(agent.User, text)
	m.From = Name
	return &agent.Note{Messages: []agent.Message{m}}
}

// maxAgain is how often in a row a Stop hook is heeded.
const maxAgain = 8

// stopping asks the Stop hooks whether the run may end.
func (h *Hooks) stopping(ctx context.Context, s *agent.Session) *agent.Note {
	again := 0
	h.with(s.ID, func(st *state) { again = st.again })
	more := map[string]any{"stop_hook_active": again > 0}
	if n := len(s.Messages); n > 0 && s.Messages[n-1].Answers() {
		more["last_assistant_message"] = s.Messages[n-1].Text()
	}
	a := h.call(ctx, stop, s.ID, nil, more)
	if !a.blocked || a.ends {
		h.with(s.ID, func(st *state) { st.again = 0 })
		return nil
	}
	if again >= maxAgain {
		h.say(msg.HookAgain, again, orElse(a.reason, a.by))
		return nil
	}
	h.with(s.ID, func(st *state) { st.again++ })
	return note(orElse(a.reason, "the Stop hook "+a.by+" wants you to go on"))
}

// PreCompact runs before a compaction; trigger is "manual" or "auto". An error says that a command blocks it, and why.
func (h *Hooks) PreCompact(ctx context.Context, s *agent.Session, trigger, instructions string) error {
	a := h.call(ctx, preCompact, s.ID, []string{trigger}, map[string]any{"trigger": trigger, "custom_instructions": instructions})
	switch {
	case a.blocked:
		return errors.New(says("refused by the hook", a.by, a.reason))
	case a.ends:
		return h.stopError(a)
	}
	return nil
}

// PostCompact runs after a compaction of a session.
func (h *Hooks) PostCompact(ctx context.Context, session, trigger, summary string) {
	h.call(ctx, postCompact, session, []string{trigger}, map[string]any{"trigger": trigger, "compact_summary": summary})
}

// Notify runs the Notification commands: kind is what the matchers see, such as "idle_prompt".
func (h *Hooks) Notify(ctx context.Context, session, text, kind string) {
	h.call(ctx, notification, session, []string{kind}, map[string]any{"message": text, "notification_type": kind})
}

func (h *Hooks) stopError(a answer) error {
	return &agent.StopError{Stop: agent.RunDenied, Text: msg.For(msg.Lang(h.o.Lang)).Text(msg.HookStopped, a.endedBy, a.endText)}
}
