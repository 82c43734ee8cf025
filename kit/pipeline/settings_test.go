package pipeline

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"react-agent/internal/msg"
)

func TestNoSettings(t *testing.T) {
	got, problems := LoadSettings(t.TempDir())
	if len(problems) > 0 || !reflect.DeepEqual(got, Defaults()) {
		t.Errorf("%+v %+v", got, problems)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "max_steps:\nenv: ~\n"} {
		if got, problems := ParseSettings("f", []byte(empty)); len(problems) > 0 || !reflect.DeepEqual(got, Defaults()) {
			t.Errorf("%q: %+v %+v", empty, got, problems)
		}
	}
	d := Defaults()
	if d.MaxSteps != 10000 || d.BashTimeout != 900*time.Second || d.SubAgentTimeout != 600*time.Second || d.Placeholder != "q1|q2|q3|q4" ||
		d.QueryInjection || d.OODDetection || d.Entry != "scripts/run.py" || d.SlashMode != "inline" || len(d.TerminalSignals) != 3 {
		t.Errorf("%+v", d)
	}
}

func TestAllSettings(t *testing.T) {
	s, problems := ParseSettings("f", []byte(`
terminal_signals: ['^END\b', "^gone$"]
supports_query_injection: true
query_injection_placeholder: "A|B"
ood_detection: True
run_dir_template: runs/{skill}/{slug}
log_file: ./runs/{skill}.log
max_steps: 7
entry: scripts/main.py
next_args: [what, "--in", "{run_dir}"]
interpreter: python3.12
bash_timeout_seconds: 5
subagent_timeout_seconds: 6
env: {B: "2", A: 1}
placeholders: {a_word: for it, "{other}": 3}
slash_mode: reference
`))
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	var signals []string
	for _, re := range s.TerminalSignals {
		signals = append(signals, re.String())
	}
	s.TerminalSignals = nil
	want := Settings{
		QueryInjection: true, Placeholder: "A|B", OODDetection: true, RunDir: "runs/{skill}/{slug}", LogFile: "./runs/{skill}.log", MaxSteps: 7,
		Entry: "scripts/main.py", Interpreter: "python3.12", NextArgs: []string{"what", "--in", "{run_dir}"}, BashTimeout: 5 * time.Second,
		SubAgentTimeout: 6 * time.Second, Env: []string{"A=1", "B=2"}, Placeholders: map[string]string{"{a_word}": "for it", "{other}": "3"}, SlashMode: "reference",
	}
	if !reflect.DeepEqual(s, want) || strings.Join(signals, " ") != `^END\b ^gone$` {
		t.Errorf("%+v %v", s, signals)
	}
}

