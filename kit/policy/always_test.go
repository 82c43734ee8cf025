package policy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func openAlways(t testing.TB, path, project string) *Always {
	t.Helper()
	a, err := OpenAlways(path, project)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAlwaysFile(t *testing.T) {
	path, project := filepath.Join(t.TempDir(), "a", "b", "always.jsonl"), t.TempDir()
	a := openAlways(t, path, project)
	if rules, err := a.Load(); err != nil || len(rules) != 0 {
		t.Errorf("%q %v", rules, err)
	}
	odd := "bash(=echo '<&>' \"中\"\nls)"
	for _, add := range [][]string{{"bash(ls *)", odd}, {"bash(ls *)"}, {" bash(ls *) ", "bash(cat *)"}, nil} {
		if err := a.Add(add); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Add([]string{"bash(x", "bash(y)"}); err == nil {
		t.Error("a rule that cannot be read was kept")
	}
	want := []string{"bash(ls *)", odd, "bash(cat *)"}
	if rules, err := openAlways(t, path, project).Load(); err != nil || !slices.Equal(rules, want) {
		t.Errorf("%q %v", rules, err)
	}
	if kept, err := a.List(); err != nil || len(kept) != 3 || kept[0].Time.IsZero() {
		t.Errorf("%v %v", kept, err)
	}
	if was, err := a.Remove("bash(ls *)"); !was || err != nil {
		t.Error(was, err)
	}
	if was, err := a.Remove("bash(ls *)"); was || err != nil {
		t.Error(was, err)
	}
	if rules, err := a.Load(); err != nil || !slices.Equal(rules, want[1:]) {
		t.Errorf("%q %v", rules, err)
	}
	if err := a.Add([]string{"bash(ls *)"}); err != nil {
		t.Fatal(err)
	}
	if rules, err := a.Load(); err != nil || !slices.Equal(rules, []string{odd, "bash(cat *)", "bash(ls *)"}) {
		t.Errorf("%q %v", rules, err)
	}
	for _, bad := range [][2]string{{"always", project}, {path, "project"}, {path, ""}} {
		if _, err := OpenAlways(bad[0], bad[1]); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// A line that a crash left unfinished, and one that somebody wrote by hand, are named and allow nothing; the rest counts.
func TestAlwaysFileThatIsBroken(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "always.jsonl")
	a := openAlways(t, path, project)
	if err := a.Add([]string{"bash(ls *)"}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(string(whole)+"bash(*)\n{}\n"+string(whole[:20])), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.Add([]string{"bash(cat *)"}); err != nil {
		t.Fatal(err)
	}
	rules, err := a.Load()
	if !slices.Equal(rules, []string{"bash(ls *)", "bash(cat *)"}) || err == nil {
		t.Errorf("%q %v", rules, err)
	}
	for _, line := range []string{":2 ", ":3 ", ":4 "} {
		if !strings.Contains(err.Error(), path+line) {
			t.Errorf("%v does not name line %s", err, line)
		}
	}
	// The policy says so, and asks.
	var warned []error
	o := Options{Always: a, Warn: func(err error) { warned = append(warned, err) }}
	if command(t, o, "ls x").Reason != "" || command(t, o, "mkdir x").Reason == "" || len(warned) != 2 {
		t.Errorf("%v", warned)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if rules, err := a.Load(); len(rules) != 0 || err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("%q %v", rules, err)
	}
	under := openAlways(t, filepath.Join(path, "x"), project)
	if _, err := under.Load(); err == nil {
		t.Error("a path below a file was read")
	}
	if err := under.Add([]string{"bash(ls *)"}); err == nil {
		t.Error("a path below a file was written")
	}
	if _, err := openAlways(t, dir, project).Load(); err == nil {
		t.Error("a directory was read")
	}
	failing := NewPolicy(Options{Always: under, Warn: func(err error) { warned = append(warned, err) }})
	warned = nil
	d := call(t, failing, 3, "bash", args{"command": "ls"})
	if answer(failing, d); len(warned) != 2 || !strings.Contains(warned[1].Error(), "could not be kept") {
		t.Errorf("%v", warned)
	}
	old := NewPolicy(Options{Always: fixed{"bash(", "bash(ls *)"}, Warn: func(err error) { warned = append(warned, err) }})
	warned = nil
	if d := call(t, old, 3, "bash", args{"command": "ls"}); d.Verdict != 0 || len(warned) != 1 {
		t.Errorf("%v %v", d, warned)
	}
}

type fixed []string

func (f fixed) Load() ([]string, error) { return f, nil }
func (f fixed) Add([]string) error      { return nil }

// Processes that add at the same time lose nothing.
func TestAlwaysFileOfManyProcesses(t *testing.T) {
	const child = "POLICY_TEST_NAME"
	if name := os.Getenv(child); name != "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		a := openAlways(t, filepath.Join(dir, "always.jsonl"), dir)
		for i := range 20 {
			if err := a.Add([]string{fmt.Sprintf("bash(x%s%d *)", name, i)}); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	dir := resolved(t.TempDir())
	path := filepath.Join(dir, "always.jsonl")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAlwaysFileOfManyProcesses$")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), fmt.Sprintf("%s=%d-", child, i))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	if rules, err := openAlways(t, path, dir).Load(); err != nil || len(rules) != 80 {
		t.Errorf("%d rules, %v", len(rules), err)
	}
}
