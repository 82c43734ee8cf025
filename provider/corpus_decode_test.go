package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"react-agent/agent"
)

// A reply is what a client has after one request, in the words of the format.
type reply struct {
	text, reasoning string
	calls           []agent.Call
	run             []bool // beside calls: would a tool start
	finish          string
	usage           map[string]*int64
	err             *agent.ModelError
	action          string
}

// playDecode plays a case of type decode: once over TCP with the writes and the end of the case, then its body cut and
// split in memory.
func playDecode(t *testing.T, c *wireCase) outcome {
	var o outcome
	tcp, ok := newAsker(c, newCaseServer(t, c.HTTP).endpoint())
	if !ok {
		return outcome{skip: "no wire for api " + c.API + " yet"}
	}
	got := tcp.ask(t)
	o.compare(&c.Expect, got)
	at := &pieceTransport{reply: c.HTTP}
	memory, _ := newAsker(c, at.endpoint())
	if c.HTTP.End != "hang" {
		at.set(endOf(c.HTTP), c.HTTP.body())
		whole := memory.ask(t)
		o.same("in memory", got, whole)
		o.splits(t, c, memory, at, whole)
	}
	o.cuts(t, c, memory, at)
	return o
}

// asker sends the requests of one case, again and again with one model.
type asker struct {
	c     *wireCase
	m     agent.Model
	tools []agent.Tool
}

// newAsker is false when there is no such wire.
func newAsker(c *wireCase, at endpoint) (asker, bool) {
	m, ok := openModel(c.API, c.Vendor, "m", c.Client, at)
	return asker{c: c, m: m, tools: caseTools(c.Client.Tools, func(agent.Call) {})}, ok
}

