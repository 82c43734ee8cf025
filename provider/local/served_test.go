package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"react-agent/agent"
	"react-agent/internal/msg"
	"react-agent/provider"
	"react-agent/provider/local"
	"react-agent/provider/texttag"
	"react-agent/provider/wire"
)

// served makes a model of a server, over the real wire. The retries below it do not wait.
func served(f *fake, preset string, change func(*local.Options)) *local.Served {
	p, _ := wire.Lookup(preset)
	o := local.Options{Base: f.URL + "/v1", Kind: local.Kind(p.Local), Info: agent.ModelInfo{Provider: "chat", Preset: p.Name, Tools: true}}
	o.Open = func(base string, m local.Model, tags bool) (agent.Model, error) {
		s := provider.Spec{Preset: p, BaseURL: base, Model: m.Name, Retry: provider.RetryPolicy{Retries: -1}}
		s.Info.Vision = m.Vision == local.Yes
		if tags {
			s.Tags = &texttag.Options{}
		}
		return provider.Open(s)
	}
	if change != nil {
		change(&o)
	}
	return local.New(o)
}

// outcome is what came of one call.
type outcome struct {
	text  string
	notes []string
	err   *agent.ModelError
}

func ask(ctx context.Context, t *testing.T, m agent.Model, req *agent.Request) (o outcome) {
	t.Helper()
	ended := false
	for c, err := range m.Stream(ctx, req) {
		if ended {
			t.Errorf("something comes after the end: %+v, %v", c, err)
		}
		if err != nil {
			if !errors.As(err, &o.err) {
				t.Fatalf("no model error: %v", err)
			}
			ended = true
			continue
		}
		if c.Note != "" {
			o.notes = append(o.notes, c.Note)
		}
		if c.Part != nil {
			o.text += c.Part.Text
		}
	}
	return o
}

func (o outcome) noted(words string) bool {
	for _, n := range o.notes {
		if strings.Contains(n, words) {
			return true
		}
	}
	return false
}

func question(text string) *agent.Request {
	return &agent.Request{System: "Be brief.", Messages: []agent.Message{agent.TextMessage(agent.User, text)}}
}

// aTool is one tool for a request.
func aTool() agent.Tool {
	return agent.Tool{Name: "bash", Doc: "runs a command", Schema: []byte(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)}
}

func TestModelIsChosenAndReadOnce(t *testing.T) {
	f := start(t, missing, ollama(4096))
	m := served(f, "ollama", nil)
	if info := m.Info(); info.Name != "" || info.Context != 0 || info.Preset != "ollama" || len(f.all()) != 0 {
		t.Errorf("before it is asked: %+v, %v", info, f.all())
	}
	first := ask(t.Context(), t, m, question("hi"))
	if first.err != nil || first.text != "hello" || !first.noted("llama3.2:latest") {
		t.Fatalf("%+v", first)
	}
	info := m.Info()
	if info.Name != "llama3.2:latest" || info.Context != 4096 || info.Vision || info.Provider != "chat" || !info.Tools {
		t.Errorf("info %+v", info)
	}
	again := ask(t.Context(), t, m, question("hi"))
	if again.err != nil || len(again.notes) != 0 {
		t.Errorf("the second call says %+v", again)
	}
	if n := f.count("GET /api/tags"); n != 1 {
		t.Errorf("read %d times", n)
	}
	if got := gjson.Get(f.last(chat), "model").String(); got != "llama3.2:latest" {
		t.Errorf("asked for %q", got)
	}
}

func TestPrepareTellsWhatTheModelCan(t *testing.T) {
	f := start(t, missing, ollama(4096))
	m := served(f, "ollama", func(o *local.Options) { o.Name = "gemma3:270m" })
	m.Prepare(t.Context())
	m.Prepare(t.Context())
	if info := m.Info(); !info.Vision || info.Context != 8192 || info.Name != "gemma3:270m" {
		t.Errorf("%+v", info)
	}
	if f.count("POST "+chat) != 0 || f.count("POST /api/generate") != 0 || f.count("POST /api/show") != 1 {
		t.Errorf("asked %v", f.all())
	}
	nobody := served(&fake{URL: "http://" + free(t)}, "ollama", nil)
	nobody.Prepare(t.Context())
	if info := nobody.Info(); info.Context != 0 {
		t.Errorf("nobody: %+v", info)
	}
}

