package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/store"
	"react-agent/store/mem"
)

// What rewrite leaves alone it copies byte for byte, and it hands over exactly the values that may be a body.
func FuzzRewrite(f *testing.F) {
	f.Add(`{"seq":1,"text":"a\"b","message":{"parts":[{"text":"x"},{"call":{"args":{"text":"no"}}}]},"state":{"a":[1,{}],"text":null}}`)
	f.Add(`{"trim":{"clear":{"3":"x"}},"n":-1.5e3,"t":true,"detail":[],"data":0}`)
	f.Add(`[ {"text" : "a" , "b":[ 1 , 2 ] } ]`)
	f.Add(`{"\u0074ext":"x","text":""}`)
	f.Add(`7`)
	f.Fuzz(func(t *testing.T, in string) {
		line := []byte(in)
		same := rewrite(line, func(_ string, raw []byte) []byte {
			if json.Valid(line) && !json.Valid(raw) {
				t.Fatalf("%q is no value of %q", raw, line)
			}
			return raw
		})
		if !bytes.Equal(same, line) {
			t.Fatalf("%q became %q", line, same)
		}
		if !json.Valid(line) {
			return
		}
		if zero := rewrite(line, func(string, []byte) []byte { return []byte("0") }); !json.Valid(zero) {
			t.Fatalf("%q became %q", line, zero)
		}
	})
}

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
	if err != nil || !strings.Contains(lost.Text, "is kept apart") {
		t.Fatalf("%.100q %v", lost.Text, err)
	}
	if _, err := record(t.Context(), noBlobs{}, &e); err == nil {
		t.Fatal("bodies went nowhere")
	}
	if _, err := Decode([]byte(`{"seq":`), nil); err == nil {
		t.Fatal("half a line is no event")
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
