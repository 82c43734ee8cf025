package providertest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestEveryWireIsRead(t *testing.T) {
	for path, bodies := range map[string][]string{
		"/v1/responses": {
			`{"model":"m","input":[{"role":"developer","content":"s"},{"role":"user","content":"hi"}]}`,
			`{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"}]}`,
		},
		"/v1/messages": {
			`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`,
			`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a","name":"t","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"more"}]}]}`,
		},
		"/v1beta/models/m:streamGenerateContent": {
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"t","args":{}}},{"functionCall":{"name":"t","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"t","response":{}}},{"functionResponse":{"name":"t","response":{}}}]}]}`,
		},
	} {
		for i, body := range bodies {
			if n, err := CheckPath(path, []byte(body)); err != nil || n != i {
				t.Errorf("%s %s: %d, %v", path, body, n, err)
			}
			if first := firstSaid(path, []byte(body)); first != "hi" {
				t.Errorf("%s %s: first said %q", path, body, first)
			}
		}
		if m := modelOf(path, []byte(bodies[0])); m != "m" {
			t.Errorf("%s: model %q", path, m)
		}
	}
}

func TestEveryWireRefuses(t *testing.T) {
	const hi = `{"role":"user","content":"hi"}`
	for path, bodies := range map[string]map[string]string{
		"/v1/responses": {
			`{"input":7}`:                         "no request",
			`{"input":[]}`:                        "empty",
			`{"input":[7]}`:                       "item 0",
			`{"input":[` + hi + `,{"type":"x"}]}`: `type "x"`,
			`{"input":[` + hi + `,{"type":"reasoning","summary":[]},{"role":"assistant","content":"a"}]}`:                                                       "nobody has stored",
			`{"input":[` + hi + `,{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}]}`:                                                         "no result",
			`{"input":[` + hi + `,{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},` + hi + `]}`:                                              "0 results where 1",
			`{"input":[` + hi + `,{"type":"function_call","call_id":"","name":"t","arguments":"{}"}]}`:                                                          "empty or doubled",
			`{"input":[` + hi + `,{"type":"function_call","call_id":"a","name":"t","arguments":"x"}]}`:                                                          "a call of",
			`{"input":[` + hi + `,{"type":"function_call_output","call_id":"a"}]}`:                                                                              "1 results where 0",
			`{"input":[` + hi + `,{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"b"}]}`:           `"b" where "a"`,
			`{"input":[{"type":"function_call","call_id":"a","name":"t","arguments":"{}"},{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}]}`: "doubled",
			`{"previous_response_id":"resp_1","input":[` + hi + `]}`:                                                                                            "not stored",
			`{"input":[` + hi + `,{"id":"msg_1","type":"message","role":"assistant","content":"a"}]}`:                                                           "'msg_1' not found",
			`{"input":[` + hi + `,{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"x"}]}`:                                                      "required following item",
			`{"input":[` + hi + `,{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"x"},` + hi + `]}`:                                           "required following item",
			`{"input":[` + hi + `,{"type":"reasoning","encrypted_content":"x"},{"role":"assistant","content":"a"}]}`:                                            "summary",
			`{"input":[` + hi + `],"tools":[{"type":"function","function":{"name":"t"}}]}`:                                                                      "tools[0].name",
			`{"input":[` + hi + `],"tools":[{"type":"function","name":"t","parameters":{"type":"object","required":null}}]}`:                                    "null is not",
			`{"input":[` + hi + `],"tools":[{"type":"function","name":"t","parameters":{"anyOf":[{"properties":null}]}}]}`:                                      "null is not",
			`{"input":[{"type":"function_call","call_id":"` + strings.Repeat("x", 65) + `","name":"t","arguments":"{}"}]}`:                                      "longer than 64",
		},
		"/v1/messages": {
			`{"messages":[` + hi + `]}`:                                                                              "max_tokens",
			`{"max_tokens":"x"}`:                                                                                     "no request",
			`{"max_tokens":1,"messages":[` + hi + `,` + hi + `]}`:                                                    "not due",
			`{"max_tokens":1,"messages":[{"role":"system","content":"x"}]}`:                                          "not due",
			`{"max_tokens":1,"messages":[{"role":"user","content":[]}]}`:                                             "content",
			`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`:                   "cannot be",
			`{"max_tokens":1,"messages":[` + hi + `,{"role":"assistant","content":[{"type":"thinking"}]}]}`:          "cannot be",
			`{"max_tokens":1,"messages":[` + hi + `,{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}]}`: "cannot be",
			`{"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","input":{}}]},{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a"}]}]}`: "come first",
		},
		"/v1beta/models/m:streamGenerateContent": {
			`{"contents":{}}`:                                    "no request",
			`{"contents":[{"role":"user"}]}`:                     "0 parts",
			`{"contents":[{"role":"x","parts":[{"text":"a"}]}]}`: `role "x"`,
			`{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"a"}]}]}`:                                                       "not due",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"t"}}]},{"role":"user","parts":[{"functionResponse":{"name":"t","response":"x"}}]}]}`: "an object",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"t"}}]},{"role":"user","parts":[{"functionResponse":{"name":"u","response":{}}}]}]}`:  "where",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"t"}}]},{"role":"user","parts":[{"text":"x"}]}]}`:                                     "0 results where 1",
		},
		"/v1/smoke": {`{}`: "no such route", "\xff": "UTF-8", "{": "JSON"},
	} {
		for body, want := range bodies {
			if _, err := CheckPath(path, []byte(body)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v, want %q", path, body, err, want)
			}
		}
	}
}

func TestKeysInAnyHeader(t *testing.T) {
	for name, value := range map[string]string{"Authorization": "Bearer k", "X-Api-Key": "k", "X-Goog-Api-Key": "k", "Api-Key": "k"} {
		if !opens(http.Header{name: {value}}, "k") || opens(http.Header{name: {value + "x"}}, "k") {
			t.Errorf("%s", name)
		}
	}
}

// What each voice says is heard by the real wires in package provider; here only that limits are said in each wire's words.
func TestVoicesSayLimits(t *testing.T) {
	for path, want := range map[string]string{
		"/responses": `"reason":"max_output_tokens"`, "/messages": `"stop_reason":"max_tokens"`, "/models/m:streamGenerateContent": `"finishReason":"MAX_TOKENS"`,
	} {
		s := start(t, "SAY x\n+ FINISH length\n+ USAGE none\nNOTHING")
		body := map[string]string{
			"/responses": `{"input":[{"role":"user","content":"hi"}]}`, "/messages": `{"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`,
			"/models/m:streamGenerateContent": `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
		}[path]
		var got []string
		for range 2 {
			got = append(got, say(t, s, path, body))
		}
		if !strings.Contains(got[0], want) || strings.Contains(got[0], "oken_count") || !slices.Contains(got, got[1]) || got[1] == "" {
			t.Errorf("%s: %s", path, got)
		}
	}
}
