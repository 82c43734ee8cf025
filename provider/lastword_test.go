package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"react-agent/agent"
	"react-agent/provider/wire"
)

// What a feature has said in the model's name is not the last word of a request, but with vendors that are known to let the
// model begin anew behind it; and where something follows it is sent to all.
func TestTheUserHasTheLastWord(t *testing.T) {
	var body []byte
	at := endpoint{url: "http://last.invalid", http: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		var err error
		if body, err = io.ReadAll(r.Body); err == nil {
			err = context.Canceled // the body is all that is wanted
		}
		return nil, err
	})}}
	noted := agent.TextMessage(agent.Assistant, "Noted.")
	noted.From = "inbox"
	mail := []agent.Message{agent.TextMessage(agent.User, "go"), agent.TextMessage(agent.User, "mail"), noted}
	ends := func(api, vendor, words string, msgs ...agent.Message) bool {
		m, ok := openModel(api, vendor, "m", caseClient{}, at)
		if !ok {
			t.Fatalf("no wire %s", api)
		}
		for range m.Stream(t.Context(), &agent.Request{Messages: msgs}) {
			continue // until the error above, which ends the sequence
		}
		var root any
		if err := json.Unmarshal(body, &root); err != nil {
			t.Fatal(err)
		}
		return saidLast(api, root, words)
	}
	for _, p := range wire.Presets() {
		for _, api := range p.Wires() {
			if !slices.Contains([]string{"chat", "responses", "anthropic", "gemini"}, api) {
				continue
			}
			takes := api == "responses" || api == "chat" && slices.Contains([]string{"openai", "azure", "xai"}, p.Name)
			if got := ends(api, p.Name, "mail", mail...); got == takes {
				t.Errorf("%s over %s: the user's word is the last: %v\n%s", p.Name, api, got, body)
			}
			if !ends(api, p.Name, "more", append(slices.Clip(mail), agent.TextMessage(agent.User, "more"))...) || !bytes.Contains(body, []byte("Noted.")) {
				t.Errorf("%s over %s, with more behind it:\n%s", p.Name, api, body)
			}
			// What the model itself has said last is the caller's to see to.
			if ends(api, p.Name, "go", mail[0], agent.TextMessage(agent.Assistant, "an answer")) {
				t.Errorf("%s over %s leaves out what the model has said", p.Name, api)
			}
		}
	}
}
