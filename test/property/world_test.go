package property_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"react-agent/agent"
	"react-agent/provider/providertest"
)

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// world is a conversation in which anything may happen: what is drawn decides what. It keeps what a store would keep, and
// whoever dies in it starts from that alone.
type world struct {
	rt       *rapid.T
	bench    *bench
	lines    [][]byte
	decoded  []agent.Event // of the first lines
	blobs    map[string][]byte
	inputs   []input // what the person has handed over, as an input log keeps it
	session  *agent.Session
	ag       *agent.Agent // whoever lives now
	squeeze  squeezer
	useful   bool // it is the product's
	at       int  // the seat that is spoken from
	parallel int
	window   int // tokens

	models map[int]agent.Model
	plan   bool // tools that write are hidden
	reply  int  // so many were given
	turn   int  // of the seats that look at a request
	allow  bool

	stopAt, breakAt, failAt int // durable events of this run at which it is cancelled, left, or its process dies
	seen                    int
	cancel                  context.CancelFunc

	last    []byte // the neutral request before
	lastAt  int64  // events stored when it was made
	lastRaw sent   // the same as it was sent
	lastOn  int    // from which seat
	faults  []string
}

// squeezer is what makes the history smaller.
type squeezer interface {
	// compact is an [agent.Agent.Compact].
	compact(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error)
	// hooks belong to it.
	hooks() []agent.Hook
	// carries says that whatever the person says stays in the window or is pointed at.
	carries(w *world, window string, words string) error
}

// input is one message of the person.
type input struct {
	pos   int64
	words string
	msg   agent.Message
}

const inputLog = "input/s"

// bench is what all worlds share: encoders for every seat.
type bench struct {
	seats    []seat
	encoders []*encoder
}

var errDied = errors.New("the process died")

func newWorld(rt *rapid.T, b *bench, useful bool) *world {
	w := &world{rt: rt, useful: useful, bench: b, blobs: map[string][]byte{}, session: agent.NewSession("s"), ag: &agent.Agent{}, models: map[int]agent.Model{}}
	w.at = w.pick("seat", len(b.seats))
	w.parallel = 1 + w.pick("parallel", 3)
	w.window = rapid.SampledFrom([]int{1500, 4000, 100_000}).Draw(rt, "window")
	w.allow = w.pick("allow", 3) > 0
	w.born()
	return w
}

// born is what a new process begins with.
func (w *world) born() {
	w.ag, w.squeeze = &agent.Agent{}, nil
	if w.useful {
		w.agent()
		w.squeeze = newReal(w)
		return
	}
	w.squeeze = &wild{w}
}

// pick draws one of n.
func (w *world) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(w.rt, label) }

// rare draws true once in n times.
func (w *world) rare(label string, n int) bool { return w.pick(label, n) == n-1 }

func (w *world) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// agent is the agent as it is at this moment.
func (w *world) agent() *agent.Agent {
	*w.ag = agent.Agent{
		System: "Be brief.", Model: &heard{w.model(), w}, Tools: w.tools(), Parallel: w.parallel, MaxSteps: 12,
		Hooks: []agent.Hook{w.features(), w.watch()}, Journal: w.journal,
		Waiting: func() bool { return len(w.pending()) > 0 },
		Ask: func(context.Context, agent.Ask) (agent.Answer, error) {
			return agent.Answer{Allow: w.allow, Text: "so be it"}, nil
		},
	}
	if w.squeeze != nil {
		w.ag.Compact, w.ag.Hooks = w.squeeze.compact, append(w.squeeze.hooks(), w.ag.Hooks...)
	}
	return w.ag
}

func (w *world) model() agent.Model {
	if w.models[w.at] == nil {
		w.models[w.at] = w.bench.seats[w.at].open(w.rt, w.window, transport(w.answer))
	}
	return w.models[w.at]
}

// journal stores an event as the engine does: attachments apart, one line for the rest.
func (w *world) journal(_ context.Context, e *agent.Event) error {
	w.seen++
	if w.failAt > 0 && w.seen >= w.failAt {
		return errDied
	}
	var parts []agent.Part
	if e.Message != nil {
		parts = append(parts, e.Message.Parts...)
	}
	if e.Trim != nil {
		for _, m := range e.Trim.Head {
			parts = append(parts, m.Parts...)
		}
	}
	for len(parts) > 0 {
		p := parts[0]
		parts = parts[1:]
		if p.Result != nil {
			parts = append(parts, p.Result.Parts...)
		}
		if p.Blob != nil && len(p.Blob.Data) > 0 {
			p.Blob.SHA256 = fmt.Sprintf("%x", len(p.Blob.Data))
			w.blobs[p.Blob.SHA256] = p.Blob.Data
		}
	}
	line, err := agent.EncodeJSON(e)
	if err != nil {
		return err
	}
	w.lines = append(w.lines, line)
	return nil
}