// free is an address at which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func TestNobodyThereIsSaid(t *testing.T) {
	for _, name := range []string{"", "llama3.2"} {
		at := free(t)
		m := served(&fake{URL: "http://" + at}, "ollama", func(o *local.Options) { o.Name = name })
		got := ask(t.Context(), t, m, question("hi"))
		if got.err == nil || got.err.Kind != agent.ErrNetwork || got.err.Retryable {
			t.Fatalf("%q: %+v", name, got.err)
		}
		said := got.err.Error()
		for _, want := range []string{at, "ollama serve", "connection refused", "doctor"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q is missing in %s", want, said)
			}
		}
		if n := strings.Count(said, "connection refused"); n != 1 || !isDialError(got.err) {
			t.Errorf("said %d times, wraps the cause: %t", n, isDialError(got.err))
		}
	}
}

func isDialError(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

func TestServerThatGoesAwayIsSaidAndForgotten(t *testing.T) {
	f := start(t, missing, ollama(4096))
	gone := &switchable{}
	m := served(f, "ollama", func(o *local.Options) {
		o.Client.HTTP = &http.Client{Transport: gone}
		open := o.Open
		o.Open = func(base string, l local.Model, _ bool) (agent.Model, error) {
			_, _ = open(base, l, false)
			p, _ := wire.Lookup("ollama")
			return provider.Open(provider.Spec{Preset: p, BaseURL: f.URL + "/v1", Model: l.Name, Retry: provider.RetryPolicy{Retries: -1}, HTTP: &http.Client{Transport: gone}})
		}
	})
	if got := ask(t.Context(), t, m, question("hi")); got.err != nil {
		t.Fatal(got.err)
	}
	gone.off = true
	if got := ask(t.Context(), t, m, question("hi")); got.err == nil || !strings.Contains(got.err.Error(), "ollama serve") {
		t.Errorf("%+v", got)
	}
	gone.off = false
	if got := ask(t.Context(), t, m, question("hi")); got.err != nil || f.count("GET /api/tags") != 2 {
		t.Errorf("it came back: %+v, read %d times", got, f.count("GET /api/tags"))
	}
}

// switchable is a network that can be off.
type switchable struct{ off bool }

func (s *switchable) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.off {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestModelThatTheServerLacksIsNamedWithThoseItHas(t *testing.T) {
	routes := ollama(4096)
	routes["POST "+chat] = text(404, `{"error":{"message":"model 'qwen9' not found","type":"not_found_error","param":null,"code":null}}`)
	routes["POST /api/generate"] = text(404, `{"error":"model 'qwen9' not found"}`)
	f := start(t, missing, routes)
	got := ask(t.Context(), t, served(f, "ollama", func(o *local.Options) { o.Name = "qwen9" }), question("hi"))
	if got.err == nil || got.err.Kind != agent.ErrBadRequest || got.err.Retryable {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{`"qwen9"`, "gemma3:270m, llama3.2:latest", "ollama pull"} {
		if !strings.Contains(got.err.Error(), want) {
			t.Errorf("%q is missing in %s", want, got.err)
		}
	}
	if strings.Contains(got.err.Error(), "nomic") {
		t.Errorf("it lists what answers nothing: %s", got.err)
	}
}

func TestServerWithoutModels(t *testing.T) {
	routes := ollama(0)
	routes["GET /api/tags"] = text(200, `{"models":[]}`)
	got := ask(t.Context(), t, served(start(t, missing, routes), "ollama", nil), question("hi"))
	if got.err == nil || got.err.Kind != agent.ErrConfig || !strings.Contains(got.err.Error(), "ollama pull") {
		t.Errorf("%+v", got.err)
	}
}

func TestServerThatWantsAKey(t *testing.T) {
	f := start(t, text(401, `{"error":{"message":"Invalid API Key"}}`))
	got := ask(t.Context(), t, served(f, "llamacpp", nil), question("hi"))
	if got.err == nil || got.err.Kind != agent.ErrAuth || got.err.Status != 401 || !strings.Contains(got.err.Error(), "api_key") {
		t.Errorf("%+v", got.err)
	}
}

func TestServerThatSaysNothingIsUsedAsItIs(t *testing.T) {
	f := start(t, text(404, `not here`), map[string]reply{"POST " + chat: says("hello", 10)})
	got := ask(t.Context(), t, served(f, "vllm", func(o *local.Options) { o.Name = "some" }), question("hi"))
	if got.err != nil || got.text != "hello" || !got.noted("says nothing of its models") {
		t.Errorf("%+v", got)
	}
}

func TestShyOneIsAskedNothing(t *testing.T) {
	f := start(t, missing, llamaCpp(2048))
	m := served(f, "generic", func(o *local.Options) { o.Name, o.Shy = "x", true })
	if got := ask(t.Context(), t, m, question("hi")); got.err != nil || got.text != "hello" || len(got.notes) != 0 {
		t.Errorf("%+v", got)
	}
	if asked := f.all(); len(asked) != 1 {
		t.Errorf("asked %v", asked)
	}
	// An error makes it ask: then the window is known, and what fills it is said.
	f2 := start(t, missing, llamaCpp(2048), map[string]reply{"POST " + chat: text(400, `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":2048}}`)})
	m = served(f2, "generic", func(o *local.Options) { o.Name, o.Shy = "x", true })
	got := ask(t.Context(), t, m, question(strings.Repeat("words and more words ", 800)))
	if got.err == nil || got.err.Kind != agent.ErrContextLength || !strings.Contains(got.err.Error(), "llama-server -c") {
		t.Errorf("%+v", got.err)
	}
	if m.Info().Context != 2048 {
		t.Errorf("%+v", m.Info())
	}
}

func TestModelWithoutToolsGetsTags(t *testing.T) {
	routes := ollama(8192)
	routes["POST /api/generate"] = text(200, `{"model":"gemma3:270m","response":"","done":true,"done_reason":"load"}`)
	f := start(t, missing, routes)
	req := question("list the files")
	req.Tools = []agent.Tool{aTool()}
	got := ask(t.Context(), t, served(f, "ollama", func(o *local.Options) { o.Name = "gemma3:270m" }), req)
	if got.err != nil || !got.noted("knows no tools") {
		t.Errorf("%+v", got)
	}
	if body := f.last(chat); gjson.Get(body, "tools").Exists() || !strings.Contains(body, "tool_call") {
		t.Errorf("sent %s", body)
	}
}

// Beside tools, servers that hold an answer to a schema would hold calls to it: there it is told in words.
func TestSchemaBesideToolsIsToldInWords(t *testing.T) {
	f := start(t, missing, llamaCpp(8192))
	m := served(f, "llamacpp", nil)
	for _, tools := range [][]agent.Tool{{aTool()}, nil} {
		req := question("how many files")
		req.Schema, req.Tools = []byte(`{"type": "object"}`), tools
		if got := ask(t.Context(), t, m, req); got.err != nil {
			t.Fatal(got.err)
		}
		body := f.last(chat)
		words := strings.Count(body, `Be brief.\n\nYour final answer is nothing but JSON of this schema: {\"type\":\"object\"}`)
		if format := gjson.Get(body, "response_format").Exists(); format != (tools == nil) || (words == 1) == format {
			t.Errorf("with %d tools: format %t, told %d times", len(tools), format, words)
		}
	}
}

func TestRefusedToolsBecomeTags(t *testing.T) {
	for name, refusal := range map[string]string{
		"ollama": `{"error":{"message":"registry.ollama.ai/library/m does not support tools","type":"api_error","param":null,"code":null}}`,
		"vllm":   `{"error":{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}}`,
		"llama":  `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			routes := vllm()
			routes["POST "+chat] = func(w http.ResponseWriter, r *http.Request, n int) {
				body, _ := io.ReadAll(r.Body)
				if gjson.GetBytes(body, "tools").Exists() {
					text(400, refusal)(w, r, n)
					return
				}
				says(`<tool_call>{\"name\":\"bash\",\"args\":{\"command\":\"ls\"}}</tool_call>`, 0)(w, r, n)
			}
			f := start(t, missing, routes)
			req := question("list the files")
			req.Tools = []agent.Tool{aTool()}
			m := served(f, "vllm", nil)
			got := ask(t.Context(), t, m, req)
			if got.err != nil || !got.noted("knows no tools") {
				t.Fatalf("%+v", got)
			}
			if again := ask(t.Context(), t, m, req); again.err != nil || again.noted("knows no tools") || f.count("POST "+chat) != 3 {
				t.Errorf("it is not kept: %+v, %v", again, f.all())
			}
			never := served(f, "vllm", func(o *local.Options) { o.Tags = local.Never })
			if got := ask(t.Context(), t, never, req); got.err == nil {
				t.Error("native was asked for, and tags were taken")
			}
		})
	}
}

func TestWindowIsObeyed(t *testing.T) {
	f := start(t, missing, ollama(2048), map[string]reply{"POST " + chat: says("hello", 0)})
	m := served(f, "ollama", nil)
	req := question("hi")
	req.MaxOut = 8000
	if got := ask(t.Context(), t, m, req); got.err != nil {
		t.Fatal(got.err)
	}
	if out := gjson.Get(f.last(chat), "max_tokens").Int(); out < 1000 || out >= 2048 {
		t.Errorf("max_tokens %d does not fit the window", out)
	}
	req = question("read")
	req.Messages = append(req.Messages, called("c1"), result("c1", strings.Repeat("a line of the file\n", 2000)))
	got := ask(t.Context(), t, m, req)
	if got.err != nil || !got.noted("1 result of tools cut to about 512 tokens") {
		t.Errorf("%+v", got)
	}
	if body := f.last(chat); len(body) > 4000 || !strings.Contains(body, "[cut: a result may take 512 tokens") {
		t.Errorf("%d bytes: %.3000s", len(body), body)
	}
	if n := len(req.Messages[2].Result().Parts[0].Text); n != 38000 {
		t.Errorf("the caller's history was changed: %d", n)
	}
	req.Messages = append(req.Messages, agent.TextMessage(agent.Assistant, "ok"), agent.TextMessage(agent.User, "go on"))
	if got := ask(t.Context(), t, m, req); got.err != nil || got.noted("cut to") {
		t.Errorf("said again: %+v", got)
	}

	before := f.count("POST " + chat)
	big := question(strings.Repeat("much to read here ", 700))
	big.Tools = []agent.Tool{aTool()}
	got = ask(t.Context(), t, m, big)
	if got.err == nil || got.err.Kind != agent.ErrContextLength || f.count("POST "+chat) != before {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"2048", "system prompt", "for tools", "for the history", "OLLAMA_CONTEXT_LENGTH", "/clear"} {
		if !strings.Contains(got.err.Error(), want) {
			t.Errorf("%q is missing in %s", want, got.err)
		}
	}
}

func called(id string) agent.Message {
	return agent.Message{Role: agent.Assistant, Stop: agent.StopCalls, Parts: []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{ID: id, Name: "bash", Args: []byte(`{"command":"cat x"}`)}}}}
}

