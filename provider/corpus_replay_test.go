package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider/wire"
)

// TestReplayToEveryPreset takes the conversation of every decode and echo case, as a real agent has stored it, and sends
// it on over every wire, in every dialect of it: what the case's own vendor wrote, and over the case's own wire also what
// the receiver wrote itself. Whatever a vendor answered, the next request must be one that any vendor takes.
//
// Presets of one dialect make the same bodies; which of them a case is sent to changes from case to case, so that in the
// end all of them were.
func TestReplayToEveryPreset(t *testing.T) {
	t.Parallel()
	cases := replayCases(t)
	if len(cases) == 0 {
		t.Fatal("there is no case to replay")
	}
	wires := receivers()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			own := heard(t, c)
			for _, api := range []string{"chat", "responses", "anthropic", "gemini"} {
				for _, dialect := range wires[api] {
					p := dialect[turn(c.Name)%len(dialect)]
					replayTo(t, c, own, p)
					if c.Type == "decode" && wireOf(c.API) == api && p.Name != c.Vendor {
						replayTo(t, c, hear(t, c, p.Name), p)
					}
				}
			}
		})
	}
}

// turn is a number that a name has.
func turn(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return int(h.Sum32() >> 8)
}

// wireOf is the wire that cases of an api are about.
func wireOf(api string) string {
	if api == "text" {
		return "chat"
	}
	return api
}

// receivers are all presets by wire and dialect: those in one list differ by what a body is not made of.
func receivers() map[string][][]wire.Preset {
	all := map[string][][]wire.Preset{}
	at := map[string]int{}
	for _, p := range wire.Presets() {
		for _, api := range p.Wires() {
			of, err := p.For(api)
			if _, http := wires()[api]; err != nil || !http {
				continue
			}
			d := of
			d.Name, d.BaseURL, d.Form, d.Header, d.Also, d.KeyEnv, d.KeyHeader, d.SlashIDs = "", "", "", nil, nil, nil, "", false
			d.DefaultModel, d.Context, d.MaxOutput = "", 0, 0
			key := api + fmt.Sprintf("%+v", d)
			i, known := at[key]
			if !known {
				i = len(all[api])
				at[key], all[api] = i, append(all[api], nil)
			}
			all[api][i] = append(all[api][i], of)
		}
	}
	return all
}

// replayCases are the decode and echo cases of this repository and of a corpus, if there is one.
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
			if c.Type == "decode" || c.Type == "echo" {
				out = append(out, c)
			}
		}
	}
	return out
}

// heard is the history of a case's conversation as it is stored.
func heard(t *testing.T, c *wireCase) []agent.Message {
	t.Helper()
	if c.Type == "decode" {
		return hear(t, c, c.Vendor)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	st := newStage(ctx, c)
	if err := st.play(); err != nil {
		t.Fatal(err)
	}
	if err := st.cancelRun(); err != nil {
		t.Fatal(err)
	}
	return st.session.Messages
}

// hear plays the case to an agent as the answer of this vendor, then a plain answer to what follows from it, and gives
// the history as it is stored.
func hear(t *testing.T, c *wireCase, vendor string) []agent.Message {
	t.Helper()
	plainReply := caseReply{Status: 200, Headers: map[string]string{"content-type": "application/json"}}
	first := true
	at := endpoint{url: "http://replay.invalid", http: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		next := pieces(plainReply, io.EOF, []byte(fine()[wireOf(c.API)]))
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

// fine is a plain answer over each wire.
func fine() map[string]string {
	return map[string]string{
		"chat":      `{"choices":[{"index":0,"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}`,
		"responses": `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Fine."}]}]}`,
		"anthropic": `{"type":"message","role":"assistant","content":[{"type":"text","text":"Fine."}],"stop_reason":"end_turn"}`,
		"gemini":    `{"candidates":[{"content":{"role":"model","parts":[{"text":"Fine."}]},"finishReason":"STOP"}]}`,
	}
}

// replayTo builds the request that continues the history with the preset's model, and looks at its body.
func replayTo(t *testing.T, c *wireCase, history []agent.Message, p wire.Preset) {
	t.Helper()
	var body []byte
	at := endpoint{url: "http://replay.invalid", http: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		var err error
		if body, err = io.ReadAll(r.Body); err == nil {
			err = context.Canceled // the body is all that is wanted
		}
		return nil, err
	})}}
	m, _ := openModel(p.API, p.Name, "m", c.Client, at)
	req := &agent.Request{
		Messages: append(slices.Clip(history), agent.TextMessage(agent.User, "And then?")),
		Tools:    caseTools(c.Client.Tools, func(agent.Call) {}),
	}
	for range m.Stream(t.Context(), req) {
		continue // until the error above, which ends the sequence
	}
	for _, fault := range replayFaults(body, history, p) {
		t.Errorf("sent to %s over %s: %s\n%s", p.Name, p.API, fault, short(string(body)))
	}
}

// replayFaults are all reasons for which a vendor may refuse the body.
func replayFaults(body []byte, history []agent.Message, p wire.Preset) (faults []string) {
	var root any
	if err := json.Unmarshal(body, &root); err != nil || !utf8.Valid(body) {
		return []string{fmt.Sprintf("the body is no JSON in UTF-8 (%v)", err)}
	}
	rules := []string{"tool_pairs", "no_empty_text", "arguments_json_objects"}
	switch {
	case p.IDs == wire.IDMistral:
		rules = append(rules, "ids_mistral")
	case p.IDs == wire.IDAnthropic || p.API == "anthropic":
		rules = append(rules, "ids_anthropic")
	}
	for _, rule := range rules {
		if !invariant(p.API, root, rule) {
			faults = append(faults, "breaks "+rule)
		}
	}
	if !saidLast(p.API, root, "And then?") {
		faults = append(faults, "does not end with what the person said")
	}
	faults = append(faults, shape(p.API, root)...)
	return append(faults, foreign(root, history, p)...)
}
