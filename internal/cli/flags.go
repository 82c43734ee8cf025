package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"react-agent/internal/command"
	"react-agent/internal/msg"
)

// The forms of output.
const (
	outText  = "text"
	outJSON  = "json"
	outLines = "jsonl"
)

// flags are those of the command line that the front end itself reads; the settings among them are in given.
type flags struct {
	output, input       string
	resume, session     string
	goOn                bool
	plain, debug, quiet bool
	record, lang        string
	schema, server      string
	attach              []string
	given               map[string]string
}

// add declares the flags that every command takes.
func (f *flags) add(c msg.Catalogue, fs *pflag.FlagSet) {
	for _, s := range []struct {
		name string
		help msg.Key
	}{
		{"profile", msg.FlagProfile},
		{"provider", msg.FlagProvider},
		{"api", msg.FlagAPI},
		{"base-url", msg.FlagBaseURL},
		{"model", msg.FlagModel},
		{"config", msg.FlagConfig},
		{"state-dir", msg.FlagStateDir},
		{"cwd", msg.FlagCwd},
		{"mode", msg.FlagMode},
		{"max-steps", msg.FlagMaxSteps},
		{"max-cost", msg.FlagMaxCost},
		{"timeout", msg.FlagTimeout},
		{"until", msg.FlagUntil},
	} {
		help := c.Text(s.help)
		if s.help == msg.FlagProfile {
			help = c.Text(s.help, strings.Join(command.Profiles(), ", "))
		}
		fs.String(s.name, "", help)
	}
	fs.Bool("yolo", false, c.Text(msg.FlagYolo))
	fs.Bool("plan", false, c.Text(msg.FlagPlan))
	fs.Bool("trust", false, c.Text(msg.FlagTrust))
	fs.StringVar(&f.output, "output", outText, c.Text(msg.FlagOutput))
	fs.StringVar(&f.server, "server", "", c.Text(msg.FlagServer))
	fs.StringVar(&f.record, "record", "", c.Text(msg.FlagRecord))
	fs.StringVar(&f.schema, "schema", "", c.Text(msg.FlagSchema))
	fs.BoolVar(&f.plain, "plain", false, c.Text(msg.FlagPlain))
	fs.BoolVar(&f.debug, "debug", false, c.Text(msg.FlagDebug))
	fs.BoolVar(&f.quiet, "quiet", false, c.Text(msg.FlagQuiet))
	fs.StringVar(&f.lang, "lang", "", c.Text(msg.FlagLang))
	fs.BoolVar(&f.goOn, "continue", false, c.Text(msg.FlagContinue))
	fs.StringVar(&f.resume, "resume", "", c.Text(msg.FlagResume))
	fs.StringVar(&f.session, "session", "", c.Text(msg.FlagSession))
	fs.StringArrayVar(&f.attach, "attach", nil, c.Text(msg.FlagAttach))
}

// take notes what the person gave, by name, once cobra has read the command line.
func (f *flags) take(cmd *cobra.Command) error {
	f.given = map[string]string{}
	cmd.Flags().Visit(func(flag *pflag.Flag) { f.given[flag.Name] = flag.Value.String() })
	switch f.output {
	case outText, outJSON, outLines:
	default:
		bad := f.output
		f.output = outText
		return usagef(msg.UsageOutput, bad)
	}
	if cmd, given := f.given["until"]; given && strings.TrimSpace(cmd) == "" {
		return usagef(msg.UntilEmpty)
	}
	if err := f.elsewhere(); err != nil {
		return err
	}
	if f.input != "" && f.input != outLines {
		return usagef(msg.UsageInput, f.input)
	}
	return nil
}

// elsewhere refuses with --server what is for the server to know.
func (f *flags) elsewhere() error {
	if _, given := f.given["server"]; !given {
		return nil
	}
	if f.server == "" {
		return usagef(msg.RemoteNoURL)
	}
	for _, name := range []string{
		"profile", "provider", "api", "base-url", "model", "config", "state-dir", "cwd", "mode", "yolo", "plan", "max-steps", "max-cost",
		"timeout", "until", "trust", "record", "schema", "debug",
	} {
		if _, given := f.given[name]; given {
			return usagef(msg.RemoteFlag, "--"+name)
		}
	}
	return nil
}

func (f *flags) inputLines() bool { return f.input == outLines }

// oneSession refuses flags that name different sessions.
func (f *flags) oneSession() error {
	n := 0
	for _, set := range []bool{f.goOn, f.resume != "", f.session != ""} {
		if set {
			n++
		}
	}
	if n > 1 {
		return usagef(msg.UsageOneSession)
	}
	return nil
}

// early finds the value of a flag before the command line is parsed, for what parsing itself needs: the language of
// the help, and the form in which a bad flag is reported.
func early(args []string, name string) string {
	value := ""
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			value = v
		} else if a == "--"+name && i+1 < len(args) {
			value = args[i+1]
		}
	}
	return value
}
