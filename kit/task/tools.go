package task

import (
	"context"
	"encoding/json"
	"strconv"

	"react-agent/agent"
)

// Names of the tools. C-16: they work on the board, while task hands work to a sub-agent.
const (
	ToolCreate = "task_create"
	ToolGet    = "task_get"
	ToolUpdate = "task_update"
	ToolList   = "task_list"
	ToolClaim  = "claim_task"
)

// Writers are the names of the tools that change the board.
func Writers() []string { return []string{ToolCreate, ToolUpdate, ToolClaim} }

// Lead is the owner of what the main agent claims.
const Lead = "lead"

type createArgs struct {
	Subject     string `json:"subject" doc:"what is to be done, in a few words"`
	Description string `json:"description,omitempty" doc:"all that whoever does it has to know"`
}

type idArgs struct {
	ID int `json:"task_id"`
}

type updateArgs struct {
	ID           int    `json:"task_id"`
	Status       string `json:"status,omitempty" enum:"pending,in_progress,completed,deleted"`
	AddBlockedBy []int  `json:"add_blocked_by,omitempty" doc:"ids of tasks that must be completed before this one"`
	AddBlocks    []int  `json:"add_blocks,omitempty" doc:"ids of tasks that wait for this one"`
}

// Tools are the five tools of the board. owner tells in whose name a session claims.
func (b *Board) Tools(owner func() string) []agent.Tool {
	claim := agent.NewTool(ToolClaim, "Take a task of the board: it is yours and in progress. Refused when it is somebody else's or blocked.", agent.Writes,
		func(ctx context.Context, in idArgs) (agent.Result, error) {
			_, err := b.Claim(ctx, in.ID, owner())
			return answer("Claimed task #"+strconv.Itoa(in.ID)+" for "+owner(), err)
		})
	claim.Resume = true // what one has may be claimed again
	return []agent.Tool{
		agent.NewTool(ToolCreate, "Put a task on the board, which outlives this conversation and is shared with teammates. "+
			"For a short list of your own use TodoWrite; to hand work to a sub-agent now, task.", agent.Writes,
			func(ctx context.Context, in createArgs) (agent.Result, error) {
				t, err := b.Create(ctx, in.Subject, in.Description)
				return shown(t, err)
			}),
		agent.NewTool(ToolGet, "Show a task of the board with its description.", agent.Reads,
			func(ctx context.Context, in idArgs) (agent.Result, error) {
				t, err := b.Get(ctx, in.ID)
				return shown(t, err)
			}),
		agent.NewTool(ToolUpdate, "Change a task of the board: its status (pending gives it back, deleted removes it), what it waits for and what waits for it. "+
			"Completing a task unblocks those that wait for it.", agent.Writes, b.update),
		agent.NewTool(ToolList, "List the tasks of the board with status, owner and what blocks them.", agent.Reads,
			func(ctx context.Context, _ struct{}) (agent.Result, error) { return answer(b.Render(ctx)) }),
		claim,
	}
}

func (b *Board) update(ctx context.Context, in updateArgs) (agent.Result, error) {
	t, err := b.Update(ctx, in.ID, Change{Status: in.Status, AddBlockedBy: in.AddBlockedBy, AddBlocks: in.AddBlocks})
	if in.Status == Deleted {
		return answer("Task "+strconv.Itoa(in.ID)+" deleted", err)
	}
	return shown(t, err)
}

// shown is a task as JSON for the model, and as a line for the person.
func shown(t Task, err error) (agent.Result, error) {
	r, err := answer(t.String(), err)
	if err == nil && !r.Error {
		r.Detail, err = agent.EncodeJSON(map[string]string{"line": Line(t, nil, nil)})
	}
	return r, err
}

// answer is a result, or what is wrong, in the words of the source system.
func answer(text string, err error) (agent.Result, error) {
	switch {
	case err == nil:
		return agent.TextResult(text), nil
	case IsMistake(err):
		return agent.ErrorResult("Error: " + err.Error()), nil
	}
	return agent.Result{}, err
}

// Hook says of a status that there is not what the tool says, where the kernel's check of arguments has turned the call down
// before.
func Hook() agent.Hook {
	return agent.Hook{Name: Kind, AfterTool: func(_ context.Context, _ *agent.Session, c agent.Call, r *agent.Result) (err error) {
		var in struct {
			Status *string `json:"status"`
		}
		readable := json.Unmarshal(c.Args, &in) == nil
		if c.Name == ToolUpdate && r.Error && readable && in.Status != nil && !valid(*in.Status) {
			*r, err = answer("", statusError(*in.Status))
		}
		return err
	}}
}
