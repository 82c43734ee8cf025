package property_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"react-agent/agent"
	"react-agent/kit/compact"
)

// product is the product's compaction, with a model that says anything when it is asked for a summary, and a place for
// transcripts that may be full.
type product struct {
	w       *world
	c       *compact.Compact
	written int
}

const transcript = ".transcripts/s.jsonl"

func newReal(w *world) *product {
	r := &product{w: w}
	o := compact.Options{
		Agent: w.ag, Ask: r.ask,
		Carry: []compact.Section{
			{Name: "plan", Text: func(s *agent.Session) string { return section(s, "plan") }},
			{Name: "todos", Text: func(s *agent.Session) string { return section(s, "todo") }},
		},
		Files: func(c agent.Call) []compact.File {
			return []compact.File{{Path: c.Name + ".txt", Wrote: c.Name == "write"}}
		},
		Settings: compact.Settings{Micro: w.rare("micro", 4), Plain: w.rare("plain", 4), Manual: w.rare("manual", 4)},
	}
	if w.rare("small", 2) {
		o.At = 600
	}
	if w.pick("transcript", 2) == 0 {
		o.Transcript = r.keep
	}
	r.c = compact.New(o)
	return r
}

func section(s *agent.Session, key string) string {
	if len(s.State[key]) == 0 {
		return ""
	}
	return "The " + key + ": " + string(s.State[key])
}

func (r *product) compact(ctx context.Context, s *agent.Session, n agent.Need) (*agent.Trim, error) {
	return r.c.Trim(ctx, s, n)
}

func (r *product) hooks() []agent.Hook { return []agent.Hook{r.c.Hook()} }

func (r *product) keep(context.Context, string, []agent.Message) (string, error) {
	if r.w.rare("full", 5) {
		return "", errors.New("no space left on device")
	}
	r.written++
	return transcript, nil
}

// ask is the model that makes summaries, good and bad ones.
func (r *product) ask(_ context.Context, req *agent.Request) (agent.Message, *agent.Usage, error) {
	in, out := int64(50), int64(5)
	u := &agent.Usage{Input: &in, Output: &out}
	m := agent.TextMessage(agent.Assistant, "It went well.")
	m.Stop = agent.StopEnd
	if len(req.Tools) > 0 {
		r.w.fault("tools are offered for a summary")
	}
	switch r.w.pick("summary", 9) {
	case 8:
		m.Parts = nil
	case 7:
		m.Parts, m.Stop = []agent.Part{{Kind: agent.CallKind, Call: &agent.Call{Name: "read", Args: json.RawMessage(`{}`)}}}, agent.StopCalls
	case 6:
		return m, nil, &agent.ModelError{Kind: agent.ErrContextLength, Err: errors.New("too long")}
	case 5:
		return m, u, &agent.ModelError{Kind: agent.ErrServer, Err: errors.New("try later")}
	case 4:
		m.Parts[0].Text = strings.Repeat("and so on, ", 400)
	}
	return m, u, nil
}

// carries: word for word, or the window says how many messages are left out. words are those that are gone, one a line.
func (r *product) carries(_ *world, window, words string) error {
	_, rest, _ := strings.Cut(window, "\n[")
	left := 0
	for ; rest != ""; _, rest, _ = strings.Cut(rest, "\n[") {
		if n, err := fmt.Sscanf(rest, "%d more of the person's messages are not repeated here", &left); n == 1 && err == nil {
			break
		}
	}
	if gone := strings.Count(words, "\n") + 1; gone > left {
		return fmt.Errorf("%d messages are gone, and the window says %d", gone, left)
	}
	return nil
}
