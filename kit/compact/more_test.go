package compact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/kit/compact"
)

// plainTool answers with the same text each time.
func plainTool(name, text string) agent.Tool {
	return agent.Tool{Name: name, Effect: agent.Reads, Schema: json.RawMessage(`{"type":"object"}`), Run: func(context.Context, agent.Call) (agent.Result, error) {
		return agent.TextResult(text), nil
	}}
}

func results(s *agent.Session) (list []string) {
	for i := range s.Messages {
		if r := s.Messages[i].Result(); r != nil {
			list = append(list, r.Text())
		}
	}
	return list
}

// Micro clears what the model has seen, but for the last three, what is short, and what holds; each round, and silently.
func TestMicro(t *testing.T) {
	long := strings.Repeat("a long line ", 20)
	names := []string{"bash", "skill_view", "read_file", "bash", "short", "bash", "bash", "bash"}
	for _, c := range []struct {
		set  compact.Settings
		want []string
	}{
		{compact.Settings{Micro: true}, []string{"[cleared]", long, "[cleared]", "[cleared]", "ok", long, long, long}},
		{
			compact.Settings{Micro: true, KeepReads: true, Results: 1, Cleared: "[Previous: used %s]"},
			[]string{"[Previous: used bash]", long, long, "[Previous: used bash]", "ok", "[Previous: used bash]", "[Previous: used bash]", long},
		},
	} {
		var sent [][]string
		r := newRig(t, 0, compact.Options{Settings: c.set}, func(n int, req *agent.Request) agenttest.Reply {
			sent = append(sent, results(&agent.Session{Messages: req.Messages}))
			if n < len(names) {
				return agenttest.CallTool("x_"+names[n], "{}")
			}
			return agenttest.Say("done")
		})
		r.a.Tools = nil
		for _, name := range []string{"bash", "skill_view", "read_file", "short"} {
			tool := plainTool(name, long)
			if name == "short" {
				tool = plainTool(name, "ok")
			}
			tool.Alias = "x_" + name
			r.a.Tools = append(r.a.Tools, tool)
		}
		evs := r.say("go")
		if got := sent[len(names)]; !slices.Equal(got, c.want) {
			t.Errorf("the last request has %q, want %q", got, c.want)
		}
		for _, e := range types(evs, agent.EvCompact) {
			if len(e.Trim.Head) > 0 || e.Trim.Before != 0 || e.Text != "check" {
				t.Errorf("a silent compaction: %+v", e.Trim)
			}
		}
		if len(r.asked) != 0 || len(types(evs, agent.EvStep)) != len(names)+1 {
			t.Error("the model was asked for something")
		}
		if left, err := r.c.Trim(t.Context(), r.s, agent.Need{Why: agent.Check}); (left != nil || err != nil) && c.set.Results == 0 {
			t.Errorf("something is left to clear: %+v %v", left, err)
		}
	}
}

// Results that came together and that the model has not seen stay, however many they are.
func TestMicroLeavesTheUnseen(t *testing.T) {
	var got []string
	r := newRig(t, 0, compact.Options{Settings: compact.Settings{Micro: true}}, func(n int, req *agent.Request) agenttest.Reply {
		if n == 0 {
			return agenttest.CallTools("read_file", `{"path":"a","n":20}`, "read_file", `{"path":"b","n":20}`, "read_file", `{"path":"c","n":20}`, "read_file", `{"path":"d","n":20}`, "read_file", `{"path":"e","n":20}`)
		}
		got = results(&agent.Session{Messages: req.Messages})
		return agenttest.Say("done")
	})
	r.say("go")
	if len(got) != 5 || slices.Contains(got, "[cleared]") {
		t.Errorf("the model saw %q", got)
	}
}