func result(id, text string) agent.Message {
	r := agent.TextResult(text)
	r.CallID = id
	return agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}}
}

func TestSmallerWindowOfTheConfiguration(t *testing.T) {
	f := start(t, missing, ollama(4096))
	m := served(f, "ollama", func(o *local.Options) { o.Info.Context = 1024 })
	if got := ask(t.Context(), t, m, question("hi")); got.err != nil || m.Info().Context != 1024 {
		t.Errorf("%+v, %+v", got, m.Info())
	}
	m = served(f, "ollama", func(o *local.Options) { o.Info.Context = 32768 })
	if got := ask(t.Context(), t, m, question("hi")); got.err != nil || m.Info().Context != 4096 || !got.noted("4096 tokens, not 32768") {
		t.Errorf("%+v, %+v", got, m.Info())
	}
}

func TestPromptThatOllamaCutIsSaid(t *testing.T) {
	routes := ollama(0) // an old one, which does not tell the window
	routes["GET /api/ps"] = text(200, `{"models":[{"name":"llama3.2:latest"}]}`)
	routes["POST "+chat] = says("hello", 2048)
	f := start(t, missing, routes)
	m := served(f, "ollama", nil)
	long := question(strings.Repeat("much to read here ", 2000))
	got := ask(t.Context(), t, m, long)
	if got.err != nil || !got.noted("seems not to have read") || !got.noted("OLLAMA_CONTEXT_LENGTH") {
		t.Fatalf("%+v", got)
	}
	if w := m.Info().Context; w < 2048 || w > 2400 {
		t.Errorf("what was seen is not kept: %d", w)
	}
	if got := ask(t.Context(), t, m, long); got.err == nil || got.err.Kind != agent.ErrContextLength {
		t.Errorf("the same again: %+v", got)
	}
	// A count that is only a little lower, or a short request, is no sign of anything.
	short := served(start(t, missing, ollama(4096), map[string]reply{"POST " + chat: says("hello", 30)}), "ollama", nil)
	if got := ask(t.Context(), t, short, question(strings.Repeat("word ", 200))); got.noted("seems not") {
		t.Errorf("%+v", got)
	}
}

