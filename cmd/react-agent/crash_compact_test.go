//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/provider/providertest"
)

// What the person says in the tale, and what is to be found of it in the end.
const (
	firstWish  = "first wish: keep the tea warm, always"
	secondWish = "second wish: and the cups clean"
	thirdWish  = "third wish, while you are at it: no sugar"
)

// tale is a session with work, a compaction that is taken back, another one, and a message into a running turn. What is
// done next is decided by the log alone, so that any life can go on with it.
type tale struct {
	*rig
	mu     sync.Mutex
	faults []string
	last   string // request
}

func newTale(t *testing.T) *tale {
	t.Helper()
	x := &tale{rig: newRig(t, "NOTHING")}
	srv := httptest.NewServer(http.HandlerFunc(x.serve))
	t.Cleanup(srv.Close)
	x.extra = []string{"OPENAI_BASE_URL=" + srv.URL + "/v1"}
	return x
}

// serve answers results with a text and what the person said with calls; without tools a summary is wanted, and gets one
// that says nothing.
func (x *tale) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var req struct {
		Messages []struct{ Role string } `json:"messages"`
		Tools    []json.RawMessage       `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil || len(req.Messages) == 0 {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	script := "SAY it went well"
	if len(req.Tools) > 0 {
		x.last = string(body)
		n := strings.Count(x.last, `"role":"assistant"`)
		switch {
		case req.Messages[len(req.Messages)-1].Role == "tool", strings.Contains(x.last, thirdWish):
			script = "SAY done so far"
		case strings.Contains(x.last, "second wish"):
			script = "CALL bash {\"command\":\"echo two >>count.txt; sleep 0.05\"}\n+ CALL write_file {\"path\":\"three.txt\",\"content\":\"3\"}"
		default:
			script = fmt.Sprintf("CALL bash {\"command\":\"echo one >>count.txt; seq 1 %d\"}\n+ CALL read_file {\"path\":\"absent.txt\"}", 400+n)
		}
	}
	if fault := speak(w, r, body, 1, providertest.MustParse(script).Replies[0]); fault != "" {
		x.faults = append(x.faults, fault)
	}
}

// speak answers a request with a reply, and says what a vendor would find wrong with the request; "" is nothing.
func speak(w http.ResponseWriter, r *http.Request, body []byte, n int, reply providertest.Reply) (fault string) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := providertest.Speak(r, n, reply)
	if err != nil {
		return err.Error()
	}
	said, _ := io.ReadAll(resp.Body) // held in memory
	if resp.StatusCode != http.StatusOK {
		fault = string(said)
	}
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(said)
	return fault
}

// stage is how far the tale has come.
type stage struct {
	first, second   bool // wishes that were answered
	compacts, voids int
	open            bool
}

func stageOf(events []agent.Event) (s stage) {
	for _, e := range events {
		s.open = e.Run != "" && e.Type != agent.EvEnd || s.open && e.Type != agent.EvEnd
		switch e.Type {
		case agent.EvCompact:
			s.compacts++
		case agent.EvVoid:
			s.voids++
		case agent.EvEnd:
			s.second = s.second || s.first
			s.first = true
		default:
		}
	}
	return s
}

// line is what is said next; "" is nothing more.
func (s stage) line() string {
	switch {
	case !s.first:
		return fmt.Sprintf(`{"id":"m1","message":%q}`, firstWish)
	case s.compacts == 0:
		return `{"command":"/compact the tea"}`
	case s.voids == 0:
		return `{"command":"/compact undo"}`
	case s.compacts == 1:
		return `{"command":"/compact"}`
	case !s.second:
		return fmt.Sprintf(`{"id":"m2","message":%q}`, secondWish)
	}
	return ""
}

// tell runs one life until the tale is over or the process dies, and gives its exit code.
func (x *tale) tell(parts ...string) int {
	x.t.Helper()
	how := "--resume"
	if len(readLines(x.t, x.state("log", "input", "s.jsonl"))) == 0 {
		how = "--session"
	}
	l := x.start(parts, "--yolo", how, "s")
	say := func(line string) { _, _ = io.WriteString(l.in, line+"\n") } // it may be dead by now
	events := x.decode(x.log())
	if now := stageOf(events); now.line() == "" && !now.open {
		return l.wait()
	}
	if now := stageOf(events); !now.open {
		say(now.line())
	}
	steered := false
	for {
		line, err := l.out.ReadBytes('\n')
		if err != nil {
			return l.wait()
		}
		if !bytes.HasPrefix(line, []byte(`{"seq":`)) { // the answer to a line
			continue
		}
		e, err := engine.Decode(line, nil)
		if err != nil {
			x.t.Fatalf("printed line %.200q: %v", line, err)
		}
		if !e.Type.Durable() || e.Seq <= int64(len(events)) {
			continue
		}
		events = append(events, e)
		now := stageOf(events)
		switch {
		case e.Type == agent.EvCall && now.first && !steered:
			steered = true
			say(fmt.Sprintf(`{"id":"m3","message":%q}`, thirdWish))
		case now.open || e.Type != agent.EvEnd && e.Type != agent.EvCompact && e.Type != agent.EvVoid:
		case now.line() != "":
			say(now.line())
		case said(events, thirdWish) == 0: // the process that was to be told has died
			say(fmt.Sprintf(`{"id":"m3","message":%q}`, thirdWish))
		default:
			return l.wait()
		}
	}
}

// said counts how often the person has said something.
func said(events []agent.Event, text string) (n int) {
	for _, e := range events {
		if m := e.Message; m != nil && m.Role == agent.User && m.From == "" && m.Text() == text {
			n++
		}
	}
	return n
}

// judge judges the whole tale.
func (x *tale) judge(code int) {
	x.t.Helper()
	events := x.decode(x.log())
	now := stageOf(events)
	if code != 0 || now.line() != "" || now.open {
		x.t.Fatalf("exit %d, %+v, last event %s", code, now, x.log()[len(events)-1])
	}
	for _, wish := range []string{firstWish, secondWish, thirdWish} {
		if n := said(events, wish); n != 1 {
			x.t.Errorf("%q stands %d times in the log", wish, n)
		}
		if !strings.Contains(x.last, wish) {
			x.t.Errorf("%q is not in the last request: %.3000s", wish, x.last)
		}
	}
	done := map[string]int{}
	for _, line := range readLines(x.t, x.work("count.txt")) {
		done[line]++
	}
	broken := 0
	for _, e := range events {
		if e.Message != nil && e.Message.Result() != nil && strings.HasPrefix(e.Message.Result().Text(), "interrupted") {
			broken++
		}
	}
	if done["one"] > 1 || done["two"] > 1 || done["one"]+done["two"]+broken < 2 {
		x.t.Errorf("commands ran %v, %d were interrupted", done, broken)
	}
	if len(x.faults) > 0 {
		x.t.Errorf("the model refused: %s", strings.Join(x.faults, "\n"))
	}
	x.check()
}

// Wherever among the durable events around compactions, their undo and a steered turn a process dies, the next one goes on:
// everything that was said is there once, nothing is done twice, and the log is sound.
func TestKilledAroundCompactions(t *testing.T) {
	t.Parallel()
	whole := newTale(t)
	whole.judge(whole.tell())
	events := len(whole.log())
	if events < 15 {
		t.Fatalf("the tale has only %d durable events", events)
	}
	for k := 1; k <= events; k += stride() {
		t.Run(strconv.Itoa(k), func(t *testing.T) {
			t.Parallel()
			x := newTale(t)
			when := [...]string{"after", "before"}[k%2]
			if code := x.tell(fmt.Sprintf("PARTS_DIE=%s:%d", when, k)); code != -1 {
				t.Fatalf("the process was to die (%s:%d) and ended with %d", when, k, code)
			}
			if _, err := os.Stat(x.state("log", "session", "s.jsonl")); err == nil {
				x.decode(x.log())
			}
			x.judge(x.tell())
		})
	}
}
