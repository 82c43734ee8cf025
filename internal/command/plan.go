package command

import (
	"context"
	"encoding/json"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/msg"
	"react-agent/kit/plan"
	"react-agent/kit/policy"
	"react-agent/kit/todo"
)

// planCommand enters plan mode, and settles what plans are about also after the run that has made them.
func planCommand() Command {
	return Command{
		Name: "plan", Args: "[approve | reject | edit CHANGES | show | off | TASK]", Help: msg.HelpPlan, Slash: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			word, rest, _ := strings.Cut(in.Rest, " ")
			if rest = strings.TrimSpace(rest); word != "edit" && rest != "" { // a task may begin with any word
				word = ""
			}
			switch word {
			case "show":
				return Outcome{}, planShow(ctx, h, in)
			case "approve":
				return planApprove(ctx, h, in)
			case "reject":
				return Outcome{}, planReject(ctx, h, in)
			case "edit":
				return planEdit(ctx, h, in, rest)
			case "off":
				return Outcome{}, planOff(ctx, h, in)
			}
			return planOn(ctx, h, in)
		},
	}
}

// planOn enters plan mode; a task is said to the session at once.
func planOn(ctx context.Context, h *Host, in Input) (Outcome, error) {
	if err := idle(ctx, h, in.Session); err != nil {
		return Outcome{}, err
	}
	if _, err := h.Mode(ctx, in.Session, policy.Plan); err != nil {
		return Outcome{}, err
	}
	out := Outcome{}
	if in.Rest != "" {
		out.Input = hearing(agent.TextMessage(agent.User, in.Rest))
	}
	return out, in.printf("%s\n", h.Msg.Text(msg.PlanOn))
}

func hearing(m agent.Message) *engine.Input { return &engine.Input{Message: &m} }

// planAsked is the question about a plan that waits for an answer in a session, "" if there is none.
func planAsked(s *agent.Session) string {
	for id, a := range s.Asks {
		if a.Call != nil && a.Call.Name == plan.Name {
			return id
		}
	}
	return ""
}

// planAnswer answers the question about a plan; false: none is open.
func planAnswer(ctx context.Context, h *Host, s *agent.Session, allow bool, text string) (bool, error) {
	id := planAsked(s)
	if id == "" {
		return false, nil
	}
	_, err := h.Engine.Submit(ctx, s.ID, engine.Input{Answer: &agent.Answer{ID: id, Allow: allow, Text: text}})
	return true, err
}

func planApprove(ctx context.Context, h *Host, in Input) (Outcome, error) {
	s, err := h.Session(ctx, in.Session)
	if err != nil {
		return Outcome{}, err
	}
	if done, err := planAnswer(ctx, h, s, true, h.Msg.Text(msg.PlanApprove)); done || err != nil {
		return Outcome{}, err
	}
	if h.Planner.Waits(s) == "" {
		return Outcome{}, usage(msg.PlanNothing)
	}
	return Outcome{Input: hearing(plan.ApproveMessage("/plan approve"))}, nil
}

func planReject(ctx context.Context, h *Host, in Input) error {
	s, err := h.Session(ctx, in.Session)
	if err != nil {
		return err
	}
	if done, err := planAnswer(ctx, h, s, false, h.Msg.Text(msg.PlanReject)); done || err != nil {
		return err
	}
	if plan.Of(s).Proposed == "" {
		return usage(msg.PlanNothing)
	}
	if err := h.Change(ctx, in.Session, h.Planner.Reject); err != nil {
		return err
	}
	return in.printf("%s\n", h.Msg.Text(msg.PlanIsRejected))
}

func planEdit(ctx context.Context, h *Host, in Input, changes string) (Outcome, error) {
	if changes == "" {
		return Outcome{}, usage(msg.PlanEditWhat)
	}
	s, err := h.Session(ctx, in.Session)
	if err != nil {
		return Outcome{}, err
	}
	if done, err := planAnswer(ctx, h, s, true, h.Msg.Text(msg.PlanEdit)+": "+changes); done || err != nil {
		return Outcome{}, err
	}
	if !h.Planner.On(s) {
		return Outcome{}, usage(msg.PlanNotOn)
	}
	return Outcome{Input: hearing(agent.TextMessage(agent.User, changes))}, nil
}

// planOff leaves plan mode; outside of it, the approved plan is let go.
func planOff(ctx context.Context, h *Host, in Input) error {
	if err := idle(ctx, h, in.Session); err != nil {
		return err
	}
	text := ""
	err := h.Change(ctx, in.Session, func(s *agent.Session) map[string]json.RawMessage {
		on := h.Planner.On(s)
		state := h.Planner.Off(s)
		switch {
		case on:
			var mode string
			_ = json.Unmarshal(state[policy.StateKey], &mode) // it was just made
			text = h.Msg.Text(msg.PlanOff, mode)
		case state == nil:
			text = h.Msg.Text(msg.PlanNotOn)
		default:
			text = h.Msg.Text(msg.PlanDropped)
		}
		return state
	})
	if err != nil {
		return err
	}
	return in.printf("%s\n", text)
}

