package property_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/agent/agenttest"
)

// TestMain asks for more histories than a property usually has: they are short.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		_ = flag.Set("rapid.checks", "300") // rapid takes a fifth of it when tests are to be short
	}
	os.Exit(m.Run())
}

// TestHistories holds, whatever happens to a conversation, that each request is one that its vendor and any other takes,
// that nothing the person said is lost, that the log gives the same session in every way it can be read, that requests
// extend each other, and that each call has one result.
func TestHistories(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(rt *rapid.T) { newWorld(rt, b, false).live() })
}

// TestCompactedHistories is the same with the product's compaction, whose windows are small and whose summaries may be
// anything. What the person said stays in the window or is said to be left out.
func TestCompactedHistories(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(rt *rapid.T) { newWorld(rt, b, true).live() })
}

func newBench(t *testing.T) *bench {
	b := &bench{seats: seats()}
	for _, s := range b.seats {
		b.encoders = append(b.encoders, newEncoder(t, s))
	}
	return b
}

// live is a whole history.
func (w *world) live() {
	for range rapid.IntRange(1, 9).Draw(w.rt, "steps") {
		w.step()
		w.judge(false)
	}
	w.goOn()
}

// step is one thing that happens.
func (w *world) step() {
	switch w.pick("step", 20) { // small numbers are drawn more often
	case 9, 10:
		w.compactNow()
	case 11: // the process is gone, and the end of the log with it
		w.crash()
	case 12, 13:
		w.at = w.pick("seat", len(w.bench.seats))
	case 14:
		w.rewind()
	case 15:
		w.undoCompaction()
	case 16, 17:
		w.redo()
	case 18:
		w.plan = !w.plan
	case 19:
		w.run() // nothing new was said
	default:
		w.say()
		w.run()
	}
}

func (w *world) crash() {
	if n := len(w.lines); n > 0 {
		n -= w.pick("lost", min(n, 6))
		w.lines, w.decoded = w.lines[:n:n], w.decoded[:min(n, len(w.decoded))]
	}
	w.session = w.load()
	w.born()
	if w.lastAt > int64(len(w.lines)) { // it was never made
		w.last, w.lastRaw = nil, sent{}
	}
}

func (w *world) compactNow() {
	w.seen = 0
	_, err := agenttest.Collect(w.agent().CompactNow(context.Background(), w.session, "the tea"))
	if w.session.Open != errors.Is(err, agent.ErrUse) || !w.session.Open && err != nil {
		w.rt.Fatalf("open %v: %v", w.session.Open, err)
	}
}

// void takes events back, or with a void among them brings them back, as the commands do.
func (w *world) void(from, to int64, state json.RawMessage) {
	e := &agent.Event{Type: agent.EvVoid, Void: &agent.Range{From: from, To: to}, Text: "undo"}
	if state != nil {
		e.State = map[string]json.RawMessage{"rewind": state}
	}
	w.seen = 0
	if err := w.agent().Append(context.Background(), w.session, e); err != nil {
		w.rt.Fatalf("void %d to %d: %v", from, to, err)
	}
	w.session = w.load()
}

// undoCompaction takes one that still counts back: any of the wild ones, of the product's the last one with a head.
func (w *world) undoCompaction() {
	var all []int64
	for _, e := range w.alive() {
		switch {
		case e.Type != agent.EvCompact:
		case w.useful && len(e.Trim.Head) > 0:
			all = []int64{e.Seq}
		case !w.useful:
			all = append(all, e.Seq)
		}
	}
	if len(all) > 0 {
		n := all[w.pick("compaction", len(all))]
		w.void(n, n, nil)
	}
}

func (w *world) rewind() {
	var turns []int64
	for _, m := range w.session.Messages {
		if m.Role == agent.User && m.From == "" {
			turns = append(turns, m.Seq)
		}
	}
	if len(turns) > 0 {
		state := fmt.Appendf(nil, "%d", w.session.Seq+1)
		w.void(turns[w.pick("turn", len(turns))], w.session.Seq, state)
	}
}

// redo voids the last void of a rewind, as long as nothing was said since.
func (w *world) redo() {
	var at int64
	if json.Unmarshal(w.session.State["rewind"], &at) != nil || at == 0 {
		return
	}
	for _, m := range w.session.Messages {
		if m.Seq > at {
			return
		}
	}
	w.void(at, at, json.RawMessage("null"))
}

// events are all that was stored.
func (w *world) events() []agent.Event {
	w.rt.Helper()
	for _, l := range w.lines[len(w.decoded):] {
		var e agent.Event
		if err := json.Unmarshal(l, &e); err != nil {
			w.rt.Fatalf("%v: %s", err, l)
		}
		w.decoded = append(w.decoded, e)
	}
	return w.decoded
}