func (w *world) blob(sha string) ([]byte, error) {
	data, ok := w.blobs[sha]
	if !ok {
		return nil, errors.New("no such body")
	}
	return data, nil
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

func (w *world) load() *agent.Session {
	w.rt.Helper()
	s, err := agent.Load("s", seqOf(w.lines), w.blob)
	if err != nil {
		w.rt.Fatalf("the log cannot be loaded: %v\n%s", err, w.show())
	}
	return s
}

// show is the log for a person who looks for a fault.
func (w *world) show() string { return string(bytes.Join(w.lines, []byte("\n"))) }

// tools do what their argument says.
func (w *world) tools() []agent.Tool {
	type args struct {
		Do string `json:"do"`
	}
	tool := func(name string, e agent.Effect) agent.Tool {
		return agent.NewTool(name, "does "+name, e, func(ctx context.Context, in args) (agent.Result, error) {
			switch in.Do {
			case "fail":
				return agent.TextResult("half"), errors.New("it broke")
			case "panic":
				panic("boom")
			case "goexit":
				runtime.Goexit()
			case "big":
				return agent.TextResult(strings.Repeat("a long line of output\n", 120)), nil
			case "nothing":
				return agent.Result{}, nil
			case "picture":
				return agent.Result{Parts: []agent.Part{agent.TextPart("see"), picture()}}, nil
			case "ask":
				ans, err := agent.AskUser(ctx, agent.Ask{Text: "really?"})
				return agent.TextResult(fmt.Sprint(ans.Allow)), err
			case "state":
				r := agent.TextResult("noted")
				r.State = map[string]json.RawMessage{"todo": json.RawMessage(`["a","b"]`)}
				return r, nil
			case "last":
				r := agent.TextResult("last")
				r.EndTurn = true
				return r, nil
			}
			return agent.TextResult("ok \xff " + in.Do), nil
		})
	}
	shared := tool("shared", agent.Executes)
	shared.Shared = true
	resume := tool("resume", agent.Executes)
	resume.Resume = true
	return []agent.Tool{tool("read", agent.Reads), tool("write", agent.Writes), shared, resume}
}

func picture() agent.Part {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		panic(err)
	}
	return agent.Part{Kind: agent.BlobKind, Blob: &agent.Blob{MIME: "image/png", Name: "dot.png", Data: b.Bytes()}}
}

// say makes a message of the person and puts it into the input log.
func (w *world) say() {
	n := len(w.inputs) + 1
	in := input{pos: int64(10 * n), words: fmt.Sprintf("wish-%d-of-mine", n)}
	text := in.words + rapid.SampledFrom([]string{"", " <b>&\u2028", " please", " \xff!", strings.Repeat(" and more", 80)}).Draw(w.rt, "say")
	in.msg = agent.TextMessage(agent.User, text)
	if w.rare("attach", 8) {
		in.msg.Parts = append(in.msg.Parts, picture())
	}
	w.inputs = append(w.inputs, in)
}

// pending are the inputs that no event has used up.
func (w *world) pending() []input {
	return slices.DeleteFunc(slices.Clone(w.inputs), func(in input) bool {
		return w.session.Taken(inputLog, in.pos, in.words)
	})
}

func (w *world) notes() []agent.Note {
	var notes []agent.Note
	for _, in := range w.pending() {
		notes = append(notes, agent.Note{Messages: []agent.Message{in.msg}, Took: []agent.Took{{Log: inputLog, Pos: in.pos, ID: in.words}}})
	}
	return notes
}

// features is what hooks of the product do: input into the running turn, memory, reminders, tools that come and go.
func (w *world) features() agent.Hook {
	return agent.Hook{
		Name: "features",
		Inject: func(_ context.Context, _ *agent.Session, stopping bool) (*agent.Note, error) {
			all := agent.Note{}
			for _, n := range w.notes() {
				all.Messages, all.Took = append(all.Messages, n.Messages...), append(all.Took, n.Took...)
			}
			if !stopping && w.rare("inject", 10) {
				m := agent.TextMessage(agent.User, "remembered: the person likes tea")
				m.From = "memory"
				all.Messages = append(all.Messages, m)
			}
			if w.rare("state", 12) {
				all.State = map[string]json.RawMessage{"todo": json.RawMessage("null"), "plan": json.RawMessage(`{"n":1}`)}
			}
			return &all, nil
		},
		BeforeModel: func(_ context.Context, _ *agent.Session, req *agent.Request) error {
			if w.plan {
				req.Tools = slices.DeleteFunc(req.Tools, func(t agent.Tool) bool { return t.Effect != agent.Reads })
				req.System += " Only plan."
			}
			return nil
		},
		BeforeTool: func(_ context.Context, _ *agent.Session, _ agent.Tool, c agent.Call) (agent.Decision, error) {
			switch {
			case bytes.Contains(c.Args, []byte("careful")):
				return agent.Decision{Verdict: agent.AskFirst, Reason: "may it?"}, nil
			case bytes.Contains(c.Args, []byte("loop")):
				return agent.Decision{}, &agent.StopError{Stop: agent.RunLoop, Text: "round and round"}
			}
			return agent.Decision{}, nil
		},
	}
}

