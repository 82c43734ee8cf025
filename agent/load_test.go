package agent_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// talk is a session of n turns with a tool call each, and what belongs to it.
func talk(t *testing.T, n int) (*agent.Agent, *agent.Session, *agenttest.Journal) {
	t.Helper()
	j := &agenttest.Journal{}
	turn := 0
	m := &agenttest.Model{Next: func(_ int, req *agent.Request) agenttest.Reply {
		r := agenttest.Say(fmt.Sprintf("answer %d", turn))
		if req.Messages[len(req.Messages)-1].Role == agent.User {
			r = agenttest.CallTool("echo", fmt.Sprintf(`{"do":"result %d"}`, turn))
		}
		r.Usage = &agent.Usage{Input: num(10)}
		return r
	}}
	a := &agent.Agent{Model: m, Tools: []agent.Tool{echo("echo")}, Journal: j.Append, Compact: agenttest.Trim(4)}
	s := agent.NewSession("s")
	for turn = range n {
		in := agent.Say(fmt.Sprintf("question %d", turn))
		in.State = map[string]json.RawMessage{"turn": json.RawMessage(fmt.Sprint(turn))}
		mustRun(t, a.Run(t.Context(), s, in))
	}
	return a, s, j
}

func void(t *testing.T, a *agent.Agent, s *agent.Session, j *agenttest.Journal, from, to int64) *agent.Session {
	t.Helper()
	e := agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: from, To: to}, Text: "rewind"}
	if err := a.Append(t.Context(), s, &e); err != nil {
		t.Fatal(err)
	}
	if e.Seq != s.Seq+1 {
		t.Fatalf("the void is event %d after %d", e.Seq, s.Seq)
	}
	return load(t, j, "s")
}

func texts(s *agent.Session) (out []string) {
	for _, m := range s.Messages {
		if r := m.Result(); r != nil {
			out = append(out, "result: "+r.Text())
			continue
		}
		out = append(out, string(m.Role)+": "+m.Text())
	}
	return out
}

func TestLoadVoids(t *testing.T) {
	a, s, j := talk(t, 3)
	before := texts(s)
	second := slices.IndexFunc(stored(t, j), func(e agent.Event) bool { return e.Message != nil && e.Message.Text() == "question 1" })
	from := int64(second + 1)
	last := s.Seq

	s = void(t, a, s, j, from, last) // undo the last two turns
	wantSame(t, "after the void", texts(s), before[:4])
	if s.Open || string(s.State["turn"]) != "0" || *s.Total.Input != 20 || s.Seq != last+1 {
		t.Errorf("open %v, state %s, total %d, seq %d", s.Open, s.State["turn"], *s.Total.Input, s.Seq)
	}
	s = void(t, a, s, j, last+1, last+1) // redo
	wantSame(t, "after the redo", texts(s), before)
	s = void(t, a, s, j, last+2, last+2) // undo the redo
	wantSame(t, "after undoing the redo", texts(s), before[:4])
	mustRun(t, a.Run(t.Context(), s, agent.Say("another way")))
	if d := diffSessions(s, load(t, j, "s")); d != "" {
		t.Error(d)
	}
	if got := texts(s); got[4] != "user: another way" || len(got) != 8 {
		t.Errorf("%q", got)
	}
}

func TestLoadVoidThatCutsARun(t *testing.T) {
	a, s, j := talk(t, 1)
	log := stored(t, j)
	i := slices.IndexFunc(log, func(e agent.Event) bool { return e.Type == agent.EvCall })
	s = void(t, a, s, j, log[i].Seq, s.Seq) // the call stays, its result and the end are gone
	if s.Open || len(s.OpenCalls()) != 1 {
		t.Fatalf("open %v, calls %v", s.Open, s.OpenCalls())
	}
	mustRun(t, a.Run(t.Context(), s, agent.Say("go on")))
	if got := resultTexts(s); !strings.HasPrefix(got[0], "interrupted") {
		t.Errorf("a call from before the rewind was run: %q", got)
	}
	checkOrder(t, load(t, j, "s"))
}

