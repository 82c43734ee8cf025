package skill

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/kit/pipeline"
)

func TestScaffold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "skills")
	for name, pipeline := range map[string]bool{"one": false, "of-2-phases": true} {
		files, err := Scaffold(dir, name, pipeline)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 || filepath.Base(files[0]) != "SKILL.md" {
			t.Errorf("%s: made %q", name, files)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil || bytes.Contains(data, []byte("@NAME@")) {
				t.Errorf("%s is not complete: %v", file, err)
			}
		}
	}
	set := load(t, Options{Strict: true, Roots: []Root{{Path: dir, Scope: Project}}})
	if got := namesOf(set); got != "of-2-phases, one" {
		t.Errorf("loaded: %s", got)
	}
	want := []string{
		"of-2-phases/SKILL.md:3 template_text hint", "of-2-phases/SKILL.md:7 template_text hint",
		"one/SKILL.md:3 template_text hint", "one/SKILL.md:7 template_text hint",
	}
	if got := lintIn(t, LintOptions{Tools: []string{"run_shell_command"}}, dir); !slices.Equal(got, want) {
		t.Errorf("lint: %q", got)
	}
	file := filepath.Join(dir, "one", "SKILL.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own := bytes.Replace(data, []byte("Says in one sentence what this skill does"), []byte("Sorts letters"), 1)
	if err := os.WriteFile(file, own, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lintIn(t, LintOptions{}, filepath.Join(dir, "one")); !slices.Equal(got, []string{"SKILL.md:7 template_text hint"}) {
		t.Errorf("with a description of its own: %q", got)
	}
	own = append(bytes.TrimSuffix(own, []byte("must never happen.\n")), "is wrong.\n"...)
	if err := os.WriteFile(file, own, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lintIn(t, LintOptions{}, filepath.Join(dir, "one")); len(got) != 0 {
		t.Errorf("with a text of its own: %q", got)
	}
	if k, _ := set.Find("of_2_phases"); k == nil || !k.Has("scripts/run.py") {
		t.Error("the pipeline is none")
	}
	if k, _ := set.Find("one"); k == nil || k.Has("scripts/run.py") {
		t.Error("the text is a pipeline")
	}
	if _, problems := pipeline.LoadSettings(filepath.Join(dir, "of-2-phases")); len(problems) != 0 {
		t.Errorf("settings: %v", problems[0].Reason)
	}
}

func TestScaffoldLeavesWhatIsThere(t *testing.T) {
	dir := write(t, map[string]string{"taken/mine.txt": "mine", "file": "x"})
	for name, want := range map[string]string{
		"taken": "is there already and was left as it is", "file": "is there already", "Bad Name": "such as bad-name", "a/b": "such as a-b",
		"..": "such as my-skill", "": "such as my-skill", "under_score": "such as under-score", strings.Repeat("a", 65): "at most 64", "天气": "such as my-skill", "tea 茶": "such as tea",
	} {
		files, err := Scaffold(dir, name, true)
		if err == nil || !strings.Contains(err.Error(), want) || files != nil {
			t.Errorf("%q: %v, %q", name, err, files)
		}
	}
	var found []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil || len(found) != 2 {
		t.Errorf("%q, %v", found, err)
	}
	if _, err := Scaffold(filepath.Join(dir, "file"), "x", false); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// The pipeline of the scaffold tells its steps in the protocol, from the first to each of its ends.
func TestScaffoldSpeaksTheProtocol(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	dir := t.TempDir()
	if _, err := Scaffold(dir, "p", true); err != nil {
		t.Fatal(err)
	}
	call := func(run string, args ...string) []byte {
		t.Helper()
		args = append([]string{filepath.Join(dir, "p", "scripts", "run.py")}, args...)
		out, err := exec.CommandContext(t.Context(), python, append(args, "--dir", run)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	next := func(run string) *pipeline.Block {
		t.Helper()
		b, err := pipeline.Parse(call(run, "next", "--query", "one\n  thing"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for draft, end := range map[string]string{"A text.": "DONE", " \n": "phase_2_failed"} {
		run := filepath.Join(t.TempDir(), "a run")
		b := next(run)
		if b.Type != pipeline.SubAgent || len(b.Input) != 1 || b.Input[0] != "Topic: one thing" || len(b.Prompt) != 1 || len(b.Output) != 1 {
			t.Fatalf("first: %+v", b)
		}
		if _, err := os.Stat(run); err == nil {
			t.Error("asking for a step has made the folder")
		}
		if err := os.MkdirAll(filepath.Dir(b.Output[0]), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(b.Output[0], []byte(draft), 0o600); err != nil {
			t.Fatal(err)
		}
		if b = next(run); b.Type != pipeline.Bash || !strings.Contains(b.Run, "finish --dir '"+run+"'") {
			t.Fatalf("second: %+v", b)
		}
		call(run, "finish")
		if b = next(run); b.Type != pipeline.Terminal || !strings.HasPrefix(b.State, end) {
			t.Errorf("end: %+v", b)
		}
		if _, err := os.Stat(b.Notes); err != nil {
			t.Errorf("the result is not where it says: %v", err)
		}
	}
}
