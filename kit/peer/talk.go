package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"react-agent/agent"
	"react-agent/internal/httpx"
	"react-agent/internal/sse"
	"react-agent/internal/text"
)

const (
	// silence is how long a turn may stay without a byte, comments included, before the connection counts as lost.
	silence = 2 * time.Minute
	// repeats is how often a turn whose connection broke is looked for again; the waits between grow from pause.
	repeats = 6
	pause   = 250 * time.Millisecond
	// farewell is how long a cancel may take: the run waits for no tool longer than a little more.
	farewell = 2 * time.Second

	maxRefusal  = 4 << 10
	maxProgress = 200
	// What the other side may send and ask in one turn before the talk is given up: it is somebody else's program.
	maxReply     = 32 << 20
	maxQuestions = 16
)

// talk is one call on its way.
type talk struct {
	agent   Agent
	client  *http.Client
	id      string // of the message
	session string
	prompt  string

	again   bool // it may have been sent before this program was started anew
	known   bool // the server takes a message with an id once
	words   []string
	failure string
	asked   map[string]bool // questions that were put, by id
	asking  sync.WaitGroup
}

// lost is the error of a connection that broke in the middle of a turn, or that was not there to begin with.
type lost struct {
	error
	unsent bool
}

// unsent reports whether a request has not left this machine.
func unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// run has the turn happen and waits for its end.
func (t *talk) run(ctx context.Context) error {
	listening, stop := context.WithCancel(ctx) // over broken connections
	defer t.asking.Wait()
	defer stop()
	wait := pause
	for n := 0; ; n++ {
		err := t.turn(ctx, listening)
		var broken lost
		switch {
		case err == nil && t.failure != "":
			return fmt.Errorf("agent %s: %s", t.agent.Name, t.failure)
		case err == nil:
			return nil
		case !errors.As(err, &broken):
			return fmt.Errorf("agent %s: %w", t.agent.Name, err)
		case !t.known && !broken.unsent:
			return fmt.Errorf("agent %s: the connection to %s broke, the work there may have been done, or still go on: %w", t.agent.Name, httpx.Shown(t.agent.URL), err)
		case n == repeats:
			return fmt.Errorf("agent %s: the connection to %s broke and it does not answer any more; the work there may go on: %w", t.agent.Name, httpx.Shown(t.agent.URL), err)
		}
		agent.Progress(ctx, "["+t.agent.Name+"] …")
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		wait *= 2
	}
}

// post sends a body to a route of the other program.
func (t *talk) post(ctx context.Context, route string, body any) (*http.Response, error) {
	raw, err := agent.EncodeJSON(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(t.agent.URL, "/")+route, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	if t.agent.Token != "" {
		req.Header.Set("Authorization", "Bearer "+t.agent.Token)
	}
	return t.client.Do(req)
}

// turn sends the message, or finds it again, and follows the turn to its end.
func (t *talk) turn(ctx, listening context.Context) error {
	res, err := t.post(ctx, "/chat", map[string]any{"session_id": t.session, "id": t.id, "message": t.prompt})
	if err != nil && (t.known || t.again && unsent(err)) { // the other program may be on its way up, too
		return lost{httpx.ShownError(err), unsent(err)}
	}
	if err != nil {
		return fmt.Errorf("%s cannot be reached: %w", httpx.Shown(t.agent.URL), httpx.ShownError(err))
	}
	defer func() { _ = res.Body.Close() }() // it is read to its end, or given up
	body := httpx.IdleReader(ctx, res.Body, silence)
	defer func() { _ = body.Close() }()
	if res.StatusCode != http.StatusOK {
		err := t.refusal(res, body)
		if t.known && (res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests) {
			return lost{err, false}
		}
		return err
	}
	t.known = t.known || res.Header.Get(Header) == t.id
	return t.listen(listening, res.Header.Get("Content-Type"), body)
}

// listen takes the frames of the turn, from its beginning to its end.
func (t *talk) listen(ctx context.Context, contentType string, body io.Reader) error {
	if kind, _, err := mime.ParseMediaType(contentType); err != nil || kind != "text/event-stream" {
		return t.stranger()
	}
	t.words, t.failure = nil, ""
	most := &io.LimitedReader{R: body, N: maxReply}
	for r := sse.NewReader(most); ; {
		e, err := r.Next()
		if most.N <= 0 { // what came of the last frame is cut
			return fmt.Errorf("%s has sent more than %d MiB in one turn", httpx.Shown(t.agent.URL), maxReply>>20)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return lost{err, false}
		}
		done, err := t.frame(ctx, e.Data)
		if done || err != nil {
			return err
		}
	}
}

// stranger says that what answers is something else.
func (t *talk) stranger() error {
	return fmt.Errorf("%s does not speak as a react-agent does: check agents.%s.url in the configuration, and what listens there", httpx.Shown(t.agent.URL), t.agent.Name)
}

// refusal says why a request was not taken.
func (t *talk) refusal(res *http.Response, body io.Reader) error {
	raw, _ := io.ReadAll(io.LimitReader(body, maxRefusal)) // what could be read is what there is to say
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &said) != nil || said.Error == "" {
		said.Error = strings.TrimSpace(string(raw))
	}
	line := fmt.Sprintf("%s answered %d: %s", httpx.Shown(t.agent.URL), res.StatusCode, text.Head(said.Error, maxProgress))
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		line += fmt.Sprintf(" (the token is agents.%s.token in the configuration)", t.agent.Name)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
			line += fmt.Sprintf(" (try again in %d s)", s)
		}
	}
	return errors.New(line)
}

