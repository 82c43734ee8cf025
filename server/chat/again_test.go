package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/server/chat"
)

// A message with an id is said once, however often it is sent: who sends it again sees the same turn, at work or done.
func TestSameMessageAgain(t *testing.T) {
	free := make(chan struct{})
	r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("first"), agenttest.Say("second")},
		func(r *rig, _ *chat.Options) { r.agent.Tools = tools(free) })
	const body = `{"session_id":"s","message":"go","id":"a 1"}`
	ctx, leave := context.WithCancel(t.Context())
	one, done := r.open(ctx, "/chat", body)
	one.next("tool_call")
	leave()
	done()
	two, done := r.open(t.Context(), "/chat", body)
	defer done()
	two.next("tool_call")
	close(free)
	if got := two.next("message"); !strings.Contains(got, "first") {
		t.Errorf("%s", got)
	}
	two.next("done")
	res := r.post(t.Context(), "/chat", body)
	_ = res.Body.Close()
	if got := res.Header.Get("Input-Id"); got != "a 1" {
		t.Errorf("%q", got)
	}
	want := frames("thinking", calling, "tool_call", `{"name":"after","args":{"text":"x"}}`, "tool_result", `{"name":"after","result":"x"}`, "thinking", calling, "message", `{"content":"first"}`, "done", `{}`)
	if status, got := r.whole("/chat", body); status != 200 || got != want {
		t.Errorf("%d\n%s\nwant\n%s", status, got, want)
	}
	if _, got := r.whole("/chat", `{"session_id":"s","message":"go","id":"a 2"}`); !strings.Contains(got, "second") || strings.Contains(got, "first") {
		t.Errorf("%s", got)
	}
	events := 0
	for e, err := range r.eng.Follow(t.Context(), "s", 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Message != nil && e.Message.Role == agent.User {
			events++
		}
	}
	if events != 2 {
		t.Errorf("said %d times", events)
	}
}

// A server that stops ends the frames of such a turn without done: it is there to be asked for again.
func TestStoppingWithAnID(t *testing.T) {
	r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("end")}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(make(chan struct{})) })
	x, done := r.open(t.Context(), "/chat", `{"session_id":"s","message":"go","id":"a"}`)
	defer done()
	x.next("tool_call")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := r.eng.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for {
		e, err := x.r.Next()
		if err != nil {
			return
		}
		if typ := string(e.Type); typ == "done" || typ == "error" {
			t.Fatalf("%s", e.Data)
		}
	}
}
