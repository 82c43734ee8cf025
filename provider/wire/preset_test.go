package wire

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
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
		checkWires(t, p)
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

// checkWires checks what is said of a preset's wires.
func checkWires(t *testing.T, p Preset) {
	t.Helper()
	if !slices.Contains(p.Wires(), apiChat) {
		t.Errorf("%s does not speak Chat: %v", p.Name, p.Wires())
	}
	for _, api := range p.Wires() {
		q, err := p.For(api)
		if err != nil || q.API != api || q.Name != p.Name || !slices.Contains([]string{apiChat, apiResponses, apiAnthropic, apiGemini}, api) {
			t.Errorf("%s with %s: %+v, %v", p.Name, api, q, err)
		}
		if _, twice := p.Also[p.API]; twice {
			t.Errorf("%s: %s stands twice", p.Name, p.API)
		}
		for what, address := range map[string]string{"base URL": q.BaseURL, "form": q.Form} {
			u, err := url.Parse(address)
			if address == "" {
				continue
			}
			if err != nil || u.Host == "" || strings.HasSuffix(u.Path, "/") || u.Scheme != "https" && u.Hostname() != "localhost" {
				t.Errorf("%s with %s: %s %q", p.Name, api, what, address)
			}
		}
		if q.BaseURL == "" && q.Form == "" {
			t.Errorf("%s with %s: nobody learns what an address looks like", p.Name, api)
		}
		if (q.BaseURL == "") != (p.BaseURL == "") {
			t.Errorf("%s with %s: an address with one wire and none with the other", p.Name, api)
		}
		if strings.Contains(q.Path, "{") && !q.ModelInPath() {
			t.Errorf("%s with %s: path %q", p.Name, api, q.Path)
		}
		for name, value := range q.Body {
			if !json.Valid(value) {
				t.Errorf("%s with %s: body %s is %s", p.Name, api, name, value)
			}
		}
	}
}

func TestFor(t *testing.T) {
	p, _ := Lookup("vertex")
	if got := p.PathOf("/own", "gemini-x"); got != "/publishers/google/models/gemini-x:streamGenerateContent" || !p.ModelInPath() {
		t.Errorf("path %q", got)
	}
	if q, err := p.For(""); err != nil || q.API != p.API {
		t.Errorf("the first wire: %+v, %v", q, err)
	}
	q, err := p.For(apiAnthropic)
	if err != nil || q.KeyHeader != "Authorization" || string(q.Body["anthropic_version"]) != `"vertex-2023-10-16"` || q.Path == p.Path {
		t.Errorf("another wire: %+v, %v", q, err)
	}
	if back, err := q.For(apiChat); err != nil || back.KeyHeader != "" || back.Body != nil || back.ModelInPath() {
		t.Errorf("a third one: %+v, %v", back, err)
	}
	_, err = p.For("smoke")
	if err == nil || err.Error() != "vertex does not speak smoke; it speaks gemini, anthropic, chat" {
		t.Errorf("an unknown one: %v", err)
	}
	if (Preset{}).PathOf("/own", "m") != "/own" {
		t.Error("a preset without a path changes the wire's")
	}
}

func TestLookup(t *testing.T) {
	for _, name := range []string{
		"anthropic", "azure", "baseten", "bedrock", "cerebras", "copilot", "dashscope", "deepseek", "fireworks", "gemini", "gemini-openai", "generic", "groq", "litellm",
		"llamacpp", "lmstudio", "minimax", "mistral", "moonshot", "nebius", "ollama", "openai", "openrouter", "qianfan", "sglang", "together", "vertex", "vllm", "xai", "zai", "zhipu",
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
