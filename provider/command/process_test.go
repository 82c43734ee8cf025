package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/internal/shell"
	"react-agent/provider/wire"
)

// The test binary is the program when this variable says so.
const roleVar = "COMMAND_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(program(role))
	}
	goleak.VerifyTestMain(m)
}

// program is a model CLI with a fault.
func program(role string) int {
	out := bufio.NewWriter(os.Stdout)
	defer func() { _ = out.Flush() }()
	switch role {
	case "echo": // arguments, input, variables, the directory
		in, _ := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		entries, _ := os.ReadDir(".")
		raw, _ := agent.EncodeJSON(map[string]any{"result": "ok", "args": os.Args[1:], "input": string(in), "env": os.Environ(), "dir": dir, "files": len(entries)})
		_, _ = out.Write(raw)
	case "flood":
		for range 12 << 10 {
			_, _ = out.WriteString(strings.Repeat("x", 1023) + "\n")
		}
	case "megabytes":
		_, _ = out.WriteString(`{"content":"` + strings.Repeat("x", 8<<20) + `"}`)
	case "hang":
		_, _ = os.Stderr.WriteString("still thinking\n")
		child := exec.CommandContext(context.Background(), os.Args[0]) // that would outlive it
		child.Env = append(os.Environ(), roleVar+"=sleep")
		if child.Start() != nil {
			return 1
		}
		_, _ = out.WriteString(strconv.Itoa(child.Process.Pid) + "\n")
		_ = out.Flush()
		select {}
	case "sleep":
		select {}
	case "leaves":
		return leaver()
	case "lingers": // it has answered, and does not go
		_, _ = out.WriteString(`{"type":"assistant","message":{"role":"assistant","content":"Hello."}}` + "\n" + `{"type":"result","subtype":"success","result":"Hello."}` + "\n")
		_ = out.Flush()
		select {}
	}
	return 0
}

func self(t *testing.T, role string, args ...string) Config {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		CLI: wire.CLI{Command: append([]string{path}, args...)}, Preset: wire.Preset{Name: "own", KeyEnv: []string{"OWN_KEY"}},
		Env: append(os.Environ(), roleVar+"="+role),
	}
}

func request(text string) *agent.Request {
	return &agent.Request{System: "the system prompt", Messages: []agent.Message{agent.TextMessage(agent.User, text)}}
}

// echoed is what the program got.
func echoed(t *testing.T, c Config, text string) string {
	t.Helper()
	return echoedOf(t, c, request(text))
}

func echoedOf(t *testing.T, c Config, req *agent.Request) string {
	t.Helper()
	seen := ""
	run := shell.Run
	c.Run = func(ctx context.Context, cmd shell.Cmd) (shell.Result, error) {
		stream := cmd.Stream
		cmd.Stream = func(p []byte) {
			seen += string(p)
			stream(p)
		}
		return run(ctx, cmd)
	}
	if got := listen(t, New(c), req); got.err != nil || got.msg.Text() != "ok" {
		t.Fatalf("%v %q", got.err, got.msg.Text())
	}
	return seen
}

