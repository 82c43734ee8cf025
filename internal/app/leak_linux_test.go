package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/app"
	"react-agent/internal/command"
)

// Sessions that had one turn and an open stream leave nothing behind in the process: no goroutine, no file, and of memory
// no more than which model was chosen for them, as long as the program runs.
func TestShortSessionsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range []string{"all ", "is ", "well"} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", word)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer model.Close()
	o := command.Options{
		Model: true,
		Env:   []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=x", "REACT_AGENT_DURABILITY=process"},
		Flags: map[string]string{"cwd": dir, "state-dir": dir + "/state", "api": "chat", "base-url": model.URL + "/v1", "model": "m"},
	}
	h, err := app.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	if h.Config.Durability != "process" {
		t.Fatal("durability is", h.Config.Durability)
	}
	n := 0
	run := func(sessions int) {
		work := make(chan string)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for id := range work {
					if err := turn(t, h.Engine, id); err != nil {
						t.Errorf("%s: %v", id, err)
					}
				}
			})
		}
		for range sessions {
			n++
			work <- "leak" + strconv.Itoa(n)
		}
		close(work)
		wg.Wait()
	}
	run(150) // what is made once, and the sessions that stay open
	before := left(t, h.Engine)
	const more = 400
	run(more)
	after := left(t, h.Engine)
	if after.goroutines > before.goroutines+5 || after.files > before.files+5 {
		t.Errorf("after %d sessions more there are %d goroutines and %d files, before %d and %d", more, after.goroutines, after.files, before.goroutines, before.files)
	}
	const each = 400
	if grown := after.heap - before.heap; grown > each*more {
		t.Errorf("each session leaves %d bytes, want at most %d", grown/more, each)
	}
	t.Logf("before %+v, after %+v", before, after)
}

// turn says something and follows until the run has ended.
func turn(t *testing.T, e engine.Engine, id string) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := agent.TextMessage(agent.User, "hello")
	if _, err := e.Submit(ctx, id, engine.Input{Message: &m}); err != nil {
		return err
	}
	for ev, err := range e.Follow(ctx, id, 0, true) {
		if err != nil {
			return err
		}
		if ev.Type == agent.EvEnd {
			if ev.Stop != agent.RunEnd {
				return fmt.Errorf("stop %s: %s", ev.Stop, ev.Text)
			}
			return nil
		}
	}
	return ctx.Err()
}

type remains struct{ goroutines, files, heap int }

// left counts what is there when no session works.
func left(t *testing.T, e engine.Engine) remains {
	t.Helper()
	local, ok := e.(*engine.Local)
	if !ok {
		t.Fatalf("the engine is a %T", e)
	}
	for {
		if working, _ := local.Load(""); working == 0 {
			break
		}
		runtime.Gosched()
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools held back from the first
	runtime.ReadMemStats(&m)
	return remains{runtime.NumGoroutine(), len(fds), int(m.HeapAlloc)}
}