// In the form of the source systems there are two messages, the transcript, and nothing else of what was seen.
func TestPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		keep := compact.Transcripts{Root: dir, Dir: ".transcripts", Relative: true, Mask: func(s string) string { return strings.ReplaceAll(s, "sesame", "[secret]") }}
		r := newRig(t, 0, compact.Options{Settings: compact.Settings{Plain: true}, Transcript: keep.Keep}, sayOK)
		r.say("open sesame")
		r.compact("")
		if len(r.s.Messages) != 2 {
			t.Fatalf("%d messages", len(r.s.Messages))
		}
		const path = ".transcripts/transcript_946684800.jsonl" // when fake time begins
		if first := r.s.Messages[0]; !strings.HasPrefix(first.Text(), "[Compressed. Transcript: "+path+"]\nWork was done.") || first.Role != agent.User {
			t.Errorf("first: %s", first.Text())
		}
		if second := r.s.Messages[1]; second.Role != agent.Assistant || second.Text() != "Understood. Continuing with summary context." {
			t.Errorf("second: %+v", second)
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		var m agent.Message
		if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &m) != nil || m.Text() != "open [secret]" {
			t.Errorf("the transcript has %q", lines)
		}
		r.say("more")
		r.compact("")
		if _, err := os.Stat(filepath.Join(dir, ".transcripts/transcript_946684800_2.jsonl")); err != nil {
			t.Error(err)
		}
		if again, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(again) != string(data) {
			t.Errorf("the first transcript was written again: %v", err)
		}
	})
}

// A transcript never leaves its place by a link; where it cannot be kept, the compaction is made and the person told.
func TestTranscriptStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, ".transcripts")); err != nil {
		t.Skipf("not here: %v", err)
	}
	keep := compact.Transcripts{Root: dir, Dir: ".transcripts", Relative: true}
	r := newRig(t, 0, compact.Options{Transcript: keep.Keep}, sayOK)
	r.say("hello")
	evs := types(r.compact(""), agent.EvCompact)
	if len(evs) != 1 {
		t.Fatal("it was not compacted")
	}
	o, ok := compact.About(evs[0].Trim)
	if !ok || !strings.Contains(o.Note, "could not be kept in a file") || o.Dropped == 0 {
		t.Errorf("%+v", o)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 0 {
		t.Errorf("outside there are %v %v", list, err)
	}
}

