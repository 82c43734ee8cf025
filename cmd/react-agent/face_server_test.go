//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"
)

// framesOf reads the frames of an answer, which has to consist of nothing else, byte for byte.
func framesOf(t *testing.T, body string) (list []gjson.Result) {
	t.Helper()
	for rest := body; rest != ""; {
		frame, after, ok := strings.Cut(rest, "\n\n")
		name, data, two := strings.Cut(frame, "\n")
		typ, is := strings.CutPrefix(name, "event: ")
		raw, has := strings.CutPrefix(data, "data: ")
		if !ok || !two || !is || !has || strings.Contains(raw, "\n") || !strings.HasPrefix(raw, `{"type":"`+typ+`","data":{`) || !gjson.Valid(raw) {
			t.Fatalf("no frame: %q", frame)
		}
		list, rest = append(list, gjson.Parse(raw)), after
	}
	return list
}

// shape is the order of frames: one letter each.
func shape(list []gjson.Result) string {
	var b strings.Builder
	for _, f := range list {
		switch typ := f.Get("type").Str; typ {
		case "tool_call":
			b.WriteByte('c')
		case "tool_result":
			b.WriteByte('r')
		default:
			b.WriteByte(typ[0])
		}
	}
	return b.String()
}

// TestServerFaceFiftyRounds: a vendor that refuses a call without its output, an output without its call and reasoning out
// of its place is content with every request of a turn of fifty rounds, and with the turn after it.
func TestServerFaceFiftyRounds(t *testing.T) {
	var script strings.Builder
	want := ""
	for n := 1; n <= 50; n++ {
		fmt.Fprintf(&script, "THINK step %d\n+ CALL bash {\"command\":\"echo %d\"}\n", n, n)
		want += "tcr"
		switch n % 5 {
		case 1:
			script.WriteString("+ CALL read_file {\"path\":\"none\"}\n+ CALL nothing_of_that_name {}\n")
			want += "crcr"
		case 2:
			script.WriteString("+ CALL bash {\"command\":\n")
			want += "cr"
		case 3:
			script.WriteString("+ SAY and on\n")
		}
	}
	script.WriteString("SAY all is well")
	g := newRig(t, script.String())
	g.extra = []string{"PORT=0", "PROFILE=server"}
	s := g.serve()
	status, body := s.ask("POST", "chat", `{"session_id":"s","message":"go on for ever"}`)
	list := framesOf(t, body)
	if got := shape(list); status != 200 || got != want+"ed" {
		t.Fatalf("%d\n%s, want\n%s", status, got, want+"ed")
	}
	if !strings.Contains(body, `"result":"Error: invalid arguments: `) {
		t.Error("what is wrong with arguments is not said")
	}
	if got := list[len(list)-2].Get("data.error").Str; got != "Agent hit max rounds (50)" {
		t.Errorf("%q", got)
	}
	if _, body = s.ask("POST", "chat", `{"session_id":"s","message":"and now?"}`); shape(framesOf(t, body)) != "tmd" || !strings.Contains(body, "all is well") {
		t.Errorf("%s", body)
	}
	if faults := g.srv.Faults(); len(faults) > 0 {
		t.Errorf("refused: %q", faults)
	}
	requests := g.srv.Requests()
	if len(requests) != 51 {
		t.Fatalf("%d requests", len(requests))
	}
	for _, r := range requests {
		if !strings.HasSuffix(r.Path, "/responses") {
			t.Fatalf("asked at %s", r.Path)
		}
	}
	last := gjson.ParseBytes(requests[50].Body)
	if last.Get("max_output_tokens").Int() != 8000 || last.Get("model").Str != "test-model" || !strings.Contains(last.Get("instructions").Str, "at work in "+g.realWork()+".") {
		t.Errorf("%.300s", requests[50].Body)
	}
	results := ""
	for _, it := range last.Get("input").Array() {
		if it.Get("type").Str == "function_call_output" {
			results += it.Get("output").Str + "|"
		}
	}
	if !strings.HasPrefix(results, "1|") || !strings.HasSuffix(results, "|48|49|50|") || !strings.Contains(results, "|Unknown tool: nothing_of_that_name|") || !strings.Contains(results, "|[cleared]|") {
		t.Errorf("%s", results)
	}
	s.end(syscall.SIGTERM)
	g.check()
}

