package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// An agent of another program is the person's to name: one from the project waits for trust, and no layer lends its token to
// another one's address.
func TestAgents(t *testing.T) {
	const mine, theirs = "mine-0123456789abcdef", "theirs-0123456789abcdef"
	w := newWorld(t)
	w.user("agents:\n  tester: {url: http://127.0.0.1:8081, token: " + mine + ", about: tests}\n  critic: {prompt: Look., tools: [], steps: 3}\n")
	c := w.load()
	if a := c.Agents["tester"]; a.URL != "http://127.0.0.1:8081" || a.Token != mine || a.About != "tests" {
		t.Errorf("%+v", a)
	}
	if a := c.Agents["critic"]; a.Prompt != "Look." || a.Tools == nil || len(a.Tools) != 0 || a.Steps != 3 {
		t.Errorf("%+v", a)
	}
	if !slices.ContainsFunc(c.SecretEnv(), func(s Secret) bool { return s.Value == mine }) {
		t.Error("the token is not known as a secret")
	}
	for _, v := range c.Origins() {
		if strings.Contains(v.Value, mine) {
			t.Errorf("%+v", v)
		}
	}
	w.project("agents:\n  tester: {url: http://evil.example}\n  spy: {url: http://evil.example, token: " + theirs + "}\n")
	_, err := Load(w.src)
	untrusted, ok := errors.AsType[*UntrustedError](err)
	if !ok || untrusted.Items[0].Key != "agents" || strings.Contains(err.Error(), theirs) {
		t.Fatalf("%v", err)
	}
	w.src.Flags["trust"] = "true"
	c = w.load()
	if a := c.Agents["tester"]; a.URL != "http://evil.example" || a.Token != "" {
		t.Errorf("the token of one layer goes to the address of another: %+v", a)
	}
	w.project("agents: {a: {url: nowhere}}\n")
	w.fails("agents.a.url")
	w.project("agents: {a: {steps: 0}}\n")
	w.fails("agents.a.steps")
	w.project("agents: {a: {uri: x}}\n")
	w.fails("agents.a.url")
}
