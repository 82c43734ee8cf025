package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// sleeper is a reading tool that takes d.
func sleeper(d time.Duration) agent.Tool {
	return tool("sleep", agent.Reads, func(ctx context.Context, do string) (agent.Result, error) {
		return agent.TextResult("slept " + do), pause(ctx, d)
	})
}

func sleeps(n int) agenttest.Reply {
	var pairs []string
	for i := range n {
		pairs = append(pairs, "sleep", fmt.Sprintf(`{"do":"%d"}`, i))
	}
	return agenttest.CallTools(pairs...)
}

func TestParallelTakesTheTimeOfOne(t *testing.T) {
	for _, c := range []struct {
		calls, parallel int
		want            time.Duration
	}{{8, 8, time.Second}, {8, 3, 3 * time.Second}, {8, 0, 8 * time.Second}, {9, 8, 2 * time.Second}} {
		t.Run(fmt.Sprintf("%d calls, %d at once", c.calls, c.parallel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int64
				tl := tool("sleep", agent.Reads, func(ctx context.Context, do string) (agent.Result, error) {
					most.Store(max(most.Load(), now.Add(1)))
					defer now.Add(-1)
					return agent.TextResult(do), pause(ctx, time.Second)
				})
				a := &agent.Agent{Model: agenttest.NewModel(sleeps(c.calls), agenttest.Say("ok")), Tools: []agent.Tool{tl}, Parallel: c.parallel}
				begin := time.Now()
				mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
				if d := time.Since(begin); d != c.want {
					t.Errorf("took %v, want %v", d, c.want)
				}
				if most.Load() > int64(max(1, c.parallel)) {
					t.Errorf("%d ran at once", most.Load())
				}
			})
		})
	}
}

func TestCancelEndsWithin(t *testing.T) {
	stuck := tool("stuck", agent.Reads, func(context.Context, string) (agent.Result, error) {
		ignoreFor(time.Hour)
		return agent.TextResult("late"), nil
	})
	neat := tool("neat", agent.Reads, func(ctx context.Context, _ string) (agent.Result, error) {
		err := pause(ctx, time.Hour)
		return agent.TextResult("half of it"), err
	})
	timed := errors.New("custom cause")
	for _, c := range []struct {
		name  string
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		tools string
		stop  agent.RunStop
		text  string
		took  time.Duration
		want  []string
	}{
		{"cancel, neat tool", cancelAfter(time.Minute), "neat", agent.RunCancelled, "", time.Minute, []string{"half of it", "cancelled by the person"}},
		{"cancel, stuck tool", cancelAfter(time.Minute), "stuck", agent.RunCancelled, "", time.Minute + time.Second, []string{"may still be running"}},
		{"deadline", deadline(time.Minute, nil), "neat", agent.RunTimeout, "time was up", time.Minute, []string{"half of it", "stopped before it was done"}},
		{"deadline with a cause", deadline(time.Minute, timed), "neat", agent.RunTimeout, "time was up", time.Minute, []string{"custom cause"}},
		{"deadline with a StopError", deadline(time.Minute, &agent.StopError{Stop: agent.RunBudget, Text: "no money"}), "neat", agent.RunBudget, "no money", time.Minute, []string{"no money"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := c.ctx(t.Context())
				defer cancel()
				// Two at once and one that never starts.
				a := &agent.Agent{
					Model: agenttest.NewModel(agenttest.CallTools(c.tools, `{"do":"1"}`, c.tools, `{"do":"2"}`, c.tools, `{"do":"3"}`)),
					Tools: []agent.Tool{stuck, neat}, Parallel: 2,
				}
				s := agent.NewSession("s")
				begin := time.Now()
				evs := mustRun(t, a.Run(ctx, s, agent.Say("go")))
				if d := time.Since(begin); d != c.took {
					t.Errorf("took %v, want %v", d, c.took)
				}
				end := lastEnd(t, evs)
				if end.Stop != c.stop || !strings.Contains(end.Text, c.text) {
					t.Errorf("end %s %q, want %s %q", end.Stop, end.Text, c.stop, c.text)
				}
				got := resultTexts(s)
				if len(got) != 3 {
					t.Fatalf("results %q", got)
				}
				for _, w := range c.want {
					if !strings.Contains(got[0], w) || !strings.Contains(got[1], w) {
						t.Errorf("results %q lack %q", got, w)
					}
				}
				if strings.Contains(got[2], "half") || strings.Contains(got[2], "running") {
					t.Errorf("the third never started: %q", got[2])
				}
				ignoreFor(time.Hour) // stuck tools end
			})
		})
	}
}

func cancelAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(d, cancel)
		return ctx, cancel
	}
}

func deadline(d time.Duration, cause error) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, d, cause)
	}
}

func TestStopErrorFromHookCancelsRunningTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick := tool("quick", agent.Reads, func(context.Context, string) (agent.Result, error) { return agent.TextResult("q"), nil })
		var running atomic.Int64
		slow := tool("slow", agent.Reads, func(ctx context.Context, _ string) (agent.Result, error) {
			running.Add(1)
			defer running.Add(-1)
			return agent.Result{}, pause(ctx, time.Hour)
		})
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTools("slow", `{"do":"1"}`, "quick", `{"do":"2"}`)), Tools: []agent.Tool{quick, slow}, Parallel: 2,
			Hooks: []agent.Hook{{Name: "guard", AfterTool: func(_ context.Context, _ *agent.Session, c agent.Call, _ *agent.Result) error {
				if c.Name == "quick" {
					return &agent.StopError{Stop: agent.RunLoop, Text: "going in circles"}
				}
				return nil
			}}},
		}
		s := agent.NewSession("s")
		begin := time.Now()
		end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
		if end.Stop != agent.RunLoop || time.Since(begin) > 0 || running.Load() != 0 {
			t.Errorf("%s after %v, %d tools still run", end.Stop, time.Since(begin), running.Load())
		}
		wantSame(t, "results", resultTexts(s), []string{"stopped before it was done: going in circles", "q"})
	})
}

func TestWaitingSkipsWhatHasNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spoke atomic.Bool
		time.AfterFunc(1500*time.Millisecond, func() { spoke.Store(true) })
		a := &agent.Agent{Model: agenttest.NewModel(sleeps(6), agenttest.Say("ok")), Tools: []agent.Tool{sleeper(time.Second)}, Parallel: 2, Waiting: spoke.Load}
		s := agent.NewSession("s")
		evs := mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
		skipped := "skipped: the person spoke"
		wantSame(t, "results", resultTexts(s), []string{"slept 0", "slept 1", "slept 2", "slept 3", skipped, skipped})
		if lastEnd(t, evs).Stop != agent.RunEnd {
			t.Error("the run did not go on")
		}
	})
}

func TestBreakCancelsWaitsAndStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j agenttest.Journal
		tl := tool("sleep", agent.Executes, func(context.Context, string) (agent.Result, error) {
			t.Error("the tool ran although the run was left at its call event")
			return agent.Result{}, nil
		})
		a := &agent.Agent{Model: agenttest.NewModel(sleeps(2)), Tools: []agent.Tool{tl}, Journal: j.Append}
		s := agent.NewSession("s")
		for e, err := range a.Run(t.Context(), s, agent.Say("go")) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == agent.EvCall {
				break
			}
		}
		if s.Open {
			t.Error("the run is open after the range")
		}
		log := stored(t, &j)
		if end := lastEnd(t, log); end.Stop != agent.RunCancelled {
			t.Errorf("stop %s", end.Stop)
		}
		checkPairs(t, log)
	})
	synctest.Test(t, func(t *testing.T) { // in the middle of a tool
		var returned atomic.Bool
		tl := tool("sleep", agent.Executes, func(ctx context.Context, _ string) (agent.Result, error) {
			agent.Progress(ctx, "busy")
			<-ctx.Done()
			ignoreFor(500 * time.Millisecond)
			returned.Store(true)
			return agent.Result{}, ctx.Err()
		})
		a := &agent.Agent{Model: agenttest.NewModel(sleeps(1)), Tools: []agent.Tool{tl}}
		s := agent.NewSession("s")
		for e := range a.Run(t.Context(), s, agent.Say("go")) {
			if e.Type == agent.EvProgress {
				break
			}
		}
		if !returned.Load() || s.Open {
			t.Errorf("tool returned: %v, session open: %v", returned.Load(), s.Open)
		}
	})
}