// endOf is the error with which a body ends.
func endOf(r caseReply) error {
	if r.End == "cut" {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}

// ask sends one request and collects the reply.
func (a asker) ask(t *testing.T) reply {
	req := &agent.Request{Messages: []agent.Message{agent.TextMessage(agent.User, "Go on.")}, Tools: a.tools}
	var b agent.Builder
	var usage *agent.Usage
	var r reply
	for chunk, err := range a.m.Stream(t.Context(), req) {
		if err != nil {
			if !errors.As(err, &r.err) {
				r.err = &agent.ModelError{Kind: "not a ModelError", Err: err}
			}
			break
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
		if err := b.Add(chunk); err != nil {
			r.err = &agent.ModelError{Kind: "bad chunk", Err: err}
			break
		}
	}
	msg := b.Message()
	r.text, r.reasoning = msg.Text(), msg.Thinking()
	r.usage = usageMap(usage)
	if r.err == nil {
		r.finish = finishWords()[msg.Stop]
		r.calls = msg.Calls()
		for _, call := range r.calls {
			r.run = append(r.run, msg.Stop != agent.StopRefused && runnable(call, a.tools))
		}
	}
	r.action = nextAction(&r, msg.Stop, a.c.Client.maxRetryAfter())
	return r
}

// finishWords are the format's words for how a message stopped.
func finishWords() map[agent.StopReason]string {
	return map[agent.StopReason]string{
		agent.StopEnd: "stop", agent.StopCalls: "tool_calls", agent.StopLength: "length", agent.StopOverflow: "length",
		agent.StopRefused: "content_filter", agent.StopPause: "pause", agent.StopAborted: "aborted", "": "none",
	}
}

// nextAction is what a loop does after the reply.
func nextAction(r *reply, stop agent.StopReason, maxWait time.Duration) string {
	switch {
	case r.err != nil && r.err.Kind == agent.ErrContextLength:
		return "compact"
	case r.err != nil && r.err.Retryable && r.err.RetryAfter <= max(maxWait, 5*time.Minute):
		return "retry"
	case r.err != nil, stop == agent.StopRefused:
		return "fail"
	case len(r.calls) > 0:
		return "answer_tools"
	case stop == agent.StopOverflow:
		return "compact"
	case stop == agent.StopLength:
		return "incomplete"
	case stop == agent.StopPause:
		return "continue"
	}
	return "done"
}

// runnable reports whether a loop would start a tool for the call: a known name, and one object with what the schema
// requires.
func runnable(call agent.Call, tools []agent.Tool) bool {
	i := slices.IndexFunc(tools, func(t agent.Tool) bool { return t.Name == call.Name })
	var args map[string]json.RawMessage
	if i < 0 || json.Unmarshal(call.Args, &args) != nil || args == nil {
		return false
	}
	var schema struct{ Required []string }
	if json.Unmarshal(tools[i].Schema, &schema) != nil {
		return false
	}
	return !slices.ContainsFunc(schema.Required, func(name string) bool { return args[name] == nil })
}

func usageMap(u *agent.Usage) map[string]*int64 {
	if u == nil {
		return nil
	}
	return map[string]*int64{"input": u.Input, "output": u.Output, "cached": u.Cached, "cache_write": u.CacheWrite, "reasoning": u.Reasoning}
}

// compare notes every difference between what is expected and what came.
func (o *outcome) compare(e *caseExpect, got reply) {
	if e.Text != nil && plain(*e.Text) != plain(got.text) {
		o.fault("text %s, expected %s", short(got.text), short(*e.Text))
	}
	if e.Reasoning != nil && plain(*e.Reasoning) != plain(got.reasoning) {
		o.fault("reasoning %s, expected %s", short(got.reasoning), short(*e.Reasoning))
	}
	if e.Finish != nil && *e.Finish != got.finish {
		o.fault("finish %q, expected %q", got.finish, *e.Finish)
	}
	if e.Action != "" && e.Action != got.action {
		o.fault("action %q, expected %q", got.action, e.Action)
	}
	for k, want := range e.Usage {
		if have := got.usage[k]; (have == nil) != (want == nil) || have != nil && *have != *want {
			o.fault("usage %s %s, expected %s", k, number(have), number(want))
		}
	}
	o.compareError(e, got.err)
	if e.ToolCalls != nil {
		o.compareCalls(*e.ToolCalls, got)
	}
}

func (o *outcome) compareError(e *caseExpect, got *agent.ModelError) {
	switch {
	case e.Error == nil && got == nil:
	case e.Error == nil:
		o.fault("error %v, expected none", got)
	case got == nil:
		o.fault("no error, expected %s", e.Error.Kind)
	default:
		if string(got.Kind) != e.Error.Kind || got.Retryable != e.Error.Retryable {
			o.fault("error %s retryable=%v (%v), expected %s retryable=%v", got.Kind, got.Retryable, got, e.Error.Kind, e.Error.Retryable)
		}
		if w := e.Error.RetryAfter; w != nil && math.Abs(got.RetryAfter.Seconds()-*w) > 0.001 {
			o.fault("retry after %v, expected %v s", got.RetryAfter, *w)
		}
	}
}

func (o *outcome) compareCalls(want []caseCall, got reply) {
	if len(want) != len(got.calls) {
		o.fault("%d calls %s, expected %d", len(got.calls), callList(got.calls), len(want))
		return
	}
	ids := map[string]bool{}
	for i, w := range want {
		c := got.calls[i]
		if c.Name != w.Name {
			o.fault("call %d is %q, expected %q", i, c.Name, w.Name)
		}
		if c.ID == "" || ids[c.ID] || w.ID != "" && c.ID != w.ID {
			o.fault("call %d has id %q, expected %q (not empty, unique)", i, c.ID, w.ID)
		}
		ids[c.ID] = true
		if object := isObject(c.Args); w.ArgumentsInvalid && object {
			o.fault("call %d has arguments %s, expected to be unusable", i, short(string(c.Args)))
		}
		if w.Arguments != nil && !sameJSON(w.Arguments, c.Args) {
			o.fault("call %d has arguments %s, expected %s", i, short(string(c.Args)), short(string(w.Arguments)))
		}
		if w.Run != nil && *w.Run != got.run[i] {
			o.fault("call %d (%s %s) runs: %v, expected %v", i, c.Name, short(string(c.Args)), got.run[i], *w.Run)
		}
	}
}

// splits feeds the body in two pieces, cut at every byte, or for a long body around its line ends and at random
// places. Where the pieces meet must not matter.
func (o *outcome) splits(t *testing.T, c *wireCase, memory asker, in *pieceTransport, whole reply) {
	body := c.HTTP.body()
	for _, at := range places(body, c.step) {
		in.set(endOf(c.HTTP), body[:at], body[at:])
		got := memory.ask(t)
		if o.same(fmt.Sprintf("split at byte %d", at), whole, got); len(o.faults) > 5 {
			return
		}
	}
}

// cuts ends the body at every byte before the terminal signal: always an error, so never a call that runs. At every fourth
// place the connection also breaks off there; readers tell that apart only when the bytes are over.
func (o *outcome) cuts(t *testing.T, c *wireCase, memory asker, in *pieceTransport) {
	body := c.HTTP.body()
	end := terminal(c.API, body)
	for i, at := range places(body[:end], c.step) {
		hows := []error{io.EOF, io.ErrUnexpectedEOF}
		if i%4 != 0 {
			hows = hows[:1]
		}
		for _, how := range hows {
			in.set(how, body[:at])
			got := memory.ask(t)
			if got.err == nil {
				o.fault("cut at byte %d of %d (terminal signal ends at %d, %v): no error, text %s", at, len(body), end, how, short(got.text))
			}
		}
		if len(o.faults) > 5 {
			return
		}
	}
}

// places are the positions at which a body is cut: of a small one every step-th; of a long one those around its line ends and the sizes of buffers, and some at random.
func places(body []byte, step int) []int {
	const small = 64 << 10
	var at []int
	if len(body) <= small {
		for i := len(body) % step; i < len(body); i += step {
			at = append(at, i)
		}
		return at
	}
	for i, b := range body {
		if b == '\n' || b == '\r' {
			for j := max(0, i-2); j <= min(i+2, len(body)-1); j++ {
				at = append(at, j)
			}
		}
	}
	for size := 512; size < len(body); size *= 2 { // where readers' buffers end
		at = append(at, size-1, size, size+1)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range min(1000, 1+much/len(body)) {
		at = append(at, random.IntN(len(body)))
	}
	slices.Sort(at)
	return slices.DeleteFunc(slices.Compact(at), func(i int) bool { return i >= len(body) })
}

// much is how many bytes the random cuts of one long body may feed in all; each cut feeds all of it.
const much = 16 << 20

// terminal is the position behind which a body may end without being cut short: the end of the first event that says
// how the message stopped, the end of the body if there is none.
func terminal(api string, body []byte) int {
	first := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(first) > 0 && strings.IndexByte("{[<", first[0]) >= 0 {
		return bytes.LastIndexAny(body, "}]>") // a reply in one piece is whole with its last byte
	}
	for _, e := range strictEvents(body) {
		if endsMessage(api, strings.Join(e.lines, "\n")) {
			return e.ends[len(e.ends)-1]
		}
		for i, line := range e.lines { // the blank line between events may be missing
			if endsMessage(api, line) {
				return e.ends[i]
			}
		}
	}
	return len(body)
}

// A strictEvent is the lines of data of one event, and the position behind each.
type strictEvent struct {
	lines []string
	ends  []int
}

// strictEvents splits a stream by the letter of the standard; the last event may lack its blank line.
func strictEvents(body []byte) []strictEvent {
	var all []strictEvent
	var e strictEvent
	flush := func() {
		if e.lines != nil {
			all = append(all, e)
		}
		e = strictEvent{}
	}
	for pos := 0; pos < len(body); {
		line := body[pos:]
		next := len(body)
		if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
			next = pos + i + 1
			if line[i] == '\r' && i+1 < len(line) && line[i+1] == '\n' {
				next++
			}
			line = line[:i]
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			e.lines = append(e.lines, strings.TrimPrefix(string(value), " "))
			e.ends = append(e.ends, pos+len(bytes.TrimRight(line, " \t")))
		} else if len(line) == 0 {
			flush()
		}
		pos = next
	}
	flush()
	return all
}

// endsMessage reports whether an event is the terminal signal of its wire.
func endsMessage(api, data string) bool {
	var e struct {
		Type    string
		Choices []struct {
			FinishReason any `json:"finish_reason"`
		}
		Delta struct {
			StopReason any `json:"stop_reason"`
		}
		Candidates []struct{ FinishReason string }
		Feedback   any `json:"promptFeedback"`
	}
	if strings.TrimSpace(data) == "[DONE]" {
		return true
	}
	if json.Unmarshal([]byte(data), &e) != nil {
		return false
	}
	switch api {
	case "responses":
		return slices.Contains([]string{"response.completed", "response.incomplete"}, e.Type)
	case "anthropic":
		return e.Type == "message_delta" && e.Delta.StopReason != nil || e.Type == "message_stop"
	case "gemini":
		return len(e.Candidates) > 0 && e.Candidates[0].FinishReason != "" || e.Feedback != nil
	}
	return slices.ContainsFunc(e.Choices, func(c struct {
		FinishReason any `json:"finish_reason"`
	},
	) bool {
		return c.FinishReason != nil && c.FinishReason != ""
	})
}

// same notes a difference between two replies to the same bytes. Invented ids may differ.
func (o *outcome) same(when string, a, b reply) {
	if x, y := a.digest(), b.digest(); x != y {
		o.fault("%s: %s, in one piece %s", when, short(y), short(x))
	}
}

// digest is everything of a reply that must not depend on how its bytes arrived.
func (r reply) digest() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %s %s", r.text, r.reasoning, r.finish, r.action)
	for i, c := range r.calls {
		fmt.Fprintf(&b, " %s(%s)%v", c.Name, c.Args, r.run[i])
	}
	for _, k := range []string{"input", "output", "cached", "cache_write", "reasoning"} {
		fmt.Fprintf(&b, " %s", number(r.usage[k]))
	}
	if r.err != nil {
		fmt.Fprintf(&b, " %s %v %v", r.err.Kind, r.err.Retryable, r.err.RetryAfter)
	}
	return b.String()
}

// plain is the comparison of texts the format asks for: white space at the ends and its amount do not count.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

// short is s in quotes, not longer than a line.
func short(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%q… (%d bytes)", s[:200], len(s))
	}
	return fmt.Sprintf("%q", s)
}

func number(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

func callList(calls []agent.Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Name+short(string(c.Args)))
	}
	return strings.Join(names, ", ")
}

func isObject(raw json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(raw, &o) == nil && o != nil
}

// sameJSON compares two JSON values; {"repeat":"…","times":n} in want stands for a long string.
func sameJSON(want, got json.RawMessage) bool {
	var w, g any
	if json.Unmarshal(want, &w) != nil || json.Unmarshal(got, &g) != nil {
		return false
	}
	return reflect.DeepEqual(spell(w), g)
}

func spell(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v["repeat"].(string); ok && len(v) == 2 {
			if n, ok := v["times"].(float64); ok {
				return strings.Repeat(text, int(n))
			}
		}
		for k := range v {
			v[k] = spell(v[k])
		}
	case []any:
		for i := range v {
			v[i] = spell(v[i])
		}
	}
	return v
}