// realWork is the work directory as the program finds it.
func (g *rig) realWork() string {
	out, err := exec.CommandContext(soon(g.t), "sh", "-c", "cd "+g.work()+" && pwd -P").Output()
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestCurl: the examples of the documentation, with curl itself, stream a listing.
func TestCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	local := regexp.MustCompile(`http://(localhost|127\.0\.0\.1):8080/`)
	for _, page := range []string{"docs/server.md", "docs/server.zh.md", "docs/http.md", "docs/http.zh.md", "README.md", "README.zh.md"} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(text), "\ncurl -N")
		example, _, closed := strings.Cut(rest, "\n```")
		example, _, _ = strings.Cut(example, "\n\n")
		if !ok || !closed || len(local.FindAllString(example, -1)) != 1 {
			t.Fatalf("%s has no such example", page)
		}
		g := newRig(t, "CALL bash {\"command\":\"ls\"}\nSAY Two files.")
		for _, name := range []string{"a.txt", "b.txt"} {
			if err := os.WriteFile(g.work(name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g.extra = []string{"PORT=0", "PROFILE=server"}
		s := g.serve()
		cmd := exec.CommandContext(soon(t), "sh", "-c", "curl -sN"+local.ReplaceAllString(example, s.url))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := "event: thinking\ndata: {\"type\":\"thinking\",\"data\":{\"step\":\"calling LLM\"}}\n\n" +
			"event: tool_call\ndata: {\"type\":\"tool_call\",\"data\":{\"name\":\"bash\",\"args\":{\"command\":\"ls\"}}}\n\n" +
			"event: tool_result\ndata: {\"type\":\"tool_result\",\"data\":{\"name\":\"bash\",\"result\":\"a.txt\\nb.txt\"}}\n\n" +
			"event: thinking\ndata: {\"type\":\"thinking\",\"data\":{\"step\":\"calling LLM\"}}\n\n" +
			"event: message\ndata: {\"type\":\"message\",\"data\":{\"content\":\"Two files.\"}}\n\n" +
			"event: done\ndata: {\"type\":\"done\",\"data\":{}}\n\n"
		if string(out) != want {
			t.Errorf("%s\n%s\nwant\n%s", page, out, want)
		}
		s.end(syscall.SIGTERM)
	}
}

// TestServerFaceTools: the twenty-five, with their parameters, those that are required, and the values that they may have.
func TestServerFaceTools(t *testing.T) {
	g := newRig(t, "SAY hello")
	g.extra = []string{"PORT=0", "PROFILE=server"}
	s := g.serve()
	s.ask("POST", "chat", `{"session_id":"s","message":"hi"}`)
	got := map[string]string{}
	for _, tool := range gjson.GetBytes(g.srv.Requests()[0].Body, "tools").Array() {
		got[tool.Get("name").Str] = signature(t, tool.Get("parameters"))
	}
	want := map[string]string{
		"bash": "command* string", "read_file": "path* string, limit integer", "write_file": "path* string, content* string",
		"edit_file":  "path* string, old_text* string, new_text* string",
		"TodoWrite":  "items* array of {content* string, status* string pending/in_progress/completed, activeForm* string}",
		"task":       "prompt* string, agent_type string Explore/general-purpose",
		"load_skill": "name* string", "compress": "focus string",
		"background_run": "command* string, timeout integer", "check_background": "task_id string",
		"task_create": "subject* string, description string", "task_get": "task_id* integer",
		"task_update": "task_id* integer, status string pending/in_progress/completed/deleted, add_blocked_by array of integer, add_blocks array of integer",
		"task_list":   "", "claim_task": "task_id* integer",
		"spawn_teammate": "name* string, role* string, prompt* string", "list_teammates": "",
		"send_message": "to* string, content* string, msg_type string message/broadcast/shutdown_request/shutdown_response/plan_approval_response",
		"read_inbox":   "", "broadcast": "content* string", "shutdown_request": "teammate* string, force boolean", "shutdown_response": "request_id* string",
		"plan_approval": "request_id* string, approve* boolean, feedback string", "idle": "",
		"http_request": "url* string, method string GET/POST/PUT/PATCH/DELETE/HEAD/OPTIONS, headers object of string, body string, timeout integer",
	}
	for name, is := range got {
		if is != want[name] {
			t.Errorf("%s: %s\nwant %s", name, is, want[name])
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if strings.Contains(string(g.srv.Requests()[0].Body), `"required":null`) {
		t.Error("a list is null")
	}
	s.end(syscall.SIGTERM)
}

// signature is a schema in short.
func signature(t *testing.T, schema gjson.Result) string {
	t.Helper()
	var required []string
	if err := json.Unmarshal([]byte(schema.Get("required").Raw), &required); schema.Get("required").Exists() && err != nil {
		t.Fatal(err)
	}
	var list []string
	schema.Get("properties").ForEach(func(name, p gjson.Result) bool {
		s := name.Str
		if slices.Contains(required, s) {
			s += "*"
		}
		s += " " + p.Get("type").Str
		var values []string
		for _, v := range p.Get("enum").Array() {
			values = append(values, v.Str)
		}
		if len(values) > 0 {
			s += " " + strings.Join(values, "/")
		}
		switch it := p.Get("items"); {
		case it.Get("properties").Exists():
			s += " of {" + signature(t, it) + "}"
		case it.Exists():
			s += " of " + it.Get("type").Str
		case p.Get("additionalProperties.type").Exists():
			s += " of " + p.Get("additionalProperties.type").Str
		}
		list = append(list, s)
		return true
	})
	return strings.Join(list, ", ")
}

// TestServerFaceNeighbours: what the tools leave is what the smaller routes show; an inbox that is read is empty; a
// compaction stands before the next turn.
func TestServerFaceNeighbours(t *testing.T) {
	g := newRig(t, "CALL task_create {\"subject\":\"write it\"}\n+ CALL task_create {\"subject\":\"test it\"}\nCALL task_update {\"task_id\":2,\"add_blocked_by\":[1]}\nSAY planned\nSAY A SUMMARY\nSAY went on")
	g.extra = []string{"PORT=0", "PROFILE=server"}
	s := g.serve()
	look := func(path, want string) {
		t.Helper()
		if status, body := s.ask("GET", path, ""); status != 200 || strings.TrimSpace(body) != want {
			t.Errorf("%s: %d %s, want %s", path, status, body, want)
		}
	}
	look("tasks", `{"tasks":"No tasks."}`)
	look("team", `{"team":"No teammates."}`)
	look("inbox", `{"inbox":[]}`)
	if _, body := s.ask("POST", "chat", `{"message":"plan it"}`); shape(framesOf(t, body)) != "tcrcrtcrtmd" {
		t.Errorf("%s", body)
	}
	look("tasks", `{"tasks":"[ ] #1: write it\n[ ] #2: test it (blocked by: [1])"}`)
	if err := os.MkdirAll(g.work(".team", "inbox"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(g.work(".team", "inbox", "lead.jsonl"), []byte(`{"type":"message","from":"alice","content":"hi","timestamp":1.5}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, body := s.ask("GET", "inbox", ""); status != 200 || gjson.Get(body, "inbox.0.from").Str != "alice" || gjson.Get(body, "inbox.#").Int() != 1 {
		t.Errorf("%d %s", status, body)
	}
	look("inbox", `{"inbox":[]}`)
	if status, body := s.ask("POST", "compact", `{"session_id":"nobody"}`); status != 200 || strings.TrimSpace(body) != `{"status":"there is nothing to compact"}` {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.ask("POST", "compact", ""); status != 200 || strings.TrimSpace(body) != `{"status":"compacted"}` {
		t.Errorf("%d %s", status, body)
	}
	s.ask("POST", "chat", `{"message":"go on"}`)
	if body := g.srv.Bodies()[4]; !strings.Contains(body, `[Compressed. Transcript: .transcripts/transcript_`) || !strings.Contains(body, "A SUMMARY") {
		t.Errorf("%s", body)
	}
	if faults := g.srv.Faults(); len(faults) > 0 {
		t.Errorf("refused: %q", faults)
	}
	s.end(syscall.SIGTERM)
}

// TestServerFaceOnATerminal: Ctrl-C ends a run that goes on, and at the prompt the conversation.
func TestServerFaceOnATerminal(t *testing.T) {
	c, srv := converse(t, "CALL bash {\"command\":\"echo begun > begun; sleep 63\"}\nSAY hello", "--profile", "server")
	c.until("s_full >> ")
	c.keys("go\n")
	c.exists("the command did not start", "begun", "begun")
	c.keys(ctrlC)
	c.until("s_full >> ")
	c.keys("and now\n")
	c.until("hello")
	c.until("s_full >> ")
	c.keys(ctrlC)
	c.ends(0)
	c.sound(srv)
}
