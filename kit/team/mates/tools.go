package mates

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// Names of the tools.
const (
	toolSpawn     = "spawn_teammate"
	toolList      = "list_teammates"
	toolSend      = "send_message"
	toolRead      = "read_inbox"
	toolBroadcast = "broadcast"
	toolStop      = "shutdown_request"
	toolStopped   = "shutdown_response"
	toolPlan      = "plan_approval"
	toolIdle      = "idle"

	toolClaim = "claim_task" // of the board
)

// Names are those of the tools of a lead.
func Names() []string {
	return []string{toolSpawn, toolList, toolSend, toolRead, toolBroadcast, toolStop, toolStopped, toolPlan, toolIdle}
}

// MateTools are the names of the ten tools of a teammate.
func MateTools() []string {
	return []string{"bash", "read_file", "write_file", "edit_file", toolSend, toolRead, toolPlan, toolStopped, toolIdle, toolClaim}
}

type spawnArgs struct {
	Name   string `json:"name" doc:"letters, digits, _ or -"`
	Role   string `json:"role" doc:"what it is there for, in a few words"`
	Prompt string `json:"prompt" doc:"its first task and all that it has to know: it sees nothing of this conversation"`
}

type sendArgs struct {
	To      string `json:"to"`
	Content string `json:"content"`
	Type    string `json:"msg_type,omitempty" enum:"message,broadcast,shutdown_request,shutdown_response,plan_approval_response"`
}

type mateSendArgs struct {
	To      string `json:"to" doc:"a teammate, or lead"`
	Content string `json:"content"`
}

type contentArgs struct {
	Content string `json:"content"`
}

type stopArgs struct {
	Teammate string `json:"teammate"`
	Force    bool   `json:"force,omitempty" doc:"it is not asked, and ends at once"`

	words string // what it is told; "" is the usual
}

type idArgs struct {
	RequestID string `json:"request_id"`
}

type stoppedArgs struct {
	RequestID string `json:"request_id"`
	Approve   bool   `json:"approve"`
	Reason    string `json:"reason,omitempty"`
}

type reviewArgs struct {
	RequestID string `json:"request_id"`
	Approve   bool   `json:"approve"`
	Feedback  string `json:"feedback,omitempty"`
}

type planArgs struct {
	Plan string `json:"plan"`
}

// Tools are those of the seat: nine for a lead, five for a teammate, none for other children. All may be run again after a
// crash, and find what they have done. What they send comes in the order of the calls: each runs alone. They make no change but in the team's own files, so in the eyes of the rules they
// read; what a teammate does is judged call by call.
func (s *Seat) Tools() []agent.Tool {
	switch {
	case s.IsMate():
		return []agent.Tool{
			newTool(toolSend, "Send a message to a teammate or to the lead.", s.mateSend),
			newTool(toolRead, "Read your unread messages.", s.readInbox),
			newTool(toolPlan, "Submit a plan to the lead before risky or large work. The answer comes as a message.", s.submit),
			newTool(toolStopped, "Answer a request to shut down. Approve when nothing is left half done.", s.answerStop),
			newTool(toolIdle, "Say that you have nothing to do. You are woken by messages and by tasks of the board.", s.idle),
		}
	case s.isLead():
		return []agent.Tool{
			newTool(toolSpawn, "Start a teammate that works beside you under a name, takes tasks of the board when it is idle, and answers messages.", s.spawn),
			newTool(toolList, "List the teammates with role and status.", s.list),
			newTool(toolSend, "Send a message to a teammate.", s.send),
			newTool(toolRead, "Read your unread messages.", s.readInbox),
			newTool(toolBroadcast, "Send a message to all teammates.", s.broadcast),
			newTool(toolStop, "Ask a teammate to shut down. Its answer comes as a message.", s.requestStop),
			newTool(toolStopped, "Look where a request to shut down stands.", s.stopState),
			newTool(toolPlan, "Approve or reject the plan that a teammate has submitted.", s.review),
			newTool(toolIdle, "For teammates: enter the idle phase.", s.idle),
		}
	}
	return nil
}

// newTool makes a tool that finds its own work again.
func newTool[In any](name, doc string, fn func(ctx context.Context, c agent.Call, in In) (agent.Result, error)) agent.Tool {
	t := agent.NewCallTool(name, doc, agent.Reads, fn)
	t.Resume, t.Alone = true, name != toolList // what is sent keeps its order
	return t
}