// alive are the events that no void has taken back, found without the kernel.
func (w *world) alive() []agent.Event {
	w.rt.Helper()
	all := w.events()
	dead := map[int64]bool{}
	for _, e := range slices.Backward(all) {
		if v := e.Void; v != nil && !dead[e.Seq] {
			for n := v.From; n <= v.To; n++ {
				dead[n] = true
			}
		}
	}
	var out []agent.Event
	for _, e := range all {
		if !dead[e.Seq] {
			out = append(out, e)
		}
	}
	return out
}

// judge holds everything that must be so at any time.
func (w *world) judge(end bool) {
	w.rt.Helper()
	w.replay()
	w.pairs()
	w.words()
	w.next(end)
	if len(w.faults) > 0 {
		w.rt.Fatalf("%s\n%s", strings.Join(w.faults, "\n"), w.show())
	}
}

// diff says how two sessions differ in what they show; empty and absent are the same.
func diff(a, b *agent.Session) string {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		if x.Type().Field(i).IsExported() && !same(x.Field(i), y.Field(i)) {
			return cmp.Diff(a, b, cmpopts.IgnoreUnexported(agent.Session{}), cmpopts.EquateEmpty())
		}
	}
	return ""
}

// same spares most sessions the thorough look, which takes long.
func same(x, y reflect.Value) bool {
	if k := x.Kind(); (k == reflect.Slice || k == reflect.Map) && x.Len() == 0 && y.Len() == 0 {
		return true
	}
	m, ok := reflect.TypeAssert[[]agent.Message](x)
	if !ok {
		return reflect.DeepEqual(x.Interface(), y.Interface())
	}
	n, _ := reflect.TypeAssert[[]agent.Message](y)
	return slices.EqualFunc(m, n, func(a, b agent.Message) bool {
		return reflect.DeepEqual(a, b) || len(a.Parts) == 1 && a.Result() != nil && len(a.Result().Parts) == 0 && cmp.Equal(a, b, cmpopts.EquateEmpty())
	})
}

// replay: the live session, the one that the log gives as a whole, and the one that it gives event by event.
func (w *world) replay() {
	w.rt.Helper()
	whole := w.load()
	if d := diff(w.session, whole); d != "" {
		w.rt.Fatalf("the log gives another session (-live +loaded):\n%s\n%s", d, w.show())
	}
	step := agent.NewSession("s")
	for i, e := range w.events() {
		err := step.Apply(e)
		if errors.Is(err, agent.ErrVoid) {
			step, err = agent.Load("s", seqOf(w.lines[:i+1]), w.blob)
		}
		if err != nil {
			w.rt.Fatalf("event %d: %v", e.Seq, err)
		}
	}
	for i := range step.Messages { // bytes of attachments come with a load only
		w.inflate(step.Messages[i].Parts)
	}
	if d := diff(step, whole); d != "" {
		w.rt.Fatalf("event by event the log gives another session (-step +whole):\n%s\n%s", d, w.show())
	}
	if a, b := w.session.Compacted(), whole.Compacted(); a != b || step.Compacted() != b {
		w.rt.Fatalf("the head is %d, loaded %d, event by event %d\n%s", a, b, step.Compacted(), w.show())
	}
	for _, in := range w.inputs {
		if a, b := w.session.Taken(inputLog, in.pos, in.words), whole.Taken(inputLog, in.pos, in.words); a != b || step.Taken(inputLog, in.pos, in.words) != b {
			w.rt.Fatalf("input %d: taken %v, loaded %v", in.pos, a, b)
		}
	}
}

func (w *world) inflate(parts []agent.Part) {
	for _, p := range parts {
		if p.Result != nil {
			w.inflate(p.Result.Parts)
		}
		if p.Blob != nil && p.Blob.SHA256 != "" && len(p.Blob.Data) == 0 {
			p.Blob.Data, _ = w.blob(p.Blob.SHA256)
		}
	}
}

// pairs: each call of a run that is over has one result, and no result is without a call. What a rewind has cut through
// has lost its results with what came after it.
func (w *world) pairs() {
	w.rt.Helper()
	calls, results := map[string]int{}, map[string]int{}
	for _, e := range w.events() {
		if e.Message == nil {
			continue
		}
		for _, c := range e.Message.Calls() {
			calls[c.Key]++
		}
		if r := e.Message.Result(); r != nil {
			results[r.Key]++
		}
	}
	for key, n := range results {
		if n != 1 || calls[key] != 1 {
			w.rt.Fatalf("call %s stands %d times and has %d results\n%s", key, calls[key], n, w.show())
		}
	}
	waits := map[string]bool{}
	for _, c := range w.session.OpenCalls() {
		waits[c.Key] = true
	}
	for _, e := range w.alive() {
		if e.Message == nil {
			continue
		}
		for _, c := range e.Message.Calls() {
			if results[c.Key] == 0 && !waits[c.Key] {
				w.rt.Fatalf("call %s has no result\n%s", c.Key, w.show())
			}
		}
	}
}

