package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider/wire"
)

func TestFindSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name  string
		cli   wire.CLI
		words []string
	}{
		{"no command", wire.CLI{}, []string{"own is no program", "claude-code, codebuddy, gemini-cli, qwen-code", "api: command"}},
		{"a string for a list", wire.CLI{Command: []string{"ls -l"}}, []string{`"ls -l" is not there`, "command: [ls, -l]"}},
		{"no such program", wire.CLI{Command: []string{"no-such-program"}}, []string{"put it on the PATH"}},
		{"known, not there", wire.CLI{Command: []string{"no-such-program"}, Install: "npm x"}, []string{"install it with npm x"}},
		{"no interpreter", wire.CLI{Command: []string{script("a", "#!/no/such/interpreter -x\necho x\n")}}, []string{`interpreter in its first line, "/no/such/interpreter",`}},
		{"a line's end of Windows", wire.CLI{Command: []string{script("b", "#!/bin/sh\r\necho x\r\n")}}, []string{`"/bin/sh\r"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && filepath.IsAbs(strings.Join(c.cli.Command, "")) {
				t.Skip("not here: scripts without an interpreter")
			}
			_, err := Find(Config{CLI: c.cli, Preset: wire.Preset{Name: "own"}})
			me, ok := err.(*agent.ModelError) //nolint:errorlint // it is promised as it is
			if !ok || me.Kind != agent.ErrConfig {
				t.Fatal(err)
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("no %s in %s", w, err)
				}
			}
			if zh := msg.For(msg.Zh).Err(err); strings.Contains(zh, "is not there") || strings.Contains(zh, "is no program") {
				t.Error(zh)
			}
		})
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, text := range []string{"#!/bin/sh\n", "#! /bin/sh -e", "#!sh\n", "", "\x7fELF"} {
		if path, err := Find(Config{CLI: wire.CLI{Command: []string{script("good", text)}}}); err != nil || path == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
