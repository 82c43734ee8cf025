package plan

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
)

const (
	// Name is the hook's, and the From of its messages.
	Name = "plan"
	// Mode is the name of plan mode among a session's modes.
	Mode = "plan"
	// StateKey is where a session keeps its [Plan].
	StateKey = "plan"
)

// Plan is what a session keeps of plans.
type Plan struct {
	// Before is the mode of the session that plan mode has taken the place of. Usual is, where it had none of its own, what
	// would have followed when it began.
	Before string `json:"before,omitempty"`
	Usual  string `json:"usual,omitempty"`
	// Proposed waits for the person; Rejected says that it was turned down.
	Proposed string `json:"proposed,omitempty"`
	Rejected bool   `json:"rejected,omitempty"`
	// Approved is in force.
	Approved string `json:"approved,omitempty"`
	// Since is the number of the event before plan mode began.
	Since int64 `json:"since,omitempty"`
	// Heard is the number of the last message of the person that has approved something.
	Heard int64 `json:"heard,omitempty"`
}

// Of is what a session keeps of plans.
func Of(s *agent.Session) Plan {
	p, _ := In(s.State)
	return p
}

// In is the plan in a state, or in what an event changes of it; false: there is none.
func In(state map[string]json.RawMessage) (p Plan, ok bool) {
	raw, ok := state[StateKey]
	return p, ok && json.Unmarshal(raw, &p) == nil
}

// state is the plan as a session keeps it.
func (p Plan) state() map[string]json.RawMessage {
	raw, err := agent.EncodeJSON(p)
	if err != nil || p == (Plan{}) { // it is texts and numbers
		raw = json.RawMessage("null")
	}
	return map[string]json.RawMessage{StateKey: raw}
}

// Options of [New]. ModeKey, Now and After are required.
type Options struct {
	// ModeKey is where a session keeps its mode, as a JSON string. Now gives a session's mode, its own or the usual one.
	ModeKey string
	Now     func(s *agent.Session) string
	// After is the mode behind plan mode, given what [Plan] has of it: either may be "".
	After func(before, usual string) string
	// Child says that the agent is somebody's sub-agent.
	Child bool
	// Waiting reports whether the person has said something that was not taken in yet; nil: nobody speaks. It may be asked
	// from any goroutine.
	Waiting func() bool
	// Tell is told of a plan that waits because nobody is there to approve it; nil: nobody is.
	Tell func(session string)
	// Lang is the language of the question, "zh" or "en"; empty is English.
	Lang string
}

// Planner holds a session to plan mode. It keeps nothing itself.
type Planner struct{ o Options }

// New makes a planner. It may serve many sessions at once.
func New(o Options) *Planner { return &Planner{o: o} }

// Hook is what leads the model.
func (p *Planner) Hook() agent.Hook {
	return agent.Hook{Name: Name, BeforeModel: p.beforeModel, Inject: p.inject}
}

// On reports whether a session is in plan mode.
func (p *Planner) On(s *agent.Session) bool { return p.o.Now(s) == Mode }

// Enter is the state that begins plan mode.
func (p *Planner) Enter(s *agent.Session) map[string]json.RawMessage {
	x := Of(s)
	if now := p.o.Now(s); now != Mode {
		x.Before, x.Usual, x.Proposed, x.Rejected, x.Since = now, "", "", false, s.Seq
	}
	return p.with(x, Mode)
}

// Leave is the state that takes another mode, "" being the one from before. A plan that waits is dropped.
func (p *Planner) Leave(s *agent.Session, to string) map[string]json.RawMessage {
	x := Of(s)
	if to == "" {
		to = p.o.After(x.Before, x.Usual)
	}
	x.Before, x.Usual, x.Proposed, x.Rejected = "", "", "", false
	return p.with(x, to)
}

// Off is the state that leaves plan mode for the mode from before; outside of it, that the approved plan is no longer in
// force, nil if there is none.
func (p *Planner) Off(s *agent.Session) map[string]json.RawMessage {
	if p.On(s) {
		return p.Leave(s, "")
	}
	x := Of(s)
	if x.Approved == "" {
		return nil
	}
	x.Approved = ""
	return x.state()
}