// words: what was handed over stands in the log once, taken back or not; and as long as it counts, the squeezer answers
// for it.
func (w *world) words() {
	w.rt.Helper()
	stored := map[string]int{}
	for _, e := range w.events() {
		if e.Message != nil && e.Message.Role == agent.User && e.Message.From == "" {
			stored[word(e.Message.Text())]++
		}
	}
	for _, in := range w.inputs {
		want := 0
		if w.session.Taken(inputLog, in.pos, in.words) {
			want = 1
		}
		if n := stored[in.words]; n != want {
			w.rt.Fatalf("%q stands %d times in the log, taken %d\n%s", in.words, n, want, w.show())
		}
	}
	var window strings.Builder
	for _, m := range w.session.Messages {
		window.WriteString(m.Text() + "\n")
	}
	compacted, gone := false, []string(nil)
	for _, e := range w.alive() {
		compacted = compacted || e.Type == agent.EvCompact
	}
	for _, e := range w.alive() {
		if e.Message == nil || e.Message.Role != agent.User || e.Message.From != "" {
			continue
		}
		if said := word(e.Message.Text()); !hasWord(window.String(), said) {
			if !compacted {
				w.rt.Fatalf("%q is not in the window\n%s", said, w.show())
			}
			gone = append(gone, said)
		}
	}
	if len(gone) == 0 {
		return
	}
	if err := w.squeeze.carries(w, window.String(), strings.Join(gone, "\n")); err != nil {
		w.rt.Fatalf("%q: %v\n%s\n---\n%s", gone, err, window.String(), w.show())
	}
}

// word is how a message of the person is known.
func word(text string) string {
	i := strings.Index(text, "-of-mine")
	if i < 0 {
		return text
	}
	return text[:i+len("-of-mine")]
}

func hasWord(text, word string) bool { return strings.Contains(text, word) }

// next: the request that would go out, over all wires or some.
func (w *world) next(all bool) {
	w.rt.Helper()
	if len(w.session.OpenCalls()) > 0 { // they are answered before anything is sent
		return
	}
	req := &agent.Request{System: "Be brief.", Messages: append(slices.Clip(w.session.Messages), agent.TextMessage(agent.User, "go on")), Tools: w.tools()}
	some := len(w.bench.seats)
	if !all {
		some = 2
	}
	for i := range some { // each in its turn
		w.turn++
		w.try((w.turn+i)%len(w.bench.seats), req)
	}
}

// try encodes a request as it would go out from a seat.
func (w *world) try(seat int, req *agent.Request) {
	s := w.bench.seats[seat]
	out, err := w.bench.encoders[seat].encode(context.Background(), req)
	if err == nil {
		err = valid(s, out)
	}
	if err != nil {
		w.fault("over %s: %v\n%s", s.name, err, out.body)
	}
}

// request looks at what is about to be asked: it extends what was asked before, and another wire takes it too.
func (w *world) request(req *agent.Request) {
	body, err := agenttest.Body(req)
	if err != nil {
		w.fault("%v", err)
		return
	}
	if w.last != nil && !w.turned() && !bytes.HasPrefix(body, w.last) {
		w.fault("the request does not extend the one before:\n%s\n---\n%s", w.last, body)
	}
	w.last = body
	w.try((w.at+1+w.reply%(len(w.bench.seats)-1))%len(w.bench.seats), req)
}

// turned reports whether an event since the last request lets this one be another.
func (w *world) turned() bool {
	return slices.ContainsFunc(w.events()[w.lastAt:], func(e agent.Event) bool {
		return e.Type == agent.EvCompact || e.Type == agent.EvSetup || e.Type == agent.EvVoid
	})
}

// extends is the same for the bytes on the wire. What nobody has answered yet may grow: wires put neighbours of one role
// together.
func (w *world) extends(now sent) {
	if w.lastRaw.body != nil && w.lastOn == w.at && !w.turned() {
		was, is := history(w.rt, w.lastRaw), history(w.rt, now)
		if !w.answered() {
			was = was[:len(was)-1]
		}
		if len(is) < len(was) || !slices.Equal(is[:len(was)], was) {
			w.fault("on %s the request does not extend the one before:\n%q\n---\n%q", w.bench.seats[w.at].name, was, is)
		}
	}
	w.lastRaw, w.lastOn, w.lastAt = now, w.at, int64(len(w.lines))
}

// answered reports whether the model has said anything since the last request that all of them are shown: what was cut
// off in a thought is not.
func (w *world) answered() bool {
	return slices.ContainsFunc(w.events()[w.lastAt:], func(e agent.Event) bool {
		return e.Message != nil && e.Message.Role == agent.Assistant && (e.Message.Text() != "" || len(e.Message.Calls()) > 0)
	})
}

// goOn: whatever has happened, the next message is answered.
func (w *world) goOn() {
	w.rt.Helper()
	for range 3 {
		w.run()
	}
	w.judge(true)
}