// frame takes one frame of the turn; done: it was the last.
func (t *talk) frame(ctx context.Context, raw []byte) (done bool, err error) {
	var f struct {
		Type string `json:"type"`
		Data struct {
			Content string          `json:"content"`
			Error   string          `json:"error"`
			Name    string          `json:"name"`
			Args    json.RawMessage `json:"args"`
			question
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return false, t.stranger()
	}
	switch f.Type {
	case "message":
		t.words = append(t.words, f.Data.Content)
	case "error":
		t.failure = f.Data.Error
	case "tool_call":
		agent.Progress(ctx, "["+t.agent.Name+"] · "+text.Head(f.Data.Name+" "+string(f.Data.Args), maxProgress))
	case "ask":
		q := f.Data.question
		if !t.asked[q.ID] {
			if len(t.asked) == maxQuestions {
				return false, fmt.Errorf("%s has asked more than %d questions in one turn", httpx.Shown(t.agent.URL), maxQuestions)
			}
			t.asked[q.ID] = true
			t.asking.Go(func() { t.ask(ctx, q) })
		}
	case "done":
		return true, nil
	}
	return false, nil
}

// question is one that the other agent has for a person.
type question struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
}

// ask puts a question of the other agent here, and the answer there. Where nobody can be asked the answer is no.
func (t *talk) ask(ctx context.Context, q question) {
	a, err := agent.AskUser(ctx, agent.Ask{ID: "peer/" + q.ID, Text: "[" + t.agent.Name + "] " + q.Text, Choices: q.Choices})
	if err != nil || ctx.Err() != nil { // the call ends, or somebody there has answered
		return
	}
	answer := map[string]any{"id": q.ID, "allow": a.Allow, "text": a.Text}
	if err := t.tell(ctx, map[string]any{"answer": answer}); err != nil {
		agent.Progress(ctx, "["+t.agent.Name+"] "+err.Error())
	}
}

// tell hands something in to the session there.
func (t *talk) tell(ctx context.Context, body any) error {
	res, err := t.post(ctx, "/sessions/"+t.session+"/input", body)
	if err != nil {
		return httpx.ShownError(err)
	}
	defer func() { _ = res.Body.Close() }() // only the status counts
	if res.StatusCode >= http.StatusBadRequest {
		return t.refusal(res, res.Body)
	}
	return nil
}

// cancel ends the turn there, as far as that can be done in a moment.
func (t *talk) cancel(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, farewell)
	defer stop()
	_ = t.tell(ctx, map[string]any{"cancel": true}) // nobody is there to be told
}
