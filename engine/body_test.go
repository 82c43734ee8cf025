package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/store"
	"react-agent/store/mem"
)

// Whatever is large goes and comes back, and the words of a reference inside a tool's arguments stay what they are.
func TestBodiesComeBack(t *testing.T) {
	st := mem.New()
	big := strings.Repeat("大", 30_000)
	raw := json.RawMessage(`{"k":"` + big + `"}`)
	fake := json.RawMessage(`{"text":{"$blob":"x","size":1},"state":{"y":{"$blob":"z"}}}`)
	e := agent.Event{
		Seq: 1, Type: agent.EvMessage, Text: big,
		Message: &agent.Message{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.Text, Text: big, Opaque: &agent.Opaque{Origin: "o", Data: raw}},
			{Kind: agent.CallKind, Call: &agent.Call{Name: "a", Args: fake}},
			{Kind: agent.CallKind, Call: &agent.Call{Name: "b", Args: raw}},
			{Kind: agent.ResultOf, Result: &agent.Result{Parts: []agent.Part{agent.TextPart(big)}, Detail: raw}},
		}},
		Trim:  &agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, big)}, Clear: map[int64]string{4: big}},
		State: map[string]json.RawMessage{"s": raw, "small": []byte(`1`)},
		Ask:   &agent.Ask{ID: "i", Text: big},
		Carry: &agent.Carry{Answers: map[string]agent.Answer{"s/1.1/0": {ID: "x", Text: big}}},
	}
	line, err := record(t.Context(), st, &e)
	if err != nil {
		t.Fatal(err)
	}
	if len(line) > 4000 || bytes.Contains(line, []byte("大")) {
		t.Fatalf("the line has %d bytes", len(line))
	}
	blob := func(sha string) ([]byte, error) { return st.GetBlob(t.Context(), sha) }
	got, err := Decode(line, blob)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, e) {
		t.Fatal("the event has not come back as it was")
	}
	lost, err := Decode(line, nil)
	if err != nil || !strings.Contains(lost.Text, "is missing") {
		t.Fatalf("%.100q %v", lost.Text, err)
	}
	if _, err := record(t.Context(), noBlobs{}, &e); err == nil {
		t.Fatal("bodies went nowhere")
	}
	if _, err := Decode([]byte(`{"seq":`), nil); err == nil {
		t.Fatal("half a line is no event")
	}
}

func each(lines [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, line := range lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

// anyJSON gives JSON with references in the wrong places, around the sizes at which bodies are moved.
func anyJSON(t *rapid.T) json.RawMessage {
	size := rapid.SampledFrom([]int{0, 1, 200, 300, bodyLimit - 40, bodyLimit - 3, bodyLimit - 2, bodyLimit - 1, bodyLimit, bodyLimit + 1}).Draw(t, "size")
	text := strings.Repeat(rapid.SampledFrom([]string{"a", "\"", "\x01", "大"}).Draw(t, "letter"), size)
	keys := rapid.SampledFrom([]string{"$blob", "$BLOB", "size", "text", "args", "state", "clear", "a\"b"})
	leaves := rapid.SampledFrom([]any{text, "x", strings.Repeat("0", 64), 1, -0.5, true, nil, "$blob", `{"$blob":"x","size":1}`})
	var value func(depth int) any
	value = func(depth int) any {
		switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
		case kind > 2 || depth > 3:
			return leaves.Draw(t, "leaf")
		case kind == 0:
			return []any{value(depth + 1), value(depth + 1)}
		}
		object := map[string]any{keys.Draw(t, "key"): value(depth + 1)}
		if rapid.Bool().Draw(t, "like a reference") {
			object["$blob"], object["size"] = rapid.SampledFrom([]any{"x", strings.Repeat("0", 64), text}).Draw(t, "sha"), 1
		}
		return object
	}
	raw, err := agent.EncodeJSON(value(0))
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "escaped") {
		raw = bytes.ReplaceAll(raw, []byte(`"$blob"`), []byte(`"\u0024blob"`))
	}
	return raw
}

