package providertest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const hello = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

func start(t *testing.T, script string) *Server {
	t.Helper()
	s := New(t.Context(), MustParse(script))
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, s *Server, body string) (*http.Response, string) {
	t.Helper()
	return postTo(t, s, "/chat/completions", body)
}

func say(t *testing.T, s *Server, path, body string) string {
	t.Helper()
	_, text := postTo(t, s, path, body)
	return text
}

func postTo(t *testing.T, s *Server, path, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer test-key")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp, string(data) + "<" + err.Error() + ">"
	}
	return resp, string(data)
}

func TestRepliesInOrder(t *testing.T) {
	s := start(t, `
		# a comment
		SAY "你好\nworld {n}"
		+ USAGE 7 3 1
		THINK hm
		+ CALL bash {"command":"ls"}
		+ CALL bash {"command":"pwd"}
		2* SAY again {n}
		SAY cut
		+ FINISH length
		+ USAGE none
	`)
	_, first := post(t, s, hello)
	for _, want := range []string{`"content":"你好\n"`, `"content":"ld "`, `"prompt_tokens":7`, `"cached_tokens":1`, `"finish_reason":"stop"`, "[DONE]"} {
		if !strings.Contains(first, want) {
			t.Errorf("first reply lacks %s:\n%s", want, first)
		}
	}
	_, second := post(t, s, hello)
	for _, want := range []string{`"reasoning_content":"hm"`, `"id":"call_2_1"`, `"id":"call_2_2"`, `"finish_reason":"tool_calls"`} {
		if !strings.Contains(second, want) {
			t.Errorf("second reply lacks %s:\n%s", want, second)
		}
	}
	for range 2 {
		if _, body := post(t, s, hello); !strings.Contains(body, `"aga"`) {
			t.Errorf("repeated reply: %s", body)
		}
	}
	if _, body := post(t, s, hello); !strings.Contains(body, `"length"`) || strings.Contains(body, "usage") {
		t.Errorf("cut reply: %s", body)
	}
	resp, body := post(t, s, hello)
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, "script is over") {
		t.Errorf("after the script: %d %s", resp.StatusCode, body)
	}
	if n := len(s.Bodies()); n != 6 || s.Bodies()[0] != hello || s.Requests()[0].Path != "/v1/chat/completions" {
		t.Errorf("%d bodies: %q", n, s.Bodies())
	}
}

