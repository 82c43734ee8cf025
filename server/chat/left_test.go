package chat_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/server/chat"
)

// Whoever leaves takes its own message along, and nobody else's: what waits behind its turn has its own.
func TestClientLeavesOthers(t *testing.T) {
	r := newRig(t, []agenttest.Reply{agenttest.CallTool("after", `{"text":"x"}`), agenttest.Say("second")}, func(r *rig, _ *chat.Options) { r.agent.Tools = tools(make(chan struct{})) })
	ctx, leave := context.WithCancel(t.Context())
	x, done := r.open(ctx, "/chat", `{"session_id":"s","message":"go","cancel_on_disconnect":true}`)
	x.next("tool_call")
	later, gone := r.open(t.Context(), "/chat", `{"session_id":"s","message":"later"}`)
	defer gone()
	r.queued("s", 1)
	leave()
	done()
	if e := r.ends("s"); e.Stop != agent.RunCancelled || len(e.Took) != 1 {
		t.Errorf("%s %+v", e.Stop, e.Took)
	}
	if got := later.next("message"); !strings.Contains(got, "second") {
		t.Errorf("%s", got)
	}
	later.next("done")
}

// What was said counts also of who has left before it was stored.
func TestSaidAndGone(t *testing.T) {
	r := newRig(t, []agenttest.Reply{agenttest.Say("hello")})
	api := chat.New(chat.Options{Engine: r.eng, Frames: r.eng.Frames})
	ctx, leave := context.WithCancel(t.Context())
	leave()
	api.Chat(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "POST", "/chat", strings.NewReader(`{"session_id":"s","message":"go"}`)))
	i, err := r.eng.Info(t.Context(), "s")
	if err != nil || i.Seq == 0 && !i.Running && len(i.Queue) == 0 {
		t.Fatalf("%+v %v", i, err)
	}
	if e := r.ends("s"); e.Stop != agent.RunEnd {
		t.Errorf("%s", e.Stop)
	}
}
