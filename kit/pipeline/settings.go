package pipeline

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Settings are what a skill may say about its pipeline in pipeline.yaml. Every field may be left out there.
type Settings struct {
	// TerminalSignals are looked for at the beginning of a state or a step: the run has ended.
	TerminalSignals []*regexp.Regexp
	// QueryInjection has a sub-agent make search queries of the question in the first step; they come in the place of
	// Placeholder in its commands.
	QueryInjection bool
	Placeholder    string
	// OODDetection lets that sub-agent end the run when the question cannot be worked on.
	OODDetection bool
	// RunDir and LogFile are relative to the work directory and stay in it; {skill} and {slug} stand in them.
	RunDir, LogFile string
	MaxSteps        int
	// Entry is the program within the skill's folder, Interpreter runs it, NextArgs are its arguments: {run_dir} and {query}
	// stand in them.
	Entry, Interpreter string
	NextArgs           []string
	// BashTimeout bounds a command, SubAgentTimeout a sub-agent.
	BashTimeout, SubAgentTimeout time.Duration
	// Env is "NAME=value" for all programs of the pipeline.
	Env []string
	// Placeholders are further words that are replaced in commands and paths, with what stands for them.
	Placeholders map[string]string
	// SlashMode says how /NAME puts the skill before the model: inline or reference.
	SlashMode string
}

// The names of the built-in placeholders.
const (
	runDirWord   = "{run_dir}"
	skillDirWord = "{skill_dir}"
	skillWord    = "{skill}"
	queryWord    = "{query}"
	slugWord     = "{slug}"
)

// Defaults are the settings of a skill that says nothing.
func Defaults() Settings {
	return Settings{
		TerminalSignals: []*regexp.Regexp{
			regexp.MustCompile(`^DONE\b`), regexp.MustCompile(`^do_not_generate\b`), regexp.MustCompile(`^phase_\d+_failed\b`),
		},
		Placeholder:     "q1|q2|q3|q4",
		RunDir:          "skill_run/{skill}/{slug}",
		LogFile:         "./skill_run/{skill}/pipeline.log",
		MaxSteps:        10000,
		Entry:           "scripts/run.py",
		Interpreter:     "python3",
		NextArgs:        []string{"next", "--dir", runDirWord, "--query", queryWord},
		BashTimeout:     900 * time.Second,
		SubAgentTimeout: 600 * time.Second,
		SlashMode:       "inline",
	}
}

// ends reports whether a block ends the run.
func (s *Settings) ends(b *Block) bool {
	if b.Type == Terminal || strings.HasPrefix(b.State, "TERMINAL") {
		return true
	}
	return s.signal(b.State) != "" || s.signal(b.Step) != ""
}

// signal gives what a terminal signal finds in a line; empty: nothing.
func (s *Settings) signal(line string) string {
	for _, re := range s.TerminalSignals {
		if m := re.FindString(line); m != "" {
			return m
		}
	}
	return ""
}

// outcome is the word for how a run ended: a signal where one stands, else what a state says of it.
func (s *Settings) outcome(b *Block) string {
	for _, line := range []string{b.State, b.Step} {
		if m := s.signal(line); m != "" {
			return m
		}
	}
	said := b.State + " " + b.Step + " " + b.Notes
	if m := regexp.MustCompile(`\b(do_not_generate|phase_\d+_failed|DONE)\b`).FindString(said); m != "" {
		return m
	}
	if m := regexp.MustCompile(`(?i)\bphase (\d+)\b.*\b(abandon|fail)`).FindStringSubmatch(b.State); m != nil {
		return "phase_" + m[1] + "_failed"
	}
	return "terminal"
}

// placed fills a path of the settings; dir is the work directory.
func placed(template, dir, skill, slug string) string {
	path := strings.NewReplacer(skillWord, skill, slugWord, slug).Replace(template)
	return filepath.Join(dir, filepath.FromSlash(path))
}