func TestLoadCompactions(t *testing.T) {
	a, s, j := talk(t, 3)
	whole := texts(s)
	beforeCompact := s.Seq
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	if d := diffSessions(s, load(t, j, "s")); d != "" {
		t.Errorf("after one compaction:\n%s", d)
	}
	head := "user: [earlier messages were left out]"
	wantSame(t, "one compaction", texts(s), append([]string{head}, whole[len(whole)-4:]...))
	if string(s.State["turn"]) != "2" || *s.Total.Input != 60 {
		t.Errorf("state %s, total %d", s.State["turn"], *s.Total.Input)
	}
	once := texts(s)
	mustRun(t, a.Run(t.Context(), s, agent.Say("question 3")))
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	second := s.Seq
	if d := diffSessions(s, load(t, j, "s")); d != "" {
		t.Errorf("after two compactions:\n%s", d)
	}
	s = void(t, a, s, j, second, second) // undo the second
	if got := texts(s); !slices.Equal(got[:len(once)], once) || len(got) != len(once)+4 {
		t.Errorf("after undoing the second: %q", got)
	}
	s = void(t, a, s, j, beforeCompact+1, beforeCompact+1) // and the first
	if got := texts(s); !slices.Equal(got[:len(whole)], whole) || len(got) != len(whole)+4 {
		t.Errorf("after undoing both: %q", got)
	}
	if *s.Total.Input != 80 {
		t.Errorf("total %d", *s.Total.Input)
	}
}

func TestLoadClear(t *testing.T) {
	a, s, j := talk(t, 3)
	var seqs []int64
	for _, m := range s.Messages {
		if m.Result() != nil {
			seqs = append(seqs, m.Seq)
		}
	}
	clearing := func(seq int64) func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
		return func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
			return &agent.Trim{From: 1, Clear: map[int64]string{seq: fmt.Sprintf("cleared %d \xff", seq)}, Before: 9, After: 5, Usage: &agent.Usage{Input: num(1)}}, nil
		}
	}
	for _, seq := range seqs[:2] {
		a.Compact = clearing(seq)
		mustRun(t, a.CompactNow(t.Context(), s, ""))
		if d := diffSessions(s, load(t, j, "s")); d != "" {
			t.Error(d)
		}
	}
	want := []string{fmt.Sprintf("cleared %d \uFFFD", seqs[0]), fmt.Sprintf("cleared %d \uFFFD", seqs[1]), "result 2"}
	wantSame(t, "results", resultTexts(s), want)
	if *s.Total.Input != 62 {
		t.Errorf("what compacting cost is lost: %d", *s.Total.Input)
	}
	s = void(t, a, s, j, s.Seq, s.Seq)
	wantSame(t, "after undo", resultTexts(s), []string{want[0], "result 1", "result 2"})
}

// What only clears counts with the compaction before it and without it; loading begins at that one.
func TestClearingOutlivesACompactionTakenBack(t *testing.T) {
	a, j := &agent.Agent{Model: agenttest.NewModel(agenttest.CallTool("echo", `{"do":"x"}`), agenttest.Say("ok"), agenttest.CallTool("echo", `{"do":"y"}`), agenttest.Say("ok")), Tools: []agent.Tool{echo("echo")}}, &agenttest.Journal{}
	a.Journal = j.Append
	s := agent.NewSession("s")
	mustRun(t, a.Run(t.Context(), s, agent.Say("one")))
	a.Compact = func(_ context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
		last := s.Messages[len(s.Messages)-1]
		switch {
		case n.Why == agent.Asked:
			return &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "summary")}, From: s.Seq + 1}, nil
		case last.Role == agent.ToolRole:
			return &agent.Trim{Clear: map[int64]string{last.Seq: "cleared"}}, nil
		}
		return nil, nil
	}
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	head := s.Seq
	mustRun(t, a.Run(t.Context(), s, agent.Say("two")))
	if d := diffSessions(s, load(t, j, "s")); d != "" || s.Compacted() != head || len(s.Messages) != 5 {
		t.Errorf("the head is %d of %d, %d messages: %s", s.Compacted(), head, len(s.Messages), d)
	}
	wantSame(t, "results", resultTexts(s), []string{"cleared"})
	short := s
	s = void(t, a, s, j, head, head)
	if s.Compacted() != 0 || len(s.Messages) != 8 {
		t.Errorf("taken back there are %d messages", len(s.Messages))
	}
	wantSame(t, "results", resultTexts(s), []string{"x", "cleared"})
	s = void(t, a, s, j, s.Seq, s.Seq)
	s.Seq = short.Seq
	if d := diffSessions(s, short); d != "" {
		t.Errorf("done again: %s", d)
	}
	broken := append([][]byte{[]byte(`{"seq":1,"type":"message"}`)}, j.Lines()[1:]...)
	if _, err := agent.Load("s", seqOf(broken), nil); err != nil {
		t.Errorf("loading does not begin at the compaction: %v", err)
	}
}

