package app

import (
	"context"

	"react-agent/internal/msg"
	"react-agent/kit/task"
	"react-agent/kit/team/mates"
)

// boardView is what the page shows beside a conversation: tasks and what is no task though it should be, team, and what waits
// for the lead.
type boardView struct {
	Tasks  []task.Task     `json:"tasks"`
	Faults []faultView     `json:"faults"`
	Team   teamView        `json:"team"`
	Inbox  []mates.Message `json:"inbox"`
}

// faultView is a file of a task that cannot be read. ID is of the task that it would be; 0: of none.
type faultView struct {
	ID    int    `json:"id"`
	File  string `json:"file"`
	Error string `json:"error"`
}

type teamView struct {
	Name    string         `json:"name"`
	Members []mates.Member `json:"members"`
}

// boardNow looks at the board, the team and the lead's inbox; nothing is taken.
func (p *product) boardNow(ctx context.Context) (boardView, error) {
	v := boardView{Tasks: []task.Task{}, Faults: []faultView{}, Inbox: []mates.Message{}}
	tasks, faults, err := p.tasks.List(ctx)
	if err != nil {
		return v, err
	}
	for _, f := range faults {
		v.Faults = append(v.Faults, faultView{f.ID, f.File, msg.For(p.c.Language).Err(f.Err)})
	}
	r, err := p.mates.Team(ctx)
	if err != nil {
		return v, err
	}
	inbox, err := p.mates.Inbox(ctx, mates.Lead, false)
	v.Tasks, v.Team, v.Inbox = append(v.Tasks, tasks...), teamView{r.Name, r.Members}, append(v.Inbox, inbox...)
	return v, err
}
