package shellhook

import (
	"context"
	"time"

	"react-agent/agent"
)

// Name is the hook's name, and the From of its messages to the model.
const Name = "hook"

// Config is which commands run when: groups by event.
type Config struct {
	Events map[string][]Group
}

// Group is commands that share a matcher.
type Group struct {
	Matcher  string
	Commands []Command
}

// Command is one handler. Where says where it was configured, for messages.
type Command struct {
	Command string
	Timeout time.Duration // 0 is Options.Timeout
	Where   string
}

// Parse reads the value of the configuration key hooks, as decoded YAML or JSON. Every fault is an error of its own that
// names the path of the value; what is right is in the Config nevertheless.
func Parse(_ any) (Config, []error) { return Config{}, nil }

// ParseJSON reads the hooks of a settings file. Errors begin with the file's name.
func ParseJSON(_ string, _ []byte) (Config, []error) { return Config{}, nil }

// Merge gives the commands of c and then those of more.
func (c Config) Merge(_ Config) Config { return c }

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
type Hooks struct{ o Options }

// New makes the hooks.
func New(o Options) *Hooks { return &Hooks{o: o} }

// Hook gives the feature for an agent. Without any command it is an empty hook.
func (h *Hooks) Hook() agent.Hook { return agent.Hook{Name: Name} }

// Asker puts PermissionRequest and Notification commands before a person who is asked; next may be nil: nobody is there.
func (h *Hooks) Asker(next func(ctx context.Context, q agent.Ask) (agent.Answer, error)) func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
	return next
}

// PreCompact runs before a compaction; trigger is "manual" or "auto". An error says that a command blocks it, and why.
func (h *Hooks) PreCompact(_ context.Context, _ *agent.Session, _, _ string) error { return nil }

// PostCompact runs after a compaction.
func (h *Hooks) PostCompact(_ context.Context, _ *agent.Session, _ string) {}

// Notify runs the Notification commands: kind is what the matchers see, such as "idle_prompt".
func (h *Hooks) Notify(_ context.Context, _, _, _ string) {}
