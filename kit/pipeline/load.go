package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"react-agent/internal/msg"
	"react-agent/internal/yaml"
)

// SettingsFile is where a skill's settings are, within its folder.
const SettingsFile = "pipeline.yaml"

// maxSettings bounds the file, in bytes.
const maxSettings = 64 << 10

// Problem is something wrong with a pipeline's settings.
type Problem struct {
	Skill string
	File  string
	Line  int    // from 1; 0: the file as a whole
	Field string // empty: the file as a whole
	// Reason has texts in both languages: show it with [msg.Catalogue.Err].
	Reason error
	// Bad says that the defaults are used in the place of the whole file, Left that the pipeline is left out. Otherwise a
	// field is not known, and only that is left out.
	Bad, Left bool
}

// In is the problem in the catalogue's language, on one line with its place.
func (p *Problem) In(c msg.Catalogue) string {
	place := p.File
	if p.Line > 0 {
		place += ":" + strconv.Itoa(p.Line)
	}
	what := c.Err(p.Reason)
	if p.Field != "" {
		what = p.Field + ": " + what
	}
	if p.Left {
		what += "; " + c.Text(msg.PipelineLeftOut)
	}
	if p.Bad {
		what += "; " + c.Text(msg.PipelineDefaults)
	}
	return place + ": " + what
}

// LoadSettings reads a skill's settings. Without a file they are the [Defaults]. A field that nobody knows is told and
// left out; with a value that makes no sense the defaults hold for all of it.
func LoadSettings(skillDir string) (Settings, []Problem) {
	file := filepath.Join(skillDir, SettingsFile)
	data, err := readBounded(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Defaults(), nil
	case err != nil:
		return Defaults(), []Problem{{File: file, Reason: err, Bad: true}}
	}
	return ParseSettings(file, data)
}

func readBounded(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, msg.Errorf(msg.PipelineNoFile)
	}
	if info.Size() > maxSettings {
		return nil, msg.Errorf(msg.PipelineTooLarge, maxSettings>>10)
	}
	return os.ReadFile(file)
}

// ParseSettings is [LoadSettings] for a text; file is named in problems.
func ParseSettings(file string, data []byte) (Settings, []Problem) {
	whole := func(line int, err error) (Settings, []Problem) {
		return Defaults(), []Problem{{File: file, Line: line, Reason: err, Bad: true}}
	}
	n, err := yaml.Parse("", data)
	if err != nil {
		line := 0
		if e, ok := errors.AsType[*yaml.Error](err); ok {
			line, err = e.Line, errors.New(e.Text)
		}
		return whole(line, msg.Errorf(msg.PipelineYAML, err))
	}
	if n.Kind == yaml.Null {
		return Defaults(), nil
	}
	if n.Kind != yaml.Map {
		return whole(n.Line, msg.Errorf(msg.PipelineNotMap))
	}
	s := Defaults()
	var problems []Problem
	bad := false
	seen := map[string]bool{}
	for _, pair := range n.Pairs {
		p := Problem{File: file, Line: pair.Key.Line, Field: pair.Key.Text, Bad: true}
		read, known := fields()[pair.Key.Text]
		switch {
		case !known:
			p.Reason, p.Bad = msg.Errorf(msg.PipelineUnknown, strings.Join(fieldNames(), ", ")), false
		case seen[pair.Key.Text]:
			p.Reason = msg.Errorf(msg.PipelineTwice)
		case pair.Value.Kind == yaml.Null: // nothing is said
			continue
		default:
			if p.Reason = read(&s, &pair.Value); p.Reason == nil {
				seen[pair.Key.Text] = true
				continue
			}
			p.Line = max(pair.Value.Line, p.Line)
		}
		bad = bad || p.Bad
		problems = append(problems, p)
	}
	if bad {
		s = Defaults()
	}
	return s, problems
}

type reader func(s *Settings, n *yaml.Node) error

// fields are all that a file may say.
func fields() map[string]reader {
	return map[string]reader{
		"terminal_signals":            readSignals,
		"supports_query_injection":    truth(func(s *Settings) *bool { return &s.QueryInjection }),
		"query_injection_placeholder": words(func(s *Settings) *string { return &s.Placeholder }, nil),
		"ood_detection":               truth(func(s *Settings) *bool { return &s.OODDetection }),
		"run_dir_template":            words(func(s *Settings) *string { return &s.RunDir }, checkRunDir),
		"log_file":                    words(func(s *Settings) *string { return &s.LogFile }, checkPath(skillWord)),
		"max_steps":                   number(func(s *Settings, n int) { s.MaxSteps = n }, 1_000_000),
		"entry":                       words(func(s *Settings) *string { return &s.Entry }, checkPath()),
		"next_args":                   readNextArgs,
		"interpreter":                 words(func(s *Settings) *string { return &s.Interpreter }, nil),
		"bash_timeout_seconds":        number(func(s *Settings, n int) { s.BashTimeout = time.Duration(n) * time.Second }, 86400),
		"subagent_timeout_seconds":    number(func(s *Settings, n int) { s.SubAgentTimeout = time.Duration(n) * time.Second }, 86400),
		"env":                         readEnv,
		"placeholders":                readPlaceholders,
		"slash_mode":                  words(func(s *Settings) *string { return &s.SlashMode }, checkSlashMode),
	}
}

