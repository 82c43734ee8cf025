package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
)

var update = flag.Bool("update", false, "write testdata/events.jsonl anew")

// goldenEvents has one event of each type with everything set that may stand on it.
func goldenEvents() []agent.Event {
	at := time.Date(2026, 11, 30, 4, 5, 6, 7_000_000, time.UTC)
	full := &agent.Usage{Input: num(10), Output: num(5), Cached: num(0), CacheWrite: num(1), Reasoning: num(2), CostUSD: new(0.25), Estimated: true}
	call := agent.Call{ID: "call_1", Key: "s1/3.1", Name: "bash", Args: json.RawMessage(`{"command":"ls && echo <b>"}`)}
	result := agent.Result{
		CallID: "call_1", Key: "s1/3.1", Parts: []agent.Part{agent.TextPart("out")}, Error: true, Detail: json.RawMessage(`{"exit":1}`), EndTurn: true, Usage: full, Steps: 2,
	}
	ask := agent.Ask{ID: "s1/3.1/0", Call: &call, Text: "may it?", Choices: []string{"yes"}, Rules: []string{"bash(ls*)"}, Kind: agent.Question}
	answer := agent.Answer{ID: "s1/3.1/0", Allow: true, Always: true, Text: "fine"}
	state := map[string]json.RawMessage{"mode": json.RawMessage(`"plan"`)}
	took := []agent.Took{{Log: "input/s1", Pos: 42, ID: "in-1", Through: true}}
	setup := agent.Setup{Model: "chat/x/m", Effort: "high", System: "aa", Tools: "bb", Blobs: map[string][]byte{"aa": []byte("never in JSON")}}
	assistant := agent.Message{
		Role: agent.Assistant, From: "main/explore-1", Model: "m", Stop: agent.StopCalls, Usage: full, Seq: 99,
		Parts: []agent.Part{
			{Kind: agent.Thinking, Text: "hm", Opaque: &agent.Opaque{Origin: "chat/x/m", Data: json.RawMessage(`"sig"`)}},
			agent.TextPart("a < b & 好"),
			{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "x.png", URI: "file:///x.png", SHA256: "cc", Data: []byte("never in JSON")}},
			{Kind: agent.CallKind, Call: &call},
		},
	}
	chunk := agent.Chunk{Index: 1, Part: &agent.Part{Kind: agent.CallKind, Call: &agent.Call{ID: "call_1", Name: "bash", Args: json.RawMessage(`{}`)}, Text: `{"com`}, Usage: full, Stop: agent.StopEnd, Model: "m", Reset: true, Note: "n"}
	toolMessage := agent.Message{Role: agent.ToolRole, Parts: []agent.Part{{Kind: agent.ResultOf, Result: &result}}}
	trim := agent.Trim{Head: []agent.Message{agent.TextMessage(agent.User, "summary")}, From: 7, Clear: map[int64]string{8: "cleared"}, Before: 100, After: 50, Usage: full}
	carry := agent.Carry{Total: full, Asks: map[string]agent.Ask{ask.ID: ask}, Answers: map[string]agent.Answer{answer.ID: answer}, Refused: true}
	events := []agent.Event{
		{Type: agent.EvMessage, Message: &assistant, Usage: full, Steps: 2, Took: took, State: state},
		{Type: agent.EvMessage, Message: &toolMessage},
		{Type: agent.EvCall, Call: &call},
		{Type: agent.EvAsk, Ask: &ask},
		{Type: agent.EvAnswer, Ask: &ask, Answer: &answer, Took: took, Text: agent.Nobody},
		{Type: agent.EvCompact, Trim: &trim, Text: "check", State: state, Usage: full, Steps: 3, Setup: &setup, Took: took, Carry: &carry},
		{Type: agent.EvVoid, Void: &agent.Range{From: 2, To: 5}, Text: "rewind"},
		{Type: agent.EvSetup, Setup: &setup},
		{Type: agent.EvState, State: state, Took: took, Usage: full, Steps: 2},
		{Type: agent.EvEnd, Stop: agent.RunError, Text: "why", Usage: full, Steps: 4, Took: took, Error: &agent.Error{
			Kind: agent.ErrRateLimit, Message: "slow down", Provider: "chat", Status: 429, Retryable: true, RetryAfterS: 1.5,
		}},
		{Type: agent.EvStep, Text: "model"},
		{Type: agent.EvChunk, Chunk: &chunk},
		{Type: agent.EvProgress, Call: &agent.Call{ID: "call_1", Key: "s1/3.1", Name: "bash"}, Text: "working"},
		{Type: agent.EvNotice, Text: "waiting"},
		{Type: agent.EvRetry, Text: "again"},
	}
	seq := int64(0)
	for i := range events {
		if events[i].Type.Durable() {
			seq++
		} else {
			events[i].N = int64(i)
		}
		events[i].Seq, events[i].Time, events[i].Session, events[i].Agent, events[i].Run = seq, at, "s1", "main", "1"
	}
	return events
}

// The JSON of events is a contract with everything outside: it changes by decision, never by accident. After a decision:
// go test ./agent -run TestGoldenEvents -update.
func TestGoldenEvents(t *testing.T) {
	var got bytes.Buffer
	for _, e := range goldenEvents() {
		raw, err := agent.EncodeJSON(e)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(raw, []byte(`{"seq":`)) || !bytes.Contains(raw[:40], []byte(`,"type":"`+string(e.Type)+`"`)) {
			t.Errorf("seq and type do not come first: %s", raw)
		}
		got.Write(raw)
		got.WriteByte('\n')
	}
	const file = "testdata/events.jsonl"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Errorf("got:\n%s\nwant:\n%s", got.Bytes(), want)
	}
}