// Any JSON in any field that takes some is stored and read back byte for byte: by whoever loads the session, and by whoever
// follows it.
func TestAnyBodyComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := mem.New()
		raw := func() json.RawMessage { return anyJSON(t) }
		text := func() string { return string(anyJSON(t)) }
		call := func() *agent.Call { return &agent.Call{ID: "c", Key: "s/1.1", Name: "b", Args: raw()} }
		blob := func(sha string) ([]byte, error) { return st.GetBlob(context.Background(), sha) }
		message := &agent.Message{Role: agent.Assistant, Parts: []agent.Part{
			{Kind: agent.Thinking, Text: text(), Opaque: &agent.Opaque{Origin: "o", Data: raw()}}, {Kind: agent.CallKind, Call: call()},
		}}
		result := &agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &agent.Result{
			CallID: "c", Key: "s/1.1", Parts: []agent.Part{agent.TextPart(text())}, Detail: raw(),
		}}}}
		var lines [][]byte
		for i, e := range []agent.Event{
			{Type: agent.EvMessage, Message: message, State: map[string]json.RawMessage{"a": raw(), "$blob": raw(), "text": raw()}},
			{Type: agent.EvCall, Call: call()},
			{Type: agent.EvAsk, Ask: &agent.Ask{ID: "s/1.1/0", Call: call(), Text: text()}},
			{Type: agent.EvAnswer, Ask: &agent.Ask{ID: "s/1.1/0", Call: call(), Text: text()}, Answer: &agent.Answer{ID: "s/1.1/0", Text: text()}},
			{Type: agent.EvMessage, Message: result},
			{
				Type: agent.EvCompact, Text: text(), Trim: &agent.Trim{Head: []agent.Message{*message, *result}, From: 5, Clear: map[int64]string{5: text()}},
				State: map[string]json.RawMessage{"a": raw()},
				Carry: &agent.Carry{Asks: map[string]agent.Ask{"s/1.1/1": {ID: "s/1.1/1", Call: call(), Text: text()}}, Answers: map[string]agent.Answer{"s/1.1/2": {ID: "s/1.1/2", Text: text()}}},
			},
		} {
			e.Seq = int64(i) + 1
			want, err := agent.EncodeJSON(e)
			if err != nil {
				t.Fatal(err)
			}
			line, err := Encode(context.Background(), st, e)
			if err != nil || len(line) > store.MaxRecord {
				t.Fatalf("%d bytes: %v", len(line), err)
			}
			lines = append(lines, line)
			back, err := Decode(line, blob)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := agent.EncodeJSON(back); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%.300s\nbecame %.300s %v", want, got, err)
			}
			if i > 0 && i < 5 {
				continue
			}
			loaded, err := agent.Load("s", each(lines), blob)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				for k, v := range e.State {
					if got := loaded.State[k]; string(v) != "null" && !bytes.Equal(got, v) {
						t.Fatalf("state %s is %.300s, want %.300s", k, got, v)
					}
				}
				if got := loaded.OpenCalls()[0].Args; !bytes.Equal(got, message.Parts[1].Call.Args) {
					t.Fatalf("the arguments are %.300s, want %.300s", got, message.Parts[1].Call.Args)
				}
			}
		}
	})
}

// A live event refers to nothing: what looks like a reference is what the model writes.
func TestLiveEventsReferToNothing(t *testing.T) {
	st := mem.New()
	sha, err := st.PutBlob(t.Context(), []byte(`"other"`))
	if err != nil {
		t.Fatal(err)
	}
	args := `{"$blob":"` + sha + `","size":7}`
	e := agent.Event{Type: agent.EvChunk, Chunk: &agent.Chunk{Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{Name: "b", Args: json.RawMessage(args)}}}}
	line, err := Encode(t.Context(), st, e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(line, Bodies(t.Context(), st, nil))
	if err != nil || string(back.Chunk.Part.Call.Args) != args {
		t.Fatalf("%s became %s %v", line, back.Chunk.Part.Call.Args, err)
	}
}

type noBlobs struct{ store.Blobs }

func (noBlobs) PutBlob(context.Context, []byte) (string, error) { return "", store.ErrFull }

func TestHead(t *testing.T) {
	for line, want := range map[string]int64{
		`{"seq":12,"type":"end","x":1}`:   12,
		`{"type":"end","seq":13}`:         13,
		` {"seq": 14, "type": "end"}`:     14,
		`{"seq":15,"type":"end"`:          15, // only the beginning is looked at
		`{"seq":"x","type":"end"}`:        -1,
		`nonsense`:                        -1,
		`{"seq":99999999999999999999999}`: -1,
	} {
		seq, typ, err := head([]byte(line))
		if want < 0 && err == nil || want >= 0 && (seq != want || typ != agent.EvEnd || err != nil) {
			t.Errorf("%s: %d %s %v", line, seq, typ, err)
		}
	}
}

// A cancel that was for an earlier run does not hit a later one after a restart.
func TestStaleCancel(t *testing.T) {
	m := agent.TextMessage(agent.User, "x")
	log := []struct {
		e     entry
		taken bool
	}{
		{entry{Input: Input{Message: &m}}, true},
		{entry{Input: Input{Cancel: true}}, false}, // came when nothing ran
		{entry{Input: Input{Message: &m}}, true},   // the run that the crash cut
	}
	in := newInbox("input/a", 0)
	for i, x := range log {
		in.add(int64(i+1), &x.e, x.taken)
	}
	if _, cancelled, _ := in.next(true); cancelled {
		t.Fatal("an old cancel ends a later run")
	}
	in.add(4, &entry{Input: Input{Cancel: true}}, false)
	if _, cancelled, _ := in.next(true); !cancelled {
		t.Fatal("a cancel of the open run is ignored")
	}
}

// Through is set only when nothing before it is left.
func TestThrough(t *testing.T) {
	m := agent.TextMessage(agent.User, "x")
	in := newInbox("input/a", 0)
	in.add(1, &entry{Input: Input{Message: &m, Queue: true}}, false)
	in.add(2, &entry{Input: Input{Message: &m}}, false)
	n := in.steer()
	in.through(n.Took)
	if len(n.Took) != 1 || n.Took[0].Pos != 2 || n.Took[0].Through {
		t.Fatalf("took %+v while 1 waits", n.Took)
	}
	in.stored(n.Took)
	notes, _, _ := in.next(false)
	in.through(notes[0].Took)
	if !notes[0].Took[0].Through || notes[0].Took[0].Pos != 1 {
		t.Fatalf("took %+v", notes[0].Took)
	}
	in.stored(notes[0].Took)
	if _, empty := in.empty(); !empty {
		t.Fatal("something is left")
	}
}
