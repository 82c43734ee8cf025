package wire

import (
	"net/url"
	"regexp"
	"slices"
	"testing"
)

func TestPresets(t *testing.T) {
	all := Presets()
	if !slices.IsSortedFunc(all, func(a, b Preset) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	}) {
		t.Error("the names are not sorted, or not unique")
	}
	variable := regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	owner := map[string]string{} // of a key variable, by host
	for _, p := range all {
		if p.CLI != nil {
			continue // TestCommands has them
		}
		if p.API != "chat" {
			t.Errorf("%s: api %q", p.Name, p.API)
		}
		u, err := url.Parse(p.BaseURL)
		local := err == nil && (u.Hostname() == "localhost")
		switch {
		case p.BaseURL == "":
			if p.DefaultModel != "" {
				t.Errorf("%s: a default model without an address", p.Name)
			}
		case err != nil || u.Host == "" || u.Path != "" && u.Path[len(u.Path)-1] == '/':
			t.Errorf("%s: base URL %q", p.Name, p.BaseURL)
		case u.Scheme != "https" && !local:
			t.Errorf("%s: a key would be sent in the clear to %s", p.Name, p.BaseURL)
		case !local && (len(p.KeyEnv) == 0 || p.DefaultModel == ""):
			t.Errorf("%s: a vendor needs a key variable and a default model", p.Name)
		}
		for _, k := range p.KeyEnv {
			if !variable.MatchString(k) {
				t.Errorf("%s: variable %q", p.Name, k)
			}
			if host := u.Host; owner[k] != "" && owner[k] != host && p.BaseURL != "" {
				t.Errorf("%s: %s belongs to %s", p.Name, k, owner[k])
			} else if p.BaseURL != "" {
				owner[k] = host
			}
		}
		if !slices.Contains([]string{"", "reasoning_content", "reasoning", "reasoning_details"}, p.ReasoningField) {
			t.Errorf("%s: reasoning field %q", p.Name, p.ReasoningField)
		}
		if !slices.Contains([]string{"", "null", `""`}, p.EmptyContent) {
			t.Errorf("%s: empty content %q", p.Name, p.EmptyContent)
		}
		if p.MaxOutput > p.Context || p.Context > 0 && p.DefaultModel == "" {
			t.Errorf("%s: limits %d and %d of %q", p.Name, p.Context, p.MaxOutput, p.DefaultModel)
		}
		if p.Numbers != "" && len(numbers(p.Numbers)) < 10 {
			t.Errorf("%s: no table of numbers %q", p.Name, p.Numbers)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range []string{
		"anthropic", "azure", "baseten", "bedrock", "cerebras", "copilot", "dashscope", "deepseek", "fireworks", "gemini", "gemini-openai", "generic", "groq", "litellm",
		"llamacpp", "lmstudio", "minimax", "mistral", "moonshot", "nebius", "ollama", "openai", "openrouter", "qianfan", "sglang", "together", "vllm", "xai", "zhipu",
	} {
		if p, ok := Lookup(name); !ok || p.Name != name {
			t.Errorf("%s: %v %t", name, p, ok)
		}
	}
	if p, ok := Lookup("nobody"); ok || p.Name != "" {
		t.Errorf("nobody: %v", p)
	}
	a, _ := Lookup("openai")
	a.KeyEnv[0] = "OTHER"
	if b, _ := Lookup("openai"); b.KeyEnv[0] != "OPENAI_API_KEY" {
		t.Error("callers share the table")
	}
}
