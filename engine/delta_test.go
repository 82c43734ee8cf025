package engine

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"react-agent/agent"
)

func piece(text string) *agent.Event {
	return &agent.Event{
		Seq: 7, Type: agent.EvChunk, N: 12, Time: time.Date(2026, 11, 30, 4, 15, 33, 120_000_000, time.UTC),
		Session: "s", Agent: "main/\"x\"", Run: "5",
		Chunk: &agent.Chunk{Index: 3, Part: &agent.Part{Kind: agent.Thinking, Text: text}, Model: "not sent"},
	}
}

func sameJSON(t *testing.T, e *agent.Event) {
	t.Helper()
	got, err := encode(e)
	want, werr := agent.EncodeJSON(e)
	if err != nil || werr != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s (%v)\nwant %s (%v)", got, err, want, werr)
	}
}

// The short way of encoding gives the bytes of the long one, whatever the text.
func FuzzDelta(f *testing.F) {
	for _, s := range []string{"plain", "", "\"\\/<>&\n\r\t\b\f\x00\x1f\x7f", "中文 é 🎉", "\u2028\u2029", "\xff\xc3", "\xed\xa0\x80", "�"} {
		f.Add(s, int64(3), int64(0))
	}
	f.Fuzz(func(t *testing.T, text string, seq, ns int64) {
		e := piece(text)
		e.Seq, e.N, e.Session, e.Run = seq, ns, text, text
		e.Time = time.Unix(0, ns).UTC()
		sameJSON(t, e)
		e.Time, e.Chunk.Part.Kind = e.Time.Truncate(time.Millisecond), agent.Text
		sameJSON(t, e)
	})
}

// An event that has anything else takes the long way: every field there is, also one that is new.
func TestDeltaHasNothingElse(t *testing.T) {
	if !isDelta(piece("x")) {
		t.Fatal("a piece of text is none")
	}
	known := map[string]bool{"Seq": true, "Type": true, "N": true, "Time": true, "Session": true, "Agent": true, "Run": true, "Chunk": true}
	for i := range reflect.TypeFor[agent.Event]().NumField() {
		e := piece("x")
		f := reflect.ValueOf(e).Elem().Field(i)
		if name := reflect.TypeFor[agent.Event]().Field(i).Name; known[name] {
			continue
		}
		fill(f)
		if isDelta(e) {
			t.Errorf("an event with %s counts as a piece of text", reflect.TypeFor[agent.Event]().Field(i).Name)
		}
		sameJSON(t, e)
	}
	for i := range reflect.TypeFor[agent.Part]().NumField() {
		e := piece("x")
		if name := reflect.TypeFor[agent.Part]().Field(i).Name; name == "Kind" || name == "Text" {
			continue
		}
		fill(reflect.ValueOf(e.Chunk.Part).Elem().Field(i))
		if isDelta(e) {
			t.Errorf("a part with %s counts as a piece of text", reflect.TypeFor[agent.Part]().Field(i).Name)
		}
		sameJSON(t, e)
	}
	for _, e := range []*agent.Event{{Type: agent.EvChunk}, {Type: agent.EvChunk, Chunk: &agent.Chunk{}}, {Type: agent.EvStep, Text: "model"}} {
		sameJSON(t, e)
	}
}

// fill sets a field to something that is not its zero value.
func fill(f reflect.Value) {
	switch f.Kind() {
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	case reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf(json.RawMessage("1")))
	case reflect.Int:
		f.SetInt(1)
	case reflect.String:
		f.SetString("y")
	default:
		panic(f.Kind())
	}
}

// What waits in queues is a copy.
func TestLiveFrameIsACopy(t *testing.T) {
	e := piece("before")
	e.Chunk.Part.Call = &agent.Call{ID: "1", Args: json.RawMessage(`{"a":1}`)}
	f := liveFrame(e)
	e.Chunk.Part.Call.Args[2] = 'b'
	e.Chunk.Part.Call.ID, e.Chunk.Part.Text, e.Chunk.Index, e.Seq = "2", "after", 9, 99
	got, err := f.Event()
	if err != nil {
		t.Fatal(err)
	}
	p := got.Chunk.Part
	if p.Text != "before" || p.Call.ID != "1" || string(p.Call.Args) != `{"a":1}` || got.Chunk.Index != 3 || got.Seq != 7 {
		t.Errorf("%+v %+v", got.Chunk, p)
	}
}

func BenchmarkDelta(b *testing.B) {
	e := piece("eight to ")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := liveFrame(e).Line(); err != nil {
			b.Fatal(err)
		}
	}
}