// What is kept apart goes with its session, and with no other's.
func TestTranscriptsApart(t *testing.T) {
	keep := compact.Transcripts{Root: filepath.Join(t.TempDir(), "new"), Dir: "t", Apart: true}
	if err := keep.Drop(func(string) bool { return true }); err != nil {
		t.Error("nothing is there yet:", err)
	}
	paths := map[string]string{}
	for _, session := range []string{"s", "s.1", "t"} {
		path, err := keep.Keep(t.Context(), session, []agent.Message{agent.TextMessage(agent.User, session)})
		if err != nil || !filepath.IsAbs(path) {
			t.Fatal(path, err)
		}
		paths[session] = path
	}
	if err := keep.Drop(func(session string) bool { return strings.HasPrefix(session, "s") }); err != nil {
		t.Error(err)
	}
	for session, path := range paths {
		if _, err := os.Stat(path); (err == nil) != (session == "t") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Those who want to know hear before and after; a no is told, and asked by nobody again at once.
func TestBeforeAndAfter(t *testing.T) {
	var before, after []string
	no := true
	r := newRig(t, 0, compact.Options{
		Before: func(_ context.Context, _ *agent.Session, why agent.Why, focus string) error {
			before = append(before, string(why)+" "+focus)
			if no {
				return errors.New("not today")
			}
			return nil
		},
		After: func(_ context.Context, session string, why agent.Why, summary string) {
			after = append(after, session+" "+string(why)+" "+summary)
		},
	}, sayOK)
	r.say("hello")
	evs := r.compact("blue")
	if n := types(evs, agent.EvNotice); len(n) != 1 || !strings.Contains(n[0].Text, "not today") || len(r.asked) != 0 {
		t.Fatalf("%v", n)
	}
	no = false
	r.compact("blue")
	if !slices.Equal(before, []string{"asked blue", "asked blue"}) || !slices.Equal(after, []string{"s asked Work was done."}) {
		t.Errorf("before %q after %q", before, after)
	}
	r.c = compact.New(compact.Options{Agent: r.a, Before: func(context.Context, *agent.Session, agent.Why, string) error {
		return &agent.StopError{Stop: agent.RunDenied}
	}})
	r.say("more")
	if _, err := r.c.Trim(t.Context(), r.s, agent.Need{Why: agent.Asked}); !errors.As(err, new(*agent.StopError)) {
		t.Errorf("a StopError comes out as %v", err)
	}
	if _, err := agenttest.Collect(r.a.CompactNow(t.Context(), agent.NewSession("e"), "")); err != nil {
		t.Error(err)
	}
	empty := agenttest.Journal{}
	a := *r.a
	a.Journal = empty.Append
	evs, err := agenttest.Collect(a.CompactNow(t.Context(), agent.NewSession("e"), ""))
	if err != nil || len(evs) > 0 {
		t.Errorf("%v %v", evs, err)
	}
}

// The limit comes from the window, less the room for an answer, and from the settings; without a window it is 100,000.
func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		window, answer, maxOut int
		set                    compact.Settings
		want                   int
	}{
		{0, 0, 0, compact.Settings{}, 100_000},
		{0, 0, 0, compact.Settings{At: 5000}, 5000},
		{200_000, 0, 0, compact.Settings{}, 172_627},
		{200_000, 64_000, 0, compact.Settings{}, 151_200},
		{200_000, 64_000, 10_000, compact.Settings{}, 171_000},
		{200_000, 0, 0, compact.Settings{Share: 0.5}, 95_904},
		{200_000, 0, 0, compact.Settings{At: 100_000}, 100_000},
		{8000, 0, 0, compact.Settings{At: 100_000}, 4800},
		{1, 0, 0, compact.Settings{}, 1},
	} {
		a := &agent.Agent{Model: &model{Model: agenttest.NewModel(), window: c.window, out: c.answer}, MaxOut: c.maxOut}
		if got := compact.New(compact.Options{Agent: a, Settings: c.set}).Threshold(); got < c.want-1 || got > c.want+1 {
			t.Errorf("window %d, answer %d, at most %d, %+v: %d, want %d", c.window, c.answer, c.maxOut, c.set, got, c.want)
		}
	}
	if got := compact.New(compact.Options{Agent: &agent.Agent{}}).Threshold(); got != compact.DefaultAt {
		t.Errorf("without a model: %d", got)
	}
}

// What the vendor has counted counts, with what came after it; what cannot be true does not.
func TestTokens(t *testing.T) {
	num := func(n int64) *int64 { return &n }
	usage := &agent.Usage{Input: num(5000), Output: num(300), Reasoning: num(200)}
	r := newRig(t, 0, compact.Options{}, func(int, *agent.Request) agenttest.Reply { return agenttest.Reply{Text: "ok", Usage: usage} })
	r.say("hi")
	if got := r.c.Tokens(t.Context(), r.s); got != 5100 {
		t.Errorf("%d tokens, want what was reported and written", got)
	}
	usage = &agent.Usage{Input: num(6000)}
	r.say("hi")
	if got := r.c.Tokens(t.Context(), r.s); got < 6001 || got > 6020 {
		t.Errorf("%d tokens", got)
	}
	usage = &agent.Usage{Input: num(3)}
	r.say(strings.Repeat("a word and ", 400))
	if got := r.c.Tokens(t.Context(), r.s); got < 800 {
		t.Errorf("%d tokens: a count that cannot be true was believed", got)
	}
	usage = &agent.Usage{Input: num(9000), Estimated: true}
	r.say("hi")
	if got := r.c.Tokens(t.Context(), r.s); got > 4000 {
		t.Errorf("%d tokens: an estimate of somebody else was believed", got)
	}
	usage = &agent.Usage{Input: num(9000)}
	r.say("hi")
	r.compact("")
	if got := r.c.Tokens(t.Context(), r.s); got > 3000 {
		t.Errorf("%d tokens: what was counted before a compaction is over", got)
	}
}

