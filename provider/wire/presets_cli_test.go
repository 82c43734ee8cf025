package wire

import (
	"slices"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	programs := map[string]string{}
	for _, p := range Presets() {
		if p.CLI == nil {
			if p.API == "command" {
				t.Errorf("%s: no command", p.Name)
			}
			continue
		}
		if p.API != "command" || p.BaseURL != "" || len(p.KeyEnv) == 0 || p.CLI.Install == "" || len(p.CLI.Command) < 2 {
			t.Errorf("%s: %+v, %+v", p.Name, p, p.CLI)
		}
		for _, name := range append([]string{p.CLI.Command[0]}, p.CLI.Aliases...) {
			if other := programs[name]; other != "" || strings.ContainsAny(name, "/\\{} ") {
				t.Errorf("%s: program %q, also of %q", p.Name, name, other)
			}
			programs[name] = p.Name
		}
		if !slices.Contains(p.CLI.Command, "{model}") {
			t.Errorf("%s: no model can be chosen", p.Name)
		}
		for i, a := range p.CLI.Command {
			if a == "-y" || a == "--yolo" || strings.Contains(a, "dangerously") {
				t.Errorf("%s: %s lets the program act without asking", p.Name, a)
			}
			if a == "" && (i+1 == len(p.CLI.Command) || !strings.HasPrefix(p.CLI.Command[i+1], "-")) {
				t.Errorf("%s: an empty list of tools would go on with %q", p.Name, p.CLI.Command[i+1:])
			}
		}
	}
	for program, want := range map[string]string{"codebuddy": "codebuddy", "cbc": "codebuddy", "claude": "claude-code", "gemini": "gemini-cli", "qwen": "qwen-code"} {
		if programs[program] != want {
			t.Errorf("program %s is of %q", program, programs[program])
		}
	}
}