func fieldNames() []string {
	var names []string
	for name := range fields() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func truth(at func(s *Settings) *bool) reader {
	return func(s *Settings, n *yaml.Node) error {
		switch {
		case n.Kind != yaml.Scalar:
		case strings.EqualFold(n.Text, "true"):
			*at(s) = true
			return nil
		case strings.EqualFold(n.Text, "false"):
			*at(s) = false
			return nil
		}
		return msg.Errorf(msg.PipelineBool)
	}
}

func number(set func(s *Settings, n int), most int) reader {
	return func(s *Settings, n *yaml.Node) error {
		v, err := strconv.Atoi(n.Text)
		if n.Kind != yaml.Scalar || err != nil || v < 1 || v > most {
			return msg.Errorf(msg.PipelineNumber, most)
		}
		set(s, v)
		return nil
	}
}

// words reads a text that is not empty.
func words(at func(s *Settings) *string, check func(text string) error) reader {
	return func(s *Settings, n *yaml.Node) error {
		if n.Kind != yaml.Scalar || strings.TrimSpace(n.Text) == "" || strings.ContainsAny(n.Text, "\n\r\x00") {
			return msg.Errorf(msg.PipelineText)
		}
		text := strings.TrimSpace(n.Text)
		if check != nil {
			if err := check(text); err != nil {
				return err
			}
		}
		*at(s) = text
		return nil
	}
}

// checkPath wants a relative path that stays where it begins, with no other words in braces.
func checkPath(known ...string) func(text string) error {
	return func(text string) error {
		for _, w := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(text, -1) {
			if !slices.Contains(known, w) {
				return msg.Errorf(msg.PipelineWord, w, strings.Join(known, " "))
			}
		}
		plain := strings.NewReplacer(skillWord, "x", slugWord, "x").Replace(text)
		if !filepath.IsLocal(filepath.FromSlash(plain)) || filepath.Clean(plain) == "." {
			return msg.Errorf(msg.PipelinePath)
		}
		return nil
	}
}

func checkRunDir(text string) error {
	if !strings.Contains(text, slugWord) {
		return msg.Errorf(msg.PipelineSlug, slugWord)
	}
	return checkPath(skillWord, slugWord)(text)
}

func checkSlashMode(text string) error {
	if text != "inline" && text != "reference" {
		return msg.Errorf(msg.PipelineSlash)
	}
	return nil
}

// list reads texts.
func list(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.List || len(n.Items) == 0 {
		return nil, msg.Errorf(msg.PipelineList)
	}
	var out []string
	for _, item := range n.Items {
		if item.Kind != yaml.Scalar || item.Text == "" || strings.ContainsRune(item.Text, 0) {
			return nil, msg.Errorf(msg.PipelineList)
		}
		out = append(out, item.Text)
	}
	return out, nil
}

func readSignals(s *Settings, n *yaml.Node) error {
	texts, err := list(n)
	if err != nil {
		return err
	}
	s.TerminalSignals = nil
	for _, t := range texts {
		re, err := regexp.Compile(t)
		if err != nil {
			return msg.Errorf(msg.PipelineRegexp, t, err)
		}
		if re.MatchString("") {
			return msg.Errorf(msg.PipelineAnything, t)
		}
		s.TerminalSignals = append(s.TerminalSignals, re)
	}
	return nil
}

func readNextArgs(s *Settings, n *yaml.Node) error {
	args, err := list(n)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, runDirWord) }) {
		return msg.Errorf(msg.PipelineNeeds, runDirWord)
	}
	s.NextArgs = args
	return nil
}

// pairs reads a map of texts.
func pairs(n *yaml.Node, name *regexp.Regexp, example string) (map[string]string, error) {
	if n.Kind != yaml.Map {
		return nil, msg.Errorf(msg.PipelinePairs, example)
	}
	out := map[string]string{}
	for _, p := range n.Pairs {
		if p.Value.Kind == yaml.List || p.Value.Kind == yaml.Map || !name.MatchString(p.Key.Text) || strings.ContainsAny(p.Value.Text, "\x00") {
			return nil, msg.Errorf(msg.PipelinePairs, example)
		}
		out[p.Key.Text] = p.Value.Text
	}
	return out, nil
}

func readEnv(s *Settings, n *yaml.Node) error {
	values, err := pairs(n, regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), "NAME: value")
	if err != nil {
		return err
	}
	for name, value := range values {
		s.Env = append(s.Env, fmt.Sprintf("%s=%s", name, value))
	}
	slices.Sort(s.Env)
	return nil
}

func readPlaceholders(s *Settings, n *yaml.Node) error {
	values, err := pairs(n, regexp.MustCompile(`^\{?[A-Za-z_][A-Za-z0-9_]*\}?$`), "name: value")
	if err != nil {
		return err
	}
	s.Placeholders = map[string]string{}
	for name, value := range values {
		s.Placeholders["{"+strings.Trim(name, "{}")+"}"] = value
	}
	return nil
}