// Sections are cut at their ends where they do not fit, and say so.
func TestSectionsWithinBudget(t *testing.T) {
	carry := []compact.Section{
		{Name: "plan", Text: func(*agent.Session) string { return "PLAN-1" }},
		{Name: "nothing", Text: func(*agent.Session) string { return "" }},
		{Name: "skills", Text: func(*agent.Session) string {
			return "SKILL-1 " + strings.Repeat("Do this and that. ", 5000) + "SKILL-END"
		}},
		{Name: "orders", Text: func(*agent.Session) string { return "ORDER-1 " + strings.Repeat("Do this and that. ", 500) }},
	}
	r := newRig(t, 9000, compact.Options{Carry: carry}, sayOK)
	r.say("hello " + strings.Repeat("old words. ", 300))
	r.compact("")
	seen := r.seen()
	for _, want := range []string{"PLAN-1", "SKILL-1", "[The rest of the skills did not fit here", "[The rest of the orders did not fit here"} {
		if !strings.Contains(seen, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if strings.Contains(seen, "SKILL-END") || r.c.Tokens(t.Context(), r.s) > r.c.Threshold() {
		t.Errorf("%d tokens of %d", r.c.Tokens(t.Context(), r.s), r.c.Threshold())
	}
}

// What was attached is named, not repeated, and pictures go as names into the request for a summary.
func TestAttachments(t *testing.T) {
	r := newRig(t, 0, compact.Options{}, sayOK)
	m := agent.TextMessage(agent.User, "look at @a.txt")
	m.Parts = append(m.Parts, agent.TextPart("\n<attached path=\"a.txt\">\nsecret plans of a\n</attached>"),
		agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "cat.png", Data: []byte("BYTES")}})
	if _, err := agenttest.Collect(r.a.Run(t.Context(), r.s, agent.Note{Messages: []agent.Message{m}})); err != nil {
		t.Fatal(err)
	}
	r.compact("")
	seen := r.seen()
	if !strings.Contains(seen, `> look at @a.txt`) || !strings.Contains(seen, `[attached path="a.txt"]`) || !strings.Contains(seen, "[attached: cat.png]") || strings.Contains(seen, "secret plans") {
		t.Errorf("the window has %s", seen)
	}
	asked := r.asked[0].Messages[0]
	if len(asked.Parts) != 1 || !strings.Contains(asked.Text(), "(attached: cat.png)") || strings.Contains(asked.Text(), "BYTES") || len(r.asked[0].Tools) != 0 {
		t.Errorf("asked: %+v", asked)
	}
}

// Between two compactions each request begins with the one before, byte for byte.
func TestPrefixStays(t *testing.T) {
	r := newRig(t, 5000, compact.Options{}, func(n int, req *agent.Request) agenttest.Reply {
		if n%3 == 2 {
			return agenttest.Say("done")
		}
		return agenttest.CallTool("read_file", fmt.Sprintf(`{"path":"f%d","n":45}`, n))
	})
	cuts := 0
	for i := range 14 {
		cuts += len(types(r.say(fmt.Sprintf("task %d", i)), agent.EvCompact))
	}
	bodies, broken := r.model.Bodies(), 0
	for i := 1; i < len(bodies); i++ {
		if !strings.HasPrefix(string(bodies[i]), string(bodies[i-1])) {
			broken++
		}
	}
	if cuts < 2 || broken != cuts || cuts > len(bodies)/5 {
		t.Errorf("%d compactions, the prefix broke %d times in %d requests", cuts, broken, len(bodies))
	}
}

// Without compactions by themselves nothing happens before a call; what is refused is made smaller all the same.
func TestManual(t *testing.T) {
	r := newRig(t, 2000, compact.Options{Settings: compact.Settings{Manual: true}}, sayOK)
	for i := range 12 {
		if evs := r.say(fmt.Sprintf("%d %s", i, strings.Repeat("words and words. ", 45))); len(types(evs, agent.EvCompact)) != 0 {
			t.Fatal("it was compacted")
		}
	}
	r.model.strict = 1500
	if evs := r.say("go on"); end(t, evs).Stop != agent.RunEnd || len(types(evs, agent.EvCompact)) != 1 {
		t.Errorf("%s", end(t, evs).Text)
	}
}

