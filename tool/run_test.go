package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// A whole run through the kernel: what the model asks for is checked, shown while it runs, and answered.
func TestWholeRun(t *testing.T) {
	e := world(t)
	edit, err := json.Marshal(args{"path": "f", "old_text": "one", "new_text": "two"})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent.Agent{
		Tools: All(e), Parallel: 8,
		Model: agenttest.NewModel(
			agenttest.CallTool("run_shell_command", `{"command":"printf one >f; echo shown; sleep 0.3","timeout_seconds":5}`),
			agenttest.CallTool("edit_file", string(edit)),
			agenttest.CallTools("bash", `{"command":"sleep 0.3"}`, "bash", `{"command":"sleep 0.3"}`, "bash", `{"command":"sleep 0.3"}`, "bash", `{"command":"cat f"}`),
			agenttest.CallTool("write_file", `{"path":"../outside","content":"x"}`),
			agenttest.Say("done"),
		),
	}
	s := agent.NewSession("s")
	start := time.Now()
	events, err := agenttest.Collect(a.Run(t.Context(), s, agent.Say("go")))
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	var results []string
	shown := ""
	for _, ev := range events {
		if ev.Type == agent.EvProgress {
			shown += ev.Text
		}
		if ev.Type == agent.EvMessage && ev.Message.Result() != nil {
			results = append(results, ev.Message.Result().Text())
		}
	}
	if strings.TrimSpace(shown) != "shown" {
		t.Errorf("progress %q", shown)
	}
	if len(results) != 7 || results[0] != "shown" || results[1] != "Edited f" || !slices.Contains(results[2:6], "two") || !strings.Contains(results[6], "outside the work directory") {
		t.Errorf("%q", results)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(e.Root), "outside")); err == nil {
		t.Error("written outside")
	}
	// Nobody could be asked about the write outside.
	if end := events[len(events)-1]; end.Stop != agent.RunDenied {
		t.Errorf("stop %s", end.Stop)
	}
}

// A cancel comes back within the kernel's grace, and the command's words are not lost.
func TestCancelledRun(t *testing.T) {
	e := world(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := &agent.Agent{
		Tools: All(e),
		Model: agenttest.NewModel(agenttest.CallTool("bash", `{"command":"trap '' TERM; echo begun; while :; do sleep 60; done"}`)),
	}
	start := time.Now()
	result := ""
	for ev, err := range a.Run(ctx, agent.NewSession("s"), agent.Say("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Type == agent.EvProgress {
			cancel()
		}
		if ev.Type == agent.EvMessage && ev.Message.Result() != nil {
			result = ev.Message.Result().Text()
		}
	}
	if took := time.Since(start); took > 3500*time.Millisecond {
		t.Errorf("took %s", took)
	}
	if !strings.Contains(result, "cancelled") {
		t.Errorf("%q", result)
	}
	t.Log(result)
}
