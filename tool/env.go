package tool

import (
	"context"
	"net/netip"
	"os/exec"
	"time"

	"react-agent/agent"
)

// Env is the world in which the tools work. The zero value of every field but Root is usable.
type Env struct {
	// Root is the work directory, an absolute path. Commands start there and relative paths begin there.
	Root string
	// Logs is the directory for outputs that are too long for the model; it is made when first needed. Empty: such
	// outputs are cut and the rest is lost.
	Logs string
	// Shell is the program that runs commands as `SHELL -c COMMAND`. Empty: bash when there is one, else sh.
	Shell string
	// Vars is the environment of commands, as "NAME=value"; nil: this process's own.
	Vars []string
	// HideEnv names variables that commands must not see: the agent's own keys.
	HideEnv []string
	// Texts are the words of results. The zero value is [Lean].
	Texts Texts
	// Timeout of a command that names none; 0 is 120 s.
	Timeout time.Duration
	// Cut is the size in characters at which a result is cut; 0 is 50000.
	Cut int
	// Lang is the language of questions to the person, "zh" or "en"; empty is English.
	Lang string
	// Outside says whether to write to this resolved path outside Root, or to run it, needs no question. nil: never.
	Outside func(path string) bool
	// Private says whether http_request and web_fetch may go to this address of a private network or of this machine without
	// a question. host is the name in the URL, lower case, without a port; ip is the zero Addr when a proxy would look the
	// name up. nil: never.
	Private func(host string, ip netip.Addr) bool
	// Confine refuses every path outside Root, for reading too, and asks nobody.
	Confine bool
	// EditFirst makes edit_file replace the first place where the text occurs, instead of refusing when there are several.
	EditFirst bool
	// Vision says that the model can see images, Files that it reads PDF documents, so that read_file may give them.
	Vision, Files bool

	// Sandbox holds commands; nil: they run as this process does.
	Sandbox Sandbox
	// Secrets keeps secret values from the model and from being overwritten by what stands for them; nil: there are none.
	Secrets Secrets

	// ask puts a question to the person; nil is [agent.AskUser]. Tests set it.
	ask func(ctx context.Context, q agent.Ask) (agent.Answer, error)
	// seams are what tests put in the place of the world.
	seams seams
}

// Sandbox holds the commands of bash, run_script and background jobs. It may be used by many calls at once.
type Sandbox interface {
	// Describe tells the model in a sentence what commands can and cannot do.
	Describe() string
	// Prepare changes a command that is about to start, so that it runs inside.
	Prepare(cmd *exec.Cmd) error
	// Explain gives a line for the model when the output of a failed command shows that the sandbox was in the way ("no
	// network in the sandbox"); "" otherwise.
	Explain(output string) string
}

// Secrets knows what must not be seen. It may be used by many calls at once.
type Secrets interface {
	// Mask puts placeholders in the place of secrets in a text that a person or the model will see.
	Mask(text string) string
	// Live masks a text that comes in pieces: every piece is given to the function, and what it returns, which may be
	// nothing, may be shown. An end that may be the beginning of a secret is kept back. It serves one stream.
	Live() func(piece string) string
	// Restore puts the values back into text that is about to be written over current, where current has them. An error
	// says that a placeholder in text stands for nothing in current, so writing it would destroy a value.
	Restore(current []byte, text string) (string, error)
}

// All gives every tool of this package over the same Env.
func All(e Env) []agent.Tool {
	return []agent.Tool{
		Bash(e), ReadFile(e), WriteFile(e), EditFile(e), MultiEdit(e), ApplyPatch(e), ListDir(e), Grep(e), Glob(e),
		HTTPRequest(e), WebFetch(e), RunScript(e), AskUser(e),
	}
}

// Defaults of Env.
const (
	defaultTimeout = 120 * time.Second
	defaultCut     = 50000
)

func (e Env) withDefaults() Env {
	if e.Timeout <= 0 {
		e.Timeout = defaultTimeout
	}
	if e.Cut <= 0 {
		e.Cut = defaultCut
	}
	if e.Texts == (Texts{}) {
		e.Texts = Lean()
	}
	if e.Texts.HTTP == (HTTPTexts{}) {
		e.Texts.HTTP = leanHTTP()
	}
	if e.ask == nil {
		e.ask = agent.AskUser
	}
	return e
}
