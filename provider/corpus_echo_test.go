package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/provider"
)

// playEcho plays a case of type echo: a conversation of a real agent, step by step, and then looks at the request that
// it sends.
func playEcho(t *testing.T, c *wireCase) outcome {
	if missing := unbuilt(c); missing != "" {
		return outcome{skip: "no wire for api " + missing + " yet"}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	st := newStage(ctx, c)
	defer st.cancelRun()
	if err := st.play(); err != nil {
		return outcome{faults: []string{err.Error()}}
	}
	var o outcome
	for _, k := range c.ExpectRequest.Checks {
		if !k.holds(c.API, st.asked.body) {
			o.fault("%s %s %s does not hold for %s", k.Op, k.Path, k.Value, st.asked.body)
		}
	}
	return o
}

// newStage makes the stage of a case, with the model it begins with.
func newStage(ctx context.Context, c *wireCase) *stage {
	st := &stage{ctx: ctx, c: c, session: agent.NewSession("s"), requests: make(chan asked), blocked: make(chan string)}
	api, vendor := c.start()
	st.pick(api, vendor, "m")
	return st
}

// start is the wire and the vendor with which the conversation of a case begins.
func (c *wireCase) start() (api, vendor string) {
	api, vendor = c.API, c.Vendor
	if c.Client.APIAtStart != "" {
		api = c.Client.APIAtStart
	}
	if c.Client.VendorAtStart != "" {
		vendor = c.Client.VendorAtStart
	}
	return api, vendor
}

// play plays all steps, until the last request has been asked.
func (st *stage) play() error {
	for i, step := range st.c.Steps {
		if err := st.step(step); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if err := st.settle(); err != nil || st.asked == nil {
		return fmt.Errorf("no request came after the last step (%w)", err)
	}
	return nil
}

// unbuilt names an API of the case for which there is no wire.
func unbuilt(c *wireCase) string {
	start, _ := c.start()
	apis := []string{start, c.API}
	for _, s := range c.Steps {
		if s.Switch != nil {
			apis = append(apis, s.Switch.API)
		}
	}
	for _, api := range apis {
		if _, ok := openModel(api, "generic", "m", caseClient{}, endpoint{}); !ok {
			return api
		}
	}
	return ""
}

// stage is an agent and everything around it, played from one goroutine. The run is in one of three places between two
// steps: over, waiting for a reply, or in a tool that waits for its result.
type stage struct {
	ctx     context.Context
	c       *wireCase
	session *agent.Session
	model   agent.Model
	keep    int // messages that a trim leaves

	requests chan asked
	blocked  chan string // a tool has started and waits

	stop  context.CancelFunc // of the run; nil = there is none
	done  chan error
	asked *asked // the request that waits for a reply
	tool  string // the number of the call whose tool waits; "" = none does

	mu      sync.Mutex
	results map[string]chan agent.Result // by the number of the call in its message
	typed   []agent.Message              // what the person said while the run was busy
}

// asked is a request that waits for its reply.
type asked struct {
	body  []byte
	reply chan *http.Response
}

// pick changes the model.
func (st *stage) pick(api, vendor, model string) {
	at := endpoint{url: "http://stage.invalid", http: &http.Client{Transport: roundTripper(st.transport)}}
	m, _ := openModel(api, vendor, model, st.c.Client, at)
	st.model = provider.Retry(m, provider.RetryPolicy{Base: time.Millisecond})
}

// transport hands a request to the stage and waits for the reply.
func (st *stage) transport(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a := asked{body: body, reply: make(chan *http.Response, 1)}
	select {
	case st.requests <- a:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	select {
	case resp := <-a.reply:
		resp.Request = r
		return resp, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (st *stage) step(s caseStep) error {
	switch {
	case s.User != nil:
		return st.user(*s.User)
	case s.Reply != nil:
		return st.reply(s.Reply, s.Abort)
	case s.Result != nil:
		res := agent.TextResult(s.Result.Content)
		res.Error = s.Result.IsError
		return st.result(strconv.Itoa(s.Result.Call+1), res)
	case s.Cancel:
		if err := st.settle(); err != nil {
			return err
		}
		return st.cancelRun()
	case s.Switch != nil:
		if err := st.over(); err != nil {
			return err
		}
		st.pick(s.Switch.API, s.Switch.Vendor, s.Switch.Model)
		return nil
	case s.Trim != nil:
		return st.trim(s.Trim.KeepLastMessages)
	}
	return errors.New("a step of no known kind")
}

// result gives a tool what it returns. Calls run in turn, so it may come before the tool does.
func (st *stage) result(number string, res agent.Result) error {
	if err := st.settle(); err != nil {
		return err
	}
	select {
	case st.slot(number) <- res:
	default:
		return fmt.Errorf("call %s has two results", number)
	}
	if st.tool == number {
		st.tool = ""
	}
	return nil
}

// user starts a run, or types into the one whose tools are at work.
func (st *stage) user(text string) error {
	if err := st.settle(); err != nil {
		return err
	}
	if st.stop != nil && st.tool != "" {
		st.mu.Lock()
		st.typed = append(st.typed, agent.TextMessage(agent.User, text))
		st.mu.Unlock()
		return nil
	}
	if err := st.over(); err != nil {
		return err
	}
	st.start(agent.Say(text))
	return nil
}

func (st *stage) agent() *agent.Agent {
	return &agent.Agent{
		Model: st.model, Tools: caseTools(st.c.Client.Tools, nil), Compact: agenttest.Trim(st.keep),
		Hooks: []agent.Hook{{Name: "person", Inject: st.inject}},
	}
}

func (st *stage) start(in ...agent.Note) {
	ctx, cancel := context.WithCancel(st.ctx)
	a := st.agent()
	for i := range a.Tools {
		a.Tools[i].Run = st.run
	}
	st.stop, st.done = cancel, make(chan error, 1)
	go func() {
		_, err := agenttest.Collect(a.Run(ctx, st.session, in...))
		st.done <- err
	}()
}

// inject hands over what the person typed.
func (st *stage) inject(context.Context, *agent.Session, bool) (*agent.Note, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.typed) == 0 {
		return nil, nil
	}
	n := &agent.Note{Messages: st.typed}
	st.typed = nil
	return n, nil
}

// run is every tool: it says that it has started and waits for the result that the case gives.
func (st *stage) run(ctx context.Context, c agent.Call) (agent.Result, error) {
	number := c.Key[strings.LastIndexByte(c.Key, '.')+1:]
	slot := st.slot(number)
	select {
	case res := <-slot: // it was given before the call's turn came
		return res, nil
	default:
	}
	select {
	case st.blocked <- number:
	case res := <-slot:
		return res, nil
	case <-ctx.Done():
		return agent.Result{}, ctx.Err()
	}
	select {
	case res := <-slot:
		return res, nil
	case <-ctx.Done():
		return agent.Result{}, ctx.Err()
	}
}

// slot is where the result of a call of the last reply is left.
func (st *stage) slot(number string) chan agent.Result {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.results == nil {
		st.results = map[string]chan agent.Result{}
	}
	if st.results[number] == nil {
		st.results[number] = make(chan agent.Result, 1)
	}
	return st.results[number]
}

// settle waits until the run is over, asks the model, or has a tool that waits.
func (st *stage) settle() error {
	if st.stop == nil || st.asked != nil || st.tool != "" {
		return nil
	}
	select {
	case a := <-st.requests:
		st.asked = &a
	case st.tool = <-st.blocked:
	case err := <-st.done:
		st.stop()
		st.stop, st.done = nil, nil
		return err
	case <-st.ctx.Done():
		return errors.New("the agent does nothing any more")
	}
	return nil
}

// over waits for the end of the run. One that still waits for something that the case does not give is cancelled.
func (st *stage) over() error {
	if err := st.settle(); err != nil || st.stop == nil {
		return err
	}
	return st.cancelRun()
}

func (st *stage) cancelRun() error {
	if st.stop == nil {
		return nil
	}
	st.stop()
	err := <-st.done
	st.stop, st.done, st.asked, st.tool, st.results = nil, nil, nil, "", nil
	return err
}

// reply answers the request that waits. With abort the person cancels when all of it has been read.
func (st *stage) reply(r *caseReply, abort bool) error {
	if err := st.settle(); err != nil {
		return err
	}
	if st.asked == nil {
		return fmt.Errorf("there is no request to reply to (run over: %v, tool that waits for its result: %q)", st.stop == nil, st.tool)
	}
	st.mu.Lock()
	st.results = nil
	st.mu.Unlock()
	read := make(chan struct{})
	h := http.Header{}
	for k, v := range r.Headers {
		h.Set(k, v)
	}
	st.asked.reply <- &http.Response{
		StatusCode: r.Status, Status: strconv.Itoa(r.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, ContentLength: -1, Body: &stageBody{rest: r.body(), end: r.End, hold: abort, read: read, closed: make(chan struct{})},
	}
	st.asked = nil
	if !abort {
		return nil
	}
	select {
	case <-read:
	case <-st.ctx.Done():
		return errors.New("the reply was not read to its end")
	}
	return st.cancelRun()
}

// trim cuts the history to about n messages.
func (st *stage) trim(n int) error {
	if err := st.over(); err != nil {
		return err
	}
	st.keep = n
	_, err := agenttest.Collect(st.agent().CompactNow(st.ctx, st.session, ""))
	return err
}

// stageBody is the body of a reply.
type stageBody struct {
	rest   []byte
	end    string
	hold   bool          // stay open after the last byte, whatever end says
	read   chan struct{} // closed when more is asked for than there is
	closed chan struct{}
	once   sync.Once
	shut   sync.Once
}

// Read gives what is left, and then the end.
func (b *stageBody) Read(p []byte) (int, error) {
	if n := copy(p, b.rest); n > 0 {
		b.rest = b.rest[n:]
		return n, nil
	}
	b.once.Do(func() { close(b.read) })
	switch {
	case b.hold || b.end == "hang":
		<-b.closed
		return 0, http.ErrBodyReadAfterClose
	case b.end == "cut":
		return 0, io.ErrUnexpectedEOF
	}
	return 0, io.EOF
}

// Close ends a read that waits.
func (b *stageBody) Close() error {
	b.shut.Do(func() { close(b.closed) })
	return nil
}
