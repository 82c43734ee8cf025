package app

import (
	"context"

	"react-agent/kit/task"
	"react-agent/kit/team/mates"
)

// boardView is what the page shows beside a conversation: tasks, team, and what waits for the lead.
type boardView struct {
	Tasks []task.Task     `json:"tasks"`
	Team  teamView        `json:"team"`
	Inbox []mates.Message `json:"inbox"`
}

type teamView struct {
	Name    string         `json:"name"`
	Members []mates.Member `json:"members"`
}

// boardNow looks at the board, the team and the lead's inbox; nothing is taken.
func (p *product) boardNow(ctx context.Context) (boardView, error) {
	v := boardView{Tasks: []task.Task{}, Inbox: []mates.Message{}}
	tasks, _, err := p.tasks.List(ctx)
	if err != nil {
		return v, err
	}
	r, err := p.mates.Team(ctx)
	if err != nil {
		return v, err
	}
	inbox, err := p.mates.Inbox(ctx, mates.Lead, false)
	v.Tasks, v.Team, v.Inbox = append(v.Tasks, tasks...), teamView{r.Name, r.Members}, append(v.Inbox, inbox...)
	return v, err
}