func TestErrorsAndRawStreams(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.sse"), []byte("data: {}\n\ndata"), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := Parse("STATUS 429 slow down\n+ HEADER Retry-After: 3\nSTATUS 500 {\"raw\":1}\nRAW a.sse\nCUT a.sse\nSAY a\n+ BREAK\nNOTHING\nSAYFILE a.sse\n* LINES 2", dir)
	if err != nil {
		t.Fatal(err)
	}
	s := New(t.Context(), script)
	t.Cleanup(s.Close)
	resp, body := post(t, s, hello)
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "3" || !strings.Contains(body, `"message":"slow down"`) {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, body := post(t, s, hello); resp.StatusCode != 500 || body != `{"raw":1}` {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if _, body := post(t, s, hello); body != "data: {}\n\ndata" {
		t.Errorf("raw: %q", body)
	}
	if _, body := post(t, s, hello); !strings.HasPrefix(body, "data: {}\n\ndata<") {
		t.Errorf("cut: %q", body)
	}
	if _, body := post(t, s, hello); !strings.Contains(body, `"content":"a"`) || !strings.HasSuffix(body, ">") {
		t.Errorf("break: %q", body)
	}
	if _, body := post(t, s, hello); strings.Contains(body, "content") || !strings.Contains(body, "stop") {
		t.Errorf("nothing: %q", body)
	}
	if _, body := post(t, s, hello); !strings.Contains(body, "dat") {
		t.Errorf("sayfile: %q", body)
	}
	for range 3 {
		if _, body := post(t, s, hello); !strings.Contains(body, `"ine"`) && !strings.Contains(body, `lin`) {
			t.Errorf("lines: %q", body)
		}
	}
}

func TestStrictVendor(t *testing.T) {
	call := `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}},{"id":"b","function":{"name":"x","arguments":"{}"}}]}`
	bad := map[string]string{
		"no JSON":            `{"messages":`,
		"no UTF-8":           "{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}",
		"empty":              `{"messages":[]}`,
		"lacks a result":     `{"messages":[` + call + `,{"role":"tool","tool_call_id":"a"},{"role":"user"}]}`,
		"ends without":       `{"messages":[` + call + `,{"role":"tool","tool_call_id":"a"}]}`,
		"two results":        `{"messages":[` + call + `,{"role":"tool","tool_call_id":"a"},{"role":"tool","tool_call_id":"a"}]}`,
		"other order":        `{"messages":[` + call + `,{"role":"tool","tool_call_id":"b"},{"role":"tool","tool_call_id":"a"}]}`,
		"result alone":       `{"messages":[{"role":"tool","tool_call_id":"a"}]}`,
		"broken arguments":   `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{"}}]},{"role":"tool","tool_call_id":"a"}]}`,
		"no id":              `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":"{}"}}]},{"role":"tool"}]}`,
		"two tools one name": `{"messages":[{"role":"user"}],"tools":[{"function":{"name":"x"}},{"function":{"name":"x"}}]}`,
	}
	s := start(t, "* SAY ok")
	for name, body := range bad {
		if resp, text := post(t, s, body); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: let in: %s", name, text)
		}
	}
	if got := len(s.Faults()); got != len(bad) {
		t.Errorf("%d faults of %d: %q", got, len(bad), s.Faults())
	}
	good := `{"messages":[` + call + `,{"role":"tool","tool_call_id":"a"},{"role":"tool","tool_call_id":"b"},{"role":"user"}]}`
	if resp, text := post(t, s, good); resp.StatusCode != http.StatusOK {
		t.Errorf("good body refused: %s", text)
	}
}

func TestKeyed(t *testing.T) {
	s := start(t, "KEYED\nSAY zero\nSAY one\n* SAY more")
	with := func(n int) string {
		return `{"messages":[{"role":"user"}` + strings.Repeat(`,{"role":"assistant"}`, n) + `]}`
	}
	for n, want := range map[int]string{1: "one", 0: "zer", 5: "mor"} {
		if _, body := post(t, s, with(n)); !strings.Contains(body, want) {
			t.Errorf("%d assistant messages: %s", n, body)
		}
	}
}

func TestKeyAndRoutes(t *testing.T) {
	s := start(t, "KEY other\nALSO GET /v1/props 503 {\"a\": 1}\nSAY x")
	if resp, body := post(t, s, hello); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if env := strings.Join(s.Env(), " "); !strings.Contains(env, "OPENAI_API_KEY=other") {
		t.Error(env)
	}
	for path, code := range map[string]int{"/models": 200, "/else": 404, "/props": 503} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != code {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}

func TestWaiting(t *testing.T) {
	s := start(t, "SAY abc\n+ WAIT\n+ SAY def\nWAIT 3\n+ SAY second\nSAY third\nHANG")
	lines := func() (*bufio.Scanner, *http.Response) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", strings.NewReader(hello))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return bufio.NewScanner(resp.Body), resp
	}
	first, resp := lines()
	defer resp.Body.Close()
	if !first.Scan() || !strings.Contains(first.Text(), "abc") {
		t.Fatalf("before the wait: %q", first.Text())
	}
	if err := s.Holding(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Release()
	var rest strings.Builder
	for first.Scan() {
		rest.WriteString(first.Text())
	}
	if !strings.Contains(rest.String(), "def") {
		t.Errorf("after the wait: %s", rest.String())
	}
	second, resp2 := lines()
	defer resp2.Body.Close()
	if _, body := post(t, s, hello); !strings.Contains(body, "thi") {
		t.Errorf("third: %s", body)
	}
	if !second.Scan() || !strings.Contains(second.Text(), "sec") {
		t.Errorf("second: %q", second.Text())
	}
	if err := s.Arrived(t.Context(), 3); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Arrived(ended, 99); err == nil {
		t.Error("99 requests have arrived")
	}
	hanging, resp4 := lines()
	defer resp4.Body.Close()
	s.Close()
	if hanging.Scan() {
		t.Errorf("a hanging reply said %q", hanging.Text())
	}
	if err := s.Arrived(t.Context(), 99); err == nil {
		t.Error("a closed server still waits")
	}
}

func TestScriptErrors(t *testing.T) {
	for _, text := range []string{
		"+ SAY x", "SHOUT x", "SAY \"x", "STATUS abc", "STATUS 200", "WAIT x", "LINES x", "USAGE 1", "USAGE a b",
		"x* SAY y", "0* SAY y", "HEADER", "ALSO GET /x", "ALSO GET /x abc {}", "RAW /does/not/exist", "SAYFILE /does/not/exist",
	} {
		if _, err := Parse("SAY ok\n"+"\n"+text, ""); err == nil && text != "+ SAY x" {
			t.Errorf("%q parsed", text)
		} else if err != nil && !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: %v does not name the line", text, err)
		}
	}
	if _, err := Parse("+ SAY x", ""); err == nil {
		t.Error("a part without a reply parsed")
	}
	defer func() {
		if recover() == nil {
			t.Error("MustParse of nonsense did not panic")
		}
	}()
	MustParse("nonsense")
}

// Conversations that go on at the same time have replies of their own.
func TestForConversations(t *testing.T) {
	s := New(t.Context(), MustParse(`
		SAY first
		SAY second
		FOR count the files
		SAY three
		+ USAGE 1 1
		SAY still three
		FOR name the files
		* SAY a, b, c
	`))
	defer s.Close()
	ask := func(user string) string {
		t.Helper()
		body := `{"model":"m","stream":true,"messages":[{"role":"system","content":"count the files"},{"role":"user","content":"` + user + `"}]}`
		resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, c := range []struct{ user, want string }{
		{"go", "first"},
		{"please count the files", "three"},
		{"name the files", "a, b, c"},
		{"go", "second"},
		{"count the files", "still three"},
		{"name the files", "a, b, c"},
		{"count the files", "the script is over"},
	} {
		got := ask(c.user)
		var b strings.Builder
		for line := range strings.Lines(got) {
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "data: ")), &chunk) == nil && len(chunk.Choices) > 0 {
				b.WriteString(chunk.Choices[0].Delta.Content)
			}
		}
		if text := b.String(); text != c.want && !strings.Contains(got, c.want) {
			t.Errorf("%q: %q (%s)", c.user, text, got)
		}
	}
}