func (s *Seat) spawn(ctx context.Context, c agent.Call, in spawnArgs) (agent.Result, error) {
	name := strings.TrimSpace(in.Name)
	err := s.m.spawn(ctx, s.Session, c.Key, name, in)
	return result(fmt.Sprintf("Spawned '%s' (role: %s)", name, in.Role), err)
}

func (s *Seat) list(ctx context.Context, _ agent.Call, _ struct{}) (agent.Result, error) {
	r, err := s.m.told(ctx)
	return result(r.Render(), err)
}

// send sends a message of any of the five types, as the source systems' tool does. Without a request_id a response answers
// nothing: no record of a handshake changes by it, and whoever gets it reads a message like any other.
func (s *Seat) send(ctx context.Context, c agent.Call, in sendArgs) (agent.Result, error) {
	typ := Type(cmp.Or(in.Type, string(Plain)))
	if typ == ShutdownRequest { // it has an id, and a record, as from the tool of that name
		res, err := s.requestStop(ctx, c, stopArgs{Teammate: in.To, words: in.Content})
		if err == nil && !res.Error {
			res = agent.TextResult(fmt.Sprintf("Sent %s to %s", typ, in.To))
		}
		return res, err
	}
	return s.sendTo(ctx, c, in.To, Message{Type: typ, Content: in.Content})
}

func (s *Seat) mateSend(ctx context.Context, c agent.Call, in mateSendArgs) (agent.Result, error) {
	return s.sendTo(ctx, c, in.To, Message{Type: Plain, Content: in.Content})
}

// maxContent bounds what is sent, in bytes: a line of an inbox is a record.
const maxContent = 100 << 10

func (s *Seat) sendTo(ctx context.Context, c agent.Call, to string, x Message) (agent.Result, error) {
	key, err := Clean(to)
	switch {
	case err != nil:
		return result("", err)
	case len(x.Content) > maxContent:
		return result("", msg.Errorf(msg.MateLong, maxContent>>10))
	}
	x.From = s.name()
	text := fmt.Sprintf("Sent %s to %s", x.Type, to)
	if who, err := s.m.mate(ctx, key); err != nil {
		return result("", err)
	} else if who != nil && who.Ended {
		text += fmt.Sprintf(" (%s is shut down)", who.Name)
	}
	return result(text, s.m.send(ctx, c.Key, key, x))
}

func (s *Seat) readInbox(ctx context.Context, c agent.Call, _ struct{}) (agent.Result, error) {
	if s.isLead() {
		if err := s.m.foreign(ctx, s.Session); err != nil {
			return result("", err)
		}
	}
	list, err := s.m.take(ctx, s.Owner(), s.Session, untaken)
	more := false
	if err == nil {
		more, err = s.m.some(ctx, s.Owner(), false)
	}
	res, err := result(List(behind(messages(list), more)), err)
	if n := len(list); err == nil && n > 0 {
		res.State = map[string]json.RawMessage{stateRead: strconv.AppendInt(nil, list[n-1].pos, 10)}
	}
	return res, err
}

func (s *Seat) broadcast(ctx context.Context, c agent.Call, in contentArgs) (agent.Result, error) {
	if len(in.Content) > maxContent {
		return s.sendTo(ctx, c, Lead, Message{Content: in.Content})
	}
	r, err := s.m.told(ctx)
	if err != nil {
		return result("", err)
	}
	n := 0
	for _, x := range r.Members {
		key, err := Clean(x.Name)
		if err != nil || key == s.Owner() {
			continue
		}
		if err := s.m.send(ctx, c.Key, key, Message{Type: Broadcast, From: s.name(), Content: in.Content}); err != nil {
			return result("", err)
		}
		n++
	}
	return result(fmt.Sprintf("Broadcast to %d teammates", n), nil)
}