// Compactions inside a run keep the run's numbers, its open questions, and what it had refused.
func TestCompactInsideARun(t *testing.T) {
	var j agenttest.Journal
	compacted := 0
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTool("write", `{"do":"x"}`), agenttest.CallTool("echo", `{"do":"y"}`), agenttest.Say("ok")),
		Tools: []agent.Tool{echo("echo"), tool("write", agent.Writes, nil)}, Journal: j.Append,
		Hooks: []agent.Hook{{BeforeTool: func(_ context.Context, _ *agent.Session, t agent.Tool, _ agent.Call) (agent.Decision, error) {
			if t.Effect == agent.Writes {
				return agent.Decision{Verdict: agent.AskFirst}, nil
			}
			return agent.Decision{}, nil
		}}},
		Compact: func(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
			agent.Progress(ctx, "thinking")
			agent.Progress(ctx, "still")
			if compacted++; n.Why != agent.Check || len(s.Messages) < 4 {
				return nil, nil
			}
			return &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "summary")}, From: s.Messages[len(s.Messages)-2].Seq}, nil
		},
	}
	s := agent.NewSession("s")
	evs := mustRun(t, a.Run(t.Context(), s, agent.Say("go")))
	end := lastEnd(t, evs)
	if end.Stop != agent.RunDenied || end.Steps != 3 || !strings.Contains(types(evs), "compact") {
		t.Errorf("%s, %d steps, %s", end.Stop, end.Steps, types(evs))
	}
	for n := 1; n <= len(j.Lines()); n++ {
		if _, err := j.Load("s", n); err != nil {
			t.Error(err)
		}
	}
	if d := diffSessions(s, load(t, &j, "s")); d != "" {
		t.Error(d)
	}
	steps := 0
	for _, e := range evs {
		if e.Type == agent.EvStep && e.Text == "compact" {
			steps++
		}
	}
	if steps != compacted {
		t.Errorf("%d compact steps shown for %d compactions", steps, compacted)
	}
}

// A compaction that is the first event of a run does not bring the last run's numbers into it.
func TestCompactAsFirstEventOfARun(t *testing.T) {
	use := &agent.Usage{Input: num(10)}
	j := &agenttest.Journal{}
	a := &agent.Agent{Model: agenttest.NewModel(agenttest.Reply{Text: "x", Usage: use, Stop: agent.StopEnd}, agenttest.Fail(&agent.ModelError{Kind: agent.ErrServer}), agenttest.Reply{Text: "y", Usage: use}), Journal: j.Append}
	s := agent.NewSession("s")
	mustRun(t, a.Run(t.Context(), s, agent.Say("one")))
	mustRun(t, a.Run(t.Context(), s, agent.Say("two"))) // fails
	a.Compact = func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
		return &agent.Trim{From: 1, Usage: &agent.Usage{Input: num(1)}}, nil
	}
	end := lastEnd(t, mustRun(t, a.Run(t.Context(), s)))
	if *end.Usage.Input != 11 || end.Steps != 1 || *s.Total.Input != 21 {
		t.Errorf("usage %d, steps %d, total %d", *end.Usage.Input, end.Steps, *s.Total.Input)
	}
	if d := diffSessions(s, load(t, j, "s")); d != "" {
		t.Error(d)
	}
}

func TestCompactFailures(t *testing.T) {
	run := func(compact func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error), script ...agenttest.Reply) ([]agent.Event, agent.Event) {
		a := &agent.Agent{Model: agenttest.NewModel(script...), Compact: compact}
		evs := mustRun(t, a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
		return evs, lastEnd(t, evs)
	}
	fail := func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
		return nil, errors.New("no model")
	}
	evs, end := run(fail, agenttest.Say("ok"))
	if end.Stop != agent.RunEnd || !strings.Contains(types(evs), "notice") {
		t.Errorf("a check that fails: %s %s", end.Stop, types(evs))
	}
	_, end = run(fail, agenttest.Fail(&agent.ModelError{Kind: agent.ErrContextLength}))
	if end.Stop != agent.RunOverflow || !strings.Contains(end.Text, "no model") {
		t.Errorf("an overflow: %s %q", end.Stop, end.Text)
	}
	_, end = run(func(context.Context, *agent.Session, agent.Need) (*agent.Trim, error) {
		return nil, &agent.StopError{Stop: agent.RunBudget}
	}, agenttest.Say("ok"))
	if end.Stop != agent.RunBudget {
		t.Errorf("a StopError: %s", end.Stop)
	}
	a := &agent.Agent{Compact: fail}
	if evs := mustRun(t, a.CompactNow(t.Context(), agent.NewSession("s"), "")); types(evs) != "notice" || !strings.Contains(evs[0].Text, "no model") {
		t.Errorf("asked: %s", types(evs))
	}
	a.Compact = nil
	if evs := mustRun(t, a.CompactNow(t.Context(), agent.NewSession("s"), "")); len(evs) > 0 {
		t.Errorf("asked without a way to: %s", types(evs))
	}
}