// watch counts durable events, and ends the run where that was drawn.
func (w *world) watch() agent.Hook {
	return agent.Hook{Name: "watch", OnEvent: func(_ context.Context, e agent.Event) {
		if e.Type.Durable() && w.seen == w.stopAt {
			w.cancel()
		}
	}}
}

// heard is a model whose every request is looked at before it goes out.
type heard struct {
	agent.Model
	w *world
}

// Stream looks, then asks.
func (h *heard) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Chunk, error] {
	h.w.request(req)
	return h.Model.Stream(ctx, req)
}

// answer is the vendor: it judges the request and draws what to say.
func (w *world) answer(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	seat := w.bench.seats[w.at]
	now := sent{r.URL.Path, body}
	if err := valid(seat, now); err != nil {
		w.fault("sent to %s: %v\n%s", seat.name, err, body)
	}
	w.extends(now)
	r.Body = io.NopCloser(bytes.NewReader(body))
	w.reply++
	reply := w.draw(seat)
	reply.Usage = &[3]int{len(body) / 4, 5, 0}
	return providertest.Speak(r, w.reply, reply)
}

// draw makes up a reply.
func (w *world) draw(s seat) (r providertest.Reply) {
	say := func(v providertest.Verb, text string) {
		r.Parts = append(r.Parts, providertest.Part{Verb: v, Text: text})
	}
	if w.rare("speaks", 8) { // while the model does
		w.say()
	}
	kind := w.pick("reply", 16) // small numbers are drawn more often
	switch kind {
	case 15:
		say(providertest.Say, "half of")
		say(providertest.Break, "")
		return r
	case 14:
		return providertest.Reply{Status: http.StatusBadRequest, Body: "This model's maximum context length is 1000 tokens, however your messages have 2000 tokens"}
	case 13:
		return providertest.Reply{Status: http.StatusInternalServerError, Body: "try later"}
	case 12:
		say(providertest.Say, "cut in the mid")
		r.Finish = "length"
		return r
	case 11:
		say(providertest.Nothing, "")
		return r
	}
	if w.pick("think", 2) == 0 {
		say(providertest.Think, "let me think")
	}
	answers := kind > 6
	if answers || w.pick("aloud", 2) == 0 {
		say(providertest.Say, rapid.SampledFrom([]string{"so be it", "<ok> & \u2028", "第一步。", "shall I go on?"}).Draw(w.rt, "text"))
	}
	if answers {
		return r
	}
	for range 1 + w.pick("calls", 3) {
		name := rapid.SampledFrom([]string{"read", "read", "write", "shared", "resume", "nosuch"}).Draw(w.rt, "name")
		args := rapid.SampledFrom([]string{
			`{"do":"ok"}`, `{"do":"big"}`, `{ "do": "<&>" }`, `{"do":"fail"}`, `{"do":"panic"}`, `{"do":"goexit"}`, `{"do":"nothing"}`,
			`{"do":"picture"}`, `{"do":"ask"}`, `{"do":"state"}`, `{"do":"last"}`, `{"do":"careful"}`, `{"do":"loop"}`,
			`{"do":1}`, `{"do":"ok`, `null`, `[]`, ``,
		}).Draw(w.rt, "args")
		if s.tags {
			say(providertest.Say, `<tool_call>{"name":"`+name+`","args":`+args+`}</tool_call>`)
			continue
		}
		r.Parts = append(r.Parts, providertest.Part{Verb: providertest.Call, Tool: name, Text: args})
	}
	return r
}

// run lets the agent work on what was said, until something happens.
func (w *world) run() {
	w.rt.Helper()
	w.seen, w.stopAt, w.breakAt, w.failAt = 0, 0, 0, 0
	switch when := 1 + w.pick("when", 12); w.pick("end", 8) {
	case 7:
		w.stopAt = when
	case 6:
		w.breakAt = 3 * when
	case 5:
		w.failAt = when
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	events, failed := 0, error(nil)
	for _, err := range w.agent().Run(ctx, w.session, w.notes()...) {
		if failed = err; err != nil {
			break
		}
		if events++; events == w.breakAt {
			break
		}
	}
	w.failAt = 0
	if failed != nil && !errors.Is(failed, errDied) {
		w.rt.Fatalf("run: %v", failed)
	}
	if failed != nil {
		w.session = w.load()
		w.born()
	}
}
