// Package command is a model that is a program: Claude Code, CodeBuddy, Gemini CLI, Qwen Code, or any other that takes a
// prompt and prints an answer. Each call of the model is one run of the program.
//
//	m := command.New(command.Config{CLI: *preset.CLI, Preset: preset, Model: "sonnet", Env: os.Environ()})
//
// # Asking
//
// The system prompt and the history are text; how they become one is the business of provider/texttag, which belongs
// around this model wherever tools are offered. A prompt that is too long for an argument goes to standard input
// ([wire.CLI] has the rules). The program starts in a directory of its own and not in the person's project: it shall
// answer, and neither read there nor obey the settings and hooks that a project brings along for it. It sees the
// environment without the secrets of others.
//
// # Listening
//
// One reader takes every shape that programs print: a JSON array of messages, one JSON object, a line of JSON for each
// event, log lines with an object at the end, plain text. Answers that come in pieces are passed on as they come. Nothing
// is an answer but what the program ends well with: an exit status other than 0, an error that it reports with status 0,
// an output that breaks off, an empty one and one that is too long are errors, with what it wrote to standard error.
//
// A program that does not come back is ended with everything it has started: at the time limit, and when the context ends.
// One that has answered leaves nothing behind either; what has left its session is found on Linux alone.
package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/provider/wire"
)

// Limits of one run.
const (
	DefaultTimeout = 120 * time.Second
	MaxOutput      = 10 << 20 // bytes of standard output
)

// Config says which program to ask, and how.
type Config struct {
	CLI    wire.CLI
	Preset wire.Preset // its name, and the variables that the program may see
	// Model goes where the command has {model}; "" and "default" leave the choice to the program.
	Model string
	// Key is given to the program in the first variable of Preset.KeyEnv; "" = it has its own, or the environment has it.
	Key string
	// Env is the environment as "NAME=value". Hide lists names that the program must not see, unless the preset names them.
	Env, Hide []string
	// Base is the directory from which a program given as a relative path is looked for; "" = where this process works.
	Base string
	// Dir is where the program starts; it is made if it is not there. "" = an empty one for each call.
	Dir string
	// Timeout bounds one run; 0 = [DefaultTimeout].
	Timeout time.Duration
	Info    agent.ModelInfo // limits; Provider, Preset and Name are filled in
	// Run starts the program, nil = [shell.Run]. Tests and those who only look at a request put another in its place.
	Run func(ctx context.Context, c shell.Cmd) (shell.Result, error)
}

// New makes a model. Nothing is started or looked for before it is asked. It may be used by many runs at once.
func New(c Config) agent.Model {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Run == nil {
		c.Run = shell.Run
	}
	if c.Model == "default" {
		c.Model = ""
	}
	c.Info.Provider, c.Info.Preset, c.Info.Name = wire.APICommand, c.Preset.Name, c.Model
	if c.Model == "" {
		c.Info.Name = "default"
	}
	return &model{c}
}

type model struct{ Config }

// Info describes the model. It takes no tools: provider/texttag gives it that.
func (m *model) Info() agent.ModelInfo { return m.Config.Info }

func (m *model) name() string {
	switch {
	case m.Preset.Name != "":
		return m.Preset.Name
	case len(m.CLI.Command) > 0:
		return filepath.Base(m.CLI.Command[0])
	}
	return wire.APICommand
}

func (m *model) fail(kind agent.ErrorKind, err error) *agent.ModelError {
	return &agent.ModelError{Kind: kind, Provider: m.name(), Err: err}
}

// afterResult is how long a program may go on that has said how it all ended.
const afterResult = 2 * time.Second

// markName is the variable by which everything that one run has started is known, also where it has left its session.
const markName = "AGENT_PROGRAM_RUN"

var (
	errTooMuch = msg.Errorf(msg.ProgramTooMuch)
	errEnded   = errors.New("the program had ended its answer")
)

// Stream asks the program once and yields what it answers.
func (m *model) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	return func(yield func(agent.Chunk, error) bool) {
		cmd, done, err := m.command(req)
		defer done()
		if err != nil {
			yield(agent.Chunk{}, err)
			return
		}
		mark := markName + "=" + rand.Text()
		cmd.Vars = append(slices.Clone(cmd.Vars), mark)
		defer shell.EndMarked(mark) // what it has started and left behind
		d := &draft{yield: yield}
		res, cause, err := m.run(ctx, cmd, d)
		if d.left {
			return
		}
		if err != nil {
			yield(agent.Chunk{}, m.fail(agent.ErrConfig, err))
			return
		}
		if errors.Is(cause, errEnded) {
			res.Code, res.Signal = 0, "" // it had nothing more to say, and did not go
		} else if failure := m.ended(ctx, &res, cause); failure != nil {
			yield(agent.Chunk{}, failure)
			return
		}
		m.finish(d, &res)
	}
}