// Reject is the state in which the plan that waits is turned down; plan mode stays.
func (p *Planner) Reject(s *agent.Session) map[string]json.RawMessage {
	x := Of(s)
	x.Rejected = x.Proposed != ""
	return x.state()
}

func (p *Planner) with(x Plan, mode string) map[string]json.RawMessage {
	state := x.state()
	state[p.o.ModeKey] = json.RawMessage(strconv.Quote(mode))
	return state
}

const (
	orders = `# Plan mode
Nothing may be changed yet: only tools that read are there. Investigate what you need to know. Then answer with a plan, a numbered list (1. 2. 3. …) of steps, one a line, each concrete enough to be carried out and checked; below it, what is still open. The person approves the plan, changes it or rejects it. When the person answers with changes, answer with the whole revised plan. Carry nothing out before it is approved.`
	childOrders = `# Plan mode
Nothing may be changed: only tools that read are there. Find out what you were asked for, and report it.`
)

// beforeModel hides what does more than read.
func (p *Planner) beforeModel(_ context.Context, s *agent.Session, req *agent.Request) error {
	if !p.On(s) {
		return nil
	}
	req.Tools = slices.DeleteFunc(req.Tools, func(t agent.Tool) bool { return t.Effect != agent.Reads })
	text := orders
	if p.o.Child {
		text = childOrders
	}
	req.System = strings.TrimSpace(req.System + "\n\n" + text)
	return nil
}

func (p *Planner) inject(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
	switch {
	case p.o.Child:
		return nil, nil
	case stopping:
		return p.present(s), nil
	}
	if note := p.approvedBy(s); note != nil {
		return note, nil
	}
	if _, own := s.State[p.o.ModeKey]; !own && p.On(s) { // it was meant for this session, whoever goes on with it
		x := Of(s)
		x.Usual, x.Since = p.o.After("", ""), s.Seq
		return &agent.Note{State: p.with(x, Mode)}, nil
	}
	return nil, nil
}

// present puts the plan that the model has answered with to the person.
func (p *Planner) present(s *agent.Session) *agent.Note {
	if !p.On(s) || len(s.Messages) == 0 {
		return nil
	}
	last := &s.Messages[len(s.Messages)-1]
	text := strings.TrimSpace(last.Text())
	if !last.Answers() || !Numbered(text) {
		return nil
	}
	x := Of(s)
	note := &agent.Note{}
	if x.Proposed != text {
		x.Proposed, x.Rejected = text, false
		note.State = x.state()
	}
	c := agent.Call{Key: s.ID + "/" + strconv.FormatInt(last.Seq, 10) + ".0", Name: Name}
	session := s.ID
	note.Later = &agent.Later{Call: c, Run: func(ctx context.Context) (*agent.Note, error) { return p.ask(ctx, session, x) }}
	return note
}

// approved is what follows an approval.
func (p *Planner) approved(x Plan) *agent.Note {
	m := agent.TextMessage(agent.User, "The person approved this plan. Carry it out now, step by step:\n\n<plan>\n"+x.Proposed+"\n</plan>")
	m.From = Name
	to := p.o.After(x.Before, x.Usual)
	x.Approved, x.Before, x.Usual, x.Proposed, x.Rejected = x.Proposed, "", "", "", false
	return &agent.Note{Messages: []agent.Message{m}, State: p.with(x, to)}
}

// Carry is what a compaction has to keep: the plan that is in force, and the one that waits. "" when there is none.
func Carry(s *agent.Session) string {
	x := Of(s)
	var parts []string
	if x.Approved != "" {
		parts = append(parts, "The plan that the person approved:\n"+x.Approved)
	}
	if x.Proposed != "" && !x.Rejected {
		parts = append(parts, "The plan that waits for the person's approval:\n"+x.Proposed)
	}
	return strings.Join(parts, "\n\n")
}