func TestEstimateLearnsFromTheServersCount(t *testing.T) {
	count := 0
	routes := ollama(4096)
	routes["POST "+chat] = func(w http.ResponseWriter, r *http.Request, n int) { says("hello", count)(w, r, n) }
	f := start(t, missing, routes)
	m := served(f, "ollama", nil)
	text := question(strings.Repeat("x = y + 1;\n", 550)) // about 3000 by the estimate
	count = 3500
	if got := ask(t.Context(), t, m, text); got.err != nil {
		t.Fatal(got.err)
	}
	left := gjson.Get(f.last(chat), "max_tokens").Int()
	if got := ask(t.Context(), t, m, text); got.err != nil {
		t.Fatal(got.err)
	}
	if now := gjson.Get(f.last(chat), "max_tokens").Int(); now != 4096-3500 || now >= left {
		t.Errorf("room for the answer %d, before %d", now, left)
	}
	count = 2000 // by now it is known to be 3500
	if got := ask(t.Context(), t, m, text); !got.noted("seems not to have read") {
		t.Errorf("%+v", got)
	}
}

func TestOverflowIsReadAnewAndExplained(t *testing.T) {
	window, n := 8192, 0
	routes := llamaCpp(0)
	routes["GET /v1/models"] = func(w http.ResponseWriter, r *http.Request, k int) { llamaCpp(window)["GET /v1/models"](w, r, k) }
	routes["GET /props"] = func(w http.ResponseWriter, r *http.Request, k int) { llamaCpp(window)["GET /props"](w, r, k) }
	routes["POST "+chat] = func(w http.ResponseWriter, r *http.Request, k int) {
		if body, _ := io.ReadAll(r.Body); len(body) > 4000 {
			n++
			text(400, fmt.Sprintf(`{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (1024 tokens), try increasing it","type":"exceed_context_size_error"}}`, len(body)/4))(w, r, k)
			return
		}
		says("hello", 500)(w, r, k)
	}
	f := start(t, missing, routes)
	m := served(f, "llamacpp", nil)
	if got := ask(t.Context(), t, m, question("hi")); got.err != nil {
		t.Fatal(got.err)
	}
	window = 1024 // it was started anew, with less
	req := question("read")
	req.Messages = append(req.Messages, called("c1"), result("c1", strings.Repeat("a line of the file\n", 500)))
	if got := ask(t.Context(), t, m, req); got.err != nil || got.text != "hello" || n != 1 || m.Info().Context != 1024 {
		t.Errorf("%+v, refused %d times, %+v", got, n, m.Info())
	}
	got := ask(t.Context(), t, m, question(strings.Repeat("much to read here ", 700)))
	if got.err == nil || got.err.Kind != agent.ErrContextLength || !strings.Contains(got.err.Error(), "1024") {
		t.Errorf("%+v", got)
	}
}

