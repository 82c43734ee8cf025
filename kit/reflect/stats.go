package reflect

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/text"
)

// Tool is what calls of one tool have come to, under the name that the model sees.
type Tool struct {
	Name  string `json:"name"`
	Calls int    `json:"calls"`
	// Failed ran and said that they had failed; NotRun were refused, cancelled, or had arguments that nobody can run.
	Failed int `json:"failed,omitempty"`
	NotRun int `json:"not_run,omitempty"`
	// Repeats are calls with the same arguments and the same result as an earlier one of their session.
	Repeats int `json:"repeats,omitempty"`
	// Bytes is what the results had.
	Bytes int `json:"bytes"`

	examples []string // of failures, of what was not run and of repeats
}

// Stats is what sessions have come to, rewound turns included: they were paid for.
type Stats struct {
	Sessions int `json:"sessions"`
	Runs     int `json:"runs"`
	// Answered are the runs that came to their end in order; Steps are the model's messages in all runs.
	Answered int    `json:"answered"`
	Steps    int    `json:"steps"`
	Tools    []Tool `json:"tools"`
	// Refused are approvals that the person, or nobody, answered with no; a question for words refuses nothing.
	Refused int `json:"refused,omitempty"`
	// Compactions have sizes or a summary; Cleared are results that a short text stands for, whether it came with one or not.
	Compactions int `json:"compactions,omitempty"`
	Cleared     int `json:"cleared,omitempty"`
	// Rewinds have taken back something that was said.
	Rewinds int `json:"rewinds,omitempty"`
	// Retries are attempts of model calls that failed or were cancelled. Nothing in a session's events says it: whoever knows
	// adds it.
	Retries int `json:"retries,omitempty"`
	// Usage is that of all runs, sub-agents included.
	Usage agent.Usage `json:"usage"`
}

// maxExamples bounds what is told of one tool, maxExample the characters of one example.
const (
	maxExamples = 4
	maxExample  = 240
)

// Collect adds the events of a session. Of a sub-agent (child) only the calls count: the runs and what they used are its
// parent's.
func (s *Stats) Collect(events iter.Seq2[agent.Event, error], child bool) error {
	c := collector{calls: map[string]agent.Call{}, asks: map[string]agent.AskKind{}, started: map[string]bool{}, seen: map[[32]byte]bool{}, tools: map[string]*Tool{}}
	for i := range s.Tools {
		c.tools[s.Tools[i].Name] = &s.Tools[i]
	}
	some := false
	for e, err := range events {
		if err != nil {
			return err
		}
		if some = true; !child {
			s.count(&c, &e)
		}
		c.event(&e)
	}
	if some && !child {
		s.Sessions++
	}
	list := make([]Tool, 0, len(c.tools))
	for _, t := range c.tools {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Tool) int { return cmp.Or(b.Calls-a.Calls, strings.Compare(a.Name, b.Name)) })
	s.Tools = list
	return nil
}

func (s *Stats) count(c *collector, e *agent.Event) {
	switch e.Type {
	case agent.EvMessage:
		if e.Message.Answers() && e.Run != "" {
			s.Steps++
		}
	case agent.EvAnswer:
		if e.Answer != nil && !e.Answer.Allow && c.asks[e.Answer.ID] == agent.Approval {
			s.Refused++
		}
	case agent.EvCompact:
		s.compacted(e.Trim)
	case agent.EvVoid:
		if c.rewound(e.Void) {
			s.Rewinds++
		}
	case agent.EvEnd:
		s.Runs++
		if e.Stop == agent.RunEnd {
			s.Answered++
		}
		s.Usage.Add(e.Usage)
	case agent.EvCall, agent.EvAsk, agent.EvSetup, agent.EvState, agent.EvStep, agent.EvChunk, agent.EvProgress, agent.EvNotice, agent.EvRetry:
	}
}

func (s *Stats) compacted(t *agent.Trim) {
	if t == nil {
		return
	}
	s.Cleared += len(t.Clear)
	if t.Before > 0 || t.After > 0 || len(t.Head) > 0 { // else it is only that old results are cleared before each call
		s.Compactions++
	}
}

// rewound reports whether a void takes back anything that was said.
func (c *collector) rewound(r *agent.Range) bool {
	return r != nil && slices.ContainsFunc(c.said, func(seq int64) bool { return seq >= r.From && seq <= r.To })
}

// collector follows the calls of one session.
type collector struct {
	calls   map[string]agent.Call
	asks    map[string]agent.AskKind
	said    []int64 // numbers of messages
	started map[string]bool
	seen    map[[sha256.Size]byte]bool
	tools   map[string]*Tool
}

func (c *collector) event(e *agent.Event) {
	if e.Type == agent.EvMessage {
		c.said = append(c.said, e.Seq)
	}
	switch {
	case e.Type == agent.EvAsk && e.Ask != nil:
		c.asks[e.Ask.ID] = e.Ask.Kind
	case e.Type == agent.EvCall && e.Call != nil:
		c.started[e.Call.Key] = true
	case e.Type == agent.EvMessage && e.Message.Role == agent.Assistant:
		for _, call := range e.Message.Calls() {
			c.calls[call.Key] = call
		}
	case e.Type == agent.EvMessage && e.Message.Result() != nil:
		c.result(e.Message.Result())
	}
}

func (c *collector) result(r *agent.Result) {
	call, ok := c.calls[r.Key]
	if !ok {
		return
	}
	delete(c.calls, r.Key)
	t := c.tools[call.Name]
	if t == nil {
		t = &Tool{Name: call.Name}
		c.tools[call.Name] = t
	}
	said := r.Text()
	t.Calls, t.Bytes = t.Calls+1, t.Bytes+len(said)
	seen := sha256.Sum256([]byte(call.Name + "\x00" + string(call.Args) + "\x00" + said))
	what := ""
	switch {
	case !c.started[r.Key]:
		t.NotRun, what = t.NotRun+1, "not run"
	case r.Error:
		t.Failed, what = t.Failed+1, "failed"
	}
	if c.seen[seen] {
		t.Repeats++
		what = strings.TrimSpace(what + " again, same result")
	}
	c.seen[seen] = true
	if what != "" && len(t.examples) < maxExamples {
		t.examples = append(t.examples, what+": "+oneLine(string(call.Args))+" -> "+oneLine(said))
	}
}

func oneLine(s string) string { return text.Head(strings.Join(strings.Fields(s), " "), maxExample) }