// A budget that is used up ends the run, whoever asks.
func TestSummaryOverBudget(t *testing.T) {
	r := newRig(t, 2000, compact.Options{}, sayOK)
	for i := range 5 {
		r.say(fmt.Sprintf("%d %s", i, strings.Repeat("words and words. ", 45)))
	}
	r.summary = func(*agent.Request) (agent.Message, *agent.Usage, error) {
		return agent.Message{}, nil, &agent.StopError{Stop: agent.RunBudget, Text: "spent"}
	}
	if e := end(t, r.say("and now "+strings.Repeat("words and words. ", 45))); e.Stop != agent.RunBudget {
		t.Errorf("%s %s", e.Stop, e.Text)
	}
}

// What fills the window is named as the product says it, the largest first, four at most; without such words the whole is.
func TestFills(t *testing.T) {
	r := newRig(t, 0, compact.Options{Fills: func(context.Context, *agent.Session) []compact.Size {
		return []compact.Size{{"a", 1}, {"AGENTS.md", 900}, {"b", 2}, {"nothing", 0}, {"c", 3}, {"tools", 70}}
	}}, sayOK)
	if got := filled(t, r); !strings.Contains(got, "AGENTS.md (about 900 tokens), tools (about 70 tokens), c (about 3 tokens), b (about 2 tokens).") {
		t.Error(got)
	}
	if got := filled(t, newRig(t, 0, compact.Options{Fills: func(context.Context, *agent.Session) []compact.Size { return nil }}, sayOK)); !strings.Contains(got, "the request as a whole (about ") {
		t.Error(got)
	}
}

// filled is what is said when nothing more can be taken out.
func filled(t *testing.T, r *rig) string {
	t.Helper()
	r.say("hello")
	_, err := r.a.Compact(t.Context(), r.s, agent.Need{Why: agent.Overflow, Tries: 2})
	if err == nil {
		t.Fatal("no error")
	}
	return err.Error()
}

// A cancel in the middle of a summary ends the run as cancelled, and nothing is stored of it.
func TestCancelledSummary(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t, 2000, compact.Options{}, sayOK)
	for i := range 5 {
		r.say(fmt.Sprintf("%d %s", i, strings.Repeat("words and words. ", 45)))
	}
	r.summary = func(*agent.Request) (agent.Message, *agent.Usage, error) {
		cancel()
		return agent.Message{}, nil, &agent.ModelError{Kind: agent.ErrNetwork, Err: context.Canceled}
	}
	evs, err := agenttest.Collect(r.a.Run(ctx, r.s, agent.Say("and now "+strings.Repeat("words and words. ", 45))))
	if err != nil {
		t.Fatal(err)
	}
	if e := end(t, evs); e.Stop != agent.RunCancelled || len(types(evs, agent.EvCompact)) != 0 {
		t.Errorf("%s", e.Stop)
	}
	r.summary = nil
	if evs := r.say("go on"); len(types(evs, agent.EvCompact)) != 1 || end(t, evs).Stop != agent.RunEnd {
		t.Error("it is not made afterwards")
	}
}

// What hooks add to a request counts, and what a vendor has counted of another one does not.
func TestMeasuredAsItIsSent(t *testing.T) {
	more, changed := "", false
	var r *rig
	r = newRig(t, 2000, compact.Options{Request: func(_ context.Context, s *agent.Session) (*agent.Request, bool, error) {
		return &agent.Request{System: r.a.System + more, Messages: s.Messages}, changed, nil
	}}, func(int, *agent.Request) agenttest.Reply {
		n := int64(900)
		return agenttest.Reply{Text: "ok", Usage: &agent.Usage{Input: &n}}
	})
	r.say("hello")
	if n := r.c.Tokens(t.Context(), r.s); n < 900 || n > 920 {
		t.Errorf("%d tokens, and 900 were counted", n)
	}
	more, changed = strings.Repeat("An order of the house. ", 300), true
	if n := r.c.Tokens(t.Context(), r.s); n < 1500 {
		t.Errorf("%d tokens without what is added", n)
	}
}