func (s *Seat) requestStop(ctx context.Context, c agent.Call, in stopArgs) (agent.Result, error) {
	if len(in.words) > maxContent {
		return s.sendTo(ctx, c, in.Teammate, Message{Content: in.words})
	}
	i, err := s.m.intent(ctx, c.Key, nil)
	if err != nil {
		return agent.Result{}, err
	}
	if len(i.Sent) == 0 {
		err = s.m.ask(ctx, in.Teammate, i.ID, in.Force, func(ctx context.Context, key string, msg Message) error {
			msg.Content = cmp.Or(in.words, msg.Content)
			return s.m.send(ctx, c.Key, key, msg)
		})
	} else { // it may have ended since
		for key := range i.Sent {
			err = s.m.send(ctx, c.Key, key, Message{})
		}
	}
	return result(fmt.Sprintf("Shutdown request %s sent to '%s'", i.ID, in.Teammate), err)
}

func (s *Seat) stopState(ctx context.Context, _ agent.Call, in idArgs) (agent.Result, error) {
	r, ok, err := s.m.request(ctx, in.RequestID, ShutdownRequest)
	if err != nil || !ok {
		return result(`{"error":"not found"}`, err)
	}
	return result(fmt.Sprintf(`{"target":%q,"status":%q}`, r.Name, r.Status), nil)
}

func (s *Seat) answerStop(ctx context.Context, c agent.Call, in stoppedArgs) (agent.Result, error) {
	r, ok, err := s.m.request(ctx, in.RequestID, ShutdownRequest)
	if err == nil && (!ok || r.Session != s.Session) {
		err = msg.Errorf(msg.MateStopID, in.RequestID)
	}
	if err == nil {
		err = s.m.decide(ctx, in.RequestID, in.Approve, c.Key)
	}
	if err == nil {
		err = s.m.respond(ctx, s.Session, strings.TrimSpace(in.RequestID), s.name(), in.Approve, in.Reason)
	}
	res, err := result("Shutdown "+string(verdictOf(in.Approve)), err)
	res.EndTurn = err == nil && !res.Error && in.Approve
	return res, err
}

func (s *Seat) submit(ctx context.Context, c agent.Call, in planArgs) (agent.Result, error) {
	if len(in.Plan) > maxContent {
		return s.sendTo(ctx, c, Lead, Message{Content: in.Plan})
	}
	i, err := s.m.intent(ctx, c.Key, nil)
	if err == nil {
		err = s.m.newRequest(ctx, i.ID, request{Kind: PlanResponse, Name: s.name(), Session: s.Session, Lead: leadOf(s.Session), Plan: in.Plan, Status: pending})
	}
	if err == nil {
		err = s.m.send(ctx, c.Key, Lead, Message{Type: PlanResponse, From: s.name(), Content: in.Plan, RequestID: i.ID, Plan: in.Plan})
	}
	return result(fmt.Sprintf("Plan submitted (request_id=%s). Waiting for lead approval.", i.ID), err)
}

func (s *Seat) review(ctx context.Context, c agent.Call, in reviewArgs) (agent.Result, error) {
	r, ok, err := s.m.request(ctx, in.RequestID, PlanResponse)
	if err == nil && !ok {
		err = msg.Errorf(msg.MatePlanID, in.RequestID)
	}
	key := strings.ToLower(r.Name)
	if err == nil {
		err = s.m.lives(ctx, key, r.Session, in.RequestID)
	}
	if err == nil {
		err = s.m.decide(ctx, in.RequestID, in.Approve, c.Key)
	}
	if err == nil {
		err = s.m.send(ctx, c.Key, key, Message{
			Type: PlanResponse, From: Lead, Content: in.Feedback, RequestID: strings.TrimSpace(in.RequestID), Approve: &in.Approve, Feedback: &in.Feedback,
		})
	}
	return result(fmt.Sprintf("Plan %s for '%s'", verdictOf(in.Approve), r.Name), err)
}

func (s *Seat) idle(context.Context, agent.Call, struct{}) (agent.Result, error) {
	if !s.IsMate() {
		return result("Lead does not idle.", nil)
	}
	res := agent.TextResult("Entering idle phase.")
	res.EndTurn = true
	return res, nil
}

// wrongType says of a type that there is not what the tool says, where the kernel's check of arguments has turned the call
// down before.
func wrongType(c agent.Call, r *agent.Result) {
	var in sendArgs
	if r.Error && json.Unmarshal(c.Args, &in) == nil && in.Type != "" && !slices.Contains(types(), in.Type) {
		*r = agent.ErrorResult("Error: " + msg.Errorf(msg.MateType, in.Type, strings.Join(types(), ", ")).Error())
	}
}
