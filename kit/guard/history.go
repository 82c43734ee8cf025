package guard

import (
	"bytes"
	"slices"

	"react-agent/agent"
)

// step is one assistant message with calls, and what came of them.
type step struct {
	calls   []agent.Call
	results []*agent.Result
}

// history is the steps since the person spoke, the newest first.
type history struct {
	steps []step
	hint  int // how many steps are newer than the guard's last message; -1: there is none
}

// maxSteps bounds the look back; no limit of Options should be above it.
const maxSteps = 128

// recent reads the history from its end. It stops where the person spoke or the model answered without a call.
func recent(messages []agent.Message, o Options) history {
	h := history{hint: -1}
	var results []*agent.Result
	for i := len(messages) - 1; i >= 0 && len(h.steps) < maxSteps; i-- {
		m := &messages[i]
		switch m.Role {
		case agent.ToolRole:
			if r := m.Result(); r != nil {
				results = append(results, r)
			}
		case agent.User, agent.System:
			if m.From == "" {
				return h
			}
			if m.From == Name && h.hint < 0 {
				h.hint = len(h.steps)
			}
		case agent.Assistant:
			if !m.Answers() {
				continue
			}
			calls := m.Calls()
			if len(calls) == 0 {
				return h
			}
			if !polls(calls, o.Polling) {
				slices.Reverse(results)
				h.steps = append(h.steps, step{calls: calls, results: results})
			}
			results = nil
		}
	}
	return h
}

func polls(calls []agent.Call, polling []string) bool {
	for _, c := range calls {
		if !slices.Contains(polling, c.Name) {
			return false
		}
	}
	return true
}

// repeated counts the newest steps in a row that are equal to the step one period before them.
func (h history) repeated(period int, cleared func(string) bool) int {
	n := 0
	for n+period < len(h.steps) && equal(h.steps[n], h.steps[n+period], cleared) {
		n++
	}
	return n
}

func equal(a, b step, cleared func(string) bool) bool {
	if !sameCalls(a.calls, b.calls) || len(a.results) != len(b.results) {
		return false
	}
	for i := range a.results {
		if !sameResult(a.results[i], b.results[i], cleared) {
			return false
		}
	}
	return true
}

func sameCalls(a, b []agent.Call) bool {
	return slices.EqualFunc(a, b, func(x, y agent.Call) bool { return x.Name == y.Name && bytes.Equal(x.Args, y.Args) })
}

func sameResult(a, b *agent.Result, cleared func(string) bool) bool {
	if a.Error != b.Error {
		return false
	}
	x, y := a.Text(), b.Text()
	if cleared != nil && (cleared(x) || cleared(y)) {
		return true
	}
	return x == y && slices.EqualFunc(blobs(a), blobs(b), func(p, q *agent.Blob) bool {
		return p.SHA256 == q.SHA256 && p.URI == q.URI && bytes.Equal(p.Data, q.Data)
	})
}

func blobs(r *agent.Result) []*agent.Blob {
	var out []*agent.Blob
	for _, p := range r.Parts {
		if p.Blob != nil {
			out = append(out, p.Blob)
		}
	}
	return out
}

// failed reports whether no call of the step worked.
func (s step) failed() bool {
	for _, r := range s.results {
		if !r.Error {
			return false
		}
	}
	return len(s.results) > 0
}