func TestWhatAProgramGets(t *testing.T) {
	c := self(t, "echo", "-s", "{system}", "-m", "{model}", "--empty", "", "-p", "{prompt}")
	c.Model, c.Key = "m-1", "ck_of_its_own"
	c.Env = append(c.Env, "SECRET_KEY=sk-of-another", "PLAIN=1")
	c.Hide = []string{"SECRET_KEY", "OWN_KEY"}
	seen := echoed(t, c, "a prompt")
	for _, want := range []string{
		`"args":["-s","the system prompt","-m","m-1","--empty","","-p","a prompt"]`, `"input":""`, `"OWN_KEY=ck_of_its_own"`, `"PLAIN=1"`, `"files":0`,
	} {
		if !strings.Contains(seen, want) {
			t.Errorf("no %s in %s", want, seen)
		}
	}
	if strings.Contains(seen, "sk-of-another") {
		t.Error("it sees the key of another")
	}

	// what does not fit goes to standard input
	long := strings.Repeat("界", longest())
	c.Model = "default"
	seen = echoed(t, c, long)
	if !strings.Contains(seen, `"args":["-s","the system prompt","--empty",""]`) || !strings.Contains(seen, `"input":"`+long+`"`) {
		t.Errorf("%.300s", seen)
	}
	c.CLI.Command = c.CLI.Command[:1]
	if seen = echoed(t, c, "a prompt"); !strings.Contains(seen, `"args":[],`) || !strings.Contains(seen, `"input":"the system prompt\n\na prompt"`) {
		t.Errorf("%.300s", seen)
	}
	c.Dir = filepath.Join(t.TempDir(), "its", "own")
	if seen = echoed(t, c, "a prompt"); !strings.Contains(seen, "own") {
		t.Errorf("%.300s", seen)
	}
}

// A program knows no schemas: it is told.
func TestTheSchemaIsToldInWords(t *testing.T) {
	req := request("a prompt")
	req.Schema = []byte(`{"type": "object"}`)
	seen := echoedOf(t, self(t, "echo", "-s", "{system}", "-p", "{prompt}"), req)
	if strings.Count(seen, `the system prompt\n\nYour final answer is nothing but JSON of this schema: {\"type\":\"object\"}`) != 1 {
		t.Errorf("%.300s", seen)
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		template, args, input string
		v                     values
	}{
		{"-p {prompt}", "-p|S\n\nP", "", values{"S", "P", ""}},
		{"-p {prompt} --model {model}", "-p|S\n\nP|--model|m", "", values{"S", "P", "m"}},
		{"-p --out json {prompt}", "-p|--out|json", "S\n\n" + strings.Repeat("x", 100), values{"S", strings.Repeat("x", 100), ""}},
		{"-p {prompt} --out json", "--out|json", strings.Repeat("x", 100), values{"", strings.Repeat("x", 100), ""}},
		{"--system={system} {prompt}", "--system=S|P", "", values{"S", "P", ""}},
		{"--system={system} {prompt}", "P", "", values{"", "P", ""}},
		{"-s {system} {prompt}", "", strings.Repeat("s", 100) + "\n\nP", values{strings.Repeat("s", 100), "P", ""}},
		{"{prompt}", "\n-rf", "", values{"", "-rf", ""}},
		{"{prompt}", "a {model}\uFFFD", "", values{"", "a {model}\x00", "m"}},
	} {
		args, input := expand(strings.Fields(c.template), c.v, 99)
		if got := strings.Join(args, "|"); got != c.args || input != c.input {
			t.Errorf("%s: %q, input %.40q", c.template, got, input)
		}
	}
}

func TestSeveralMessages(t *testing.T) {
	r := agent.TextResult("a result")
	got := prompt([]agent.Message{
		agent.TextMessage(agent.User, "one"), agent.TextMessage(agent.Assistant, "two"), agent.TextMessage(agent.User, " "),
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &r}}},
	})
	if want := "User: one\nAssistant: two\nUser: a result"; got != want {
		t.Errorf("%q", got)
	}
}

func TestMegabytes(t *testing.T) {
	got := listen(t, New(self(t, "megabytes")), request("x"))
	if got.err != nil || len(got.msg.Text()) != 8<<20 {
		t.Errorf("%v, %d bytes", got.err, len(got.msg.Text()))
	}
	got = listen(t, New(self(t, "flood")), request("x"))
	if got.err == nil || got.err.Kind != agent.ErrInvalidResponse || !strings.Contains(got.err.Error(), "10 MiB") || got.err.Retryable {
		t.Errorf("%v", got.err)
	}
}

// ended waits until a process is gone.
func ended(t *testing.T, pid int) {
	t.Helper()
	for shell.Running(pid) {
		if t.Context().Err() != nil {
			t.Fatalf("process %d still runs", pid)
		}
		runtime.Gosched()
	}
}

