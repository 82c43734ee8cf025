package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// word is the argument of most test tools: it says what the tool is to do.
type word struct {
	Do string `json:"do"`
}

// tool makes a tool of a function of its word.
func tool(name string, e agent.Effect, fn func(ctx context.Context, do string) (agent.Result, error)) agent.Tool {
	return agent.NewTool(name, "does "+name, e, func(ctx context.Context, in word) (agent.Result, error) {
		return fn(ctx, in.Do)
	})
}

// echo is a reading tool that answers with its word.
func echo(name string) agent.Tool {
	return tool(name, agent.Reads, func(_ context.Context, do string) (agent.Result, error) {
		return agent.TextResult(do), nil
	})
}

// pause waits for d or the end of ctx; inside a bubble of synctest it takes no time.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ignoreFor waits for d whatever happens.
func ignoreFor(d time.Duration) { <-time.After(d) }

// mustRun runs to the end and fails on an error.
func mustRun(t fataler, seq iter.Seq2[agent.Event, error]) []agent.Event {
	t.Helper()
	evs, err := agenttest.Collect(seq)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	return evs
}

// stored decodes the lines of a journal.
func stored(t fataler, j *agenttest.Journal) []agent.Event {
	t.Helper()
	return decodeLines(t, j.Lines())
}

func decodeLines(t fataler, lines [][]byte) []agent.Event {
	t.Helper()
	var out []agent.Event
	for _, l := range lines {
		var e agent.Event
		if err := json.Unmarshal(l, &e); err != nil {
			t.Fatalf("line %s: %v", l, err)
		}
		out = append(out, e)
	}
	return out
}

func load(t fataler, j *agenttest.Journal, id string) *agent.Session {
	t.Helper()
	return loadLines(t, id, j.Lines())
}

func loadLines(t fataler, id string, lines [][]byte) *agent.Session {
	t.Helper()
	s, err := agent.Load(id, seqOf(lines), nil)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return s
}

func seqOf(lines [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// journalOf makes a journal that holds these lines already.
func journalOf(t fataler, lines [][]byte) *agenttest.Journal {
	t.Helper()
	j := &agenttest.Journal{}
	for _, e := range decodeLines(t, lines) {
		if err := j.Append(context.Background(), &e); err != nil {
			t.Fatalf("journal: %v", err)
		}
	}
	return j
}

// diffSessions compares all that a session shows.
func diffSessions(a, b *agent.Session) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(agent.Session{}), cmpopts.EquateEmpty())
}

func lastEnd(t fataler, evs []agent.Event) agent.Event {
	t.Helper()
	if len(evs) == 0 || evs[len(evs)-1].Type != agent.EvEnd {
		t.Fatalf("the run did not finish with an end event: %s", types(evs))
	}
	return evs[len(evs)-1]
}

// types writes a list of events as their types.
func types(evs []agent.Event) string {
	out := make([]string, len(evs))
	for i, e := range evs {
		out[i] = string(e.Type)
	}
	return strings.Join(out, " ")
}

func durable(evs []agent.Event) []agent.Event {
	return slices.DeleteFunc(slices.Clone(evs), func(e agent.Event) bool { return !e.Type.Durable() })
}

// resultsByKey maps each call's key to the texts of its results, in the order of the log.
func resultsByKey(evs []agent.Event) map[string][]string {
	out := map[string][]string{}
	for _, e := range evs {
		if e.Type != agent.EvMessage {
			continue
		}
		for _, c := range e.Message.Calls() {
			out[c.Key] = append(out[c.Key], []string{}...)
		}
		if r := e.Message.Result(); r != nil {
			out[r.Key] = append(out[r.Key], r.Text())
		}
	}
	return out
}

// checkPairs fails unless every call in the log has exactly one result and every result a call.
func checkPairs(t fataler, evs []agent.Event) {
	t.Helper()
	calls, results := map[string]int{}, map[string]int{}
	for _, e := range evs {
		if e.Type != agent.EvMessage {
			continue
		}
		for _, c := range e.Message.Calls() {
			calls[c.Key]++
		}
		if r := e.Message.Result(); r != nil {
			results[r.Key]++
		}
	}
	for key, n := range calls {
		if n != 1 || results[key] != 1 {
			t.Errorf("call %s stands %d times and has %d results", key, n, results[key])
		}
	}
	for key := range results {
		if calls[key] == 0 {
			t.Errorf("result %s has no call", key)
		}
	}
}

// checkOrder fails unless the results of the session stand right behind their message, in the order of its calls.
func checkOrder(t fataler, s *agent.Session) {
	t.Helper()
	for i, m := range s.Messages {
		if m.Role != agent.Assistant {
			continue
		}
		for n, c := range m.Calls() {
			if i+1+n >= len(s.Messages) || s.Messages[i+1+n].Result() == nil || s.Messages[i+1+n].Result().Key != c.Key {
				t.Errorf("message %d: call %d (%s) is not followed by its result in its place", i, n, c.Key)
			}
		}
	}
}

// resultTexts lists the session's results in their order.
func resultTexts(s *agent.Session) []string {
	var out []string
	for _, m := range s.Messages {
		if r := m.Result(); r != nil {
			out = append(out, r.Text())
		}
	}
	return out
}

func num(n int64) *int64 { return new(n) }

func key(seq, n int) string { return fmt.Sprintf("s/%d.%d", seq, n) }

func wantSame[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
