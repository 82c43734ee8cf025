package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/store/mem"
)

// lookAlikes are arguments that look like what the log has in the place of a large body. The last is a string, and no JSON.
func lookAlikes(t *testing.T, st anyStore) []string {
	t.Helper()
	sha, err := st.PutBlob(t.Context(), []byte(`{"other":"content"}`))
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		`{"$blob":"x"}`, `{"$blob":"` + sha + `","size":19}`, `{"$blob":"` + strings.Repeat("0", 64) + `","size":1}`, `{"\u0024blob":"x"}`,
		`{"$blob":{"$blob":"x"}}`, `{"$blob":"x","text":"` + strings.Repeat("y", 70_000) + `"}`, `"` + strings.Repeat("z", 70_000) + `"`,
	}
}

// whatever says in every place of a result what it was called with.
func whatever() agent.Tool {
	return agent.Tool{
		Name: "work", Doc: "does", Schema: json.RawMessage(`{}`), Effect: agent.Reads,
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			r := agent.TextResult(string(c.Args))
			r.Detail, r.State = c.Args, map[string]json.RawMessage{"last": c.Args}
			return r, nil
		},
	}
}

// argsOf are the arguments of all calls in a history.
func argsOf(msgs []agent.Message) (out []string) {
	for i := range msgs {
		for _, c := range msgs[i].Calls() {
			out = append(out, string(c.Args))
		}
	}
	return out
}

// What a model writes as arguments, and what a tool puts into its result, is there again in the next process, whatever it
// looks like.
func TestWhatLooksLikeAReference(t *testing.T) {
	stores(t, func(t *testing.T, st anyStore) {
		args := lookAlikes(t, st)
		var calls []string
		for _, a := range args {
			calls = append(calls, "work", a)
		}
		s := newSetup(t, st, agenttest.CallTools(calls...), agenttest.Say("done"))
		s.tools = []agent.Tool{whatever()}
		submit(t, s.eng, "a", say("go"))
		follow(t, s.eng, "a", 0).Until("the end", isEnd)
		waitIdle(t, s.eng, "a")

		again := newSetup(t, st, agenttest.Say("still here"))
		r := follow(t, again.eng, "a", 0)
		submit(t, again.eng, "a", say("and now?"))
		r.Until("the first end", isEnd)
		if end := r.Until("the second end", isEnd); end.Stop != agent.RunEnd {
			t.Fatalf("the session goes on with %s %+v", end.Stop, end.Error)
		}
		if got := argsOf(again.model.Requests()[0].Messages); !slices.Equal(got, args) {
			t.Errorf("the model reads %.2000q", got)
		}
		var followed []agent.Message
		n := 0
		for _, e := range r.Seen {
			if e.Message == nil {
				continue
			}
			followed = append(followed, *e.Message)
			if res := e.Message.Result(); res != nil && !res.Error { // a string is refused
				if got := string(res.Detail); got != args[n] || string(e.State["last"]) != got || res.Text() != got {
					t.Errorf("detail %.100s, state %.100s, text %.100s, want %.100s", got, e.State["last"], res.Text(), args[n])
				}
				n++
			}
		}
		if n != len(args)-1 {
			t.Errorf("%d results", n)
		}
		if got := argsOf(followed); !slices.Equal(got, args) {
			t.Errorf("who follows reads %.2000q", got)
		}
	})
}

// A session that older programs have stored goes on, with what was said.
func TestOlderLogWithWhatLooksLikeAReference(t *testing.T) {
	st := mem.New()
	args := `{"$blob":"x","note":1}`
	for _, line := range []string{
		`{"seq":1,"type":"message","time":"2026-01-02T03:04:05Z","session":"a","agent":"main","run":"1","message":{"role":"user","parts":[{"kind":"text","text":"go"}]}}`,
		`{"seq":2,"type":"message","time":"2026-01-02T03:04:05Z","session":"a","agent":"main","run":"1","message":{"role":"assistant","parts":[{"kind":"call","call":{"id":"c","key":"a/2.1","name":"work","args":` + args + `}}],"stop":"calls"}}`,
		`{"seq":3,"type":"call","time":"2026-01-02T03:04:05Z","session":"a","agent":"main","run":"1","call":{"id":"c","key":"a/2.1","name":"work","args":` + args + `}}`,
	} {
		if _, err := st.Append(t.Context(), "session/a", -1, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	s := newSetup(t, st, agenttest.Say("done"))
	s.tools = []agent.Tool{whatever()}
	submit(t, s.eng, "a", say("go on"))
	if end := follow(t, s.eng, "a", 0).Until("the end", isEnd); end.Stop != agent.RunEnd {
		t.Fatalf("ended %s %+v", end.Stop, end.Error)
	}
	if got := argsOf(s.model.Requests()[0].Messages); !slices.Equal(got, []string{args}) {
		t.Errorf("the model reads %q", got)
	}
}

// Bodies that the store has lost do not cost the session: it goes on, and says which they are.
func TestLostBodies(t *testing.T) {
	st := diskStore(t, t.TempDir())
	big := strings.Repeat("word ", 20_000)
	s := newSetup(t, st, agenttest.CallTool("work", `{"said":"`+big+`"}`), agenttest.Say(big))
	s.tools = []agent.Tool{whatever()}
	submit(t, s.eng, "a", say("remember: "+big))
	follow(t, s.eng, "a", 0).Until("the end", isEnd)
	waitIdle(t, s.eng, "a")
	shas := map[string]bool{}
	for rec, err := range st.Read(t.Context(), "session/a", 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		rest := string(rec.Data)
		for {
			var found bool
			if _, rest, found = strings.Cut(rest, `{"$blob":"`); !found {
				break
			}
			shas[rest[:64]] = true
		}
	}
	if len(shas) < 3 {
		t.Fatalf("%d bodies were moved", len(shas))
	}
	damaged := false
	for sha := range shas {
		var err error
		if !damaged {
			damaged, err = true, os.WriteFile(st.BlobFile(sha), []byte("something else"), 0o600)
		} else {
			err = os.Remove(st.BlobFile(sha))
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	again := newSetup(t, st, agenttest.Say("sorry"), agenttest.Say("well"))
	r := follow(t, again.eng, "a", 0)
	r.Until("the first end", isEnd)
	for i := range 2 {
		submit(t, again.eng, "a", say("and now?"))
		if i == 0 {
			notice := r.UntilType(agent.EvNotice)
			for sha := range shas {
				if !strings.Contains(notice.Text, sha) {
					t.Errorf("the notice does not name %s: %q", sha, notice.Text)
				}
			}
		}
		if end := r.Until("the next end", isEnd); end.Stop != agent.RunEnd {
			t.Fatalf("the session goes on with %s %+v", end.Stop, end.Error)
		}
		waitIdle(t, again.eng, "a")
	}
	notices := 0
	for _, e := range r.Seen {
		if e.Type == agent.EvNotice {
			notices++
		}
	}
	if notices != 1 {
		t.Errorf("it was said %d times", notices)
	}
	msgs := again.model.Requests()[0].Messages
	if got := msgs[0].Text(); !strings.HasPrefix(got, "(the body ") {
		t.Errorf("the first message reads %.200q", got)
	}
	if info, err := again.eng.Info(t.Context(), "a"); err != nil || info.Seq == 0 {
		t.Errorf("%+v %v", info, err)
	}
	if err := again.eng.Do(t.Context(), "a", func(_ context.Context, _ *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
		if _, there := s.State["last"]; there {
			t.Error("a lost state is there")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
