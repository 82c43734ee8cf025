package secret

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

func TestLive(t *testing.T) {
	k := testKeeper()
	pem, body := pemKey("", 8)
	token := "ghp_" + fake(36, base62)
	text := "start sk-test-AAAA1111BBBB2222, we\"ird/key <&> +1\nTOKEN=" + token + " 50% done\r\n" + pem + "end of it\nlast "
	whole := k.Mask(text)
	for size := 1; size < 200; size++ {
		live := k.Live()
		var out strings.Builder
		for at := 0; at < len(text); at += size {
			shown := live(text[at:min(at+size, len(text))])
			out.WriteString(shown)
		}
		got := out.String()
		for _, secret := range []string{"sk-test-AAAA1111", "we\"ird", token[:12], body[:40], body[100:140], body[len(body)-40:]} {
			if strings.Contains(got, secret) {
				t.Fatalf("pieces of %d show %q in\n%s", size, secret, got)
			}
		}
		if got != whole {
			t.Fatalf("pieces of %d gave\n%q\nand not\n%q", size, got, whole)
		}
	}
	live := k.Live()
	if got := live(strings.Repeat("x", 40)); got != "" {
		t.Errorf("shown at once: %q", got)
	}
	if got := live(strings.Repeat("y", 2000)); len(got) != 2040 { // no secret is that long
		t.Errorf("%d of a long word are shown", len(got))
	}
	live, shown := k.Live(), 0
	for range 1000 {
		shown += len(live("-----BEGIN PRIVATE KEY-----\n" + body + "\n"))
	}
	if shown == 0 {
		t.Error("what is kept back has no bound")
	}
}

func TestHook(t *testing.T) {
	k := testKeeper()
	key, token := "sk-test-AAAA1111BBBB2222", "ghp_"+fake(36, base62)
	shared := []agent.Part{agent.TextPart("TOKEN=" + token), {Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}}, agent.TextPart(key)}
	var ran []string
	tools := []agent.Tool{
		{Name: "show", Effect: agent.Reads, Schema: json.RawMessage(`{"type":"object"}`), Run: func(context.Context, agent.Call) (agent.Result, error) {
			detail, err := agent.EncodeJSON(map[string]any{"diff": "+TOKEN=" + token, "n": 12345678901234567, "list": []any{key, nil, true}, key: 1})
			return agent.Result{Parts: shared, Detail: detail}, err
		}},
		{Name: "run", Effect: agent.Executes, Schema: json.RawMessage(`{"type":"object"}`), Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			ran = append(ran, string(c.Args))
			return agent.TextResult("ok"), nil
		}},
		{Name: "write", Effect: agent.Writes, Schema: json.RawMessage(`{"type":"object"}`), Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			ran = append(ran, string(c.Args))
			return agent.TextResult("ok"), nil
		}},
	}
	mark := k.Mask(token)
	model := agenttest.NewModel(
		agenttest.CallTool("show", `{}`),
		agenttest.CallTool("run", `{"command":"curl -H `+mark+`"}`),
		agenttest.CallTool("run", `{"deep":[{"x":"s\u006b-test-AAAA1111BBBB2222"}]}`),
		agenttest.CallTool("write", `{"path":"a","content":"`+mark+`"}`),
		agenttest.CallTool("write", `{"content":"`+key+`"}`),
		agenttest.CallTool("run", `{"command":"ls"}`),
		agenttest.Say("done"),
	)
	a := &agent.Agent{System: "You have " + key + " and " + token, Model: model, Tools: tools, Hooks: []agent.Hook{k.Hook()}}
	s := agent.NewSession("s")
	events, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("my key is "+key+", and "+token)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Message != nil && e.Message.Role == agent.Assistant || e.Type == agent.EvChunk {
			continue // the model's own words, made up here
		}
		line, err := agent.EncodeJSON(e)
		if err != nil || strings.Contains(string(line), key) {
			t.Errorf("the agent's key is in the log: %s, %v", line, err)
		}
	}
	results := []string{}
	for _, m := range s.Messages {
		if r := m.Result(); r != nil {
			results = append(results, r.Text())
			if strings.Contains(r.Text()+string(r.Detail), token) || strings.Contains(r.Text()+string(r.Detail), key) {
				t.Errorf("a result shows a secret: %s %s", r.Text(), r.Detail)
			}
			if r.Detail != nil && !strings.Contains(string(r.Detail), "12345678901234567") {
				t.Errorf("a number changed: %s", r.Detail)
			}
		}
	}
	for i, want := range []string{"TOKEN=" + mark, "refused: " + mark, "a secret of this agent ([masked:OPENAI_API_KEY:", "ok", "a secret of this agent", "ok"} {
		if !strings.Contains(results[i], want) {
			t.Errorf("result %d is %q, not %q", i, results[i], want)
		}
	}
	if len(ran) != 2 {
		t.Errorf("ran %q", ran)
	}
	if shared[0].Text != "TOKEN="+token {
		t.Error("the tool's own parts were changed")
	}
	said := s.Messages[0].Text()
	if strings.Contains(said, key) || !strings.Contains(said, token) {
		t.Errorf("the person said %q", said)
	}
	if got := model.Requests()[0].System; strings.Contains(got, key) || !strings.Contains(got, token) {
		t.Errorf("system prompt %q", got)
	}
}

func TestDetailsThatAreOdd(t *testing.T) {
	k := testKeeper()
	token := "ghp_" + fake(36, base62)
	if got := string(k.maskJSON(json.RawMessage("no json " + token))); got != "no json "+k.Mask(token) {
		t.Error(got)
	}
	same := json.RawMessage(`{"b": 1, "a": "x"}`)
	if got := string(k.maskJSON(same)); got != string(same) || k.maskJSON(nil) != nil {
		t.Error(got)
	}
}

func FuzzMask(f *testing.F) {
	token := "ghp_" + fake(36, base62)
	pem, _ := pemKey("", 3)
	for _, s := range []string{
		"", token, "A=" + token + token, pem, pem + "\r\n" + pem, "sk-test-AAAA1111BBBB2222" + token, "API_TOKEN='" + fake(30, base62) + "'",
		"https://u:" + fake(9, base62) + "@h", "[masked:x:12345678]" + token, "password=[masked:x:12345678]" + fake(20, base62), "first line\r\nsecond line",
		`{"a":"we\"ird\/key <&> +1"}`, "-----BEGIN PRIVATE KEY-----\nab\n-----END PRIVATE KEY-----", "eyJhbGciOiJI.x.y", "Bearer " + fake(30, base62), "\xff=\x00:",
	} {
		f.Add(s)
	}
	k := testKeeper()
	f.Fuzz(func(t *testing.T, s string) {
		masked := k.Mask(s)
		if again := k.Mask(masked); again != masked {
			t.Errorf("not the same again: %q, %q", masked, again)
		}
		if known := k.MaskKnown(masked); known != masked && !strings.Contains(s, opening) {
			t.Errorf("a known value is left in %q", masked)
		}
		back, err := k.Restore([]byte(s), masked)
		if err == nil && back != s && lf(back) != lf(s) {
			t.Errorf("%q came back as %q", s, back)
		}
		if err != nil && !strings.Contains(err.Error(), "more than one thing") {
			t.Errorf("%q does not come back: %v", s, err)
		}
		var shown strings.Builder
		live := k.Live()
		for at := 0; at < len(s); at += 7 {
			shown.WriteString(live(s[at:min(at+7, len(s))]))
		}
		if strings.Contains(shown.String(), "sk-test-AAAA1111BBBB2222") {
			t.Errorf("shown live: %q", shown.String())
		}
	})
}
