package gauge_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/internal/weigh"
	"react-agent/kit/gauge"
)

func user(seq int64, from string, parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.User, From: from, Parts: parts, Seq: seq}
}

func said(seq int64, input int64, parts ...agent.Part) agent.Message {
	m := agent.Message{Role: agent.Assistant, Parts: parts, Seq: seq}
	if input > 0 {
		m.Usage = &agent.Usage{Input: &input}
	}
	return m
}

func call(key, name, args string) agent.Part {
	return agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: key, Key: key, Name: name, Args: json.RawMessage(args)}}
}

func result(seq int64, key, text string) agent.Message {
	return agent.Message{Role: agent.ToolRole, Seq: seq, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{
		CallID: key, Key: key, Parts: []agent.Part{agent.TextPart(text)},
	}}}}
}

func find(t *testing.T, r gauge.Report, kind gauge.Kind, name string) gauge.Item {
	t.Helper()
	for _, it := range r.Items {
		if it.Kind == kind && it.Name == name {
			return it
		}
	}
	t.Fatalf("no %s %q in %+v", kind, name, r.Items)
	return gauge.Item{}
}

// conversation has one of each kind.
func conversation(input int64) *agent.Request {
	return &agent.Request{
		System: "You help.\n\nSkills: a, b",
		Tools:  []agent.Tool{{Name: "bash", Alias: "sh", Doc: "Runs.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []agent.Message{
			user(3, "compact", agent.TextPart("what happened before")),
			user(4, "", agent.TextPart("please look"), agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "a.png", Data: make([]byte, 10)}}),
			user(5, "memory", agent.TextPart("likes tea")),
			user(6, "job", agent.TextPart("it is done")),
			said(7, input, agent.Part{Kind: agent.Thinking, Text: "hm"}, agent.TextPart("I look"), call("k1", "sh", `{"command":"ls"}`)),
			result(8, "k1", strings.Repeat("file ", 400)),
			said(9, 0, agent.TextPart("done")),
		},
	}
}

func query(r *agent.Request) gauge.Query {
	return gauge.Query{
		Request: r, Compacted: 3, System: []gauge.Part{{"face", "You help."}, {"skills", "Skills: a, b"}},
		Label: func(x gauge.Piece) (gauge.Kind, string) {
			if x.Message.From == "memory" {
				return gauge.Memory, ""
			}
			return "", ""
		},
	}
}

func TestWhatFillsTheWindow(t *testing.T) {
	r := gauge.Measure(query(conversation(0)))
	for _, c := range []struct {
		kind gauge.Kind
		name string
	}{
		{gauge.System, "face"},
		{gauge.System, "skills"},
		{gauge.Tools, "sh"},
		{gauge.Summary, ""},
		{gauge.Person, ""},
		{gauge.Files, "a.png"},
		{gauge.Memory, ""},
		{gauge.Notes, "job"},
		{gauge.Answers, ""},
		{gauge.Thoughts, ""},
		{gauge.Calls, "sh"},
		{gauge.Results, "sh"},
	} {
		if it := find(t, r, c.kind, c.name); it.Tokens <= 0 || it.Bytes <= 0 {
			t.Errorf("%+v", it)
		}
	}
	if len(r.Items) != 12 || r.Reported != 0 {
		t.Errorf("%d items, reported %d", len(r.Items), r.Reported)
	}
	if it := find(t, r, gauge.Answers, ""); it.Count != 2 {
		t.Errorf("two answers are %d", it.Count)
	}
	kinds := r.Kinds()
	if kinds[0].Kind != gauge.System || kinds[0].Count != 2 || kinds[len(kinds)-1].Kind != gauge.Results {
		t.Errorf("kinds: %+v", kinds)
	}
}

// What a vendor has counted is the sum of what stood in that request; what came since is on top.
func TestWhatTheVendorCountedIsTheSum(t *testing.T) {
	const counted = 4321
	r := gauge.Measure(query(conversation(counted)))
	after := conversation(counted)
	after.Messages = after.Messages[:4]
	before := gauge.Measure(gauge.Query{Request: after, Compacted: 3})
	if r.Reported != counted || r.Tokens <= counted {
		t.Errorf("reported %d of %d", r.Reported, r.Tokens)
	}
	since := 0
	plain := gauge.Measure(query(conversation(0)))
	for i, it := range r.Items {
		if it.Kind == gauge.Answers || it.Kind == gauge.Thoughts || it.Kind == gauge.Calls || it.Kind == gauge.Results {
			since += it.Tokens
			continue
		}
		if plain.Items[i].Tokens == 0 {
			t.Errorf("%+v", plain.Items[i])
		}
	}
	if r.Tokens-since != counted {
		t.Errorf("what was counted adds up to %d, since then %d", r.Tokens-since, since)
	}
	if before.Tokens <= 0 {
		t.Error("nothing measured")
	}
}

// What a vendor has counted of another request says nothing.
func TestWhatWasCountedBeforeAChangeIsLeftOut(t *testing.T) {
	q := query(conversation(4321))
	q.Changed = true
	if r := gauge.Measure(q); r.Reported != 0 || r.Tokens >= 4321 {
		t.Errorf("a changed request: %+v", r)
	}
	q = query(conversation(4321))
	q.Compacted = 8 // the answer stands before the compaction
	if r := gauge.Measure(q); r.Reported != 0 {
		t.Errorf("before a compaction: %+v", r)
	}
	estimated := conversation(4321)
	estimated.Messages[4].Usage.Estimated = true
	if r := gauge.Measure(query(estimated)); r.Reported != 0 {
		t.Errorf("an estimate is no report: %+v", r)
	}
}

