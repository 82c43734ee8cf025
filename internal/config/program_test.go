package config

import (
	"errors"
	"testing"
)

func withPrograms(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.src.Vendors = append(w.src.Vendors,
		Vendor{Name: "claude-code", API: "command", KeyEnv: []string{"ANTHROPIC_API_KEY"}, Programs: []string{"claude"}},
		Vendor{Name: "codebuddy", API: "command", KeyEnv: []string{"CODEBUDDY_API_KEY"}, Programs: []string{"codebuddy", "cbc"}, DefaultModel: "deepseek-v3-2-volc"},
		Vendor{Name: "gemini-cli", API: "command", KeyEnv: []string{"GEMINI_API_KEY"}, Programs: []string{"gemini"}},
	)
	w.src.AsksProgram = func(profile string) bool { return profile == "small" }
	return w
}

func TestPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		flags                         map[string]string
		env                           []string
		config                        string
		provider, api, model, program string
		base, key                     string
	}{
		"the wire alone":         {flags: map[string]string{"api": "command"}, provider: "codebuddy", api: "command", model: "deepseek-v3-2-volc"},
		"AGENT_CLI":              {env: []string{"AGENT_CLI=claude"}, provider: "claude-code", api: "command", model: "default"},
		"another name":           {env: []string{"AGENT_CLI=cbc"}, provider: "codebuddy", api: "command", model: "deepseek-v3-2-volc"},
		"a vendor of that name":  {env: []string{"AGENT_CLI=gemini"}, provider: "gemini-cli", api: "command", model: "default"},
		"a preset":               {env: []string{"AGENT_CLI=claude-code", "MODEL=opus"}, provider: "claude-code", api: "command", model: "opus"},
		"a path":                 {env: []string{"AGENT_CLI=/opt/x/claude"}, provider: "claude-code", api: "command", model: "default", program: "/opt/x/claude"},
		"a path of Windows":      {env: []string{`AGENT_CLI=C:\x\claude.cmd`}, provider: "claude-code", api: "command", model: "default", program: `C:\x\claude.cmd`},
		"beside a key":           {env: []string{"AGENT_CLI=claude", "OPENAI_API_KEY=sk-1"}, provider: "claude-code", api: "command", model: "default"},
		"beside an address":      {env: []string{"AGENT_CLI=claude", "OPENAI_BASE_URL=https://x.example/v1"}, provider: "claude-code", api: "command", model: "default"},
		"against a wire":         {flags: map[string]string{"api": "chat"}, env: []string{"AGENT_CLI=claude", "OPENAI_API_KEY=sk-1", "MODEL=m"}, provider: "openai", api: "chat", model: "m", base: "https://api.openai.example/v1", key: "sk-1"},
		"against a vendor":       {flags: map[string]string{"provider": "openai", "model": "m"}, env: []string{"AGENT_CLI=claude", "OPENAI_API_KEY=sk-1"}, provider: "openai", api: "chat", model: "m", base: "https://api.openai.example/v1", key: "sk-1"},
		"the profile":            {flags: map[string]string{"profile": "small"}, env: []string{"OPENAI_API_KEY=sk-1", "CODEBUDDY_API_KEY=ck_1"}, provider: "codebuddy", api: "command", model: "deepseek-v3-2-volc", key: "ck_1"},
		"the profile, address":   {flags: map[string]string{"profile": "small", "model": "m"}, env: []string{"OPENAI_API_KEY=sk-1", "OPENAI_BASE_URL=https://x.example/v1"}, provider: "generic", api: "chat", model: "m", base: "https://x.example/v1", key: "sk-1"},
		"the profile, a vendor":  {flags: map[string]string{"profile": "small", "provider": "openai", "model": "m"}, env: []string{"OPENAI_API_KEY=sk-1"}, provider: "openai", api: "chat", model: "m", base: "https://api.openai.example/v1", key: "sk-1"},
		"by its key":             {env: []string{"CODEBUDDY_API_KEY=ck_1"}, provider: "codebuddy", api: "command", model: "deepseek-v3-2-volc", key: "ck_1"},
		"a key for a server":     {flags: map[string]string{"api": "command"}, config: "api_key: sk-of-a-server\n", provider: "codebuddy", api: "command", model: "deepseek-v3-2-volc"},
		"one of one's own":       {env: []string{"AGENT_CLI=mine", "OPENAI_API_KEY=sk-1"}, config: "presets: {mine: {api: command, command: [/opt/my-llm, '{prompt}'], key_env: [MY_KEY]}}\n", provider: "mine", api: "command", model: "default"},
		"one's own, by program":  {env: []string{"AGENT_CLI=my-llm"}, config: "presets: {mine: {command: [/opt/my-llm], default_model: m}}\n", provider: "mine", api: "command", model: "m"},
		"the address of another": {flags: map[string]string{"api": "command", "base-url": "https://x.example"}, provider: "codebuddy", api: "command", model: "deepseek-v3-2-volc"},
	} {
		t.Run(name, func(t *testing.T) {
			w := withPrograms(t)
			if w.env(c.env...); c.flags != nil {
				w.src.Flags = c.flags
			}
			if c.config != "" {
				w.user(c.config)
			}
			got := w.load()
			if err := got.Ready(); err != nil {
				t.Error(err)
			}
			if got.Provider != c.provider || got.API != c.api || got.Model != c.model || got.Program != c.program || got.APIBase != c.base || got.APIKey != c.key {
				t.Errorf("%s %s %s, program %q, at %q, key %q", got.Provider, got.API, got.Model, got.Program, got.APIBase, got.APIKey)
			}
		})
	}
}

func TestProgramsThatAreNone(t *testing.T) {
	w := withPrograms(t)
	w.env("AGENT_CLI=cloude")
	w.fails("AGENT_CLI", "cloude", "did you mean \"claude\"", "claude, claude-code, codebuddy", "A path whose last name", "presets: {NAME: {command:")
	w = withPrograms(t)
	w.env("AGENT_CLI=/opt/x/cloude")
	w.user("presets: {mine: {command: [/opt/my-llm]}}\n")
	w.fails("did you mean \"claude\"", "mine, my-llm")

	// a project does not choose the program that is run
	w = withPrograms(t)
	w.dotenv("AGENT_CLI=claude\n")
	_, err := Load(w.src)
	if u, ok := errors.AsType[*UntrustedError](err); !ok || len(u.Items) != 1 || u.Items[0].Key != "agent_cli" {
		t.Errorf("%v", err)
	}
	w.src.Flags = map[string]string{"trust": "true"}
	if c := w.load(); c.Provider != "claude-code" {
		t.Errorf("%s", c.Provider)
	}
}

func TestTargetOfAProgram(t *testing.T) {
	w := withPrograms(t)
	w.env("OPENAI_API_KEY=sk-1", "CODEBUDDY_API_KEY=ck_1", "MODEL=m")
	c := w.load()
	other := withPrograms(t)
	other.src.Flags = map[string]string{"api": "command", "base-url": "https://x.example"}
	if i := other.load().Ignored; len(i) != 1 || i[0].Key != "api_base" {
		t.Errorf("%+v", i)
	}
	for provider, want := range map[string]Target{
		"codebuddy":   {Provider: "codebuddy", API: "command", Key: "ck_1", Model: "deepseek-v3-2-volc"},
		"claude-code": {Provider: "claude-code", API: "command", Model: "default"},
	} {
		if got, err := c.Target(Want{Provider: provider}); err != nil || got != want {
			t.Errorf("%s: %+v %v", provider, got, err)
		}
	}
}
