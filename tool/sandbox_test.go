package tool

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// fence is a sandbox that marks what it holds.
type fence struct{}

func (fence) Describe() string { return "It is fenced." }

func (fence) Prepare(cmd *exec.Cmd) error {
	cmd.Env = append(cmd.Env, "FENCED=yes")
	return nil
}

func (fence) Explain(output string) string {
	if strings.Contains(output, "refused") {
		return "[the fence was in the way]"
	}
	return ""
}

func said(t *testing.T, b agent.Tool, args string) agent.Result {
	t.Helper()
	r, err := b.Run(context.Background(), agent.Call{Name: b.Name, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBashInASandbox(t *testing.T) {
	held := Bash(Env{Root: t.TempDir(), Sandbox: fence{}})
	free := Bash(Env{Root: t.TempDir()})
	if !strings.HasSuffix(held.Doc, " It is fenced.") || !strings.Contains(string(held.Schema), "unsandboxed") || strings.Contains(string(free.Schema), "unsandboxed") {
		t.Errorf("%s\n%s\n%s", held.Doc, held.Schema, free.Schema)
	}
	for args, want := range map[string]string{
		`{"command":"echo $FENCED"}`:                           "yes",
		`{"command":"echo $FENCED","unsandboxed":true}`:        "(no output)",
		`{"command":"echo refused"}`:                           "refused", // nothing to explain: it did not fail
		`{"command":"echo refused; false"}`:                    "refused\n[exit status 1]\n[the fence was in the way]",
		`{"command":"echo refused; false","timeout":5}`:        "refused\n[exit status 1]\n[the fence was in the way]",
		`{"command":"echo other; exit 3","timeout":5}`:         "other\n[exit status 3]",
		`{"command":"echo refused;exit 3","unsandboxed":true}`: "refused\n[exit status 3]",
	} {
		if got := said(t, held, args); got.Text() != want {
			t.Errorf("%s: %q, want %q", args, got.Text(), want)
		}
	}
}

func TestProgressIsMasked(t *testing.T) {
	var shown strings.Builder
	b := Bash(Env{Root: t.TempDir(), Secrets: vault{}})
	script := []agenttest.Reply{agenttest.CallTool("bash", `{"command":"printf 'the `+secretValue+` is here'"}`), agenttest.Say("done")}
	a := &agent.Agent{Model: agenttest.NewModel(script...), Tools: []agent.Tool{b}}
	for e, err := range a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == agent.EvProgress {
			shown.WriteString(e.Text)
		}
	}
	if s := shown.String(); strings.Contains(s, secretValue) || s != "" && !strings.Contains(s, placeholder) {
		t.Errorf("shown: %q", s)
	}
}

// Outputs too long for the model go to a file, and what is in it may be read by anybody who helps with a problem.
func TestOutputFilesAreMasked(t *testing.T) {
	for name, command := range map[string]string{
		"kept in memory": "seq 1 20000; printf '" + secretValue + "\n'",
		"spilled":        "seq 1 400000; echo '" + secretValue + "'; seq 1 400000",
	} {
		logs := t.TempDir()
		b := Bash(Env{Root: t.TempDir(), Logs: logs, Secrets: vault{}})
		raw, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		if r := said(t, b, string(raw)); r.Error {
			t.Fatal(r.Text())
		}
		files, err := filepath.Glob(filepath.Join(logs, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %q %v", name, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secretValue) || strings.Count(string(text), placeholder) != 1 || !strings.Contains(string(text), "\n20000\n") {
			t.Errorf("%s: %d bytes, the value %d times, the placeholder %d times", name, len(text), strings.Count(string(text), secretValue), strings.Count(string(text), placeholder))
		}
	}
}