// A vendor that counts less than any vocabulary could has not counted this; attachments are no text.
func TestACountThatCannotBeTrueIsNone(t *testing.T) {
	req := &agent.Request{Messages: []agent.Message{
		user(1, "", agent.TextPart(strings.Repeat("word ", 100)), agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Data: make([]byte, 1<<20)}}), said(2, 61, agent.TextPart("x")),
	}}
	if r := gauge.Measure(gauge.Query{Request: req}); r.Reported != 0 {
		t.Errorf("%+v", r)
	}
	*req.Messages[1].Usage.Input = 63
	if r := gauge.Measure(gauge.Query{Request: req}); r.Reported != 63 {
		t.Errorf("%+v", r)
	}
}

func TestOddRequests(t *testing.T) {
	if r := gauge.Measure(gauge.Query{Request: &agent.Request{}}); len(r.Items) != 0 || r.Tokens != 0 {
		t.Errorf("nothing: %+v", r)
	}
	r := gauge.Measure(gauge.Query{Request: &agent.Request{System: "all of it"}})
	if it := find(t, r, gauge.System, ""); it.Bytes != 9 {
		t.Errorf("%+v", it)
	}
	r = gauge.Measure(gauge.Query{
		Request: &agent.Request{System: "short", Tools: []agent.Tool{{Name: "x", Schema: json.RawMessage("{")}}},
		System:  []gauge.Part{{"longer", "longer than all"}, {"none", ""}},
	})
	if it := find(t, r, gauge.System, ""); it.Bytes != 5 {
		t.Errorf("%+v", it)
	}
	if it := find(t, r, gauge.Tools, "x"); it.Bytes == 0 {
		t.Errorf("%+v", it)
	}
	orphan := &agent.Request{Messages: []agent.Message{
		result(2, "gone", "text"), user(3, "", agent.Part{Kind: agent.Text, Opaque: &agent.Opaque{Origin: "mark"}}),
		{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf}}},
		user(4, "", agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png"}}),
	}}
	r = gauge.Measure(gauge.Query{Request: orphan})
	find(t, r, gauge.Results, "")
	find(t, r, gauge.Files, "image/png")
	if len(r.Items) != 2 {
		t.Errorf("a mark was counted: %+v", r.Items)
	}
}

// Whatever a vendor says, the sums agree with it.
func TestSumsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := &agent.Request{System: rapid.StringN(0, 200, 400).Draw(t, "system")}
		seq := int64(0)
		for range rapid.IntRange(0, 12).Draw(t, "messages") {
			seq++
			body := agent.TextPart(rapid.StringN(0, 80, 200).Draw(t, "text"))
			switch rapid.SampledFrom([]string{"user", "note", "answer", "reported"}).Draw(t, "kind") {
			case "user":
				req.Messages = append(req.Messages, user(seq, "", body))
			case "note":
				req.Messages = append(req.Messages, user(seq, "x", body))
			case "answer":
				req.Messages = append(req.Messages, said(seq, 0, body))
			default:
				m := said(seq, rapid.Int64Range(1, 2_000_000).Draw(t, "input"), body)
				if rapid.Bool().Draw(t, "counts its answer") {
					out, thought := rapid.Int64Range(0, 5000).Draw(t, "output"), rapid.Int64Range(0, 6000).Draw(t, "reasoning")
					m.Usage.Output, m.Usage.Reasoning = &out, &thought
					m.Parts = append(m.Parts, agent.Part{Kind: agent.Thinking, Text: "so it is"})
				}
				req.Messages = append(req.Messages, m)
			}
		}
		if rapid.Bool().Draw(t, "tool") {
			req.Tools, req.Schema = []agent.Tool{{Name: "bash", Doc: "Runs."}}, json.RawMessage(`{"type":"object"}`)
		}
		q := gauge.Query{Request: req, System: []gauge.Part{{"a", req.System[:len(req.System)/2]}, {"b", req.System[len(req.System)/2:]}}}
		q.Changed = rapid.Bool().Draw(t, "changed")
		if r, want := gauge.Measure(q), weigh.Window(req, 0, q.Changed); r.Tokens != want {
			t.Fatalf("the report has %d tokens, and a compaction decides by %d: %+v", r.Tokens, want, r)
		}
		r := gauge.Measure(gauge.Query{Request: req})
		sum := 0
		for _, it := range r.Items {
			if it.Tokens < 0 {
				t.Fatalf("negative: %+v", it)
			}
			sum += it.Tokens
		}
		if sum != r.Tokens || r.Reported > r.Tokens {
			t.Fatalf("%d, %d, reported %d", sum, r.Tokens, r.Reported)
		}
		last := slices.IndexFunc(req.Messages, func(m agent.Message) bool { return m.Usage != nil })
		if last < 0 && r.Reported != 0 {
			t.Fatalf("nobody has counted: %+v", r)
		}
		for i, m := range slices.Backward(req.Messages) {
			if m.Usage == nil {
				continue
			}
			before := len(req.System)
			for _, x := range req.Messages[:i] {
				before += len(x.Text())
			}
			if before > 0 && int(*m.Usage.Input) >= before/8 && r.Reported != int(*m.Usage.Input) {
				t.Fatalf("reported %d, counted %d", r.Reported, *m.Usage.Input)
			}
			break
		}
	})
}