func TestCancelInMidMessage(t *testing.T) {
	text, call := agent.TextPart("so far"), agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "x"}, Text: `{"do":`}
	for _, c := range []struct {
		name   string
		chunks []agent.Chunk
		types  string
		last   string
	}{
		{"text is kept, calls are dropped", []agent.Chunk{{Part: &text, Usage: &agent.Usage{Input: num(9)}}, {Index: 1, Part: &call}}, "message end", "so far"},
		{"only half a call: withdrawn", []agent.Chunk{{Part: &call, Usage: &agent.Usage{Input: num(9)}}}, "retry state end", "go"},
		{"nothing", []agent.Chunk{{Usage: &agent.Usage{Input: num(9)}}}, "state end", "go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				m := &hangingModel{chunks: c.chunks}
				time.AfterFunc(time.Second, cancel)
				var j agenttest.Journal
				a := &agent.Agent{Model: m, Journal: j.Append}
				s := agent.NewSession("s")
				evs := mustRun(t, a.Run(ctx, s, agent.Say("go")))
				var rest []agent.Event
				for _, e := range evs[3:] {
					if e.Type != agent.EvChunk {
						rest = append(rest, e)
					}
				}
				if types(rest) != c.types || lastEnd(t, evs).Stop != agent.RunCancelled {
					t.Errorf("events %s, stop %s", types(rest), lastEnd(t, evs).Stop)
				}
				m1 := s.Messages[len(s.Messages)-1]
				if m1.Text() != c.last || len(m1.Calls()) != 0 {
					t.Errorf("last message %+v", m1)
				}
				if m1.Role == agent.Assistant && m1.Stop != agent.StopAborted {
					t.Errorf("stop %s", m1.Stop)
				}
				if *s.Total.Input != 9 {
					t.Error("what it cost is lost")
				}
				if d := diffSessions(s, load(t, &j, "s")); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

// Questions wait for the person without holding the loop or other tools, and end with the run.
func TestQuestions(t *testing.T) {
	ask := tool("ask", agent.Reads, func(ctx context.Context, do string) (agent.Result, error) {
		ans, err := agent.AskUser(ctx, agent.Ask{Text: do, Choices: []string{"a", "b"}})
		return agent.TextResult(ans.Text), err
	})
	t.Run("two at once, answered in the other order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a := &agent.Agent{
				Model: agenttest.NewModel(agenttest.CallTools("ask", `{"do":"slow"}`, "ask", `{"do":"fast"}`), agenttest.Say("ok")), Tools: []agent.Tool{ask}, Parallel: 2,
				Ask: func(ctx context.Context, q agent.Ask) (agent.Answer, error) {
					if q.Text == "slow" {
						return agent.Answer{Text: "for slow"}, pause(ctx, time.Minute)
					}
					return agent.Answer{Text: "for fast"}, pause(ctx, time.Second)
				},
			}
			s := agent.NewSession("s")
			evs := durable(mustRun(t, a.Run(t.Context(), s, agent.Say("go"))))
			wantSame(t, "results", resultTexts(s), []string{"for slow", "for fast"})
			if got := types(evs); got != "message setup message call call ask ask answer message answer message message end" {
				t.Error(got)
			}
			if len(s.Asks)+len(s.Answers) != 0 {
				t.Errorf("left over: %v %v", s.Asks, s.Answers)
			}
		})
	})
	t.Run("cancelled while waiting", func(t *testing.T) {
		for _, name := range []string{"ask", "write"} { // from a tool, and before one
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Minute, cancel)
				write := tool("write", agent.Writes, func(context.Context, string) (agent.Result, error) {
					t.Error("it ran without an answer")
					return agent.Result{}, nil
				})
				a := &agent.Agent{
					Model: agenttest.NewModel(agenttest.CallTool(name, `{"do":"x"}`)), Tools: []agent.Tool{ask, write},
					Hooks: []agent.Hook{{BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, _ agent.Call) (agent.Decision, error) {
						if t.Name == "write" {
							return agent.Decision{Verdict: agent.AskFirst}, nil
						}
						return agent.Decision{}, nil
					}}},
					Ask: func(ctx context.Context, _ agent.Ask) (agent.Answer, error) {
						<-ctx.Done()
						return agent.Answer{Allow: true}, ctx.Err()
					},
				}
				s := agent.NewSession("s")
				end := lastEnd(t, mustRun(t, a.Run(ctx, s, agent.Say("go"))))
				if end.Stop != agent.RunCancelled || len(resultTexts(s)) != 1 || len(s.Asks) != 0 {
					t.Errorf("%s %q %v", end.Stop, resultTexts(s), s.Asks)
				}
			})
		}
	})
	t.Run("nobody to ask", func(t *testing.T) {
		a := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("ask", `{"do":"x"}`), agenttest.Say("ok")), Tools: []agent.Tool{ask}}
		s := agent.NewSession("s")
		if end := lastEnd(t, mustRun(t, a.Run(t.Context(), s, agent.Say("go")))); end.Stop != agent.RunDenied || !s.Refused {
			t.Errorf("%s %v", end.Stop, s.Refused)
		}
	})
	t.Run("the one who asks the person fails", func(t *testing.T) {
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTool("ask", `{"do":"x"}`), agenttest.Say("ok")), Tools: []agent.Tool{ask},
			Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
				return agent.Answer{}, errors.New("no terminal")
			},
		}
		s := agent.NewSession("s")
		mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
		if got := resultTexts(s); len(got) != 1 || !strings.Contains(got[0], "nobody answered") {
			t.Errorf("%q", got)
		}
	})
	t.Run("outside a run", func(t *testing.T) {
		ans, err := agent.AskUser(t.Context(), agent.Ask{Text: "hello?"})
		if err != nil || ans.Allow {
			t.Errorf("%v %v", ans, err)
		}
		agent.Progress(t.Context(), "nobody sees this")
	})
	t.Run("an answer that cannot be stored is not given", func(t *testing.T) {
		var got atomic.Value
		look := tool("look", agent.Reads, func(ctx context.Context, _ string) (agent.Result, error) {
			ans, err := agent.AskUser(ctx, agent.Ask{Text: "may I?"})
			got.Store(fmt.Sprint(ans.Allow, err != nil))
			return agent.Result{}, err
		})
		var j agenttest.Journal
		j.Fail = func(e *agent.Event) error {
			if e.Type == agent.EvAnswer {
				return errDisk
			}
			return nil
		}
		a := &agent.Agent{
			Model: agenttest.NewModel(agenttest.CallTool("look", `{"do":"x"}`)), Tools: []agent.Tool{look}, Journal: j.Append,
			Ask: func(context.Context, agent.Ask) (agent.Answer, error) { return agent.Answer{Allow: true}, nil },
		}
		_, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		if !errors.Is(err, errDisk) || got.Load() != "false true" {
			t.Errorf("run: %v; the tool got %v", err, got.Load())
		}
	})
}