// A bad value is named with file, line and field, in both languages, and the defaults hold; an unknown field is a warning.
func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		text  string
		line  int
		field string
		says  string
	}{
		{"max_steps: many", 1, "max_steps", "whole number"},
		{"entry: scripts/run.py\nmax_steps: 0", 2, "max_steps", "whole number"},
		{"max_steps: 1.5", 1, "max_steps", "whole number"},
		{"ood_detection: maybe", 1, "ood_detection", "true or false"},
		{"supports_query_injection: [true]", 1, "supports_query_injection", "true or false"},
		{"run_dir_template: skill_run/{skill}", 1, "run_dir_template", "{slug}"},
		{"run_dir_template: ../{slug}", 1, "run_dir_template", "stays in the work directory"},
		{"run_dir_template: /tmp/{slug}", 1, "run_dir_template", "relative path"},
		{"run_dir_template: x/{user}/{slug}", 1, "run_dir_template", "{user} cannot stand here"},
		{"log_file: ../../x.log", 1, "log_file", "relative path"},
		{"log_file: x/{slug}.log", 1, "log_file", "{slug} cannot stand here"},
		{"entry: ../run.py", 1, "entry", "relative path"},
		{"entry: {a: b}", 1, "entry", "one line of text"},
		{"interpreter: ''", 1, "interpreter", "one line of text"},
		{"query_injection_placeholder: |\n  a\n  b", 1, "query_injection_placeholder", "one line of text"},
		{"next_args: next", 1, "next_args", "list of texts"},
		{"next_args: [next]", 1, "next_args", "{run_dir}"},
		{"next_args: [[a]]", 1, "next_args", "list of texts"},
		{"terminal_signals: ['(']", 1, "terminal_signals", "no regular expression"},
		{"terminal_signals: ['x*']", 1, "terminal_signals", "fits an empty text"},
		{"terminal_signals: []", 1, "terminal_signals", "list of texts"},
		{"env: [A]", 1, "env", "NAME: value"},
		{"env: {'A B': 1}", 1, "env", "NAME: value"},
		{"env: {A: [1]}", 1, "env", "NAME: value"},
		{"placeholders: {'a b': c}", 1, "placeholders", "name: value"},
		{"slash_mode: loud", 1, "slash_mode", "inline or reference"},
		{"max_steps: 3\nmax_steps: 4", 2, "max_steps", "twice"},
		{"- a", 1, "", "fields and values"},
		{"a: [b", 1, "", "not correct YAML"},
	} {
		got, problems := ParseSettings("dir/pipeline.yaml", []byte(c.text))
		if len(problems) != 1 || !problems[0].Bad || problems[0].Line != c.line || problems[0].Field != c.field {
			t.Errorf("%q: %+v", c.text, problems)
			continue
		}
		en, zh := problems[0].In(msg.For(msg.En)), problems[0].In(msg.For(msg.Zh))
		if !strings.HasPrefix(en, "dir/pipeline.yaml:") || !strings.Contains(en, c.says) || !strings.Contains(en, "defaults") || !strings.Contains(zh, "默认值") {
			t.Errorf("%q: %s\n%s", c.text, en, zh)
		}
		if !reflect.DeepEqual(got, Defaults()) {
			t.Errorf("%q: not the defaults: %+v", c.text, got)
		}
	}
	got, problems := ParseSettings("f", []byte("max_stepps: 3\nmax_steps: 4\n"))
	if len(problems) != 1 || problems[0].Bad || problems[0].Line != 1 || problems[0].Field != "max_stepps" || got.MaxSteps != 4 {
		t.Errorf("%+v %+v", got, problems)
	}
	if s := problems[0].In(msg.For(msg.En)); !strings.Contains(s, "max_steps") || strings.Contains(s, "defaults") {
		t.Error(s)
	}
}

func TestSettingsFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, SettingsFile)
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, problems := LoadSettings(dir); len(problems) != 1 || !problems[0].Bad || problems[0].File != file {
		t.Errorf("%+v", problems)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("#\n", maxSettings)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, problems := LoadSettings(dir); len(problems) != 1 || !strings.Contains(problems[0].Reason.Error(), "64 KiB") {
		t.Errorf("%+v", problems)
	}
}

func TestOutcomes(t *testing.T) {
	s := Defaults()
	for _, c := range []struct {
		block Block
		ends  bool
		word  string
	}{
		{Block{State: "DONE — five phases", Type: Bash}, true, "DONE"},
		{Block{State: "DONE", Type: Terminal}, true, "DONE"},
		{Block{State: "do_not_generate"}, true, "do_not_generate"},
		{Block{State: "phase_12_failed: no"}, true, "phase_12_failed"},
		{Block{State: "phase 3", Step: "phase_3_failed"}, true, "phase_3_failed"},
		{Block{State: "TERMINAL — Phase 1 routed to do_not_generate.", Type: Terminal}, true, "do_not_generate"},
		{Block{State: "TERMINAL — Phase 3 audit abandoned after 3 tries"}, true, "phase_3_failed"},
		{Block{State: "over", Type: Terminal, Notes: "return phase_2_failed.md"}, true, "phase_2_failed"},
		{Block{State: "over", Type: Terminal}, true, "terminal"},
		{Block{State: "DONELY", Type: Bash}, false, "terminal"},
		{Block{State: "phase 3 is DONE soon", Type: SubAgent}, false, "DONE"},
	} {
		if got := s.ends(&c.block); got != c.ends {
			t.Errorf("%+v ends: %v", c.block, got)
		}
		if got := s.outcome(&c.block); got != c.word {
			t.Errorf("%+v: %s, want %s", c.block, got, c.word)
		}
	}
}
