package config

import (
	"fmt"
	"testing"
)

// A model of vectors that cannot be asked is an error with its place: what is remembered goes nowhere else instead.
func TestEmbeddings(t *testing.T) {
	for _, c := range []struct {
		name, want string
		fails      bool
	}{
		{"openai/vec", "openai vec 0", false},
		{"openai/vec@256", "openai vec 256", false},
		{"mine/vec", "mine vec 0", false},
		{"vec", "openai vec 0", false},
		{"gate//a/vec@8", "gate a/vec 8", false},
		{"foo@x", `behind the @ of "foo@x"`, true},
		{"openai/foo@0", "behind the @", true},
		{"openai/foo@12345", "behind the @", true},
		{"bogus/foo", `there is no vendor "bogus"`, true},
		{"opnai/foo", `did you mean "openai"?`, true},
		{"mien/foo", `did you mean "mine"?`, true},
	} {
		w := market(t)
		w.user("memory: {embeddings: '" + c.name + "'}\npresets:\n  mine: {base_url: 'http://127.0.0.1:7/v1'}\n")
		w.src.Flags["provider"], w.src.Flags["base-url"] = "openai", "http://127.0.0.1:9/v1"
		if c.fails {
			w.fails("config.yaml:1", "memory.embeddings", c.want)
			continue
		}
		want, dims, err := w.load().Embeddings()
		if got := fmt.Sprint(want.Provider, " ", want.Model, " ", dims); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}
