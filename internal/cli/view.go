package cli

import (
	"encoding/json"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// view turns events into output. Its methods are called from one goroutine.
type view interface {
	// event shows one event; f has taken it in before.
	event(e agent.Event, f *follower) error
	// end shows what the run came to; it is called once for each run that ends.
	end(r result) error
	// fail shows an error that no event tells of.
	fail(err error) error
	// say tells the person something that is no part of the conversation.
	say(line string)
	// reply shows what a command of ours has answered.
	reply(text string) error
}

// why is the run's own explanation of its end.
func (r result) why() string { return oneLine(r.Note) }

// report is the object of --output json.
type report struct {
	Session    string          `json:"session"`
	Stop       agent.RunStop   `json:"stop"`
	Text       string          `json:"text"`
	Data       json.RawMessage `json:"data,omitempty"`
	Goal       json.RawMessage `json:"goal,omitempty"`
	Error      *agent.Error    `json:"error,omitempty"`
	Steps      int             `json:"steps"`
	Usage      *agent.Usage    `json:"usage"`
	DurationMS int64           `json:"duration_ms"`
}

// whyStopped is the line that explains an end which is no answer; "" when there is nothing to explain.
func whyStopped(c msg.Catalogue, r result) string {
	if r.Error != nil {
		return c.Text(msg.RunFailed, failure(c, r.Error))
	}
	switch r.Stop {
	case agent.RunLoop:
		return c.Text(msg.RunLoop, r.why())
	case agent.RunSteps:
		return c.Text(msg.RunSteps, stepsOver(c, r.why()))
	case agent.RunBudget:
		return c.Text(msg.RunBudget, r.why())
	case agent.RunDenied:
		return c.Text(msg.RunDenied)
	case agent.RunOverflow:
		return c.Text(msg.RunOverflow, r.why())
	case agent.RunTimeout:
		return c.Text(msg.RunTimeout)
	case agent.RunCancelled:
		return c.Text(msg.RunCancelled)
	case agent.RunLength:
		return c.Text(msg.RunLength)
	case agent.RunRefused:
		return c.Text(msg.RunRefused)
	case agent.RunError:
		return c.Text(msg.RunFailed, r.why())
	case agent.RunEnd:
		if r.Text == "" {
			return c.Text(msg.RunEmpty)
		}
	}
	return ""
}

// nullView shows nothing: the reader of our output has gone.
type nullView struct{}

func (nullView) event(agent.Event, *follower) error { return nil }
func (nullView) end(result) error                   { return nil }
func (nullView) fail(error) error                   { return nil }
func (nullView) say(string)                         {}
func (nullView) reply(string) error                 { return nil }
