//go:build unix

package job

import (
	"context"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/engine"
	"react-agent/store/mem"
)

// A job that ends while its session is idle wakes it, once.
func TestWakesAnIdleSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	st := mem.New()
	h.log = st
	var eng *engine.Local
	told := make(chan error, 10)
	var j *Jobs
	wake := func(ctx context.Context, session string) error {
		err := eng.Do(ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
			list, err := j.Pull(ctx, s)
			for _, e := range list {
				if err == nil {
					err = a.Append(ctx, s, e)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		_, err = eng.Submit(ctx, session, engine.Input{Quiet: true})
		return err
	}
	j = h.open(func(o *Options) {
		o.Notify = func(session string) {
			go func() {
				for range 2 { // a hint too many does no harm
					told <- wake(context.Background(), session)
				}
			}()
		}
	})
	model := &agenttest.Model{Next: func(n int, req *agent.Request) agenttest.Reply {
		if n == 0 {
			return agenttest.CallTool("background_run", `{"command":"while ! [ -e go ]; do sleep 0.02; done; echo went"}`)
		}
		return agenttest.Say("answer to " + req.Messages[len(req.Messages)-1].From)
	}}
	eng, err := engine.New(engine.Config{
		Log: st, KV: st, Blobs: st,
		Factory: func(_ context.Context, s engine.Spec) (*agent.Agent, error) {
			return &agent.Agent{Model: model, Tools: j.Tools(s.Waiting), Hooks: []agent.Hook{j.Hook(s.Waiting)}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	m := agent.TextMessage(agent.User, "go")
	if _, err := eng.Submit(t.Context(), "a", engine.Input{Message: &m}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var texts []string
	ends := 0
	for e, err := range eng.Follow(ctx, "a", 0, true) {
		if err != nil {
			t.Fatalf("%v; so far %q", err, texts)
		}
		if e.Type == agent.EvMessage {
			texts = append(texts, e.Message.Text())
		}
		if e.Type != agent.EvEnd {
			continue
		}
		if ends++; ends == 2 {
			break
		}
		touch(t, h.cwd+"/go")
	}
	for range 2 {
		if err := <-told; err != nil {
			t.Error(err)
		}
	}
	info, err := eng.Info(t.Context(), "a")
	if err != nil || strings.Count(strings.Join(texts, "\n"), "[bg:") != 1 {
		t.Errorf("%+v %v %q", info, err, texts)
	}
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "completed: went") || !strings.HasSuffix(all, "answer to job") {
		t.Errorf("%q", texts)
	}
}
