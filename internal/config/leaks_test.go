package config

import (
	"strings"
	"testing"
)

// What a weaker layer has set for one vendor is nothing for another that a stronger layer names.
func TestAnotherProviderGetsNothingOfTheFirst(t *testing.T) {
	for name, set := range map[string]func(w *world){
		"flag":        func(w *world) { w.src.Flags = map[string]string{"provider": "anthropic"} },
		"environment": func(w *world) { w.env("REACT_AGENT_PROVIDER=anthropic") },
	} {
		t.Run(name, func(t *testing.T) {
			w := market(t)
			w.user("provider: openai\napi: responses\napi_key: sk-openai\nmodel: big-1\n")
			if set(w); w.load().APIKey != "" {
				t.Error("the key of another vendor")
			}
			c := w.load()
			if c.Model != "" || c.API != "anthropic" || !strings.Contains(c.APIBase, "anthropic") {
				t.Errorf("%s %s %s", c.Model, c.API, c.APIBase)
			}
			if err := c.Ready(); err == nil || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") {
				t.Errorf("ready: %v", err)
			}
		})
	}
	w := market(t)
	w.user("provider: openai\napi_key: sk-openai\nmodel: big-2\n")
	w.src.Flags = map[string]string{"provider": "openai"}
	if c := w.load(); c.APIKey != "sk-openai" || c.Model != "big-2" {
		t.Errorf("the same vendor, said again: %q, %q", c.APIKey, c.Model)
	}
}

// An address for OpenAI is none for a preset of the person's own that has an address.
func TestOpenAIsAddressIsNotForOwnPresets(t *testing.T) {
	const own = "http://127.0.0.1:7/v1"
	w := market(t)
	w.user("presets:\n  mine: {base_url: '" + own + "', key_env: [OPENAI_API_KEY], headers: {X-Key: secret}, default_model: m}\n")
	w.env("OPENAI_BASE_URL=https://elsewhere.example/v1", "OPENAI_API_KEY=sk-1")
	got, err := w.load().Target(Want{Provider: "mine"})
	if err != nil || got.BaseURL != own {
		t.Errorf("as another vendor: %+v, %v", got, err)
	}
	w.src.Flags = map[string]string{"provider": "mine"}
	if c := w.load(); c.APIBase != own {
		t.Errorf("as the provider: %s", c.APIBase)
	}
}

// A profile that asks a program says who is sent what is said: a repository may not choose it by itself.
func TestARepositoryMayNotChooseAProgramByAProfile(t *testing.T) {
	w := withPrograms(t)
	w.env("OPENAI_API_KEY=sk-1")
	w.project("profile: small\n")
	w.fails("config.yaml:1", "profile")
	w.src.SkipUntrusted = true
	if c := w.load(); c.API == "command" || c.Provider != "openai" {
		t.Errorf("without trust: %s, %s", c.Provider, c.API)
	}
	w.src.SkipUntrusted = false
	w.src.Flags = map[string]string{"provider": "openai", "model": "m"}
	if c := w.load(); c.API != "chat" { // then it asks no program
		t.Errorf("beside a vendor: %s", c.API)
	}
}
