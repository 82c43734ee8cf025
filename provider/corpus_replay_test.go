package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider/wire"
)

// TestReplayToEveryPreset lets a real agent hear every decode case of the Chat wire, and then sends what it has stored
// to the model of every preset: first a history that the case's own vendor wrote, then one that the preset itself did.
// Whatever a vendor answered, the next request must be one that any vendor takes.
func TestReplayToEveryPreset(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range replayCases(t) {
		n++
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			own := hear(t, c, c.Vendor)
			for _, p := range receivers(c) {
				replayTo(t, c, own, c.Vendor, p)
				if p.Name != c.Vendor {
					replayTo(t, c, hear(t, c, p.Name), p.Name, p)
				}
			}
		})
	}
	if n == 0 {
		t.Error("there is no decode case to replay")
	}
}

// receivers are all presets; for a long body one of each dialect, because the rest of them differ by name and address only.
func receivers(c *wireCase) []wire.Preset {
	const long = 64 << 10
	if len(c.HTTP.body()) <= long {
		return wire.Presets()
	}
	var out []wire.Preset
	seen := map[string]bool{}
	for _, p := range wire.Presets() {
		d := p
		d.Name, d.BaseURL, d.KeyEnv, d.KeyHeader, d.DefaultModel, d.Context, d.MaxOutput = "", "", nil, "", "", 0, 0
		if key := fmt.Sprintf("%+v", d); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	return out
}

// replayCases are the decode cases of the Chat wire, of this repository and of a corpus, if there is one.
func replayCases(t *testing.T) []*wireCase {
	t.Helper()
	corpus := os.Getenv("WIRE_CASES")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "shared", "cases", "wire", "open")
	}
	var out []*wireCase
	for _, dir := range []string{filepath.Join("testdata", "wire"), corpus} {
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s is absent; its conversations are not replayed", dir)
			continue
		}
		cases, err := loadCases(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.Type == "decode" && (c.API == "chat" || c.API == "text") {
				out = append(out, c)
			}
		}
	}
	return out
}

// hear plays the case to an agent as the answer of this vendor, then a plain answer to what follows from it, and gives
// the history as it is stored.
func hear(t *testing.T, c *wireCase, vendor string) []agent.Message {
	t.Helper()
	plainReply := caseReply{Status: 200, Headers: map[string]string{"content-type": "application/json"}}
	plainBody := []byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}`)
	first := true
	at := endpoint{url: "http://replay.invalid", http: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		next := pieces(plainReply, io.EOF, plainBody)
		if first {
			next, first = pieces(c.HTTP, endOf(c.HTTP), c.HTTP.body()), false
		}
		return next.http.Transport.RoundTrip(r)
	})}}
	m, ok := openModel(c.API, vendor, "m", c.Client, at)
	if !ok {
		t.Fatalf("no wire for api %s", c.API)
	}
	s := agent.NewSession("s")
	a := &agent.Agent{Model: m, Tools: caseTools(c.Client.Tools, func(agent.Call) {}), MaxSteps: 3}
	if _, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("Go on."))); err != nil {
		t.Fatalf("as %s: %v", vendor, err)
	}
	return s.Messages
}

// replayTo builds the request that continues the history with the preset's model, and looks at its body.
func replayTo(t *testing.T, c *wireCase, history []agent.Message, from string, p wire.Preset) {
	t.Helper()
	var body []byte
	at := endpoint{url: "http://replay.invalid", http: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		var err error
		if body, err = io.ReadAll(r.Body); err == nil {
			err = context.Canceled // the body is all that is wanted
		}
		return nil, err
	})}}
	m, _ := openModel(c.API, p.Name, "m", c.Client, at)
	req := &agent.Request{
		Messages: append(slices.Clip(history), agent.TextMessage(agent.User, "And then?")),
		Tools:    caseTools(c.Client.Tools, func(agent.Call) {}),
	}
	for range m.Stream(t.Context(), req) {
		continue // until the error above, which ends the sequence
	}
	for _, fault := range replayFaults(body, history, from, p) {
		t.Errorf("written by %s, sent to %s: %s\n%s", from, p.Name, fault, short(string(body)))
	}
}

// replayFaults are all reasons for which a vendor may refuse the body.
func replayFaults(body []byte, history []agent.Message, from string, p wire.Preset) (faults []string) {
	var root any
	if err := json.Unmarshal(body, &root); err != nil || !utf8.Valid(body) {
		return []string{fmt.Sprintf("the body is no JSON in UTF-8 (%v)", err)}
	}
	rules := []string{"tool_pairs", "no_empty_text", "arguments_json_objects"}
	switch p.IDs {
	case wire.IDMistral:
		rules = append(rules, "ids_mistral")
	case wire.IDAnthropic:
		rules = append(rules, "ids_anthropic")
	case wire.IDAny, wire.IDOpenAI:
	}
	for _, rule := range rules {
		if !invariant("chat", root, rule) {
			faults = append(faults, "breaks "+rule)
		}
	}
	if last := list(object(root)["messages"]); len(last) == 0 || text(object(last[len(last)-1])["content"]) != "And then?" {
		faults = append(faults, "does not end with what the person said")
	}
	if from != p.Name {
		faults = append(faults, foreign(root, history, p)...)
	}
	return faults
}

// foreign lists what a body carries of the vendor that wrote the history and not of the protocol.
func foreign(root any, history []agent.Message, p wire.Preset) (faults []string) {
	known := []string{"role", "content", "tool_calls", "tool_call_id"}
	said := []string{""}
	for i := range history {
		said = append(said, history[i].Text())
	}
	for i, m := range list(object(root)["messages"]) {
		for key, v := range object(m) {
			if p.ReasoningAlways && key == p.ReasoningField && v == "" {
				continue
			}
			if !slices.Contains(known, key) {
				faults = append(faults, fmt.Sprintf("message %d has a foreign %s", i, key))
			}
		}
		if object(m)["role"] == "assistant" && !slices.Contains(said, text(object(m)["content"])) {
			faults = append(faults, fmt.Sprintf("message %d has more than the answer in its content", i))
		}
		for _, call := range list(object(m)["tool_calls"]) {
			for key := range object(call) {
				if key != "id" && key != "type" && key != "function" {
					faults = append(faults, fmt.Sprintf("a call of message %d has a foreign %s", i, key))
				}
			}
		}
	}
	return faults
}