func TestAProgramThatHangs(t *testing.T) {
	c := self(t, "hang")
	c.Timeout = 300 * time.Millisecond
	got := listen(t, New(c), request("x"))
	if got.err == nil || got.err.Kind != agent.ErrTimeout || got.err.Retryable || !strings.Contains(got.err.Error(), "300ms") {
		t.Errorf("%v", got.err)
	}

	// cancelled, with the cause that the context has: everything it has started goes with it
	for why, kind := range map[error]agent.ErrorKind{errors.New("the person has had enough"): agent.ErrNetwork, context.DeadlineExceeded: agent.ErrTimeout} {
		ctx, cancel := context.WithCancelCause(t.Context())
		child := make(chan int, 1)
		c.Timeout, c.Run = 0, withChild(child)
		var failure error
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, err := range New(c).Stream(ctx, request("x")) {
				failure = err
			}
		}()
		pid := <-child
		cancel(why)
		<-done
		if me, ok := errors.AsType[*agent.ModelError](failure); !ok || me.Retryable || me.Kind != kind || !errors.Is(failure, why) {
			t.Errorf("%v", failure)
		}
		ended(t, pid)
	}
}

// withChild runs the program and tells the number of the process that it has started.
func withChild(child chan<- int) func(context.Context, shell.Cmd) (shell.Result, error) {
	return func(ctx context.Context, cmd shell.Cmd) (shell.Result, error) {
		stream := cmd.Stream
		cmd.Stream = func(p []byte) {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(p))); err == nil {
				child <- pid
			}
			stream(p)
		}
		return shell.Run(ctx, cmd)
	}
}

func TestAProgramThatHasAnsweredAndLingers(t *testing.T) {
	got := listen(t, New(self(t, "lingers")), request("x"))
	if got.err != nil || got.msg.Text() != "Hello." || got.msg.Stop != agent.StopEnd {
		t.Errorf("%v %q", got.err, got.msg.Text())
	}
	for range New(self(t, "lingers")).Stream(t.Context(), request("x")) {
		break // whoever leaves ends it
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	for _, c := range []struct {
		command []string
		install string
		words   []string
	}{
		{[]string{"no-such-program-anywhere"}, "npm install -g it", []string{"no-such-program-anywhere", "npm install -g it", "AGENT_CLI"}},
		{[]string{"./no-such-program"}, "", []string{"no-such-program", "PATH"}},
		{nil, "", []string{"presets", "command"}},
	} {
		m := New(Config{CLI: wire.CLI{Command: c.command, Install: c.install}, Preset: wire.Preset{Name: "own"}, Base: t.TempDir()})
		got := listen(t, m, request("x"))
		if got.err == nil || got.err.Kind != agent.ErrConfig || got.err.Retryable {
			t.Fatalf("%v", got.err)
		}
		for _, w := range c.words {
			if !strings.Contains(got.err.Error(), w) {
				t.Errorf("no %q in %v", w, got.err)
			}
		}
	}
	c := self(t, "echo")
	c.Dir = filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(c.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := listen(t, New(c), request("x")); got.err == nil || got.err.Kind != agent.ErrConfig {
		t.Errorf("%v", got.err)
	}
	c = self(t, "echo")
	c.Base, c.CLI.Command[0] = filepath.Dir(c.CLI.Command[0]), "./"+filepath.Base(c.CLI.Command[0])
	if path, err := Find(c); err != nil || !filepath.IsAbs(path) {
		t.Errorf("%q %v", path, err)
	}
}

func TestInfo(t *testing.T) {
	i := New(Config{Preset: wire.Preset{Name: "own"}, Info: agent.ModelInfo{Context: 5}}).Info()
	if i.Origin() != "command/own/default" || i.Context != 5 || i.Tools {
		t.Errorf("%+v", i)
	}
	if i = New(Config{Model: "m"}).Info(); i.Name != "m" {
		t.Errorf("%+v", i)
	}
}
