package compact

import (
	"context"
	"encoding/json"

	"react-agent/agent"
)

// request is what the tool leaves for the loop.
type request struct {
	Key   string `json:"key"`
	Focus string `json:"focus,omitempty"`
}

const requestKey = Name + "/request"

// Tool is the tool compress, with which the model asks for a compaction. It is made when all results of the round are
// stored, before the model is called again.
func Tool() agent.Tool {
	return agent.Tool{
		Name: "compress", Aliases: []string{Name}, Effect: agent.Reads,
		Doc: "Take the older part of this conversation out of the context window and put a summary in its place. What the person " +
			"said, plans, todos and loaded skills are kept. Use it when a long piece of work is done and its details are no longer needed.",
		Schema: json.RawMessage(`{"type":"object","properties":{"focus":{"type":"string","description":"What the summary has to keep above all"}},"required":[]}`),
		Run: func(_ context.Context, call agent.Call) (agent.Result, error) {
			x := request{Key: call.Key}
			if err := json.Unmarshal(call.Args, &x); err != nil {
				return agent.Result{}, err
			}
			x.Key = call.Key // whatever the arguments say
			raw, err := agent.EncodeJSON(x)
			r := agent.TextResult("Compressing...")
			r.State = map[string]json.RawMessage{requestKey: raw}
			return r, err
		},
	}
}

// requested reports whether the round that has just ended has asked for a compaction that was not made yet.
func (h *history) requested() (focus string, due bool) {
	var x request
	if json.Unmarshal(h.s.State[requestKey], &x) != nil || x.Key == "" {
		return "", false
	}
	for i := h.unseen; i < len(h.list); i++ {
		if r := h.list[i].Result(); r != nil && r.Key == x.Key {
			return x.Focus, h.list[i].Seq > h.s.Compacted()
		}
	}
	return "", false
}