// Loading reads nothing that comes before what still counts.
func TestLoadStartsAtTheLastLiveFrom(t *testing.T) {
	a, s, j := talk(t, 3)
	mustRun(t, a.CompactNow(t.Context(), s, ""))
	from := stored(t, j)[s.Seq-1].Trim.From
	lines := j.Lines()
	for i := range lines[:from-1] { // seq and type stay, the body is rubbish
		head, _, _ := strings.Cut(string(lines[i]), `,"time"`)
		lines[i] = []byte(head + ",!!!")
	}
	if d := diffSessions(s, loadLines(t, "s", lines)); d != "" {
		t.Error(d)
	}
	lines[from-1] = lines[0][:0:0]
	lines[from-1] = []byte(fmt.Sprintf(`{"seq":%d,"type":"message",!!!`, from))
	if _, err := agent.Load("s", seqOf(lines), nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("event %d", from)) {
		t.Errorf("rubbish that counts was not noticed: %v", err)
	}
}

func TestLoadBadLines(t *testing.T) {
	good := `{"seq":1,"type":"state","time":"2026-01-02T03:04:05Z"}`
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"no JSON", []string{good, "hello"}, "line 2: no event"},
		{"cut", []string{good, `{"seq":2,"type":"mess`}, "line 2: no event"},
		{"nothing", []string{""}, "line 1: no event"},
		{"zero bytes", []string{good, "\x00\x00\x00"}, "line 2: no event"},
		{"live", []string{good, `{"seq":2,"type":"chunk"}`}, `line 2: "chunk" is no durable event`},
		{"from the future", []string{good, `{"seq":2,"type":"hologram"}`}, `line 2: "hologram" is no durable event`},
		{"no type", []string{`{"seq":1}`}, `line 1: "" is no durable event`},
		{"a gap", []string{good, `{"seq":3,"type":"state"}`}, "line 2: event 3 follows event 1"},
		{"twice", []string{good, good}, "line 2: event 1 follows event 1"},
		{"a body that is no event", []string{good, `{"seq":2,"type":"message","message":7}`}, "event 2: cannot be read"},
		{"a message without its field", []string{good, `{"seq":2,"type":"message"}`}, "event 2 (message) has no message"},
		{"a void of nothing", []string{good, `{"seq":2,"type":"void"}`}, "event 2 (void) has no void"},
		{"a void that is no event", []string{good, `{"seq":2,"type":"void","void":7}`}, "event 2: cannot be read"},
		{"a compaction that is no event", []string{good, `{"seq":2,"type":"compact","trim":7}`}, "event 2: cannot be read"},
		{"a compaction without a trim", []string{good, `{"seq":2,"type":"compact"}`}, "event 2 (compact) has no trim"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines [][]byte
			for _, l := range c.lines {
				lines = append(lines, []byte(l))
			}
			_, err := agent.Load("s", seqOf(lines), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "session s") {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	broken := errors.New("disk")
	_, err := agent.Load("s", func(yield func([]byte, error) bool) { yield(nil, broken) }, nil)
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	s, err := agent.Load("s", seqOf(nil), nil)
	if err != nil || s.ID != "s" || s.Seq != 0 {
		t.Errorf("an empty log: %+v %v", s, err)
	}
	// Another encoder may put the fields in another order; that is slower, not wrong.
	s, err = agent.Load("s", seqOf([][]byte{[]byte(`{ "type":"state", "state":{"a":1}, "seq":1 }`)}), nil)
	if err != nil || string(s.State["a"]) != "1" {
		t.Errorf("%+v %v", s, err)
	}
}

// Attachments have their bytes again, in messages, results and what a compaction keeps; one whose bytes are lost stays
// without.
func TestLoadAttachments(t *testing.T) {
	get := func(sha string) ([]byte, error) {
		if sha == "lost" {
			return nil, errors.New("no such blob")
		}
		return []byte("bytes of " + sha), nil
	}
	part := func(sha string) string { return `{"kind":"blob","blob":{"mime":"image/png","sha256":"` + sha + `"}}` }
	lines := [][]byte{
		[]byte(`{"seq":1,"type":"message","run":"1","message":{"role":"user","parts":[` + part("m") + `,` + part("lost") + `]}}`),
		[]byte(`{"seq":2,"type":"message","run":"1","message":{"role":"assistant","parts":[{"kind":"call","call":{"id":"c","key":"s/2.1","name":"look","args":{}}}],"stop":"calls"}}`),
		[]byte(`{"seq":3,"type":"message","run":"1","message":{"role":"tool","parts":[{"kind":"result","result":{"call_id":"c","key":"s/2.1","parts":[` + part("r") + `]}}]}}`),
	}
	s, err := agent.Load("s", seqOf(lines), get)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{string(s.Messages[0].Parts[0].Blob.Data), string(s.Messages[0].Parts[1].Blob.Data), string(s.Messages[2].Result().Parts[0].Blob.Data)}
	lines = append(lines, []byte(`{"seq":4,"type":"compact","trim":{"head":[{"role":"user","parts":[`+part("h")+`]}],"from":4},"carry":{}}`))
	if s, err = agent.Load("s", seqOf(lines), get); err != nil {
		t.Fatal(err)
	}
	got = append(got, string(s.Messages[0].Parts[0].Blob.Data))
	if d := cmp.Diff([]string{"bytes of m", "", "bytes of r", "bytes of h"}, got); d != "" {
		t.Error(d)
	}
	if _, err := agent.Load("s", seqOf(lines), nil); err != nil {
		t.Error(err)
	}
}

func TestLoadBlobs(t *testing.T) {
	blobs := map[string]string{
		"t1": "a long \"text\" <&>", "a1": `{"command":"x","n":1}`, "d1": `[1,2]`, "o1": `"opaque"`, "s1": `{"todos":[]}`, "c1": "cleared text",
	}
	named := map[string]string{}
	get := func(sha string) ([]byte, error) {
		if b, ok := named[sha]; ok {
			return []byte(b), nil
		}
		return nil, errors.New("no such blob")
	}
	ref := func(name string) string {
		sum := sha256.Sum256([]byte(blobs[name]))
		sha := hex.EncodeToString(sum[:])
		named[sha] = blobs[name]
		return fmt.Sprintf(`{"$blob":%q,"size":%d}`, sha, len(blobs[name]))
	}
	base := []string{
		`{"seq":1,"type":"message","run":"1","message":{"role":"user","parts":[{"kind":"text","text":` + ref("t1") + `}]},"state":{"f":` + ref("s1") + `}}`,
		`{"seq":2,"type":"message","run":"1","message":{"role":"assistant","parts":[{"kind":"thinking","text":"{\"$blob\":\"no\"}","opaque":{"origin":"o","data":` + ref("o1") + `}},{"kind":"call","call":{"id":"c","key":"s/2.1","name":"bash","args":` + ref("a1") + `}}],"stop":"calls"}}`,
		`{"seq":3,"type":"ask","run":"1","ask":{"id":"s/2.1/0","call":{"id":"c","key":"s/2.1","name":"bash","args":` + ref("a1") + `},"text":` + ref("t1") + `}}`,
		`{"seq":4,"type":"answer","run":"1","ask":{"id":"s/2.1/0","text":"x"},"answer":{"id":"s/2.1/0","allow":true,"text":` + ref("t1") + `}}`,
		`{"seq":5,"type":"message","run":"1","message":{"role":"tool","parts":[{"kind":"result","result":{"call_id":"c","key":"s/2.1","parts":[{"kind":"text","text":` + ref("t1") + `}],"detail":` + ref("d1") + `}}]}}`,
	}
	asLines := func(l []string) (out [][]byte) {
		for _, x := range l {
			out = append(out, []byte(x))
		}
		return out
	}
	s, err := agent.Load("s", seqOf(asLines(base[:4])), get)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Answers["s/2.1/0"].Text; got != blobs["t1"] {
		t.Errorf("answer %q", got)
	}
	compact := `{"seq":6,"type":"compact","trim":{"head":[{"role":"user","parts":[{"kind":"text","text":` + ref("t1") + `}]}],"from":2,"clear":{"5":` + ref("c1") + `}},"state":{"f":` + ref("s1") + `},"carry":{"asks":{"s/9.1/0":{"id":"s/9.1/0","text":` + ref("t1") + `}},"answers":{"s/9.1/1":{"id":"s/9.1/1","allow":false,"text":` + ref("t1") + `}}}}`
	s, err = agent.Load("s", seqOf(asLines(append(slices.Clone(base), compact))), get)
	if err != nil {
		t.Fatal(err)
	}
	call := s.Messages[1].Calls()[0]
	for what, pair := range map[string][2]string{
		"head":    {s.Messages[0].Text(), blobs["t1"]},
		"args":    {string(call.Args), blobs["a1"]},
		"opaque":  {string(s.Messages[1].Parts[0].Opaque.Data), blobs["o1"]},
		"text":    {s.Messages[1].Thinking(), `{"$blob":"no"}`},
		"cleared": {s.Messages[2].Result().Text(), blobs["c1"]},
		"detail":  {string(s.Messages[2].Result().Detail), blobs["d1"]},
		"state":   {string(s.State["f"]), blobs["s1"]},
		"ask":     {s.Asks["s/9.1/0"].Text, blobs["t1"]},
		"answer":  {s.Answers["s/9.1/1"].Text, blobs["t1"]},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
	if s.Messages[0].Seq != 6 || s.Messages[1].Seq != 2 {
		t.Errorf("numbers %d %d", s.Messages[0].Seq, s.Messages[1].Seq)
	}
	for name, c := range map[string]struct {
		blob func(string) ([]byte, error)
		want string
	}{"no store": {nil, "no blob store given"}, "broken": {func(string) ([]byte, error) { return nil, errors.New("gone") }, ": gone"}} {
		if _, err := agent.Load("s", seqOf(asLines(base)), c.blob); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What is lost does not cost the session.
	s, err = agent.Load("s", seqOf(asLines(append(slices.Clone(base), compact))), func(string) ([]byte, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(s.State) > 0 || len(s.Messages) != 3 {
		t.Errorf("state %v, %d messages", s.State, len(s.Messages))
	}
	call = s.Messages[1].Calls()[0]
	for what, text := range map[string]string{
		"head": s.Messages[0].Text(), "args": string(call.Args), "cleared": s.Messages[2].Result().Text(), "detail": string(s.Messages[2].Result().Detail),
		"opaque": string(s.Messages[1].Parts[0].Opaque.Data), "ask": s.Asks["s/9.1/0"].Text,
	} {
		if !strings.Contains(text, "(the body ") || !strings.Contains(text, " is missing)") {
			t.Errorf("%s: %q", what, text)
		}
	}
	// Deeper inside a tool's own arguments, state or details the same words are the tool's.
	own := `{"seq":1,"type":"message","run":"1","message":{"role":"assistant","parts":[{"kind":"call","call":{"id":"c","key":"k","name":"b","args":{"text":{"$blob":"t1"},"state":{"$blob":"t1"}}}}]},"state":{"f":{"text":{"$blob":"t1"}}}}`
	s, err = agent.Load("s", seqOf(asLines([]string{own})), nil)
	if err != nil || string(s.Messages[0].Calls()[0].Args) != `{"text":{"$blob":"t1"},"state":{"$blob":"t1"}}` || string(s.State["f"]) != `{"text":{"$blob":"t1"}}` {
		t.Errorf("%v %+v", err, s)
	}
}

// What is remembered of used-up inputs is bounded, and the newest ids stay.
func TestTakenIsBounded(t *testing.T) {
	var j agenttest.Journal
	a := &agent.Agent{Model: agenttest.NewModel(), Journal: j.Append, Compact: agenttest.Trim(1)}
	s := agent.NewSession("s")
	for i := int64(1); i <= 600; i++ {
		if err := a.Append(t.Context(), s, &agent.Event{Type: agent.EvState, Took: []agent.Took{{Log: "in", Pos: i, ID: fmt.Sprint("id", i), Through: true}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*agent.Session{s, load(t, &j, "s")} {
		if !s.Taken("in", 1, "") || !s.Taken("in", 600, "") || s.Taken("in", 601, "") || !s.Taken("in", 700, "id600") || !s.Taken("in", 700, "id400") || s.Taken("in", 700, "id1") {
			t.Error("wrong memory of inputs")
		}
	}
}