func planShow(ctx context.Context, h *Host, in Input) error {
	s, err := h.Session(ctx, in.Session)
	if err != nil {
		return err
	}
	x := plan.Of(s)
	var parts []string
	if h.Planner.On(s) {
		parts = append(parts, h.Msg.Text(msg.PlanOn))
	}
	waits := h.Planner.Waits(s)
	if waits != "" {
		head := msg.PlanProposed
		if x.Rejected {
			head = msg.PlanRejected
		}
		parts = append(parts, h.Msg.Text(head)+"\n"+waits)
	}
	if x.Approved != "" {
		parts = append(parts, h.Msg.Text(msg.PlanApproved)+"\n"+x.Approved)
	}
	if waits == "" && x.Approved == "" {
		parts = append(parts, h.Msg.Text(msg.PlanNone))
	}
	return in.printf("%s\n", strings.Join(parts, "\n\n"))
}

// untilCommand sets, shows and gives up the goal of a session.
func untilCommand() Command {
	return Command{
		Name: "until", Args: "[COMMAND | off]", Help: msg.HelpUntil, Slash: true, Max: -1,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			if in.Rest == "" {
				s, err := h.Session(ctx, in.Session)
				if err != nil {
					return Outcome{}, err
				}
				return Outcome{}, in.printf("%s\n", goalText(h.Msg, s))
			}
			if err := idle(ctx, h, in.Session); err != nil {
				if in.Rest != "off" {
					return Outcome{}, err
				}
				if _, busy := AsUsage(err); !busy {
					return Outcome{}, err
				}
				return Outcome{Input: hearing(plan.GiveUpMessage())}, in.printf("%s\n", h.Msg.Text(msg.UntilOff))
			}
			goal, text := in.Rest, h.Msg.Text(msg.UntilSet, in.Rest)
			if goal == "off" {
				goal, text = "", h.Msg.Text(msg.UntilOff)
			}
			err := h.Change(ctx, in.Session, func(*agent.Session) map[string]json.RawMessage { return plan.SetGoal(goal) })
			if err != nil {
				return Outcome{}, err
			}
			return Outcome{}, in.printf("%s\n", text)
		},
	}
}

func goalText(c msg.Catalogue, s *agent.Session) string {
	g, ok := plan.GoalOf(s)
	switch {
	case !ok:
		return c.Text(msg.UntilNone)
	case g.Holds:
		return c.Text(msg.GoalHolds, g.Command)
	case g.Rounds == 0:
		return c.Text(msg.UntilSet, g.Command)
	}
	return c.Text(msg.UntilShow, g.Command, g.Rounds, g.Ended)
}

// Goal is what an event's state says of the goal of a run, for a report; nil: nothing.
func Goal(state map[string]json.RawMessage) json.RawMessage {
	g, ok := plan.GoalIn(state)
	if !ok {
		return nil
	}
	raw, err := agent.EncodeJSON(struct {
		Command string `json:"command"`
		Holds   bool   `json:"holds"`
		Rounds  int    `json:"rounds"`
		Status  string `json:"status,omitempty"`
	}{g.Command, g.Holds, g.Rounds, g.Ended.In(msg.For(msg.En))})
	if err != nil { // it is texts and numbers
		return nil
	}
	return raw
}

// todosCommand shows the list of todos.
func todosCommand() Command {
	return Command{
		Name: "todos", Help: msg.HelpTodos, Slash: true,
		Run: func(ctx context.Context, h *Host, in Input) (Outcome, error) {
			s, err := h.Session(ctx, in.Session)
			if err != nil {
				return Outcome{}, err
			}
			text := todoText(h.Msg, todo.Of(s))
			if text == "" {
				text = h.Msg.Text(msg.TodosNone)
			}
			return Outcome{}, in.printf("%s\n", text)
		},
	}
}

func todoText(c msg.Catalogue, l todo.List) string {
	if len(l) == 0 {
		return ""
	}
	var b strings.Builder
	for _, it := range l {
		mark := "  ☐ "
		switch it.Status {
		case todo.Completed:
			mark = "  ☑ "
		case todo.InProgress:
			mark = "  ▶ "
		}
		b.WriteString(mark + strings.Join(strings.Fields(it.Content), " ") + "\n")
	}
	return b.String() + "  " + c.Text(msg.TodosDone, l.Done(), len(l))
}

// Changed is what the person sees of a change of a session's state: the list of todos, how a goal stands. "" is nothing.
func Changed(c msg.Catalogue, state map[string]json.RawMessage) string {
	if text := todoText(c, todo.In(state)); text != "" {
		return text
	}
	g, ok := plan.GoalIn(state)
	switch {
	case !ok || g.Rounds == 0:
		return ""
	case g.Holds:
		return "✓ " + c.Text(msg.GoalHolds, g.Command)
	}
	return "✗ " + c.Text(msg.GoalFails, g.Command, g.Rounds, g.Ended)
}
