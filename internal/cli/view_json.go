package cli

import (
	"errors"
	"io"
	"strings"
	"time"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// jsonView prints one object at the end.
type jsonView struct {
	out     io.Writer
	msg     msg.Catalogue
	session string
	began   time.Time
	done    bool
	replies string // of commands of ours
}

func (v *jsonView) event(agent.Event, *follower) error { return nil }

func (v *jsonView) end(result) error { return nil }

func (v *jsonView) say(string) {}

func (v *jsonView) reply(text string) error {
	if v.replies += text; !strings.HasSuffix(text, "\n") {
		v.replies += "\n"
	}
	return nil
}

// finish prints the report; it prints only once.
func (v *jsonView) finish(r result) error {
	if v.done {
		return nil
	}
	v.done = true
	if r.Text == "" {
		r.Text = v.replies
	}
	if r.Usage == nil {
		r.Usage = &agent.Usage{}
	}
	return writeLine(v.out, report{
		Session: v.session, Stop: r.Stop, Text: r.Text, Data: r.Data, Goal: r.Goal, Error: r.Error, Steps: r.Steps, Usage: r.Usage,
		DurationMS: time.Since(v.began).Milliseconds(),
	})
}

func (v *jsonView) fail(err error) error {
	return v.finish(result{Stop: agent.RunError, Error: asError(v.msg, err)})
}

// linesView prints every event as one line of JSON.
type linesView struct {
	out  io.Writer
	msg  msg.Catalogue
	line func(agent.Event) ([]byte, error)
	said *strings.Builder // takes what is replied, for a receipt; nil: it is printed
}

func (v *linesView) event(e agent.Event, _ *follower) error {
	data, err := v.line(e)
	if err != nil {
		return err
	}
	_, err = v.out.Write(append(data, '\n'))
	return err
}

func (v *linesView) end(result) error { return nil }

func (v *linesView) say(string) {}

// reply prints a notice that no log has.
func (v *linesView) reply(text string) error {
	if v.said != nil {
		v.said.WriteString(text)
		return nil
	}
	return writeLine(v.out, agent.Event{Type: agent.EvNotice, Time: time.Now().UTC().Truncate(time.Millisecond), Text: text})
}

// receipt is what became of a line of --input jsonl.
type receipt struct {
	Line  int    `json:"line"`
	ID    string `json:"id,omitempty"` // of the input
	Pos   int64  `json:"pos,omitempty"`
	Again bool   `json:"again,omitempty"`
	Error string `json:"error,omitempty"`
}

// receipt prints a notice that no log has, for a line of --input jsonl.
func (v *linesView) receipt(r receipt, text string) error {
	return writeLine(v.out, struct {
		agent.Event
		Receipt receipt `json:"receipt"`
	}{
		agent.Event{Type: agent.EvNotice, Time: time.Now().UTC().Truncate(time.Millisecond), Text: text}, r,
	})
}

// fail prints an end event that no log has: its number is 0.
func (v *linesView) fail(err error) error {
	return writeLine(v.out, agent.Event{
		Type: agent.EvEnd, Time: time.Now().UTC().Truncate(time.Millisecond), Stop: agent.RunError, Error: asError(v.msg, err),
	})
}

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	data, err := agent.EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// asError is err as the error object of events and reports.
func asError(c msg.Catalogue, err error) *agent.Error {
	kind := agent.ErrInternal
	if _, ok := errors.AsType[*usageError](err); ok {
		kind = agent.ErrConfig
	}
	if model, ok := errors.AsType[*agent.ModelError](err); ok {
		return &agent.Error{
			Kind: model.Kind, Message: c.Err(err), Provider: model.Provider, Status: model.Status,
			Retryable: model.Retryable, RetryAfterS: model.RetryAfter.Seconds(),
		}
	}
	return &agent.Error{Kind: kind, Message: c.Err(err)}
}