// run runs the program and gives d what it prints, as it comes. cause says why it was ended early.
func (m *model) run(ctx context.Context, cmd shell.Cmd, d *draft) (res shell.Result, cause, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pieces := make(chan []byte)
	cmd.Stream = func(p []byte) {
		select {
		case pieces <- slices.Clone(p):
		case <-ctx.Done():
		}
	}
	go func() {
		defer close(pieces)
		res, err = m.Run(ctx, cmd)
	}()
	grace := time.AfterFunc(time.Hour, func() { cancel(errEnded) })
	defer grace.Stop()
	for p := range pieces {
		switch {
		case ctx.Err() != nil: // it is on its way out
		case len(d.all)+len(p) > MaxOutput:
			cancel(errTooMuch)
		default:
			before := d.ended
			if d.feed(p); d.left {
				cancel(nil)
			}
			if d.ended && !before {
				grace.Reset(afterResult)
			}
		}
	}
	return res, context.Cause(ctx), err
}

// ended says what is wrong with how the program ended; nil = nothing, so far.
func (m *model) ended(ctx context.Context, res *shell.Result, cause error) *agent.ModelError {
	switch {
	case errors.Is(cause, errTooMuch):
		return m.fail(agent.ErrInvalidResponse, withErrors(cause, res.Errors))
	case res.TimedOut:
		return m.fail(agent.ErrTimeout, withErrors(msg.Errorf(msg.ProgramTimeout, m.Timeout), res.Errors))
	case ctx.Err() != nil:
		kind := agent.ErrNetwork
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			kind = agent.ErrTimeout
		}
		return m.fail(kind, context.Cause(ctx))
	}
	return nil
}

// command is the process for a request. done is to be called when it has ended, or was never started.
func (m *model) command(req *agent.Request) (cmd shell.Cmd, done func(), err error) {
	done = func() {}
	path, err := Find(m.Config)
	if err != nil {
		return cmd, done, err
	}
	dir := m.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "command-*"); err != nil {
			return cmd, done, m.fail(agent.ErrConfig, fmt.Errorf("a directory for the program: %w", err))
		}
		done = func() { _ = os.RemoveAll(dir) }
	} else if err = os.MkdirAll(dir, 0o700); err != nil {
		return cmd, done, m.fail(agent.ErrConfig, fmt.Errorf("a directory for the program: %w", err))
	}
	args, input := expand(m.CLI.Command[1:], values{system: wire.SchemaInWords(req).System, prompt: prompt(req.Messages), model: m.Model}, longest())
	cmd = shell.Cmd{
		Args: append([]string{path}, args...), Dir: dir, Vars: m.vars(), Hide: m.hidden(), Timeout: m.Timeout, Split: true,
	}
	if input == "" {
		return cmd, done, nil
	}
	file, err := stdin(input)
	if err != nil {
		return cmd, done, m.fail(agent.ErrConfig, fmt.Errorf("the prompt's way to the program: %w", err))
	}
	cmd.Input = file
	rest := done
	return cmd, func() {
		_ = file.Close()
		_ = os.Remove(file.Name()) // where it could not go before
		rest()
	}, nil
}

// stdin is a file with the prompt, for one who reads. It has no name any more where that is possible.
func stdin(text string) (*os.File, error) {
	f, err := os.CreateTemp("", "prompt-*")
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" {
		_ = os.Remove(f.Name())
	}
	if _, err = f.WriteString(text); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// vars is the environment, with the key where it is not there by itself.
func (m *model) vars() []string {
	if m.Key == "" || len(m.Preset.KeyEnv) == 0 {
		return m.Env
	}
	name := m.Preset.KeyEnv[0] + "="
	vars := slices.DeleteFunc(slices.Clone(m.Env), func(v string) bool { return strings.HasPrefix(v, name) })
	return append(vars, name+m.Key)
}

// hidden are the names of secrets that are none of the program's business.
func (m *model) hidden() []string {
	return slices.DeleteFunc(slices.Clone(m.Hide), func(name string) bool { return slices.Contains(m.Preset.KeyEnv, name) })
}