// The fields as the contract has them, in its own notation; a dot goes into an object, [] into a list, {} into the
// values of a map.
const contract = `
all: seq type time session agent run
live: n
message: message took state usage steps
call: call
ask: ask
answer: ask answer took text
compact: trim text state usage steps setup took carry
void: void text
setup: setup
state: state took usage steps
end: stop error usage steps took text
step: text
chunk: chunk
progress: call text
notice: text
retry: text

event.message = role from parts[] model stop usage
event.call = id key name args
event.ask = id call text choices rules kind
event.answer = id allow always text
event.trim = head[] from clear before after usage
event.void = from to
event.setup = model effort system tools
event.took[] = log pos id through
event.chunk = index part
event.usage = input output cached cache_write reasoning cost_usd estimated
event.error = kind message provider status retryable retry_after_s
event.carry = total asks answers refused driven
part = kind text blob call result opaque
part.blob = mime name uri sha256
part.result = call_id key parts[] error detail end_turn usage steps driven
part.opaque = origin data
`

func TestEventsHaveTheFieldsOfTheContract(t *testing.T) {
	fields := map[string][]string{}
	for line := range strings.Lines(contract) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			name, list, ok = strings.Cut(strings.TrimSpace(line), ": ")
		}
		if ok {
			fields[name] = strings.Fields(strings.ReplaceAll(list, "[]", ""))
		}
	}
	got := map[string][]string{}
	for _, e := range goldenEvents() {
		var object map[string]json.RawMessage
		raw, _ := agent.EncodeJSON(e)
		if err := json.Unmarshal(raw, &object); err != nil {
			t.Fatal(err)
		}
		for name := range object {
			if !slices.Contains(got[string(e.Type)], name) {
				got[string(e.Type)] = append(got[string(e.Type)], name)
			}
		}
	}
	for typ, names := range got {
		want := slices.Concat(fields["all"], fields[typ])
		if !agent.EventType(typ).Durable() {
			want = append(want, fields["live"]...)
		}
		slices.Sort(names)
		slices.Sort(want)
		wantSame(t, "fields of "+typ, names, want)
	}
	if len(got) != 14 {
		t.Errorf("%d types of event have an example, want 14", len(got))
	}
	for name, typ := range map[string]reflect.Type{
		"event.message": reflect.TypeFor[agent.Message](), "event.call": reflect.TypeFor[agent.Call](), "event.ask": reflect.TypeFor[agent.Ask](),
		"event.answer": reflect.TypeFor[agent.Answer](), "event.trim": reflect.TypeFor[agent.Trim](), "event.void": reflect.TypeFor[agent.Range](),
		"event.setup": reflect.TypeFor[agent.Setup](), "event.took[]": reflect.TypeFor[agent.Took](), "event.chunk": reflect.TypeFor[agent.Chunk](),
		"event.usage": reflect.TypeFor[agent.Usage](), "event.error": reflect.TypeFor[agent.Error](), "event.carry": reflect.TypeFor[agent.Carry](),
		"part": reflect.TypeFor[agent.Part](), "part.blob": reflect.TypeFor[agent.Blob](), "part.result": reflect.TypeFor[agent.Result](), "part.opaque": reflect.TypeFor[agent.Opaque](),
	} {
		var names []string
		for f := range typ.Fields() {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "-" {
				names = append(names, tag)
			}
		}
		want := slices.Clone(fields[name])
		slices.Sort(names)
		slices.Sort(want)
		wantSame(t, "fields of "+name, names, want)
	}
}

// The words that stand in fields are a closed set, too.
func TestWordsOfTheContract(t *testing.T) {
	for _, c := range []struct{ want, got string }{
		{"end calls length overflow refused pause aborted", join(agent.StopEnd, agent.StopCalls, agent.StopLength, agent.StopOverflow, agent.StopRefused, agent.StopPause, agent.StopAborted)},
		{"end loop steps budget denied overflow timeout cancelled length refused error", join(agent.RunEnd, agent.RunLoop, agent.RunSteps, agent.RunBudget, agent.RunDenied, agent.RunOverflow, agent.RunTimeout, agent.RunCancelled, agent.RunLength, agent.RunRefused, agent.RunError)},
		{"rate_limit context_length auth quota content_filter server network truncated timeout bad_request invalid_response config internal", join(agent.ErrRateLimit, agent.ErrContextLength, agent.ErrAuth, agent.ErrQuota, agent.ErrContentFilter, agent.ErrServer, agent.ErrNetwork, agent.ErrTruncated, agent.ErrTimeout, agent.ErrBadRequest, agent.ErrInvalidResponse, agent.ErrConfig, agent.ErrInternal)},
		{"text thinking blob call result", join(agent.Text, agent.Thinking, agent.BlobKind, agent.CallKind, agent.ResultOf)},
		{"system user assistant tool", join(agent.System, agent.User, agent.Assistant, agent.ToolRole)},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func join[S ~string](words ...S) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, " ")
}

func TestEncodeJSONFails(t *testing.T) {
	if _, err := agent.EncodeJSON(make(chan int)); err == nil {
		t.Error("a channel was encoded")
	}
}
