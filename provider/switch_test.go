package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/provider"
	"react-agent/provider/providertest"
	"react-agent/provider/wire"
)

// bed is a scripted server that is asked by any wire. What it says of a turn: thoughts, a call, an answer.
func bed(t testing.TB, script string) (*providertest.Server, func(api string) agent.Model) {
	t.Helper()
	s := providertest.New(t.Context(), providertest.MustParse(script))
	t.Cleanup(s.Close)
	return s, func(api string) agent.Model {
		preset, ok := wire.Lookup("generic")
		if !ok {
			t.Fatal("no preset")
		}
		m, err := provider.Open(provider.Spec{API: api, Preset: preset, BaseURL: s.URL, Key: "k", Model: "model-" + api, Retry: provider.RetryPolicy{Retries: -1}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// ask plays a model once and gives its message.
func ask(ctx context.Context, m agent.Model, req *agent.Request) (agent.Message, error) {
	var b agent.Builder
	for c, err := range m.Stream(ctx, req) {
		if err != nil {
			return b.Message(), err
		}
		if err := b.Add(c); err != nil {
			return b.Message(), err
		}
	}
	return b.Message(), nil
}

func now() []agent.Tool {
	return []agent.Tool{{Name: "now", Doc: "Tells the time.", Schema: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string"}}}`)}}
}

// tell asks with the history, and runs what is called: the history grows by a call, its result, and an answer.
func tell(t *testing.T, m agent.Model, history []agent.Message) []agent.Message {
	t.Helper()
	history = append(history, agent.TextMessage(agent.User, "What time is it?"))
	for range 2 {
		msg, err := ask(t.Context(), m, &agent.Request{System: "Be brief.", Messages: history, Tools: now()})
		if err != nil {
			t.Fatalf("%s: %v", m.Info().Provider, err)
		}
		history = append(history, msg)
		for _, p := range msg.Parts {
			if p.Kind == agent.CallKind {
				history = append(history, agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{
					CallID: p.Call.ID, Parts: []agent.Part{{Kind: agent.Text, Text: "noon"}},
				}}}})
			}
		}
	}
	return history
}

// Any wire goes on with what any other has begun, and gives it back again: calls keep their results, what was said stays,
// and opaque data go home only.
func TestSwitchBetweenAnyTwoWires(t *testing.T) {
	const call, say = "+ CALL now {\"zone\":\"here\"}\n", "+ SAY It is {n}.\n"
	script := "THINK deep thought\n" + call + "THINK deep thought\n" + say + "THINK blue sky\n" + call + "THINK blue sky\n" + say + call[2:] + say[2:]
	for _, from := range provider.Wires() {
		for _, to := range provider.Wires() {
			t.Run(from+" to "+to, func(t *testing.T) {
				s, open := bed(t, script)
				first, second := open(from), open(to)
				history := tell(t, first, nil)
				history = tell(t, second, history)
				tell(t, first, history)
				if faults := s.Faults(); len(faults) > 0 {
					t.Fatal(faults)
				}
				bodies := s.Bodies()
				if len(bodies) != 6 {
					t.Fatalf("%d requests", len(bodies))
				}
				for _, want := range []string{"It is 2.", "noon", "here"} {
					if !strings.Contains(bodies[2], want) {
						t.Errorf("%s does not learn %q: %s", to, want, bodies[2])
					}
				}
				if from != to && (strings.Contains(bodies[2], "deep thought") || strings.Contains(bodies[5], "blue sky")) {
					t.Errorf("thoughts of one model go to another: %s\n%s", bodies[2], bodies[5])
				}
				if m := mark(from, 1); m != "" && from != to && strings.Contains(bodies[3], m) {
					t.Errorf("%s gets what is %s's own: %s", to, from, bodies[3])
				}
				if m := mark(from, 1); m != "" && !strings.Contains(bodies[5], m) {
					t.Errorf("%s does not get its own back: %s", from, bodies[5])
				}
				if m := mark(to, 3); m != "" && from != to && strings.Contains(bodies[5], m) {
					t.Errorf("%s gets what is %s's own: %s", from, to, bodies[5])
				}
			})
		}
	}
}

// mark is what the scripted server gives a wire to keep with its n-th reply; Chat has no such thing.
func mark(api string, n int) string {
	if api == "chat" {
		return ""
	}
	return fmt.Sprintf("mark-%s-%d", api, n)
}

// A message that a stand-in wrote is its own: name, origin of what is opaque, and both go on with it.
func TestFallbackMessagesAreTheirWriters(t *testing.T) {
	for _, from := range provider.Wires() {
		for _, to := range provider.Wires() {
			down, openDown := bed(t, "* STATUS 402 out of credit")
			up, openUp := bed(t, "THINK hm\n+ CALL now {\"zone\":\"here\"}\nSAY done")
			m := provider.Fallback(openDown(from), openUp(to))
			history := tell(t, m, nil)
			wrote := history[1]
			if want := map[bool]string{true: "test-model", false: "model-" + to}[to == "chat"]; wrote.Model != want {
				t.Errorf("%s to %s: %q wrote it", from, to, wrote.Model)
			}
			for _, p := range wrote.Parts {
				if p.Opaque != nil && p.Opaque.Origin != openUp(to).Info().Origin() {
					t.Errorf("%s to %s: opaque data of %s", from, to, p.Opaque.Origin)
				}
			}
			if want := mark(to, 1); want != "" && !strings.Contains(up.Bodies()[1], want) {
				t.Errorf("%s to %s: its own does not come back: %s", from, to, up.Bodies()[1])
			}
			if want := mark(to, 1); want != "" && from != to && strings.Contains(down.Bodies()[1], want) {
				t.Errorf("%s to %s: the other gets it: %s", from, to, down.Bodies()[1])
			}
			if faults := slices.Concat(up.Faults(), down.Faults()); len(faults) > 0 {
				t.Errorf("%s to %s: %v", from, to, faults)
			}
		}
	}
}

// The wires of Azure, Bedrock and Vertex differ in address, key and body alone.
func TestCloudsAreDataAlone(t *testing.T) {
	for _, c := range []struct {
		vendor, api, base, path, header, value string
		body, not                              string
	}{
		{"azure", "", "/openai/v1", "/openai/v1/chat/completions", "Api-Key", "k", `"model":"m"`, ""},
		{"azure", "responses", "/openai/v1", "/openai/v1/responses", "Api-Key", "k", `"model":"m"`, ""},
		{"azure", "anthropic", "/anthropic/v1", "/anthropic/v1/messages", "X-Api-Key", "k", `"model":"m"`, ""},
		{"bedrock", "", "/openai/v1", "/openai/v1/chat/completions", "Authorization", "Bearer k", `"model":"m"`, ""},
		{"bedrock", "anthropic", "/anthropic/v1", "/anthropic/v1/messages", "X-Api-Key", "k", `"model":"m"`, ""},
		{"vertex", "", "/v1/projects/p/locations/l", "/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse", "Authorization", "Bearer k", `"contents"`, `"model":"m"`},
		{"vertex", "anthropic", "/v1/projects/p/locations/l", "/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict", "Authorization", "Bearer k", `"anthropic_version":"vertex-2023-10-16"`, `"model":"m"`},
		{"vertex", "chat", "/v1/projects/p/locations/l", "/v1/projects/p/locations/l/endpoints/openapi/chat/completions", "Authorization", "Bearer k", `"model":"m"`, ""},
	} {
		url, last := server(t)
		preset, _ := wire.Lookup(c.vendor)
		m, err := provider.Open(provider.Spec{API: c.api, Preset: preset, BaseURL: url + c.base, Key: "k", Model: "m", Retry: provider.RetryPolicy{Retries: -1}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = ask(t.Context(), m, &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "hi")}}) // the reply is one of Chat
		x := last()
		raw, err := json.Marshal(x.body)
		if err != nil {
			t.Fatal(err)
		}
		if x.path != c.path || x.head.Get(c.header) != c.value {
			t.Errorf("%s %s: %s %v", c.vendor, c.api, x.path, x.head)
		}
		if !strings.Contains(string(raw), c.body) || c.not != "" && strings.Contains(string(raw), c.not) {
			t.Errorf("%s %s: %s", c.vendor, c.api, raw)
		}
	}
}