func TestChinese(t *testing.T) {
	m := served(&fake{URL: "http://" + free(t)}, "lmstudio", func(o *local.Options) { o.Msg = msg.For(msg.Zh) })
	if got := ask(t.Context(), t, m, question("hi")); got.err == nil || !strings.Contains(got.err.Error(), "没有服务器") || !strings.Contains(got.err.Error(), "lms server start") {
		t.Errorf("%v", got.err)
	}
}

func TestManyCallsReadTheServerOnce(t *testing.T) {
	f := start(t, missing, ollama(4096))
	m := served(f, "ollama", nil)
	done := make(chan outcome)
	for range 8 {
		go func() { done <- ask(t.Context(), t, m, question("hi")) }()
	}
	said := 0
	for range 8 {
		o := <-done
		if o.err != nil {
			t.Error(o.err)
		}
		said += len(o.notes)
	}
	if n := f.count("GET /api/tags"); n != 1 || said < 1 {
		t.Errorf("read %d times, %d notes", n, said)
	}
}

func TestConsumerThatLeavesEndsTheCall(t *testing.T) {
	f := start(t, missing, ollama(4096))
	m := served(f, "ollama", nil)
	for c := range m.Stream(t.Context(), question("hi")) {
		if c.Note != "" {
			break
		}
	}
	if f.count("POST "+chat) != 0 {
		t.Error("the call was made for nobody")
	}
}
